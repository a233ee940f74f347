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
	for option in "" --json; do
		run -2 --separate-stderr bash -c \
		    "bloomtool estimate $option -n 1000 > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
	done
}
