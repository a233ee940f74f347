# bloomtool stats: what filters were made for, what is in them, how wrong
# they are.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

KEYS="file format scheme keys_wanted rate_wanted \
keys_added_estimated keys_added keys_estimated rate_now fill bits blocks probes blocks_per_key bits_per_key size_bytes seed \
hashed_as state when_full note"

# f.bf with N keys of 1000 wanted, at rate P.
filter() {
	bloomtool create -q -n 1000 -p "${2:-0.01}" --seed 7 f.bf
	seq "${1:-0}" | bloomtool add f.bf 2> /dev/null
}

# line NAME: what the text has to say under that name.
line() {
	sed -n "s/^$1  *//p" <<< "$output"
}

# patch OFFSET BYTES: change f.bf.
patch() {
	printf '%b' "$2" | dd of=f.bf bs=1 seek="$1" conv=notrunc 2> /dev/null
}

# close_to A B PERCENT
close_to() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a / b - 1
	    exit !(d < p / 100 && -d < p / 100) }' || {
		echo "$1 is not within $3 % of $2" >&2
		return 1
	}
}

# on_terminal LOCALE COLUMNS ARGUMENT...: what stats prints there.
on_terminal() {
	local locale=$1 columns=$2
	shift 2
	script -qec true /dev/null < /dev/null > /dev/null 2>&1 ||
		skip "no script(1) here"
	run -0 env -u COLUMNS -u LANG LC_ALL="$locale" script -qec \
	    "stty cols $columns; stty -onlcr; bloomtool stats $*" \
	    /dev/null < /dev/null
}

# bars [CHARACTERS]: those in the output, a line each.
bars() {
	grep -oE "\\[[${1:-#.|}]*\\]" <<< "$output"
}

# bar FULL WIDTH [MARK]: what one looks like in ASCII.
bar() {
	python3 -c 'import sys
full, width, mark = (int(x) for x in sys.argv[1:])
text = list("#" * full + "." * (width - full))
if mark >= 0: text[mark] = "|"
print("[" + "".join(text) + "]")' "$1" "$2" "${3:--1}"
}

@test "stats says what was asked for, the shape and what is in it" {
	filter 500
	run -0 --separate-stderr bloomtool stats f.bf
	is "$stderr" ""
	is "${lines[0]}" f.bf
	is "$(line 'made for')" "1000 keys at rate 0.01"
	is "$(line 'keys added')" "$(field f.bf keys_added)"
	has "$(line estimated)" "$(field f.bf keys_estimated) keys"
	is "$(line fill)" \
	    "$(printf '%.2f %%' "$(field f.bf 'fill * 100')") of the bits"
	is "$(line 'rate now')" "$(printf %.4g "$(field f.bf rate_now)")"
	has "$(line scheme)" native
	has "$(line scheme)" "version 1"
	has "$(line bits)" "$(field f.bf bits) in $(field f.bf blocks) blocks"
	is "$(line probes)" "6 in 1 block"
	is "$(line seed)" 0x0000000000000007
	has "$(line size)" "($(wc -c < f.bf) bytes)"
	is "$(line state)" clean
	is "$(line 'room left')" "500 keys (50.0 %)"
}

@test "stats of an empty filter" {
	filter 0
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(line 'keys added')" 0
	has "$(line estimated)" "0 keys"
	has "$(line fill)" "0.00 %"
	is "$(line 'rate now')" 0
	is "$(line 'room left')" "1000 keys (100.0 %)"
}

@test "stats says that there is no room left" {
	filter 1500 1e-9
	run -0 --separate-stderr bloomtool stats f.bf
	has "$(line 'room left')" "overfull"
	has "$(line 'room left')" "500 keys"
	is "$(line 'keys added')" 1500
}

# bats test_tags=valgrind
@test "stats --json has its keys in their order" {
	filter 10
	for option in --json -J; do
		run -0 --separate-stderr bloomtool stats $option f.bf
		is "$stderr" ""
		is "${#lines[@]}" 1
		is "$(jq -r 'keys_unsorted | join(" ")' <<< "$output")" "$KEYS"
	done
}

@test "stats --json has the filter's numbers" {
	bloomtool create -q -n 20000 -p 1e-6 --seed 0xfedcba9876543210 \
	    --note hi f.bf
	seq 10000 | bloomtool add f.bf
	run -0 --separate-stderr bloomtool stats --json f.bf
	is "$(jq -c '[.file, .format, .scheme, .keys_wanted, .rate_wanted,
	    .keys_added, .seed, .state, .note]' <<< "$output")" \
	    '["f.bf",1,"native",20000,1e-06,10000,"0xfedcba9876543210","clean","hi"]'
	is "$(jq .size_bytes <<< "$output")" "$(wc -c < f.bf)"
	is "$(jq '.size_bytes == 8192 + 64 * .blocks
	    and .bits == 512 * .blocks and .bits_per_key == .bits / 20000
	    and .probes % .blocks_per_key == 0 and .blocks_per_key == 2' \
	    <<< "$output")" true
}

@test "stats computes fill, rate and keys from the blocks as they are" {
	for arguments in "-n 1000 -p 0.01" "-n 5000 -p 1e-3" \
	    "-n 2000 -p 1e-7" "-n 3000 -p 1e-4 --prefer space"; do
		# shellcheck disable=SC2086	# several words
		bloomtool create -q -f $arguments f.bf
		seq 3000 | bloomtool add f.bf 2> /dev/null
		bloomtool stats --json f.bf > told
		# DESIGN.md, section 3
		python3 - <<- 'END'
		import json, math
		told = json.load(open("told"))
		blocks = open("f.bf", "rb").read()[8192:]
		ones = [bin(int.from_bytes(blocks[i:i + 64], "little")).count("1")
		    for i in range(0, len(blocks), 64)]
		n, g = told["blocks"], told["blocks_per_key"]
		depth = told["probes"] // g
		assert n == len(ones)
		z = 1 - sum(ones) / (512 * n)
		def near(name, value, by):
		    assert abs(told[name] - value) <= by, (name, told, value)
		near("fill", 1 - z, 1e-9)
		near("keys_estimated", -n / g * math.log(z) /
		    (1 - (1 - 1 / 512) ** depth), 0.51)
		rate = (sum((x / 512) ** depth for x in ones) / n) ** g
		near("rate_now", rate, 1e-6 * rate)
		END
	done
}

# bats test_tags=slow
@test "stats tells keys and rate within 2 % when a tenth, half, once, twice full" {
	n=100000
	for p in 0.01 1e-5; do
		bloomtool create -q -n $n -p $p --seed 3 f.bf
		for tenths in 1 5 10 20; do
			seq $((n * tenths / 10)) |
			    bloomtool add f.bf 2> /dev/null
			bloomtool stats --json f.bf > told
			close_to "$(jq .keys_estimated told)" \
			    $((n * tenths / 10)) 2
			# and the rate, where there is something to count
			most=$(jq '.rate_now * 2e6 | floor' told)
			((most > 50)) || continue
			found=$(seq 3000001 5000000 | bloomtool check -c f.bf)
			# five standard deviations of what is found
			close_to "$found" "$most" \
			    "$(awk "BEGIN { print 2 + 500 / sqrt($most) }")"
		done
		rm f.bf
	done
}

@test "stats of several filters are set apart" {
	filter 3
	cp f.bf g.bf
	run -0 --separate-stderr bloomtool stats f.bf g.bf f.bf
	is "$(grep -cE '^[fg]\.bf$' <<< "$output")" 3
	is "$(grep -c '^$' <<< "$output")" 2
	run -0 --separate-stderr bloomtool stats --json f.bf g.bf
	is "${#lines[@]}" 2
	is "$(jq -r .file <<< "$output")" $'f.bf\ng.bf'
}

@test "stats goes on after a bad filter, and exits 2" {
	filter 3
	cp f.bf g.bf
	echo text > bad
	for option in "" --json; do
		run -2 --separate-stderr bloomtool stats $option f.bf bad gone g.bf
		is "${#stderr_lines[@]}" 2
		has "${stderr_lines[0]}" "bad: not a bloomtool filter"
		has "${stderr_lines[1]}" "gone: No such file or directory"
		has "$output" f.bf
		has "$output" g.bf
		is "$(grep -c clean <<< "$output")" 2
	done
}

@test "stats --check is silent when all is well" {
	filter 1000 1e-9
	bloomtool create -q -n 10 g.bf
	for option in --check -c; do
		run -0 --separate-stderr bloomtool stats $option f.bf g.bf
		is "$output" ""
		is "$stderr" ""
	done
}

@test "stats --check exits 1 and names the filters that are overfull" {
	filter 1001 1e-9
	bloomtool create -q -n 10 g.bf
	run -1 --separate-stderr bloomtool stats --check g.bf f.bf g.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: overfull"
	has "$stderr" "1001 keys"
}

@test "stats --check exits 2 if a filter cannot be read" {
	filter 1001 1e-9
	bloomtool create -q -n 10 g.bf
	run -2 --separate-stderr bloomtool stats --check f.bf gone g.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "$stderr" "f.bf: overfull"
	has "$stderr" "gone: No such file or directory"
	run -2 --separate-stderr bloomtool stats --check gone f.bf
	is "${#stderr_lines[@]}" 2
}

@test "stats --check exits 2 if keys may be missing, and says so" {
	filter 10
	patch 4104 '\x01'			# the mark "unclean"
	is "$(field f.bf state)" unclean
	run -2 --separate-stderr bloomtool stats --check f.bf
	is "$output" ""
	has "$stderr" "f.bf: keys added since"
	has "$stderr" "may be missing"
}

@test "stats never writes to the filter" {
	filter 100
	chmod 444 f.bf
	before=$(sha256sum f.bf; stat -c '%i %a %s %y %z' f.bf)
	for option in "" --json --check; do
		run -0 --separate-stderr bloomtool stats $option f.bf
	done
	is "$(sha256sum f.bf; stat -c '%i %a %s %y %z' f.bf)" "$before"
}

@test "stats draws fill and room left on a terminal only" {
	filter 500 1e-9
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(grep -c '[[]' <<< "$output")" 0
	fill=$(field f.bf 'fill * 40 | round')
	# DESIGN.md, section 3, for 1000 keys
	mark=$(bloomtool stats --json f.bf | jq -r '[.blocks, .probes,
	    .blocks_per_key] | @tsv' | awk '{
	    hit = 1 - (511 / 512) ^ ($2 / $3)
	    print int(40 * (1 - exp(-1000 * $3 / $1 * hit))) }')
	on_terminal C 80 f.bf
	is "$(bars)" "$(bar "$fill" 40 "$mark"; bar 20 40)"
	has "$(grep -A 1 '^fill' <<< "$output")" "$(bars | head -n 1)"
	has "$(grep -A 1 '^room left' <<< "$output")" "$(bars | tail -n 1)"
	on_terminal C 80 --json f.bf
	is "$(grep -c '#' <<< "$output")" 0
	on_terminal C 80 --check f.bf
	is "$output" ""
}

@test "stats draws no wider than the terminal" {
	filter 500 1e-9
	for columns in 80 56 40 25; do
		on_terminal C $columns f.bf
		is "$(bars | wc -l)" 2
		is "$(grep '[[]' <<< "$output" | wc -L)" \
		    $((columns < 56 ? columns : 56))
	done
	on_terminal C 10 f.bf
	is "$(bars | wc -L)" 7
}

@test "stats draws in Unicode where the locale has it" {
	[ "$(LC_ALL=C.UTF-8 locale charmap)" = UTF-8 ] || skip "no C.UTF-8 here"
	filter 500 1e-9
	on_terminal C.UTF-8 80 f.bf
	is "$(LC_ALL=C.UTF-8 bars "█ " | tail -n 1)" \
	    "[$(printf '█%.0s' {1..20})$(printf '%20s' '')]"
}

@test "stats draws a full bar for an overfull filter" {
	filter 5000
	on_terminal C 80 f.bf
	is "$(bars | tail -n 1)" "$(bar 40 40)"
}

@test "stats draws each layer's fill and keys" {
	bloomtool create -q -n 1000 --grow f.bf
	seq 2000 | bloomtool add f.bf
	for option in "" --layers; do
		on_terminal C 80 $option f.bf
		is "$(grep -c 'fill \[.*keys \[' <<< "$output")" 2
		for layer in 0 1; do
			keys=$(field f.bf "layers[$layer] |
			    20 * .keys_added / .keys_wanted | round")
			has "$(grep 'fill \[' <<< "$output" |
			    sed -n "$((layer + 1))p")" \
			    "keys $(bar "$keys" 20)"
		done
	done
}

@test "stats --layers prints a table of layers" {
	bloomtool create -q -n 1000 --grow f.bf
	seq 2000 | bloomtool add f.bf
	for option in --layers -l; do
		run -0 --separate-stderr bloomtool stats $option f.bf
		is "$stderr" ""
		is "${#lines[@]}" 4
		is "${lines[0]}" f.bf
		is "$(tr -s ' ' <<< "${lines[1]}")" \
		    "layer keys made for fill rate now wanted size probes"
	done
	for layer in 1 2; do
		read -r number keys wanted fill percent now rate size unit \
		    probes <<< "${lines[layer + 1]}"
		is "$number $percent" "$layer %"
		is "[$keys,$wanted,$rate,\"$probes\"]" "$(bloomtool stats \
		    --json f.bf | jq -c ".layers[$layer - 1] | [.keys_added,
		    .keys_wanted, .rate_wanted,
		    \"\(.probes) in \(.blocks_per_key) block\"]")"
		is "$fill" "$(printf %.2f "$(field f.bf \
		    "layers[$layer - 1].fill * 100")")"
		is "$now" "$(printf %.4g "$(field f.bf \
		    "layers[$layer - 1].rate_now")")"
		is "$size $unit" "$(field f.bf "layers[$layer - 1] |
		    .bits / 8 / 1024" | awk '{ printf "%.2f KiB", $1 }')"
	done
}

@test "stats --layers prints one row for a filter of one layer" {
	filter 500
	cp f.bf g.bf
	run -0 --separate-stderr bloomtool stats --layers f.bf g.bf
	is "$(grep -c '^    1 ' <<< "$output")" 2
	is "$(grep -cE '^[fg]\.bf$' <<< "$output")" 2
	is "$(grep -c '^$' <<< "$output")" 1
	is "$(bloomtool stats --layers --json f.bf)" \
	    "$(bloomtool stats --json f.bf)"
	run -2 --separate-stderr bloomtool stats --layers --check f.bf
	has "${stderr_lines[0]}" "--check prints no --layers"
}

@test "stats --layers has a dash for what nobody knows" {
	cp "$ROOT/tests/interop/guava-utf8-edge-p0.1.bloom" g.bloom
	run -0 --separate-stderr bloomtool stats --layers g.bloom
	read -r number keys wanted fill _ now rate _ <<< "${lines[2]}"
	is "$number $keys $wanted $rate" "1 - - -"
	is "$fill $now" "$(printf '%.2f %.4g' "$(field g.bloom \
	    'fill * 100')" "$(field g.bloom rate_now)")"
}

@test "stats --json is valid whatever the file's name is" {
	filter
	for name in 'a"b' 'a\b' $'a\nb' $'a\tb' $'\x01\x1f\x7f' 'ä€𝄞' ' ' \
	    "it's" '{"}' 'a\u0041'; do
		cp f.bf "$name"
		run -0 --separate-stderr bloomtool stats --json -- "$name"
		is "${#lines[@]}" 1
		is "$(python3 -c 'import json, sys
print(json.load(sys.stdin)["file"], end=".")' <<< "$output")" "$name."
		is "$(jq -r .file <<< "$output")" "$name"
	done
}

@test "stats --json is valid where a name or a note is not UTF-8" {
	for bytes in $'\xff' $'a\xc3' $'\xc0\xaf' $'\xed\xa0\x80' \
	    $'\xf4\x90\x80\x80' $'\xe2\x82' $'x\x80y' $'\xf8\x88\x80\x80\x80'; do
		bloomtool create -q -n 10 --note "$bytes" "$bytes" ||
			skip "no such names on this file system"
		bloomtool stats --json "$bytes" > out
		python3 -c 'import json, sys
fields = json.loads(open("out", "rb").read().decode("utf-8"))
assert "\ufffd" in fields["file"] and "\ufffd" in fields["note"], fields'
		is "$(jq -r .format out)" 1
	done
}

@test "stats --json is valid for any note" {
	for note in '"' "\\" $'line\nline' $'\e[0m' 'ä"€' '</script>' \
	    '","seed":"0x0'; do
		bloomtool create -q -f -n 10 --note "$note" f.bf
		is "$(field f.bf note)" "$note"
		is "$(bloomtool stats --json f.bf |
		    jq -r 'keys_unsorted | join(" ")')" "$KEYS"
	done
}

@test "stats --json has no NaN and no infinity, even if every bit is set" {
	filter
	blocks=$(field f.bf blocks)
	head -c $((blocks * 64)) /dev/zero | tr '\0' '\377' |
	    dd of=f.bf bs=8192 seek=1 conv=notrunc 2> /dev/null
	run -0 --separate-stderr bloomtool stats --json f.bf
	is "$(python3 -c 'import json, sys
def no(what): raise SystemExit(what)
print(json.load(sys.stdin, parse_constant=no)["rate_now"])' <<< "$output")" 1
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(line 'rate now')" 1
}

# bats test_tags=valgrind
@test "stats tells a file that was being written when the machine went down" {
	filter 10
	patch 4096 '\x02'			# dirty
	patch 4112 '\x01\x02\x03\x04'		# at another boot
	is "$(field f.bf state)" unclean
}

@test "stats tells a file that was being written when its add was killed" {
	filter 10		# the boot id is this one
	patch 4096 '\x02'
	is "$(field f.bf state)" "left open"
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(line state)" "left open"
}

@test "stats tells of a sync that failed" {
	filter 10
	patch 4128 '\x01'
	is "$(field f.bf state)" "sync failed"
}

@test "stats to a full disk or a closed stdout is exit 2 with a message" {
	[ -c /dev/full ] || skip "no /dev/full here"
	filter 10
	for option in "" --json; do
		run -2 --separate-stderr bash -c \
		    "bloomtool stats $option f.bf > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
		run -2 --separate-stderr bash -c \
		    "bloomtool stats $option f.bf >&-"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: "
	done
	run -0 --separate-stderr bash -c "bloomtool stats --check f.bf >&-"
}

@test "stats shows a long path whole" {
	part=$(printf '%0250d' 0)
	path=$part/$part/$part/$part/$part
	mkdir -p "$path"
	bloomtool create -q -n 10 "$path/f.bf"
	for option in -- --layers --json; do
		run -0 bloomtool stats $option "$path/f.bf"
		has "${lines[0]}" "$path/f.bf"
		[[ $option = --json ]] || is "${lines[0]}" "$path/f.bf"
	done
}

@test "stats --verify says when bits are missing that were counted" {
	bloomtool create -q -n 1000 f.bf
	seq 1000 | bloomtool add f.bf
	counted=$(od -An -tu8 -j 4168 -N 8 f.bf | tr -d " ")
	run -0 bloomtool stats --verify f.bf
	dd if=/dev/zero of=f.bf bs=64 seek=128 count=1 conv=notrunc 2> /dev/null
	run -2 --separate-stderr bloomtool stats --verify f.bf
	[[ $stderr =~ ^"bloomtool: f.bf: "([0-9]+)" bits are set, $counted were\
 counted: keys are missing"$ ]]
	((BASH_REMATCH[1] < counted && BASH_REMATCH[1] > counted - 512))
}
