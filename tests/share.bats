# Several processes on one filter, and processes that die.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# A filter for N keys that is wrong about none of a test's.
filter() {
	bloomtool create -q -n "$1" -p 1e-9 f.bf
}

# The filter's field NAME is VALUE.
field_is() {
	[ "$(field f.bf "$1")" = "$2" ]
}

# Wait for all of these; each must end with 0.
all_well() {
	local pid
	for pid; do
		wait "$pid"
	done
}

# bats test_tags=valgrind
@test "two add at once lose no key and count each" {
	filter 100000
	seq 50000 > a
	seq 50001 100000 > b
	timeout 60 bloomtool add f.bf a 3>&- &
	one=$!
	timeout 60 bloomtool add f.bf b 3>&- &
	all_well $one $!
	is "$(bloomtool check -c f.bf a b)" 100000
	is "$(field f.bf keys_added)" 100000
	is "$(field f.bf state)" clean
}

@test "add in many processes is as if one had done it" {
	bloomtool create -q -n 40000 -p 1e-9 --seed 1 f.bf
	bloomtool create -q -n 40000 -p 1e-9 --seed 1 g.bf
	pids=
	for i in 0 1 2 3 4 5 6 7; do
		# each key comes from two of them
		seq $((i * 5000)) $((i * 5000 + 9999)) |
		    timeout 60 bloomtool add f.bf 3>&- &
		pids+=" $!"
	done
	# shellcheck disable=SC2086	# a list
	all_well $pids
	seq 0 44999 | bloomtool add g.bf 2> /dev/null
	cmp <(tail -c +8193 f.bf) <(tail -c +8193 g.bf)
	is "$(field f.bf keys_added)" 45000
	is "$(field f.bf keys_estimated)" "$(field g.bf keys_estimated)"
}

@test "of several add -v at once each key goes to exactly one" {
	filter 100000
	seq 100000 > keys
	pids=
	for i in 1 2 3 4; do
		timeout 60 bloomtool add -v f.bf < keys > got.$i 3>&- &
		pids+=" $!"
	done
	# shellcheck disable=SC2086	# a list
	all_well $pids
	sort -n got.? | cmp - keys
	is "$(field f.bf keys_added)" 100000
	is "$(field f.bf state)" clean
}

# bats test_tags=valgrind
@test "of several add -v into pipes each key goes to exactly one" {
	filter 100000
	seq -f 'https://example.org/%06.0f' 100000 > keys
	pids=
	for i in 1 2 3 4; do
		timeout 60 bloomtool add -v f.bf keys 3>&- | cat > got.$i &
		pids+=" $!"
	done
	# shellcheck disable=SC2086	# a list
	all_well $pids
	sort got.? | cmp - keys
}

@test "of several add -c at once each key is counted by exactly one" {
	filter 50000
	seq 50000 > keys
	pids=
	for i in 1 2 3; do
		timeout 60 bloomtool add -c f.bf < keys > got.$i 3>&- &
		pids+=" $!"
	done
	# shellcheck disable=SC2086	# a list
	all_well $pids
	is "$(awk '{ n += $1 } END { print n }' got.?)" 50000
}

@test "a loop that feeds its own filter does not hang" {
	filter 100000
	seq -f 'https://example.org/a-seed-of-some-length/%06.0f' 20000 > seeds
	# the pipe is full while the inner add runs
	run -0 --separate-stderr timeout 60 bash -c "
		bloomtool add -v f.bf < seeds | {
			for ((i = 0; i < 20; i++)); do
				read -r url
				printf '%s\n' \"\$url\" \"\$url/a\" \"\$url/b\" |
				    bloomtool add -v f.bf
			done
			cat > rest
		}"
	is "$stderr" ""
	is "${#lines[@]}" 40
	is "$(grep -cE '/(a|b)$' <<< "$output")" 40
	is "$(wc -l < rest)" 19980
	is "$(field f.bf keys_added)" 20040
}

@test "an add whose reader sleeps does not stop other adds and checks" {
	filter 100000
	seq -f 'https://example.org/a-page-of-some-length/%06.0f' 50000 > keys
	mkfifo out
	timeout 60 bloomtool add -v f.bf keys > out 3>&- &
	exec 7< out			# and nobody reads
	soon field_is state "in use"
	run -0 --separate-stderr timeout 10 bloomtool add -v f.bf <<< other
	is "$output" other
	run -0 --separate-stderr timeout 10 bloomtool check f.bf <<< other
	is "$output" other
	cat <&7 > got
	wait $!
	cmp got keys
	is "$(bloomtool check -c f.bf keys)" 50000
}

@test "an add whose reader sleeps over a long line does not stop others" {
	filter 1000
	{ echo a; head -c 300000 /dev/zero | tr '\0' x; echo; echo b; } > keys
	mkfifo out
	timeout 60 bloomtool add -v f.bf keys > out 3>&- &
	exec 7< out
	soon field_is state "in use"
	run -0 --separate-stderr timeout 10 bloomtool add -v f.bf <<< other
	is "$output" other
	cat <&7 > got
	wait $!
	cmp got keys
	is "$(field f.bf keys_added)" 4
}

@test "an add into a pipe that is full does not stop other adds and checks" {
	filter 100000
	seq -f 'https://example.org/a-page-of-some-length/%06.0f' 50000 > keys
	coproc timeout 60 bloomtool add -v f.bf keys 3>&-
	out=${COPROC[0]} pid=$COPROC_PID
	soon field_is state "in use"
	run -0 --separate-stderr timeout 10 bloomtool add -v f.bf <<< other
	is "$output" other
	cat <&"$out" > got
	wait "$pid"
	cmp got keys
}

@test "an add that waits for its input does not stop other adds and checks" {
	filter 1000
	mkfifo in
	for option in "" -v -c; do
		timeout 60 bloomtool add $option f.bf < in > got 3>&- &
		exec 7> in
		echo "first$option" >&7
		soon field_is state "in use"
		run -0 --separate-stderr timeout 10 bloomtool add -v f.bf \
		    <<< "other$option"
		is "$output" "other$option"
		run -0 --separate-stderr timeout 10 bloomtool check f.bf \
		    <<< "other$option"
		exec 7>&-
		wait $!
	done
}

@test "flock on the filter does not hang its add" {
	command -v flock > /dev/null || skip "no flock(1) here"
	filter 1000
	run -0 --separate-stderr timeout 20 flock f.bf bloomtool add -v f.bf \
	    <<< a
	is "$output" a
	run -0 --separate-stderr timeout 20 flock f.bf bloomtool check f.bf \
	    <<< a
	is "$output" a
	run -0 --separate-stderr timeout 20 flock -s f.bf bloomtool stats f.bf
}

@test "check beside a running add finds every key that was acknowledged" {
	filter 20000
	# an add that has returned has acknowledged its keys
	seq 20000 > keys
	mkfifo in
	timeout 60 bloomtool add f.bf < in 3>&- &
	exec 7> in
	cat keys >&7
	soon field_is state "in use"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		seq -f "$i-%.0f" 100 | bloomtool add f.bf 2> /dev/null
		is "$(seq -f "$i-%.0f" 100 | bloomtool check -c f.bf)" 100
	done
	exec 7>&-
	wait $!
	is "$(bloomtool check -c f.bf keys)" 20000
}

@test "check that waits for input sees keys that others add meanwhile" {
	filter 1000
	coproc timeout 60 bloomtool check f.bf 3>&-
	in=${COPROC[1]} out=${COPROC[0]} pid=$COPROC_PID
	for i in 1 2 3; do
		printf '%s\n' "no$i" >&"$in"
		bloomtool add f.bf <<< "key$i"
		printf '%s\n' "key$i" >&"$in"
		read -r -t 10 got <&"$out"
		is "$got" "key$i"
	done
	exec {in}>&-
	wait "$pid"
}

@test "stats tells that somebody is adding, and that nobody is" {
	filter 1000
	is "$(field f.bf state)" clean
	mkfifo in
	timeout 60 bloomtool add f.bf < in 3>&- &
	exec 7> in
	echo a >&7
	soon field_is state "in use"
	soon field_is keys_added 1
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(grep -c '^state  *in use$' <<< "$output")" 1
	# another one comes and goes
	bloomtool add f.bf <<< b
	is "$(field f.bf state)" "in use"
	exec 7>&-
	wait $!
	is "$(field f.bf state)" clean
	is "$(field f.bf keys_added)" 2
}

@test "an add that is killed leaves a filter with all that was added" {
	filter 20000
	seq 5000 > before
	bloomtool add f.bf before
	mkfifo in
	bloomtool add f.bf < in 3>&- &
	exec 7> in
	seq 5001 9000 >&7
	soon field_is keys_added 9000
	kill -KILL $!
	status=0
	wait $! || status=$?
	is "$status" 137
	exec 7>&-
	is "$(field f.bf state)" "left open"
	run -0 --separate-stderr bloomtool check -c f.bf < <(seq 9000)
	is "$output" 9000
	is "$stderr" ""
	run -0 --separate-stderr bloomtool add -v f.bf < <(seq 8999 9001)
	is "$output" 9001
	is "$stderr" ""
	is "$(field f.bf state)" clean
	is "$(field f.bf keys_added)" 9001
}

@test "killed again and again, add -v prints each line and loses none" {
	filter 100000
	seq -f 'https://example.org/%06.0f' 100000 > keys
	: > got
	for lines in 1 500 3000 9000 20000; do
		mkfifo out
		bloomtool add -v f.bf keys > out 3>&- &
		exec 7< out
		# What has been read before it dies was seen by somebody.
		for ((i = 0; i < lines; i += 500)); do
			head -c 13500 <&7 >> got	# 500 lines
		done
		kill -KILL $! 2> /dev/null || true
		wait $! || true
		cat <&7 >> got
		exec 7<&-
		rm out
		echo >> got		# end a line that was cut
	done
	bloomtool add -v f.bf keys >> got
	# each was printed, and more than once only where an add was killed
	grep -E '^https://example.org/[0-9]{6}$' got | sort -u | cmp - keys
	(($(wc -l < got) < 100000 + 5 * 2000))
	is "$(bloomtool check -c f.bf keys)" 100000
	is "$(field f.bf state)" clean
}

@test "an add killed beside another one leaves that one alone" {
	filter 1000
	mkfifo in other
	timeout 60 bloomtool add f.bf < in 3>&- &
	stays=$!
	exec 7> in
	bloomtool add f.bf < other 3>&- &
	exec 8> other
	echo a >&7
	echo b >&8
	soon field_is keys_added 2
	kill -KILL $!
	wait $! || true
	is "$(field f.bf state)" "in use"
	echo c >&7
	exec 7>&-
	wait $stays
	exec 8>&-
	is "$(field f.bf state)" clean
	is "$(printf '%s\n' a b c | bloomtool check -c f.bf)" 3
}

@test "an add that is told to end leaves the filter clean and dies of the signal" {
	filter 1000
	mkfifo in
	for signal in TERM:143 INT:130 HUP:129; do
		# not in the background, where INT is ignored
		python3 -c 'import os, signal, subprocess, sys
name, want = sys.argv[1].split(":")
number = getattr(signal, "SIG" + name)
def default():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(["bloomtool", "add", "f.bf"], stdin=subprocess.PIPE,
    preexec_fn=default)
p.stdin.write(name.encode() + b"\n")
p.stdin.flush()
while b"in use" not in subprocess.run(["bloomtool", "stats", "f.bf"],
    capture_output=True).stdout:
    pass
p.send_signal(number)
status = p.wait(20)
assert status == -number, status' $signal
		is "${signal%:*}: $(field f.bf state)" \
		    "${signal%:*}: clean"
		bloomtool check -q f.bf <<< "${signal%:*}"
	done
}

# bats test_tags=slow
@test "add syncs every five seconds while keys come from a pipe" {
	command -v strace > /dev/null || skip "no strace here"
	filter 1000
	for i in $(seq 14); do
		echo "$i"
		sleep 0.5
	done | ASAN_OPTIONS=detect_leaks=0 strace -o trace -e trace=fdatasync bloomtool add f.bf ||
		skip "strace may not trace here"
	# one on its way, and those at the end
	(($(grep -c '^fdatasync' trace) > 2))
	seq 14 > all
	ASAN_OPTIONS=detect_leaks=0 strace -o trace -e trace=fdatasync \
	    bloomtool add f.bf all
	is "$(grep -c '^fdatasync' trace)" 2
}

# The machine went down while f.bf was written: state and boot id say so.
lose_power() {
	printf '\x02' | dd of=f.bf bs=1 seek=4096 conv=notrunc 2> /dev/null
	printf '\x01\x02\x03' | dd of=f.bf bs=1 seek=4112 conv=notrunc \
	    2> /dev/null
}

@test "where keys may be missing check and add -v do not answer" {
	filter 1000
	bloomtool add f.bf <<< a
	lose_power
	is "$(field f.bf state)" unclean
	for command in check "check -v" "check -c" "check -q" "add -v" \
	    "add -c"; do
		# shellcheck disable=SC2086	# two words
		run -2 --separate-stderr bloomtool $command f.bf <<< $'a\nb'
		is "$output" ""
		has "${stderr_lines[0]}" "f.bf: keys added since"
		has "$stderr" "recover"
	done
	is "$(field f.bf state)" unclean
	is "$(field f.bf keys_added)" 1
}

@test "where keys may be missing add warns and goes on, and the mark stays" {
	filter 1000
	bloomtool add f.bf <<< a
	lose_power
	run -0 --separate-stderr bloomtool add f.bf <<< b
	is "$output" ""
	has "$stderr" "f.bf: keys added since"
	is "$(field f.bf keys_added)" 2
	is "$(field f.bf state)" unclean
	run -2 --separate-stderr bloomtool check f.bf <<< a
}

@test "bits that come back after a loss are not counted past all there are" {
	filter 1
	seq 2000 | bloomtool add f.bf 2> /dev/null
	is "$(field f.bf fill)" 1
	# a power cut takes the blocks, the count stays
	dd if=/dev/zero of=f.bf bs=64 seek=128 conv=notrunc \
	    count=$(($(stat -c %s f.bf) / 64 - 128)) 2> /dev/null
	lose_power
	seq 2000 | bloomtool add f.bf 2> /dev/null
	is "$(field f.bf state)" unclean
	bloomtool recover -q --accept f.bf
	is "$(seq 2000 | bloomtool check -c f.bf)" 2000
}

@test "an add -v whose reader is gone leaves the filter clean" {
	filter 100000
	seq 100000 > keys
	run -0 --separate-stderr env --default-signal=PIPE bash -c "
		bloomtool add -v f.bf keys | head -n 3 > got
		[ \${PIPESTATUS[0]} = 141 ]"
	is "$stderr" ""
	is "$(cat got)" "$(seq 3)"
	is "$(field f.bf state)" clean
	printed=$(field f.bf keys_added)
	((printed >= 3 && printed < 100000))
	# what it had printed is in, the rest comes out again
	bloomtool add -v f.bf keys > rest
	seq $((printed + 1)) 100000 | cmp - rest
}

@test "add syncs what it added before it says that all is stored" {
	command -v strace > /dev/null || skip "no strace here"
	export ASAN_OPTIONS=detect_leaks=0
	filter 1000
	for option in "" -v; do
		strace -o trace -e trace=fsync,fdatasync,msync \
		    bloomtool add $option f.bf <<< "key$option" > /dev/null ||
			skip "strace may not trace here"
		# the mark that it is dirty; the data; the mark that it is not
		steps=$(sed -nE 's/^([a-z]+)\(.*= 0$/\1/p' trace | tr '\n' ' ')
		[[ $steps =~ ^msync\ (f(data)?sync\ |msync\ )+msync\ $ ]]
	done
}

@test "a filter is shared by processes with other names for it" {
	filter 50000
	ln f.bf hard.bf
	ln -s f.bf soft.bf
	seq 50000 > keys
	pids=
	for name in f hard soft; do
		timeout 60 bloomtool add -v $name.bf keys > got.$name 3>&- &
		pids+=" $!"
	done
	# shellcheck disable=SC2086	# a list
	all_well $pids
	sort -n got.* | cmp - keys
	is "$(field f.bf keys_added)" 50000
}

# A sync of f.bf has failed: its mark says so.
fail_sync() {
	printf '\x01' | dd of=f.bf bs=1 seek=4128 conv=notrunc 2> /dev/null
}

@test "recover after a failed sync makes a new file of the same owner and mode" {
	filter 1000
	seq 500 | bloomtool add f.bf
	chmod 640 f.bf
	if [ "$(id -u)" = 0 ]; then chown 12:34 f.bf; fi
	was=$(stat -c '%a %u %g %s' f.bf)
	fail_sync
	cp f.bf old.bf
	exec 7< f.bf			# so that its inode is not used anew
	ln -s f.bf soft.bf
	seq 400 600 | bloomtool recover soft.bf 2> message
	is "$(cat message)" \
	    "soft.bf: clean; 201 keys read, 100 of them were missing"
	is "$(stat -c '%a %u %g %s' f.bf)" "$was"
	[ "$(stat -c %i f.bf)" != "$(stat -Lc %i /dev/fd/7)" ]
	cmp old.bf /dev/fd/7		# which nobody has written to
	[ -L soft.bf ]
	is "$(seq 600 | bloomtool check -c f.bf)" 600
	is "$(field f.bf state)" clean
	is "$(field f.bf keys_added)" 600
	bloomtool stats --verify f.bf > /dev/null
}

@test "recover after a power cut works in place" {
	filter 1000
	bloomtool add f.bf <<< a
	lose_power
	ln f.bf hard.bf
	bloomtool recover -q f.bf <<< b
	is "$(printf '%s\n' a b | bloomtool check -c hard.bf)" 2
	is "$(field hard.bf state)" clean
}

@test "recover after a failed sync wants the file to have one name" {
	filter 1000
	fail_sync
	ln f.bf hard.bf
	run -2 --separate-stderr bloomtool recover f.bf <<< a
	is "$stderr" "bloomtool: f.bf: has other names (hard links), which\
 would keep the damaged file; remove them"
	rm hard.bf
	bloomtool recover -q f.bf <<< a
	bloomtool check -q f.bf <<< a
}

@test "recover does not replace a filter that took its place meanwhile" {
	for theirs in "create -q -f -n 1000 f.bf" "" ; do
		filter 1000
		fail_sync
		mkfifo in
		timeout 60 bloomtool recover f.bf < in 3>&- 2> message &
		recovers=$!
		exec 7> in
		echo a >&7
		soon eval '! bloomtool add -q --wait 0 f.bf < /dev/null 2> \
		    /dev/null'
		rm f.bf in
		if [ -n "$theirs" ]; then
			# shellcheck disable=SC2086	# several words
			bloomtool $theirs
			bloomtool add f.bf <<< b
		fi
		exec 7>&-
		status=0
		wait $recovers || status=$?
		is "$status" 2
		is "$(cat message)" "bloomtool: f.bf: replaced or removed\
 in the meantime"
		if [ -n "$theirs" ]; then
			is "$(bloomtool check f.bf <<< $'a\nb')" b
			rm f.bf
		fi
		is "$(find . -name '*.bf' -o -name '.bloomtool*')" ""
	done
}

@test "nobody else reads what recover makes of a private filter" {
	command -v strace > /dev/null || skip "no strace here"
	filter 1000
	fail_sync
	chmod 600 f.bf
	mkfifo in
	# as where no file can be without a name
	ASAN_OPTIONS=detect_leaks=0 strace -o trace \
	    -e inject=access,faccessat,faccessat2:error=ENOENT \
	    bloomtool recover -q f.bf < in 3>&- &
	exec 7> in
	a_draft() {
		[ -n "$(find . -name '.bloomtool.*' -size +2)" ]
	}
	soon a_draft
	is "$(stat -c %a .bloomtool.*)" 600
	echo a >&7
	exec 7>&-
	wait $!
	is "$(stat -c %a f.bf)" 600
	bloomtool check -q f.bf <<< a
}

@test "add is content when union takes over the filter that it leaves" {
	command -v strace > /dev/null || skip "no strace here"
	filter 1000
	mkfifo in
	# the eighth lets go of the lock, in the hope of getting it alone
	ASAN_OPTIONS=detect_leaks=0 strace -o trace \
	    -e inject=fcntl:delay_exit=500000:when=8 \
	    bloomtool add f.bf < in 2> message 3>&- &
	adds=$!
	exec 7> in
	echo a >&7
	soon field_is keys_added 1 || skip "strace may not inject here"
	bloomtool union -q -w 20 -f -o f.bf f.bf 3>&- 7>&- &
	unites=$!
	soon grep -q '^State:.S' /proc/$unites/status
	exec 7>&-
	all_well $unites $adds
	is "$(cat message)" ""
	grep -q 'F_UNLCK.*4611686018427387904.*DELAYED' trace
	bloomtool check -q f.bf <<< a
}

@test "add says that its filter was replaced after the last sync" {
	filter 1000
	mkfifo in
	timeout 60 bloomtool add f.bf < in 2> message 3>&- &
	adds=$!
	exec 7> in
	echo a >&7
	# keys_synced: all are, once no key has come for a second
	all_synced() {
		[ "$(od -An -t u8 -j 4232 -N 8 f.bf | tr -d ' ')" = 1 ]
	}
	soon all_synced
	bloomtool create -q -f -n 1000 f.bf
	exec 7>&-
	status=0
	wait $adds || status=$?
	is "$status" 2
	is "$(cat message)" "bloomtool: f.bf: replaced or removed while in use;\
 what was added is lost"
}

@test "add --no-sync says when its filter was replaced" {
	filter 1000
	mkfifo in
	timeout 60 bloomtool add --no-sync f.bf < in 3>&- 2> message &
	adds=$!
	exec 7> in
	echo a >&7
	soon field_is keys_added 1
	bloomtool create -q -f -n 1000 f.bf
	exec 7>&-
	status=0
	wait $adds || status=$?
	is "$status" 2
	is "$(cat message)" "bloomtool: f.bf: replaced or removed while in use;\
 what was added is lost"
}

@test "a signal ends an add to a large filter that waits for the lock" {
	bloomtool create -q -s 300MB -n 1e6 f.bf
	seq 140000 > keys
	python3 -c 'import fcntl, struct, sys
f = open("f.bf", "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, (1 << 62) + 1, 1,
    0))
open("held", "w").close()
sys.stdin.read()' < <(sleep 20) 3>&- &
	soon test -e held
	for delay in 0.001 0.003 0.005 0.01 0.02 0.1; do
		run -124 --separate-stderr timeout $delay \
		    bloomtool add f.bf keys
	done
	kill $!
	bloomtool add f.bf keys
	is "$(bloomtool check -c f.bf keys)" 140000
}

@test "an add that waits for recover adds to the new file" {
	filter 1000
	fail_sync
	mkfifo in
	timeout 60 bloomtool recover -q f.bf < in 3>&- &
	recovers=$!
	exec 7> in
	echo a >&7
	# it has the lock when it has read the key
	soon eval '! bloomtool add -q --wait 0 f.bf < /dev/null 2> /dev/null'
	timeout 60 bloomtool add f.bf 3>&- 7>&- <<< b &
	adds=$!
	sleep 0.2
	exec 7>&-
	wait $recovers
	wait $adds
	is "$(printf '%s\n' a b | bloomtool check -c f.bf)" 2
	is "$(field f.bf state)" clean
}

@test "an add that waits while create --force replaces its filter uses the new one" {
	filter 1000
	mkfifo in
	# holds the lock, as recover does, until told to end
	python3 -c 'import fcntl, struct, sys
f = open("f.bf", "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 1 << 62, 1, 0))
open("held", "w").close()
sys.stdin.read()' < in 3>&- &
	exec 7> in
	soon test -e held
	timeout 60 bloomtool add f.bf 3>&- 7>&- <<< a &
	adds=$!
	sleep 0.2
	bloomtool create -q --force -n 2000 f.bf
	exec 7>&-
	wait $adds
	bloomtool check -q f.bf <<< a
	is "$(field f.bf keys_wanted)" 2000
}
