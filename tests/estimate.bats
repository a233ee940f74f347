# bloomtool estimate: what create would make, and how numbers are read.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# told ARGUMENT...: its JSON, one field by jq's filter first.
told() {
	local filter=$1
	shift
	bloomtool estimate --json "$@" | jq -c "$filter"
}

# refused ARGUMENT...: two lines, exit 2.
refused() {
	run -2 --separate-stderr timeout 5 bloomtool estimate "$@"
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[1]}" "usage: bloomtool estimate"
}

# line NAME: what the text has to say under that name.
line() {
	sed -n "s/^$1  *//p" <<< "$output"
}

# bats test_tags=valgrind
@test "estimate prints bits, probes, size, bits a key and the textbook's" {
	run -0 --separate-stderr bloomtool estimate -n 1e6 -p 0.01
	is "$stderr" ""
	is "$(line keys)" 1000000
	has "$(line rate)" 0.01
	bits=$(told .bits -n 1e6 -p 0.01)
	has "$(line bits)" "$bits in $((bits / 512)) blocks"
	has "$(line size)" "$((8192 + bits / 8)) bytes"
	has "$(line 'bits a key')" \
	    "$(awk "BEGIN { printf \"%.2f\", $bits / 1e6 }")"
	is "$(line probes)" "6 in 1 block"
	has "$(line textbook)" "9.59 bits a key"
	has "$(line textbook)" "7 probes"
}

@test "estimate prints what becomes of the rate when the filter overfills" {
	run -0 --separate-stderr bloomtool estimate -n 1e6 -p 0.01
	wanted=$(told '.overfill[] | .rate' -n 1e6 -p 0.01 |
	    while read -r rate; do printf '%.4g\n' "$rate"; done)
	is "$(sed -nE 's/^ *([0-9.]+) times +(.*)/\1/p' <<< "$output")" \
	    "$(printf '%s\n' 0.5 1 1.5 2 3 4)"
	is "$(sed -nE 's/^ *([0-9.]+) times +(.*)/\2/p' <<< "$output")" \
	    "$wanted"
}

@test "estimate --json has its keys in their order" {
	for option in --json -J; do
		run -0 --separate-stderr bloomtool estimate $option -n 1000
		is "$stderr" ""
		is "${#lines[@]}" 1
		is "$(jq -r 'keys_unsorted | join(" ")' <<< "$output")" \
		    "keys rate bits blocks probes blocks_per_key bits_per_key \
size_bytes textbook_bits textbook_probes overfill"
		is "$(jq -c '.overfill | map(keys_unsorted) | unique' \
		    <<< "$output")" '[["factor","rate"]]'
		is "$(jq -c '.overfill | map(.factor)' <<< "$output")" \
		    '[0.5,1,1.5,2,3,4]'
	done
}

@test "estimate makes nothing and reads nothing" {
	mkdir here
	cd here
	run -0 --separate-stderr bloomtool estimate -n 1e15 -p 1e-12 <&-
	is "$(ls -A)" ""
}

@test "any two of keys, rate and size fix the third" {
	is "$(told '[.keys, .rate]' -n 5000 -p 0.001)" '[5000,0.001]'
	is "$(told '.keys == 1000000 and .size_bytes <= 2000000
	    and .size_bytes > 2000000 - 64 and .rate > 0.0008
	    and .rate < 0.0009' -n 1e6 -s 2MB)" true
	is "$(told '.rate == 0.001 and .size_bytes <= 2000000
	    and .size_bytes > 2000000 - 64 and .keys > 1000000
	    and .keys < 1040000' -s 2MB -p 0.001)" true
}

@test "keys alone take a rate of 0.01" {
	is "$(told .rate -n 12345)" 0.01
	is "$(bloomtool estimate --json -n 12345)" \
	    "$(bloomtool estimate --json -n 12345 -p 0.01)"
}

@test "keys found for a size and a rate are the most that fit" {
	while read -r size rate prefer; do
		keys=$(told .keys -s "$size" -p "$rate" --prefer "$prefer")
		most=$(told .size_bytes -s "$size" -p "$rate" \
		    --prefer "$prefer")
		is "$(told .size_bytes -n "$keys" -p "$rate" \
		    --prefer "$prefer")" "$most"
		more=$((keys + keys / 1000 + 10))
		(($(told .size_bytes -n "$more" -p "$rate" \
		    --prefer "$prefer") > most))
	done <<- END
		10000 0.1 speed
		1MB 0.01 speed
		1MB 1e-6 space
		4GiB 1e-4 speed
		1Ti 1e-9 space
	END
}

@test "the rate found for keys and a size asks for that size" {
	while read -r keys size; do
		rate=$(told .rate -n "$keys" -s "$size" --prefer space)
		is "$(told ".size_bytes - $size | . <= 64
		    and . > -$size / 100" -n "$keys" -p "$rate" \
		    --prefer space)" true
	done <<- END
		1000000 1000000
		1000000 2000000
		500000 3000000
	END
}

@test "estimate refuses too much, too little, and operands" {
	refused -n 1000 -p 0.01 -s 10000
	has "${stderr_lines[0]}" "--keys, --rate and --size"
	refused
	has "${stderr_lines[0]}" "--keys"
	refused -p 0.01
	has "${stderr_lines[0]}" "--keys"
	refused -n 1000 f.bf
	has "${stderr_lines[0]}" "f.bf"
}

@test "estimate says what it cannot do" {
	refused -n 1e6 -s 100000
	has "${stderr_lines[0]}" "100000 bytes"
	has "${stderr_lines[0]}" "1000000 keys"
	has "${stderr_lines[0]}" "0.5"
	refused -s 1Ei -p 0.5
	has "${stderr_lines[0]}" "1000000000000000 keys"
	refused -n 1e16
	has "${stderr_lines[0]}" "--keys"
	refused -n 1000 -p 1e-13
	has "${stderr_lines[0]}" "--rate"
}

@test "estimate agrees with the table in DESIGN.md" {
	while read -r rate prefer bits probes blocks; do
		bloomtool estimate --json -n 1e9 -p "$rate" \
		    --prefer "$prefer" > got
		is "$rate $(jq -c '[.probes, .blocks_per_key]' got)" \
		    "$rate [$probes,$blocks]"
		# at most 1 % larger, and not smaller than what it takes
		is "$rate $(jq ".bits_per_key / $bits | . > 0.995
		    and . < 1.01" got)" "$rate true"
	done <<- END
		0.1 speed 4.832 3 1
		0.03 speed 7.415 5 1
		0.01 speed 9.896 6 1
		1e-3 speed 15.488 9 1
		1e-4 speed 21.914 12 1
		1e-5 speed 25.194 16 2
		1e-6 speed 30.977 18 2
		1e-8 speed 43.828 24 2
		1e-9 speed 46.465 27 3
	END
}

@test "estimate --prefer space takes the least space" {
	for rate in 0.1 0.01 1e-3 1e-4 1e-6 1e-9 1e-12; do
		is "$rate $(jq -s '.[0].size_bytes <= .[1].size_bytes
		    and .[0].bits_per_key < .[0].textbook_bits / 1e7 * 1.04' \
		    <(bloomtool estimate --json -n 1e7 -p $rate \
		    --prefer space) \
		    <(bloomtool estimate --json -n 1e7 -p $rate))" "$rate true"
	done
}

@test "estimate tells the textbook filter" {
	while read -r n p; do
		# n ln(1/p) / (ln 2)^2 bits, log2(1/p) probes
		read -r bits probes < <(awk -v n="$n" -v p="$p" 'BEGIN {
		    b = -n * log(p) / log(2) ^ 2
		    printf "%d %d\n", b == int(b) ? b : b + 1,
			-log(p) / log(2) + 0.5 }')
		is "$(told '[.textbook_bits, .textbook_probes]' -n "$n" \
		    -p "$p")" "[$bits,$probes]"
	done <<- END
		1000000 0.01
		1000000 0.001
		1000 0.1
		12345 1e-9
		7 0.5
	END
	# DESIGN.md: 4.793 GB against 5.479 GB
	is "$(told '[.textbook_bits / 8e9 > 4.7925,
	    .textbook_bits / 8e9 < 4.7935, .size_bytes / 1e9 > 5.478,
	    .size_bytes / 1e9 < 5.53] | all' -n 2e9 -p 1e-4)" true
}

@test "estimate's overfill rates are what a filter comes to" {
	bloomtool estimate --json -n 50000 -p 0.01 > told
	is "$(jq '.overfill | length' told)" 6
	bloomtool create -q -n 50000 -p 0.01 --seed 1 f.bf
	while read -r factor rate; do
		keys=$(awk "BEGIN { print 50000 * $factor }")
		seq "$keys" | bloomtool add f.bf 2> /dev/null
		is "$factor $(field f.bf "rate_now / $rate |
		    . > 0.95 and . < 1.05")" "$factor true"
	done < <(jq -r '.overfill[] | "\(.factor) \(.rate)"' told)
}

@test "estimate's rate at the keys asked for is not over the rate asked for" {
	for rate in 0.3 0.1 0.01 1e-3 1e-5 1e-9 1e-12; do
		for prefer in speed space; do
			is "$(told ".overfill[1].rate / $rate |
			    . < 1.0001 and . > 0.9" -n 1e7 -p $rate \
			    --prefer $prefer)" true
		done
		is "$(told '.overfill | map(.rate) | . == sort
		    and .[0] < .[1] and .[5] <= 1' -n 1e7 -p $rate)" true
	done
}

@test "estimate does not overflow at 10^15 keys and a rate of 1e-12" {
	for arguments in "-n 1e15 -p 1e-12" "-n 1e15 -p 0.5" \
	    "-n 1e15 -p 1e-12 --prefer space" "-n 1e15 -s 1Ei" \
	    "-n 1 -s 1Ei" "-n 1 -p 1e-12" "-n 1e15 -s 1P"; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr timeout 10 bloomtool estimate --json \
		    $arguments
		# jq would round these
		python3 -c 'import json, math, sys
t = json.load(sys.stdin)
assert t["bits"] == 512 * t["blocks"], t
assert t["size_bytes"] == 8192 + 64 * t["blocks"] <= 1 << 60, t
assert 0 < t["rate"] <= 0.5 and 1 <= t["probes"] <= 255, t
assert math.isclose(t["bits_per_key"], t["bits"] / t["keys"]), t
assert math.isclose(t["textbook_bits"],
    -t["keys"] * math.log(t["rate"]) / math.log(2) ** 2, rel_tol=1e-9,
    abs_tol=1), t
assert all(0 <= o["rate"] <= 1 for o in t["overfill"]), t' <<< "$output"
	done
	# 57.5 bits a key and more
	run -0 bloomtool estimate --json -n 1e15 -p 1e-12
	is "$(grep -oE '"keys":[0-9]+' <<< "$output")" '"keys":1000000000000000'
	is "$(jq '.size_bytes > 7.1e15 and .size_bytes < 8.4e15' \
	    <<< "$output")" true
}

@test "keys are read as people write them" {
	while read -r text keys; do
		is "$text $(told .keys -n "$text")" "$text $keys"
	done <<- END
		1 1
		0005 5
		1000 1000
		1000.0 1000
		2e9 2000000000
		2E9 2000000000
		1e+6 1000000
		12e2 1200
		1.5e3 1500
		1200e-2 12
		10M 10000000
		1.5k 1500
		1.5K 1500
		0.001M 1000
		2G 2000000000
		3T 3000000000000
		1P 1000000000000000
		1e15 1000000000000000
		1Ki 1024
		1.5Ki 1536
		2Mi 2097152
		1Gi 1073741824
		1e3k 1000000
		.5k 500
		1000000000000.00000000000000000000000 1000000000000
		123456789012345 123456789012345
	END
}

@test "sizes are read as people write them" {
	while read -r text bytes; do
		is "$text $(told ".size_bytes | . <= $bytes
		    and . > $bytes - 64" -s "$text")" "$text true"
	done <<- END
		8256 8256
		10000 10000
		10000B 10000
		64Ki 65536
		64KiB 65536
		500MB 500000000
		500M 500000000
		4GiB 4294967296
		4Gi 4294967296
		4G 4000000000
		1.5Mi 1572864
		1.5MB 1500000
		1e6 1000000
		1e6B 1000000
		1T 1000000000000
		1TiB 1099511627776
		0.5P 500000000000000
	END
}

@test "rates are read as people write them" {
	while read -r text rate; do
		is "$text $(told ".rate == $rate" -n 1000 -p "$text")" \
		    "$text true"
	done <<- END
		0.01 0.01
		.01 0.01
		1e-2 0.01
		1E-2 0.01
		1% 0.01
		0.1% 0.001
		0.01% 0.0001
		1e-4 0.0001
		1e-2% 0.0001
		50% 0.5
		0.5 0.5
		1e-12 1e-12
		0.000000000001 1e-12
		0.3333333333333333 0.3333333333333333
	END
}

@test "numbers are refused with the option's name and the range" {
	for keys in "" 0 -5 nan 1.5 1e18 9223372036854775808 10MB 5x; do
		refused -n "$keys"
		has "${stderr_lines[0]}" "--keys"
		has "${stderr_lines[0]}" "1 to 1e15"
	done
	for rate in "" 0 1 2 -1 1e-300 nan 0.01x; do
		refused -n 1000 -p "$rate"
		has "${stderr_lines[0]}" "--rate"
		has "${stderr_lines[0]}" "1e-12 to 0.5"
	done
	for size in "" 0 -1 2Ei 8255 1.5 4GiBs; do
		refused -s "$size"
		has "${stderr_lines[0]}" "--size"
		has "${stderr_lines[0]}" "8256 to 1Ei"
	done
}

@test "what is inexact is told from what is no number" {
	refused -n 1.5
	has "${stderr_lines[0]}" "not a whole number"
	refused -n five
	has "${stderr_lines[0]}" "not a number"
	refused -n 1e16
	has "${stderr_lines[0]}" "out of range"
}

@test "estimate to a full disk is exit 2 with a message" {
	[ -c /dev/full ] || skip "no /dev/full here"
	for option in "" --json --plot --curve; do
		run -2 --separate-stderr bash -c \
		    "bloomtool estimate $option -n 1000 > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
	done
}

# drawn COMMAND...: with a locale of our own, and no width.
drawn() {
	env -u COLUMNS -u LANG LC_ALL=C.UTF-8 "$@"
}

# widest TEXT: how many columns its longest line takes.
widest() {
	LC_ALL=C.UTF-8 wc -L <<< "$1"
}

@test "estimate --plot draws rate by keys and size by rate" {
	for option in --plot -g; do
		run -0 --separate-stderr env LC_ALL=C COLUMNS=80 \
		    bloomtool estimate $option -n 1e7 -p 0.01
		is "$stderr" ""
		is "${lines[0]}" "10000000 keys at rate 0.01: \
11.8 MiB, 6 probes in 1 block"
		is "$(grep -c '^rate, ' <<< "$output")" 1
		is "$(grep -c '^size, ' <<< "$output")" 1
		is "$(grep -o O <<< "$output" | wc -l)" 2
		# the wanted point is as high as its rate, and above its keys
		has "$(grep O <<< "$output" | head -n 1)" " 0.01 +"
		at=$(grep O <<< "$output" | head -n 1)
		at=${at%%O*}
		keys=$(grep '1M .*100M' <<< "$output")
		is "${keys:${#at}-1:3}" 10M
		is "$(grep -c ' MiB +' <<< "$output")" 3
		is "$(widest "$output")" 80
	done
}

@test "estimate --plot is as wide as the terminal, 80 without" {
	run -0 drawn bloomtool estimate --plot -n 1000
	is "$(widest "$output")" 80
	for columns in "" 0 -5 x 99999; do
		run -0 drawn COLUMNS=$columns bloomtool estimate --plot -n 1000
		is "$(widest "$output")" 80
	done
	for columns in 50 132; do
		run -0 drawn COLUMNS=$columns bloomtool estimate --plot -n 1000
		is "$(widest "$(sed 1d <<< "$output")")" $columns
	done
	script -qec true /dev/null < /dev/null > /dev/null 2>&1 ||
		skip "no script(1) here"
	drawn script -qec "stty cols 100
	    bloomtool estimate --plot -n 1000 > file" /dev/null < /dev/null
	is "$(widest "$(< file)")" 80
	run -0 drawn script -qec "stty cols 100
	    bloomtool estimate --plot -n 1000" /dev/null < /dev/null
	is "$(widest "${output//$'\r'}")" 100
}

@test "estimate --plot is ASCII unless the locale has UTF-8" {
	for locale in C POSIX xx_XX.UTF-8 ""; do
		run -0 --separate-stderr env -u LANG -u LC_CTYPE \
		    LC_ALL=$locale bloomtool estimate --plot -n 1000
		is "$(tr -d '\n -~' <<< "$output")" ""
	done
	[ "$(LC_ALL=C.UTF-8 locale charmap)" = UTF-8 ] || skip "no C.UTF-8 here"
	for variable in LC_ALL LC_CTYPE LANG; do
		run -0 env -u LANG -u LC_ALL -u LC_CTYPE $variable=C.UTF-8 \
		    bloomtool estimate --plot -n 1000
		is "$(grep -o ● <<< "$output" | wc -l)" 2
		python3 -c 'import sys
text = sys.stdin.buffer.read().decode()
assert sum(0x2800 < ord(c) < 0x2900 for c in text) > 100, text' \
		    <<< "$output"
	done
}

@test "estimate --plot and --curve take whatever estimate takes" {
	for arguments in "-n 1 -p 0.5" "-n 1 -s 1Ei" "-n 1e15 -p 1e-12" \
	    "-n 1e15 -s 1Ei" "-s 8256 -p 0.3" "-n 1000 -s 1M -P space"; do
		for option in --plot --curve; do
			# shellcheck disable=SC2086	# several words
			run -0 --separate-stderr timeout 60 \
			    bloomtool estimate $option $arguments
			is "$stderr" ""
			[[ ! $output =~ nan|inf ]]
		done
	done
}

@test "one of estimate's --plot, --curve and --json at a time" {
	for options in "--plot --json" "-J -c" "-cg"; do
		# shellcheck disable=SC2086	# several words
		refused -n 1000 $options
		has "${stderr_lines[0]}" "one of --curve, --json and --plot"
	done
	is "$(bloomtool estimate -cc -n 9)" "$(bloomtool estimate -c -n 9)"
}

@test "estimate --curve prints two tables for gnuplot, the same anywhere" {
	run -0 --separate-stderr env LC_ALL=C bloomtool estimate --curve -n 1e7
	is "$stderr" ""
	is "${lines[0]}" $'# keys\trate'
	is "$(grep -c '^#' <<< "$output")" 2
	is "$(grep -c '^$' <<< "$output")" 2
	is "$(grep -vcE $'^(#.*|[0-9.e-]+\t[0-9.e-]+|)$' <<< "$output")" 0
	is "$(grep $'^10000000\t' <<< "$output" | cut -f 2 |
	    awk '{ print ($1 > 0.0099 && $1 <= 0.01) }')" 1
	is "$(awk '$1 == 0.01 { print $2 }' <<< "$output")" \
	    "$(told .size_bytes -n 1e7)"
	is "$(LC_ALL=C.UTF-8 COLUMNS=40 bloomtool estimate -c -n 1e7)" "$output"
}

# DESIGN.md, section 3, without its approximation: the chance that d throws
# all hit bits that are set, when a Poisson number of keys has thrown d each.
# It is a sum over how many different bits the throws hit (Stirling numbers),
# and over those of them that nobody has hit (inclusion and exclusion).
@test "estimate --curve agrees with formulas computed another way" {
	cat > curve.py <<- 'END'
	import math, sys
	from decimal import Decimal, getcontext
	getcontext().prec = 60
	BITS = 512

	def coefficients(d, known={}):
	    if d not in known:
	        stirling = [Decimal(1)] + [Decimal(0)] * d
	        for _ in range(d):
	            stirling = [Decimal(0)] + [
	                stirling[m - 1] + m * stirling[m]
	                for m in range(1, d + 1)]
	        known[d] = [sum(
	            stirling[m] * math.perm(BITS, m) / Decimal(BITS) ** d
	            * (-1) ** j * math.comb(m, j) for m in range(j, d + 1))
	            for j in range(d + 1)]
	    return known[d]

	def rate(n, blocks, g, d):
	    load = Decimal(n) * g / Decimal(blocks)
	    one = sum(a * (-load * (1 - (1 - Decimal(j) / BITS) ** d)).exp()
	              for j, a in enumerate(coefficients(d)))
	    return float(one) ** g

	def best_blocks(n, p, g):
	    """The fewest, over how many bits a key has in each."""
	    best = math.inf
	    for d in range(1, 25):
	        low, high = n * g / 1000, n * g * 100
	        while high / low > 1.0005:
	            middle = math.sqrt(low * high)
	            if rate(n, middle, g, d) > p:
	                low = middle
	            else:
	                high = middle
	        if high > best:
	            break
	        best = high
	    return best

	def blocks_for(n, p):
	    textbook = -n * math.log(p) / math.log(2) ** 2 / BITS
	    return next((b for b in (best_blocks(n, p, g) for g in range(1, 9))
	                 if b <= 1.15 * textbook))

	n, p, blocks, probes, groups = (float(x) for x in sys.argv[1:])
	tables = [[[float(x) for x in line.split("\t")]
	           for line in table.split("\n") if line and line[0] != "#"]
	          for table in sys.stdin.read().split("\n\n\n")]
	by_keys, by_rate = tables
	assert len(by_keys) == 121 and len(by_rate) > 30, tables
	for table in tables:
	    assert all(a[0] < b[0] for a, b in zip(table, table[1:]))
	assert by_keys[0][0] == n / 10 and by_keys[-1][0] == 10 * n
	assert by_rate[0][0] < p / 900 and by_rate[-1][0] > min(0.3, p * 900)
	for keys, told in by_keys:
	    exact = rate(keys, blocks, int(groups), int(probes / groups))
	    if exact > 1e-12:
	        assert abs(told / exact - 1) < 0.01, (keys, told, exact)
	for at, told in by_rate[::5]:
	    exact = blocks_for(n, at)
	    assert abs((told - 8192) / 64 / exact - 1) < 0.01, (at, told, exact)
	END
	for p in 0.01 1e-6; do
		read -r blocks probes groups < <(bloomtool estimate --json \
		    -n 1e7 -p $p | jq -r '"\(.blocks) \(.probes) \(.blocks_per_key)"')
		bloomtool estimate --curve -n 1e7 -p $p |
			python3 curve.py 1e7 $p "$blocks" "$probes" "$groups"
	done
}
