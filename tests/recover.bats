# bloomtool recover: keys that a power cut or a failed sync took.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 1000 -p 1e-9 f.bf
}

# patch OFFSET BYTES: as printf has them, into f.bf.
patch() {
	# shellcheck disable=SC2059	# a format on purpose
	printf "$2" | dd of=f.bf bs=1 seek="$1" conv=notrunc 2> /dev/null
}

# The machine went down while f.bf was written: state and boot id say so.
lose_power() {
	patch 4096 '\x02'
	patch 4112 '\x01\x02\x03'
}

# bats test_tags=valgrind
@test "recover adds the keys again, says how many were missing, and all is well" {
	seq 3 | bloomtool add f.bf
	lose_power
	is "$(field f.bf state)" unclean
	run -0 --separate-stderr bloomtool recover f.bf < <(seq 5)
	is "$output" ""
	is "$stderr" "f.bf: clean; 5 keys read, 2 of them were missing"
	is "$(field f.bf state)" clean
	is "$(field f.bf keys_added)" 5
	is "$(seq 10 | bloomtool check f.bf)" "$(seq 5)"
}

@test "recover reads files, and after -z keys that end in NUL" {
	lose_power
	seq 3 > a
	seq 4 6 > b
	run -0 --separate-stderr bloomtool recover f.bf a b
	is "$stderr" "f.bf: clean; 6 keys read, 6 of them were missing"
	lose_power
	printf 'a\nb\0c\0' > c
	run -0 --separate-stderr bloomtool recover -z f.bf c
	is "$stderr" "f.bf: clean; 2 keys read, 2 of them were missing"
	printf 'a\nb\0' | bloomtool check -qz f.bf
}

@test "recover -q and --quiet say nothing" {
	for option in -q --quiet; do
		lose_power
		run -0 --separate-stderr bloomtool recover $option f.bf <<< a
		is "$output$stderr" ""
		is "$(field f.bf state)" clean
	done
}

@test "recover of a clean filter does no harm" {
	seq 3 | bloomtool add f.bf
	run -0 --separate-stderr bloomtool recover f.bf <<< 1
	is "$stderr" "f.bf: clean; 1 keys read, 0 of them were missing"
	is "$(field f.bf keys_added)" 3
	is "$(seq 9 | bloomtool check -c f.bf)" 3
}

@test "recover without keys is refused, and the mark stays" {
	lose_power
	run -2 --separate-stderr bloomtool recover f.bf < /dev/null
	is "$output" ""
	is "$stderr" "bloomtool: f.bf: not recovered: no keys came; --accept lives with the loss"
	is "$(field f.bf state)" unclean
}

# bats test_tags=valgrind
@test "recover --accept and -a read no keys and live with the loss" {
	for option in --accept -a; do
		lose_power
		run -0 --separate-stderr timeout 20 \
		    bloomtool recover $option f.bf < <(sleep 60)
		is "$stderr" "f.bf: clean; 0 keys read, 0 of them were missing"
		is "$(field f.bf state)" clean
	done
}

@test "recover --accept with a file of keys is refused" {
	lose_power
	seq 3 > keys
	run -2 --separate-stderr bloomtool recover --accept f.bf keys
	is "${stderr_lines[0]}" \
	    'bloomtool recover: --accept reads no keys, not "keys"'
	is "$(field f.bf state)" unclean
}

@test "recover from a file that cannot be read leaves the mark" {
	lose_power
	seq 3 > keys
	run -2 --separate-stderr bloomtool recover f.bf keys missing
	has "${stderr_lines[0]}" "missing: No such file"
	is "${stderr_lines[1]}" \
	    "bloomtool: f.bf: not recovered: not all keys could be read"
	is "$(field f.bf state)" unclean
	# those that were read are in all the same
	is "$(field f.bf keys_added)" 3
}

@test "recover clears the mark of a sync that failed" {
	patch 4128 '\x01'
	is "$(field f.bf state)" "sync failed"
	run -0 --separate-stderr bloomtool recover f.bf <<< a
	is "$(field f.bf state)" clean
	bloomtool check -q f.bf <<< a
}

@test "recover counts the bits anew" {
	seq 100 | bloomtool add f.bf
	cp f.bf before
	patch 4168 '\1\0\0\0\0\0\0\0'	# the count, see bloomtool(5)
	run -0 --separate-stderr bloomtool recover f.bf < <(seq 100)
	cmp -n 8 -i 4168 f.bf before
}

@test "recover of no filter is exit 2 with a message" {
	run -2 --separate-stderr bloomtool recover none.bf <<< a
	is "$stderr" "bloomtool: none.bf: No such file or directory"
	[ ! -e none.bf ]
}

# An add or recover that holds f.bf until its input ends: in $writer, its input
# in $keys.
start_writer() {
	coproc bloomtool "$@" 3>&-
	writer=$COPROC_PID keys=${COPROC[1]}
	echo held >&"$keys"
	local end=$((SECONDS + 30))
	while bloomtool recover -aq -w 0 f.bf 2> /dev/null; do
		((SECONDS < end))
	done
}

stop_writer() {
	exec {keys}>&-
	wait "$writer"
}

@test "recover waits no longer than --wait for others to leave" {
	start_writer add f.bf
	for seconds in 0 0.2; do
		run -2 --separate-stderr bloomtool recover -w $seconds f.bf \
		    <<< a
		is "$stderr" "bloomtool: f.bf: locked by another process, gave up after $seconds seconds"
	done
	stop_writer
	is "$(field f.bf state)" clean
	run -0 --separate-stderr bloomtool recover -w 20 f.bf <<< held
	is "$stderr" "f.bf: clean; 1 keys read, 0 of them were missing"
}

@test "add waits no longer than --wait for a recover to end" {
	start_writer recover -q f.bf
	run -2 --separate-stderr bloomtool add -w 0.2 f.bf <<< a
	has "$stderr" "f.bf: locked by another process, gave up after 0.2 seconds"
	# told to wait longer, it is in time
	timeout 60 bloomtool add --wait 50 f.bf <<< later 3>&- &
	stop_writer
	wait $!
	is "$(printf '%s\n' held later a | bloomtool check f.bf)" \
	    $'held\nlater'
	is "$(field f.bf state)" clean
}

@test "an add that waits for a recover can be told to end" {
	start_writer recover -q f.bf
	run -124 --separate-stderr timeout 0.5 bloomtool add f.bf <<< a
	is "$stderr" ""
	run -124 --separate-stderr timeout 0.5 \
	    bloomtool add --wait 100 f.bf <<< a
	is "$stderr" ""
	stop_writer
}
