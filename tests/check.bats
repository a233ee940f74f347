# bloomtool check: prints or counts the lines that are in a filter, or those
# that are not; never writes to it.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# A filter with 1 to 5, wrong about no key of a test.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	seq 5 | bloomtool add f.bf
}

# plain COMMAND...: without root's right to ignore permissions.
plain() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set -dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

# Where mounting harms nobody: sets INSIDE, or skips.
need_mounts() {
	for flags in -m -rm; do
		INSIDE=(unshare "$flags")
		if "${INSIDE[@]}" mount -t tmpfs none . 2> /dev/null; then
			return
		fi
	done
	skip "cannot mount anything here"
}

# The filter's bytes, owner, permissions and times of change.
state_of() {
	sha256sum f.bf
	stat -c '%i %a %u %s %y %z' f.bf
}

# bats test_tags=valgrind
@test "check prints the lines that are in, in input order" {
	run -0 --separate-stderr bloomtool check f.bf <<< $'3\nx\n1\n9\n5\n1'
	is "$output" $'3\n1\n5\n1'
	is "$stderr" ""
}

# bats test_tags=valgrind
@test "check -v and --unseen print the lines that are not in, in input order" {
	for option in -v --unseen; do
		run -0 --separate-stderr bloomtool check $option f.bf \
		    <<< $'3\nx\n1\n9\n5\nx\n6'
		is "$output" $'x\n9\nx\n6'
		is "$stderr" ""
	done
}

@test "check prints each line that is in or not, and none twice" {
	seq 3 20002 > keys
	bloomtool check f.bf keys > in
	bloomtool check -v f.bf keys > out
	is "$(cat in)" $'3\n4\n5'
	sort -n in out | cmp - keys
	sort -nc out
}

@test "check -c and --count print only how many" {
	for option in -c --count; do
		run -0 --separate-stderr bloomtool check $option f.bf \
		    <<< $'3\nx\n1\n9\n3'
		is "$output" 3
		is "$stderr" ""
		run -1 --separate-stderr bloomtool check $option f.bf <<< x
		is "$output" 0
	done
}

@test "check -c -v prints how many are not in" {
	for options in -cv "-v -c" "--unseen --count"; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr bloomtool check $options f.bf \
		    <<< $'3\nx\n1\n9\n3'
		is "$output" 2
	done
}

@test "check exits 0 if a line was selected, 1 if none" {
	echo 1 > in
	printf '1\nx\n' > mixed
	echo x > out
	: > nothing
	while read -r status options; do
		for more in "" -c -q -H -cH; do
			# shellcheck disable=SC2086	# several words
			run "-$status" --separate-stderr \
			    bloomtool check $options $more
			is "$stderr" ""
		done
	done <<- END
		0 f.bf in
		0 f.bf mixed
		1 f.bf out
		1 f.bf nothing
		0 f.bf out in
		0 f.bf in out
		1 -v f.bf in
		0 -v f.bf mixed
		0 -v f.bf out
		1 -v f.bf nothing
		0 -v f.bf in out
		1 -v f.bf in nothing
	END
}

@test "check exits 2 on trouble, even if a line was selected" {
	echo 1 > in
	for options in "" -v -c -cv -H; do
		run -2 --separate-stderr bloomtool check $options f.bf in gone
		is "${#stderr_lines[@]}" 1
		has "$stderr" "gone: No such file or directory"
	done
	run -2 --separate-stderr bloomtool check f.bf gone in
	is "$output" 1
}

@test "check reads stdin, or the files, - being stdin" {
	printf '1\nx\n' > a
	printf '2\ny\n' > b
	run -0 --separate-stderr bloomtool check f.bf a - b <<< $'z\n3'
	is "$output" $'1\n3\n2'
	run -0 --separate-stderr bloomtool check -v f.bf - <<< $'z\n3'
	is "$output" z
	{ bloomtool check f.bf a > /dev/null; cat > rest; } <<< 4
	is "$(cat rest)" 4
}

@test "check keeps apart the last line of one file and the first of the next" {
	printf '1' > a
	printf '2' > b
	bloomtool check f.bf a b > got
	printf '1\n2' | cmp got -
	printf 'x' > a
	printf 'y\n' > b
	bloomtool check -v f.bf a b > got
	printf 'x\ny\n' | cmp got -
	printf 'x' > a
	printf 'y' > b
	bloomtool check -zv f.bf a b > got
	printf 'x\0y' | cmp got -
	is "$(bloomtool check -vc f.bf a b)" 2
}

@test "check goes on after a file that cannot be read" {
	printf '1\nx\n' > a
	printf '2\ny\n' > b
	mkdir dir
	run -2 --separate-stderr bloomtool check f.bf a gone dir b
	is "$output" $'1\n2'
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" "gone: No such file or directory"
	has "${stderr_lines[1]}" "dir: Is a directory"
	run -2 --separate-stderr bloomtool check -c f.bf a gone dir b
	is "$output" 2
}

@test "check -q and --quiet print nothing" {
	for option in -q --quiet "-q -c" "-q -v" "-q -H" "-q -c -H"; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr bloomtool check $option f.bf \
		    <<< $'x\n1\n2'
		is "$output" ""
		is "$stderr" ""
	done
	run -1 --separate-stderr bloomtool check -q f.bf <<< x
	is "$output" ""
	run -1 --separate-stderr bloomtool check -q -v f.bf <<< 1
	is "$output" ""
}

@test "check -q stops at the first line selected" {
	run -0 --separate-stderr timeout 10 bloomtool check -q f.bf < <(yes 1)
	is "$output" ""
	run -0 --separate-stderr timeout 10 bloomtool check -qv f.bf < <(yes x)
	# nothing after it is looked at, not even a file that is missing
	echo 1 > in
	run -0 --separate-stderr bloomtool check -q f.bf in gone
	is "$stderr" ""
}

@test "check and add say where keys are read from if one is given as a file" {
	for command in "check -q" add; do
		# shellcheck disable=SC2086	# two words
		run -2 --separate-stderr bloomtool $command f.bf alice bob
		is "${stderr_lines[0]}" "bloomtool: alice: No such file or\
 directory; keys are read from files or standard input, one a line"
		is "${stderr_lines[1]}" \
		    "bloomtool: bob: No such file or directory"
		is "${#stderr_lines[@]}" 2
	done
}

@test "check -q exits 0 for a line selected after trouble, 2 without one" {
	echo 1 > in
	echo x > out
	run -0 --separate-stderr bloomtool check -q f.bf gone in
	is "$output" ""
	run -2 --separate-stderr bloomtool check -q f.bf gone out
	has "$stderr" "gone: No such file or directory"
	run -2 --separate-stderr bloomtool check -q f.bf out gone
}

# bats test_tags=valgrind
@test "check -H and --with-filename put the input's name before each line" {
	printf '1\nx\n' > a
	printf '2\n3\n' > 'b c'
	for option in -H --with-filename; do
		run -0 --separate-stderr bloomtool check $option f.bf a - \
		    'b c' ./a <<< $'z\n4'
		is "$output" \
		    $'a:1\n(standard input):4\nb c:2\nb c:3\n./a:1'
	done
	run -0 --separate-stderr bloomtool check -vH f.bf a 'b c'
	is "$output" a:x
}

@test "check without -H prints no names, however many files there are" {
	printf '1\nx\n' > a
	run -0 --separate-stderr bloomtool check f.bf a a
	is "$output" $'1\n1'
	run -0 --separate-stderr bloomtool check -c f.bf a a
	is "$output" 2
}

@test "check -H -c counts each input" {
	printf '1\nx\n2\n' > a
	echo x > b
	: > c
	run -0 --separate-stderr bloomtool check -cH f.bf a b c - <<< 5
	is "$output" $'a:2\nb:0\nc:0\n(standard input):1'
	run -0 --separate-stderr bloomtool check -cvH f.bf a b c
	is "$output" $'a:1\nb:1\nc:0'
	run -2 --separate-stderr bloomtool check -cH f.bf a gone b
	is "$output" $'a:2\nb:0'
}

@test "check -z and --null-data take and print keys that end in NUL" {
	printf 'a\nb\0c\0\0' | bloomtool add -z f.bf
	printf 'a\nb\0x\0c\0\0y\n' > keys
	printf 'a\nb\0c\0\0' > wanted
	printf 'x\0y\n' > unwanted
	for option in -z --null-data; do
		bloomtool check $option f.bf keys > got
		cmp got wanted
		bloomtool check $option -v f.bf keys > got
		cmp got unwanted
		is "$(bloomtool check $option -c f.bf keys)" 3
	done
	bloomtool check -zH f.bf keys > got
	printf 'keys:a\nb\0keys:c\0keys:\0' > wanted
	cmp got wanted
}

@test "check of no keys prints nothing, exits 1 and is no error" {
	for option in "" -v -q -z -H; do
		run -1 --separate-stderr bloomtool check $option f.bf < /dev/null
		is "$output" ""
		is "$stderr" ""
	done
	run -1 --separate-stderr bloomtool check -c f.bf < /dev/null
	is "$output" 0
}

@test "check of an empty filter finds nothing" {
	bloomtool create -q -n 10 empty.bf
	run -1 --separate-stderr bloomtool check empty.bf < <(seq 10000)
	is "$output" ""
	run -0 --separate-stderr bloomtool check -vc empty.bf < <(seq 10000)
	is "$output" 10000
}

@test "check of a filter that is not there is exit 2 and makes none" {
	for option in "" -v -c -q; do
		run -2 --separate-stderr bloomtool check $option gone.bf <<< 1
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "gone.bf: No such file or directory"
	done
	[ ! -e gone.bf ]
}

@test "check of a filter without permission to read is exit 2" {
	chmod 000 f.bf
	plain [ ! -r f.bf ] || skip "permissions do not hold here"
	run -2 --separate-stderr plain bloomtool check f.bf <<< 1
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: Permission denied"
}

@test "check never writes to the filter" {
	before=$(state_of)
	for options in "" -v -c -q -cv -H -z; do
		run --separate-stderr bloomtool check $options f.bf \
		    < <(seq 3 3000)
		is "$stderr" ""
		is "$(state_of)" "$before"
	done
	run -2 bloomtool check f.bf gone
	is "$(state_of)" "$before"
}

@test "check works on a file without permission to write" {
	chmod 444 f.bf
	plain [ ! -w f.bf ] || skip "permissions do not hold here"
	run -0 --separate-stderr plain bloomtool check f.bf <<< $'1\nx'
	is "$output" 1
	is "$stderr" ""
}

@test "check works on a file system mounted read-only" {
	need_mounts
	mkdir disk
	before=$(state_of)
	# shellcheck disable=SC2016	# for the inner shell
	run -0 --separate-stderr "${INSIDE[@]}" bash -eu -c '
		mount --bind . disk
		mount -o remount,bind,ro disk
		if touch disk/new 2> /dev/null; then exit 1; fi
		printf "1\nx\n" | bloomtool check disk/f.bf
		bloomtool stats --json disk/f.bf | jq .keys_added
		s=0
		echo y | bloomtool add disk/f.bf || s=$?
		[ $s = 2 ]'
	is "$output" $'1\n5'
	has "$stderr" "disk/f.bf: Read-only file system"
	is "$(state_of)" "$before"
}

@test "check finds keys through another name of the filter" {
	ln -s f.bf link
	ln f.bf hard
	for name in link hard "$PWD/f.bf" ./f.bf; do
		run -0 --separate-stderr bloomtool check "$name" <<< $'1\nx'
		is "$output" 1
	done
}

@test "check says on a terminal what it waits for, unless -q" {
	script -qec true /dev/null < /dev/null > /dev/null 2>&1 ||
		skip "no script(1) here"
	# ^D ends the input of a terminal
	printf '1\n\4' | timeout 10 script -qec \
	    "bloomtool check f.bf > out 2> note" /dev/null > /dev/null
	is "$(cat out)" 1
	is "$(wc -l < note)" 1
	has "$(cat note)" "terminal"
	printf '1\n\4' | timeout 10 script -qec \
	    "bloomtool check -q f.bf > out 2> note" /dev/null > /dev/null
	is "$(cat note)" ""
}

@test "check is wrong as often as the filter's rate says, and never the other way" {
	bloomtool create -q -n 100000 -p 0.01 --seed 1 g.bf
	seq 100000 | bloomtool add g.bf
	run -0 --separate-stderr bloomtool check -c g.bf < <(seq 100000)
	is "$output" 100000
	run -0 --separate-stderr bloomtool check -c g.bf < <(seq 100001 300000)
	# 2000, five standard deviations either way
	((output > 2000 - 5 * 45 && output < 2000 + 5 * 45))
}

@test "check of real links tells those of another list" {
	shared_data
	sort -u "$DATA/urls.txt" > all
	awk 'NR % 2' all > half
	awk 'NR % 2 == 0' all > rest
	bloomtool create -q -n 6000 -p 1e-9 g.bf
	bloomtool add g.bf half
	bloomtool check g.bf all | cmp - half
	bloomtool check -v g.bf all | cmp - rest
}
