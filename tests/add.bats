# bloomtool add: remembers keys, prints or counts the new ones.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# Not in the folder where run keeps its own files: some tests list it.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

# plain COMMAND...: without root's right to ignore permissions.
plain() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set -dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

# A filter that is wrong about none of a test's keys.
filter() {
	bloomtool create -q -n "${1:-1000}" -p 1e-9 f.bf
}

# holds KEY...: the filter has these.
holds() {
	is "$(printf '%s\n' "$@" | bloomtool check f.bf)" \
	    "$(printf '%s\n' "$@")"
}

# refused ARGUMENT...: two lines, exit 2, no file f.bf.
refused() {
	run -2 --separate-stderr bloomtool add "$@" <<< key
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[1]}" "usage: bloomtool add"
	[ ! -e f.bf ]
}

@test "add reads stdin and prints nothing" {
	filter
	run -0 --separate-stderr bloomtool add f.bf <<< $'a\nb'
	is "$output" ""
	is "$stderr" ""
	holds a b
	is "$(field f.bf keys_added)" 2
}

@test "add reads the files, - being stdin" {
	filter
	echo a > a
	printf 'c\nd\n' > c
	run -0 --separate-stderr bloomtool add -v f.bf a - c <<< b
	is "$output" $'a\nb\nc\nd'
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add -v f.bf - <<< e
	is "$output" e
	holds a b c d e
}

@test "add -v keeps apart the last line of one file and the first of the next" {
	filter
	printf 'a' > a
	printf 'b' > b
	bloomtool add -v f.bf a b > got
	printf 'a\nb' | cmp got -
	holds a b
	is "$(field f.bf keys_added)" 2
}

@test "add reads no stdin when it has files" {
	filter
	echo a > a
	printf 'from stdin\n' > in
	{ bloomtool add f.bf a; cat > rest; } < in
	cmp in rest
	run -1 --separate-stderr bloomtool check f.bf in
}

# bats test_tags=valgrind
@test "add -v prints what was not in before, once, in input order" {
	filter
	for option in -v --unseen; do
		run -0 --separate-stderr bloomtool add $option f.bf \
		    <<< "$option"$'\nb\na\nb\nc\na\nc\nb'
		if [ $option = -v ]; then
			is "$output" $'-v\nb\na\nc'
		else
			is "$output" --unseen
		fi
		is "$stderr" ""
	done
	holds a b c
}

@test "add -v prints nothing for keys that are in, and exits 0" {
	filter
	seq 100 | bloomtool add f.bf
	run -0 --separate-stderr bloomtool add -v f.bf < <(seq 100)
	is "$output" ""
	is "$stderr" ""
}

@test "add -v prints the first occurrence only, across files and batches" {
	filter 20000
	# 50,000 lines, 20,000 of them distinct, repeats near and far
	awk 'BEGIN { for (i = 0; i < 50000; i++)
	    print "key " (i * 7919 + int(i / 3)) % 20000 }' > all
	split -n l/3 all part.
	bloomtool add -v f.bf part.* > got
	awk '!seen[$0]++' all > wanted
	cmp got wanted
	is "$(field f.bf keys_added)" "$(wc -l < wanted)"
}

@test "add -v of real links is what awk does" {
	shared_data
	bloomtool create -q -n 11000 -p 1e-6 f.bf
	bloomtool add -v f.bf "$DATA/urls.txt" > got
	awk '!seen[$0]++' "$DATA/urls.txt" > wanted
	is "$(wc -l < wanted)" 10853
	cmp got wanted
	run -0 --separate-stderr bloomtool add -v f.bf "$DATA/urls.txt"
	is "$output" ""
}

@test "add -v of a real log's addresses is what awk does" {
	shared_data
	cut -d ' ' -f 1 "$DATA/access.log" > all
	bloomtool create -q -n 2000 -p 1e-6 f.bf
	bloomtool add -v f.bf < all > got
	awk '!seen[$0]++' all > wanted
	is "$(wc -l < wanted)" 1150
	cmp got wanted
}

@test "add -c prints only how many were new" {
	filter
	run -0 --separate-stderr bloomtool add -c f.bf <<< $'a\nb\na'
	is "$output" 2
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add --count f.bf <<< $'a\nb\nc'
	is "$output" 1
	run -0 --separate-stderr bloomtool add -c f.bf <<< $'a\nb\nc'
	is "$output" 0
	run -0 --separate-stderr bloomtool add -c -v f.bf <<< $'a\nd'
	is "$output" 1
	holds a b c d
}

@test "add -c and add -v agree, with false positives as well" {
	for f in a b c; do
		bloomtool create -q -n 20000 -p 0.1 --seed 5 $f.bf
	done
	seq 20000 | bloomtool add -v a.bf > lines
	is "$(seq 20000 | bloomtool add -c b.bf)" "$(wc -l < lines)"
	# some of them were taken for seen
	(($(wc -l < lines) < 20000))
	seq 20000 | bloomtool add c.bf
	is "$(field c.bf keys_added)" "$(wc -l < lines)"
	cmp <(tail -c +8193 a.bf) <(tail -c +8193 b.bf)
	cmp <(tail -c +8193 a.bf) <(tail -c +8193 c.bf)
}

@test "add -z and --null-data take keys that end in NUL" {
	filter
	printf 'a\nb\0c\0\0d' > in
	bloomtool add -v -z f.bf < in > out
	cmp in out
	is "$(field f.bf keys_added)" 4
	run -0 --separate-stderr bloomtool add --null-data -c f.bf < in
	is "$output" 0
	run -1 --separate-stderr bloomtool check f.bf <<< b
	run -0 --separate-stderr bloomtool check f.bf <<< c
}

@test "add adds lines of all files and goes on after one that is missing" {
	filter
	echo a > a
	echo b > b
	mkdir dir
	run -2 --separate-stderr bloomtool add -v f.bf a gone dir b
	is "$output" $'a\nb'
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" "gone: No such file or directory"
	has "${stderr_lines[1]}" "dir: Is a directory"
	holds a b
	is "$(field f.bf state)" clean
}

@test "add goes on after a file without permission" {
	filter
	echo a > a
	echo secret > secret
	chmod 000 secret
	plain [ ! -r secret ] || skip "permissions do not hold here"
	run -2 --separate-stderr plain bloomtool add -c f.bf secret a
	is "$output" 1
	is "${#stderr_lines[@]}" 1
	has "$stderr" "secret: Permission denied"
	holds a
}

@test "add of no keys is no error and changes nothing" {
	filter
	before=$(sha256sum f.bf)
	for option in "" -v -c -q; do
		run -0 --separate-stderr bloomtool add $option f.bf < /dev/null
		is "$output" "$([ "$option" != -c ] || echo 0)"
		is "$stderr" ""
	done
	is "$(sha256sum f.bf)" "$before"
}

@test "add counts keys once however often they come" {
	filter
	for _ in 1 2 3; do
		seq 500 | bloomtool add f.bf
	done
	is "$(field f.bf keys_added)" 500
	seq 501 600 | bloomtool add -v f.bf > /dev/null
	is "$(field f.bf keys_added)" 600
}

@test "add to a filter that is not there is refused" {
	run -2 --separate-stderr bloomtool add f.bf <<< a
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	is "$stderr" \
	    "bloomtool: f.bf: No such file or directory; --create makes it"
	is "$(ls -A)" ""
}

@test "add to a filter without permission to write is refused" {
	filter
	chmod 444 f.bf
	plain [ ! -w f.bf ] || skip "permissions do not hold here"
	before=$(sha256sum f.bf)
	run -2 --separate-stderr plain bloomtool add -v f.bf <<< a
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: Permission denied"
	is "$(sha256sum f.bf)" "$before"
}

@test "add -q and --quiet add all the same" {
	filter
	run -0 --separate-stderr bloomtool add -q f.bf <<< a
	is "$output$stderr" ""
	run -0 --separate-stderr bloomtool add --quiet -v f.bf <<< $'a\nb'
	is "$output" b
	run -2 --separate-stderr bloomtool add -q f.bf gone
	has "$stderr" "gone: No such file or directory"
}

# bats test_tags=valgrind
@test "add --create makes the filter first" {
	run -0 --separate-stderr bloomtool add -v --create -n 2000 -p 1e-3 \
	    f.bf <<< $'a\nb\na'
	is "$output" $'a\nb'
	is "${#stderr_lines[@]}" 1
	has "$stderr" f.bf
	has "$stderr" "2000 keys at rate 0.001"
	is "$(field f.bf keys_wanted)" 2000
	is "$(field f.bf rate_wanted)" 0.001
	is "$(field f.bf keys_added)" 2
	is "$(ls -A)" f.bf
}

@test "add --create -n alone takes a rate of 0.01" {
	run -0 --separate-stderr bloomtool add --create --keys 2000 f.bf <<< a
	is "$(field f.bf rate_wanted)" 0.01
	is "$(wc -c < f.bf)" "$(bloomtool estimate --json -n 2000 |
	    jq .size_bytes)"
}

@test "add --create -q says nothing" {
	run -0 --separate-stderr bloomtool add --create -q -n 2000 f.bf <<< a
	is "$output" ""
	is "$stderr" ""
	is "$(field f.bf keys_added)" 1
}

@test "add --create takes a filter that is there as it is" {
	filter
	echo a | bloomtool add f.bf
	for options in "-n 5000 -p 0.1" ""; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr bloomtool add -v --create $options \
		    f.bf <<< $'a\nb'$options
		is "$output" $'b'"$options"
		is "$stderr" "${options:+f.bf: is there, made for 1000 keys\
 at rate 1e-09; goes on when full}"
		is "$(field f.bf keys_wanted)" 1000
	done
}

@test "add --create says so if the filter does not stop or grow as asked" {
	filter
	for options in "-F stop -n 1000" --grow "-n 1000 --seed 99" "-s 1M" \
		"--scheme guava -n 1000"; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr bloomtool add -C $options f.bf <<< a
		has "$stderr" "; goes on when full"
	done
	bloomtool create -q -n 1000 -F stop s.bf
	run -0 --separate-stderr bloomtool add -C -n 1000 -F warn s.bf <<< a
	is "$stderr" "s.bf: is there, made for 1000 keys at rate 0.01; stops when full"
	run -0 --separate-stderr bloomtool add -C -n 1000 -F stop s.bf <<< a
	is "$stderr" ""
	bloomtool create -q -n 1000 --scheme guava --key utf16le g.bf
	run -0 --separate-stderr bloomtool add -C -n 1000 --scheme guava \
		--key bytes g.bf <<< a
	is "$stderr" "g.bf: is there, made for 1000 keys at rate 0.01, by the rule of Guava; goes on when full"
	run -0 --separate-stderr bloomtool add -C -n 1000 --scheme guava \
		--key utf16le g.bf <<< a
	is "$stderr" ""
}

@test "add --create says nothing of a filter that is the one asked for" {
	for _ in 1 2; do
		run -0 --separate-stderr bloomtool add -C -n 2e3 -p 1e-3 \
		    -q f.bf <<< a
		is "$stderr" ""
	done
	run -0 --separate-stderr bloomtool add -C -n 2000 -p 0.001 f.bf <<< a
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add -C -n 2001 -q f.bf <<< a
	is "$stderr" ""
}

@test "add --create syncs the name of a filter that somebody else just made" {
	command -v strace > /dev/null || skip "no strace here"
	export ASAN_OPTIONS=detect_leaks=0
	filter 1000
	strace -y -o trace -e trace=fsync bloomtool add -C -n 1000 f.bf \
	    <<< a 2> /dev/null || skip "strace may not trace here"
	grep -qF "<$PWD>)" trace
}

@test "add --create refuses numbers as create does" {
	refused --create -n 0 f.bf
	has "${stderr_lines[0]}" "--keys"
	has "${stderr_lines[0]}" "1 to 1e15"
	refused --create -n 10 -p 2 f.bf
	has "${stderr_lines[0]}" "--rate"
}

@test "add --create refuses what create does also if the filter is there" {
	filter
	before=$(sha256sum f.bf)
	for options in "-g -s 1M" "-g -F stop" "-F stop" "-g -p 1e-10" \
	    "-n 1000 -p 0.01 -s 1M" "-L g.bf -n 1000" "-L g.bf -g"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr bloomtool create $options new.bf
		wanted=${stderr_lines[0]#bloomtool create: }
		# shellcheck disable=SC2086
		run -2 --separate-stderr bloomtool add -C $options f.bf <<< a
		is "${stderr_lines[0]}" "bloomtool add: $wanted"
	done
	is "$(sha256sum f.bf)" "$before"
}

@test "add -n and -p without --create are refused" {
	filter
	before=$(sha256sum f.bf)
	mv f.bf there.bf
	for options in "-n 1000" "-p 0.1" "-n 1000 -p 0.1"; do
		# shellcheck disable=SC2086	# several words
		refused $options there.bf
		has "${stderr_lines[0]}" "--create"
		# shellcheck disable=SC2086
		refused $options f.bf
		has "${stderr_lines[0]}" "--create"
	done
	mv there.bf f.bf
	is "$(sha256sum f.bf)" "$before"
}

@test "add --create does not take what is no filter for a missing one" {
	echo text > f.bf
	run -2 --separate-stderr bloomtool add --create -n 1000 f.bf <<< a
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: not a bloomtool filter"
	is "$(cat f.bf)" text
}

@test "of several add --create at once none fails" {
	for i in 1 2 3 4 5 6 7 8; do
		seq $((i * 100)) $((i * 100 + 99)) |
		    bloomtool add --create -q -n 1000 -p 1e-9 f.bf 3>&- &
	done
	for i in 1 2 3 4 5 6 7 8; do
		wait -n
	done
	is "$(seq 100 899 | bloomtool check -c f.bf)" 800
	is "$(field f.bf keys_added)" 800
	is "$(ls -A)" f.bf
}

@test "add does not warn while there is room" {
	filter
	run -0 --separate-stderr bloomtool add f.bf < <(seq 1000)
	is "$stderr" ""
	is "$(field f.bf keys_added)" 1000
}

@test "add warns once of an overfull filter, with the rate as it is now" {
	bloomtool create -q -n 1000 -p 0.01 f.bf
	seq 1500 > a
	seq 1501 3000 > b
	for option in "" -v -c -q; do
		run -0 --separate-stderr bloomtool add $option f.bf a b
		is "${#stderr_lines[@]}" 1
		has "$stderr" "f.bf: overfull"
		has "$stderr" "made for 1000"
		# 3000, of which some may have been taken for seen
		holds=$(sed -E 's/.*holds ([0-9]+) keys.*/\1/' <<< "$stderr")
		((holds >= $(field f.bf keys_added) && holds < 3100))
		said=$(sed -E 's/.*rate now ([0-9.e-]+).*/\1/' <<< "$stderr")
		is "$(field f.bf "rate_now / $said | . > 0.9 and . < 1.1")" \
		    true
	done
	is "$(bloomtool check -c f.bf a b)" 3000
}

@test "add warns at the first key too many" {
	filter 100
	run -0 --separate-stderr bloomtool add f.bf < <(seq 100)
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add f.bf <<< 101
	is "${#stderr_lines[@]}" 1
	has "$stderr" "101 keys"
}

@test "add that makes a filter overfull exits 2 only for other trouble" {
	filter 10
	seq 20 > a
	run -2 --separate-stderr bloomtool add f.bf gone a
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" gone
	has "${stderr_lines[1]}" overfull
}

@test "add says on a terminal what it waits for, unless -q" {
	script -qec true /dev/null < /dev/null > /dev/null 2>&1 ||
		skip "no script(1) here"
	filter
	# ^D ends the input of a terminal
	printf 'a\n\4' | timeout 10 script -qec "bloomtool add f.bf 2> note" \
	    /dev/null > /dev/null
	is "$(wc -l < note)" 1
	has "$(cat note)" "terminal"
	printf 'b\n\4' | timeout 10 script -qec \
	    "bloomtool add -q f.bf 2> note" /dev/null > /dev/null
	is "$(cat note)" ""
	holds a b
}

# bats test_tags=slow
@test "add loses none of 1,000,000 keys" {
	bloomtool create -q -n 1e6 f.bf
	seq -f 'https://example.org/%.0f' 1000000 > keys
	bloomtool add f.bf keys
	run -0 --separate-stderr bloomtool check -c f.bf keys
	is "$output" 1000000
	run -1 --separate-stderr bloomtool check -vc f.bf keys
	is "$output" 0
}
