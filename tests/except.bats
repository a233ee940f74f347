# check --except: keys that count as not in.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# A filter with 1 to 9, of which 3 and 5 shall be wrong.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 1000 -p 1e-9 --seed 5 f.bf
	seq 9 | bloomtool add f.bf
	printf '%s\n' 3 5 77 > wrong
}

# bats test_tags=valgrind
@test "a key of the list counts as not in" {
	for option in -x --except; do
		run -0 --separate-stderr bloomtool check $option wrong f.bf \
		    <<< $'5\n4\n3\nx\n5'
		is "$output" 4
		is "$stderr" ""
		run -0 --separate-stderr bloomtool check -v $option wrong f.bf \
		    <<< $'5\n4\n3\nx\n5'
		is "$output" $'5\n3\nx\n5'
	done
	is "$(bloomtool check f.bf <<< $'5\n4')" $'5\n4'
}

@test "count, names and exit status know it too" {
	printf '%s\n' 3 5 5 > in
	is "$(bloomtool check -c -x wrong f.bf < <(seq 12))" 7
	is "$(bloomtool check -cv -x wrong f.bf < <(seq 12))" 5
	is "$(bloomtool check -vH -x wrong f.bf in)" $'in:3\nin:5\nin:5'
	run -1 --separate-stderr bloomtool check -x wrong f.bf in
	is "$output" ""
	run -1 bloomtool check -q -x wrong f.bf in
	run -0 bloomtool check -q f.bf in
	run -0 bloomtool check -qv -x wrong f.bf in
	run -1 --separate-stderr bloomtool check -c -x wrong f.bf in
	is "$output" 0
}

@test "several lists, some of them empty or without a last newline" {
	printf 3 > a
	: > b
	printf '4\n4\n3' > c
	is "$(seq 6 | bloomtool check -x a -x b --except=c f.bf)" $'1\n2\n5\n6'
	is "$(seq 3 | bloomtool check -x b f.bf)" "$(seq 3)"
	is "$(seq 3 | bloomtool check -x <(seq 2) f.bf)" 3
}

@test "the list has keys, which -z, -i and -r concern, but no lines with fields" {
	printf 'Ab\r\ncd\n' > wrong
	printf '%s\n' aB cD ef > keys
	bloomtool add -i f.bf keys
	printf '%s\r\n' 1,aB 2,Cd 3,Ef > in
	is "$(bloomtool check -irt, -k2 -x wrong f.bf in)" $'3,Ef\r'
	# the list's carriage return is part of its key here
	is "$(bloomtool check -i -x wrong f.bf keys)" $'aB\nef'
	is "$(bloomtool check -x wrong f.bf <<< $'ab\ncd\nef')" $'ab\nef'
	printf 'a\nb\0' > wrong
	printf 'a\nb\0c\0' > in
	bloomtool add -z f.bf in
	bloomtool check -z -x wrong f.bf in > got
	printf 'c\0' | cmp got -
}

@test "an empty key, long ones and NUL bytes in the list" {
	{ echo; head -c 3000000 /dev/zero; echo; printf 'a\0b\n'; } > wrong
	bloomtool add f.bf wrong
	run -1 bloomtool check -c -x wrong f.bf wrong
	is "$output" 0
	{ head -c 2999999 /dev/zero; printf 'x\n'; printf 'a\0c\n'; } > others
	bloomtool add f.bf others
	bloomtool check -x wrong f.bf others | cmp - others
}

@test "with any number of threads the answers are the same" {
	bloomtool create -q -n 300000 -p 1e-4 --seed 5 g.bf
	seq 200000 > in
	seq 3 3 300000 > wrong
	bloomtool add g.bf in
	awk '$1 % 3' in > wanted
	for j in 1 2 7; do
		bloomtool check -j$j -x wrong g.bf in | cmp - wanted
		is "$(bloomtool check -c -v -j$j -x wrong g.bf < in)" 66666
	done
}

@test "a list that cannot be read ends check before any answer" {
	mkdir folder
	for list in gone folder; do
		run -2 --separate-stderr bloomtool check -x wrong -x $list \
		    f.bf <<< 1
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "bloomtool: $list: "
		run -2 --separate-stderr bloomtool check -q -x $list f.bf <<< 1
	done
	run -2 --separate-stderr bloomtool check -x - f.bf <<< 1
	is "$output" ""
	has "${stderr_lines[0]}" "-x, --except: wanted a file"
	cp wrong was
	run -2 --separate-stderr bash -c \
	    'seq 9 | bloomtool check -v -x wrong f.bf >> wrong'
	has "$stderr" "wrong: is the output too"
	cmp wrong was
}

@test "a list that is too large is refused, with what to do" {
	seq 1048577 > many
	head -c 16777217 /dev/zero > large
	for list in many large; do
		run -2 --separate-stderr bloomtool check -x $list f.bf <<< 1
		is "$output" ""
		is "${stderr_lines[0]}" \
		    "bloomtool: $list: --except takes 1048576 keys and 16 MiB at most"
		has "${stderr_lines[1]}" "lower rate"
	done
	head -n 1048576 many > most
	is "$(seq 9 > in; bloomtool check -vc -x most f.bf in)" 9
}

@test "a loop that learns which answers are wrong" {
	seq 1000 > keys
	bloomtool create -q -n 1000 -p 0.1 --seed 1 g.bf
	bloomtool add g.bf keys
	sort keys > sorted
	seq 500 3000 > asked
	: > wrong
	for round in 1 2; do
		bloomtool check -x wrong g.bf asked | sort -u > answer
		comm -23 answer sorted > new
		cat new >> wrong
		[ $round = 1 ] && [ -s new ] || [ ! -s new ]
	done
	is "$(bloomtool check -x wrong g.bf asked)" "$(seq 500 1000)"
}
