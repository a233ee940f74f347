# Keys inside lines: -k, -t, -b, -i and -r of add, check and recover.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 100000 -p 1e-9 --seed 5 f.bf
}

# wrong COMMAND WORDS OPTION...: refused in two lines, the first with WORDS.
wrong() {
	local command=$1 words=$2
	shift 2
	run -2 --separate-stderr bloomtool "$command" "$@" f.bf <<< x
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" "$words"
	has "${stderr_lines[1]}" "usage: bloomtool $command"
}

# events N: lines with fields, some of them empty, and CR before some ends.
events() {
	awk -v n="$1" 'BEGIN {
		srand(7)
		for (i = 0; i < n; i++) {
			line = rand() < .1 ? " \t" : ""
			for (f = int(rand() * 6); f >= 0; f--)
				line = line int(rand() * 40) \
				    substr(",,\t  , ", 1 + int(rand() * 7), \
					int(rand() * 3))
			print line
		}
	}'
}

# bats test_tags=valgrind
@test "add -v -t, -k2 prints the first line of each key, whole" {
	printf '%s\n' 1,a,x 2,b,y 3,a,z 4,a 5,b,a > events.csv
	run -0 --separate-stderr bloomtool add -v -t, -k2 f.bf < events.csv
	is "$output" $'1,a,x\n2,b,y'
	is "$stderr" ""
	is "$(bloomtool check f.bf <<< $'a\n1,a,x\nb')" $'a\nb'
}

@test "a field between delimiters is what awk -F has" {
	events 3000 > in
	for n in 1 2 4; do
		cp f.bf g.bf
		awk -F, -v n=$n '!seen[$n]++' in > wanted
		bloomtool add -v -t, -k$n g.bf in 2> warning | cmp - wanted
		awk -F, -v n=$n 'NF < n' in | wc -l > missing
		[ "$n" = 1 ] ||
			is "$(cat warning)" "bloomtool: in: no field $n in $(
			cat missing) lines, whose key is empty"
	done
}

@test "a field between blanks is what awk has" {
	events 3000 > in
	for n in 1 2 4; do
		cp f.bf g.bf
		awk -v n=$n '!seen[$n]++' in > wanted
		bloomtool add -v -k$n g.bf in 2> warning | cmp - wanted
		awk -v n=$n 'NF < n' in | wc -l > missing
		is "$(sed 's/.* in \([0-9]*\) line.*/\1/' warning)" \
		    "$(grep -vx 0 missing)"
	done
}

@test "bytes are those of cut -b" {
	events 500 > in
	for range in 1 3 2-4 2- -3 1-1073741824; do
		cp f.bf g.bf
		paste -d $'\001' <(cut -b$range in) in |
		    awk -F '\001' '!seen[$1]++ { print $2 }' > wanted
		bloomtool add -v -b$range g.bf in 2> warning | cmp - wanted
	done
}

@test "first time an address is seen in a real log, without awk" {
	shared_data
	awk '!seen[$1]++' "$DATA/access.log" > wanted
	run -0 --separate-stderr bloomtool add -v -k1 f.bf "$DATA/access.log"
	is "$stderr" ""
	is "${#lines[@]}" 1150
	is "$output" "$(cat wanted)"
	# the request, between quotes
	awk -F '"' '!seen[$2]++' "$DATA/access.log" > wanted
	bloomtool add -v -t '"' -k2 f.bf "$DATA/access.log" | cmp - wanted
}

@test "check and recover take the same options as add" {
	printf '%s\n' a:1 b:2 c:3 > in
	bloomtool add -t: -k2 f.bf in
	is "$(printf '%s\n' x:2 2:x y:9 | bloomtool check -t: -k2 f.bf)" x:2
	is "$(printf '%s\n' x:2 2:x y:9 | bloomtool check -v -t: -k2 f.bf)" \
	    $'2:x\ny:9'
	bloomtool create -q -n 1000 -p 1e-9 g.bf
	run -0 --separate-stderr bloomtool recover -t: -k2 g.bf in
	is "$stderr" "g.bf: clean; 3 keys read, 3 of them were missing"
	is "$(seq 5 | bloomtool check g.bf)" "$(seq 3)"
	run -0 --separate-stderr bloomtool recover -b 2 -i -r g.bf \
	    <<< $'1A\r\nxa\nx'
	is "${stderr_lines[0]}" \
	    "bloomtool: (standard input): no byte 2 in 1 line, whose key is empty"
	is "${stderr_lines[1]}" "g.bf: clean; 3 keys read, 2 of them were missing"
	run -0 bloomtool check g.bf <<< $'a\n'
}

@test "-i folds A to Z, and nothing else" {
	printf '%s\n' 5BAA61E4 'Straße' '[@`{' > in
	bloomtool add -i f.bf in
	is "$(bloomtool check -i f.bf \
	    <<< $'5baa61e4\nSTRA\xc3\x9fe\nSTRA\xc3\xbfe\n{`@[\n[@`{')" \
	    $'5baa61e4\nSTRA\xc3\x9fe\n[@`{'
	# a key that was folded is found without the option, if it is in lower case
	is "$(bloomtool check f.bf <<< $'5baa61e4\n5BAA61E4')" 5baa61e4
	run -0 bloomtool add -v -i -b1-4 f.bf <<< $'ABcd1\nabCD2\nabce3'
	is "$output" $'ABcd1\nabce3'
}

@test "-r drops one carriage return from the key, and none from the output" {
	printf 'a\r\nb\na\nb\r\nb\r\r\n\r\n\n' > in
	bloomtool add -v -r f.bf in > got
	printf 'a\r\nb\nb\r\r\n\r\n' | cmp got -
	# without it the last field ends in CR
	printf '1,x\r\n2,x\n' > in
	is "$(bloomtool add -v -t, -k2 f.bf in)" $'1,x\r\n2,x'
	is "$(bloomtool add -c -r -t, -k1 f.bf <<< $'1\r\n1\n1,\r')" 1
}

@test "a first key that ends in a carriage return gets one warning" {
	said='line 1 ends in a carriage return; without --strip-cr its key does'
	said+=' too'
	printf 'a b\r\nc d\r\n' > crlf
	printf 'a b\nc d\r\n' > lf
	for options in "" "-k 2" "-t : -k 1" "-b 2-" "-i"; do
		# shellcheck disable=SC2086	# words
		run -0 --separate-stderr bloomtool add -c $options f.bf lf crlf
		is "$stderr" "bloomtool: crlf: $said"
	done
	for options in -r "-k 1" "-b 1-3" -z "-r -k 2"; do
		# shellcheck disable=SC2086
		run --separate-stderr bloomtool check -c $options f.bf crlf
		is "$stderr" ""
	done
	run -0 --separate-stderr bloomtool check -q f.bf < <(cat crlf)
	is "$stderr" "bloomtool: (standard input): $said"
	printf 'x\r' > list
	run --separate-stderr bloomtool check -x list -x lf f.bf < <(cat lf)
	is "$stderr" "bloomtool: list: $said"
}

@test "a line without the field has an empty key, and one warning counts them" {
	printf '%s\n' a,1 b c d,2 e > in
	printf '%s\n' x > one
	for options in "" -q; do
		cp f.bf g.bf
		# shellcheck disable=SC2086	# one word or none
		run -0 --separate-stderr bloomtool add -v $options -t, -k2 g.bf \
		    in one
		is "$output" $'a,1\nb\nd,2'
		is "$stderr" \
"bloomtool: in: no field 2 in 3 lines, whose key is empty
bloomtool: one: no field 2 in 1 line, whose key is empty"
	done
	run -0 --separate-stderr bloomtool check -c -k3 g.bf <<< $'1 2 \n1 2 3'
	is "$output" 1
	is "$stderr" "bloomtool: (standard input): no field 3 in 1 line, \
whose key is empty"
	# an empty field is none that is missing
	run -0 --separate-stderr bloomtool add -c -t, -k2 g.bf <<< $'a,\nb,,c'
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add -c -t, -k1 g.bf <<< $'\n,'
	is "$stderr" ""
}

@test "a signal does not hide the lines without the field" {
	mkfifo in
	bloomtool add -k2 f.bf < in 3>&- 2> message &
	exec 7> in
	printf '%s\n' 'a 1' b c >&7
	until bloomtool check -q f.bf <<< ''; do :; done
	kill -TERM $!
	wait $! || true
	exec 7>&-
	has "$(cat message)" "no field 2 in 2 lines"
}

@test "NUL bytes in lines, as delimiter, and at their ends" {
	printf 'a\0b\nc\0b\nd\n' > in
	bloomtool add -v -t '\0' -k2 f.bf in > got 2> warning
	printf 'a\0b\nd\n' | cmp got -
	printf '%s\0' 'k v' $'k\nw' $'\n k\tx' 'l v' > in
	bloomtool add -v -z -k1 f.bf in | tr '\0' '|' > got
	is "$(cat got)" 'k v|l v|'
	bloomtool add -v -z -t $'\n' -k2 f.bf in | tr '\0' '|' > got
	is "$(cat got)" $'k\nw|\n k\tx|'
	is "$(bloomtool add -v -t '\t' -k2 f.bf \
	    <<< $'1\tq\n2\tq\n3\tr')" $'1\tq\n3\tr'
}

@test "lines of some MiB have keys too" {
	make_long() {
		head -c 3000000 /dev/zero | tr '\0' "$1"
		printf ',%s,' "$2"
		head -c 2000000 /dev/zero | tr '\0' "$3"
		echo "$4"
	}
	{ make_long a key b; make_long c key d; make_long e KEY f; } > in
	bloomtool add -v -t, -k2 f.bf in > got
	{ make_long a key b; make_long e KEY f; } | cmp - got
	bloomtool create -q -n 1000 -p 1e-9 g.bf
	{ make_long a key b; make_long A kEy B; make_long a key c; } > in
	bloomtool add -v -i g.bf in > got
	{ make_long a key b; make_long a key c; } | cmp - got
	is "$(bloomtool check -c -b 5000002- f.bf in 2>&1)" 0
}

@test "with any number of threads the answers are the same" {
	for i in 1 2 3; do
		events 20000 | sed "s/\$/$i/"
	done > in
	awk -F, '!seen[tolower($2)]++' in > wanted
	awk -F, 'NF < 2' in | wc -l > missing
	for simd in best plain; do
		for j in 1 2 7; do
			cp f.bf g.bf
			BLOOMTOOL_SIMD=$simd bloomtool add -v -i -t, -k2 -j$j \
			    g.bf in 2> warning | cmp - wanted
			has "$(cat warning)" "in $(cat missing) lines,"
			is "$(bloomtool check -c -i -t, -k2 -j$j g.bf in \
			    2> /dev/null)" 60000
		done
	done
}

@test "options for keys that make no sense are refused" {
	for command in add check recover; do
		wrong $command "--delimiter goes with --field" -t,
		wrong $command "give one" -k1 -b1
		wrong $command "give one" -k1 -k7
		wrong $command "give one" -b1 -b3-
		wrong $command '"::" is 2 bytes, wanted one' -k1 -t::
	done
	wrong check "--delimiter goes with --field" -t, -b1
	wrong check '"§" is 2 bytes, wanted one' -k1 -t §
	wrong check '"" is 0 bytes, wanted one' -k1 -t ""
	wrong check '"\n" is 2 bytes, wanted one' -k1 -t '\n'
	for n in 0 -1 1,2 x "" 1073741825 99999999999999999999; do
		wrong check "-k, --field: \"$n\"" -k "$n"
	done
	for range in 0-1 - "" 3-2 1-2-3 x- -x 1,2 -0 2-1073741825 \
	    1.0000000000000000000000000000000000000x-2; do
		wrong check "-b, --bytes: \"$range\"" -b "$range"
	done
}

@test "a huge field number is of no line" {
	run -0 --separate-stderr bloomtool add -c -k 1073741824 f.bf <<< $'a b\nc'
	is "$output" 1
	has "$stderr" "no field 1073741824 in 2 lines"
	run -0 --separate-stderr bloomtool add -c -t' ' -k 1Gi f.bf <<< $'a b\nc'
	is "$output" 0
}
