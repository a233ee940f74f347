# Keys that come in odd ways or are odd themselves: whatever happens to the
# descriptors, the output is that of one big read.

# bats sets these, and each test is a shell of its own; inputs are only read.
# shellcheck disable=SC2154,SC2030,SC2031,SC2094

load rig

# The inputs, and the output of each command for them: lines of any bytes,
# also of several chunks of the reader, some more than once, the last without
# a newline; half of them are in the filter.  The rate is such that no other
# line ever seems to be.
setup_file() {
	need python3
	make_work
	FILES=$WORK
	# python3 may be a script that looks for it, which takes longer.
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	# Whatever hangs shall not do so for ever.
	BATS_TEST_TIMEOUT=300
	export FILES PYTHON BATS_TEST_TIMEOUT
	python3 - <<-'END'
	import random
	random.seed(1)
	def lines(n, lengths):
	    out = [b"", b"\r", b"\0", b"a\0b", b"a\0c", b"\xff\xfe", b"\xc3"]
	    for _ in range(n):
	        out.append(random.randbytes(random.choice(lengths))
	                   .replace(b"\n", b"x"))
	    out += random.choices(out, k=len(out) // 4)
	    random.shuffle(out)
	    return out + [b"no newline"]
	for name, l in (("few", lines(300, range(60)) + [b"y" * 6000, b"end"]),
	                ("many", lines(20000, range(60)) + [b"z" * 5000,
	                 b"y" * 70000, b"", b"x" * 600000, b"end"])):
	    open(name, "wb").write(b"\n".join(l))
	    open(name + ".in", "wb").write(b"\n".join(l[::2]))
	END
	local name command
	for name in few many; do
		bloomtool create -q -n 30000 -p 1e-12 $name.bf
		bloomtool add $name.bf $name.in
		while IFS= read -r command; do
			answer $name "$command" < $name
			mv out "$name $command"
			mv copy.bf "$name $command.bf"
		done < <(commands)
	done
}

teardown_file() {
	rm -rf "$WORK"
}

setup() {
	cd_work
}

# One a line; each in turn is fed through what a test does to its input.
commands() {
	printf '%s\n' "check" "check -v" "check -c" "check -Hv" "check -zv" \
		"add" "add -v" "add -c" "add -zv" "recover"
}

# answer NAME COMMAND [WRAPPER...]: the output for stdin on copy.bf in out.
answer() {
	local name=$1 command=$2 status=0
	shift 2
	cp "$FILES/$name.bf" copy.bf
	# shellcheck disable=SC2086  # a command and its option
	timeout 120 "$@" bloomtool $command copy.bf > out 2> err || status=$?
	is "$status" 0
	[ "${command%% *}" = recover ] || is "$(cat err)" ""
}

# as_ever NAME WRAPPER...: all commands, wrapped, do what they always do.
as_ever() {
	local name=$1 command n=0
	shift
	while IFS= read -r command; do
		answer "$name" "$command" "$@" < "$FILES/$name"
		cmp out "$FILES/$name $command"
		same_filter "$name $command"
		n=$((n + 1))
	done < <(commands)
	is "$n" 10
	echo "# $n commands, $(wc -c < "$FILES/$name") bytes each" >&3
}

# same_filter NAME: bits, counters, state and marks; not boot id and times.
same_filter() {
	cmp -i 8192 copy.bf "$FILES/$1.bf"
	cmp -i 4160 -n 16 copy.bf "$FILES/$1.bf"
	cmp -i 4096 -n 16 copy.bf "$FILES/$1.bf"
}

# The outputs that all are compared with are themselves right.
@test "one big read gives what a model in python gives" {
	python3 - "$FILES" <<-'END'
	import sys
	for name in ("few", "many"):
	    def read(suffix):
	        return open(sys.argv[1] + "/" + name + suffix, "rb").read()
	    def split(b, end=b"\n"):
	        parts = b.split(end)
	        whole = [p + end for p in parts[:-1]]
	        return whole + ([parts[-1]] if parts[-1] else [])
	    def key(l):
	        return l.removesuffix(b"\n")
	    known = {key(l) for l in split(read(".in"))}
	    lines = split(read(""))
	    unseen = [l for l in lines if key(l) not in known]
	    seen = [l for l in lines if key(l) in known]
	    assert len(seen) > 100 and len(unseen) > 100
	    assert read(" check") == b"".join(seen)
	    assert read(" check -v") == b"".join(unseen)
	    assert read(" check -c") == b"%d\n" % len(seen)
	    assert read(" check -Hv") == b"".join(b"(standard input):" + l
	                                          for l in unseen)
	    fresh, now = [], set(known)
	    for l in lines:
	        if key(l) not in now:
	            fresh.append(l)
	            now.add(key(l))
	    assert read(" add -v") == b"".join(fresh)
	    assert read(" add -c") == b"%d\n" % len(fresh)
	    fresh, now = [], set(known)
	    for l in split(read(""), b"\0"):
	        if l.removesuffix(b"\0") not in now:
	            fresh.append(l)
	            now.add(l.removesuffix(b"\0"))
	    assert read(" add -zv") == b"".join(fresh)
	    assert read(" add") == b"" and read(" recover") == b""
	END
}

# ---- how it comes ----

# as_ever_through NAME OPTION...: those of through.py.
as_ever_through() {
	local name=$1
	shift
	as_ever "$name" "$PYTHON" "$BATS_TEST_DIRNAME/through.py" "$@"
}

@test "one byte at a time" {
	as_ever_through few --bytes
}

@test "from a pipe that does not block" {
	as_ever_through many --pieces --nonblock-in
}

@test "to a pipe that does not block and is full" {
	as_ever_through many --pieces --nonblock-out
}

@test "both of them, byte by byte" {
	as_ever_through few --bytes --nonblock-in --nonblock-out
}

@test "who waits for a non-blocking pipe does not try again and again" {
	local command
	# More than a pipe holds.
	seq -f "waited for %.0f" 15000 > lines
	for command in "check -v" "add -v"; do
		cp "$FILES/many.bf" copy.bf
		# shellcheck disable=SC2086  # a command and its option
		"$PYTHON" "$BATS_TEST_DIRNAME/through.py" --idle --nonblock-in \
			--nonblock-out bloomtool $command copy.bf \
			< lines > got 2> spent
		cmp got lines
		echo "# $command: $(cat spent) s of processor time in 1 s" >&3
		awk '{ exit !($1 < 0.25) }' spent
	done
}

@test "stopped and continued all the time" {
	as_ever_through many --pieces --stop --nonblock-in --nonblock-out
}

# Sets STORM to a wrapper under which a signal is caught every 0.2 ms.
storm() {
	local so=$BATS_TEST_TMPDIR/storm.so
	cc -shared -fPIC -o "$so" "$BATS_TEST_DIRNAME/storm.c" \
		2> /dev/null || skip "no shared objects here"
	export STORM_LOG=$PWD/signals
	STORM=(env LD_PRELOAD="$so"
		ASAN_OPTIONS=verify_asan_link_order=0)
	"${STORM[@]}" bloomtool --version > /dev/null
	[ -s signals ] || skip "no LD_PRELOAD here"
}

# stormed LEAST: the signals came.
stormed() {
	local n
	n=$(awk '{ n += $1 } END { print n }' signals)
	echo "# $n signals in $(wc -l < signals) runs" >&3
	[ "$n" -gt "$1" ]
}

@test "with a signal every 0.2 ms" {
	storm
	as_ever many "${STORM[@]}"
	as_ever_through many --pieces --nonblock-in --nonblock-out "${STORM[@]}"
	as_ever_through many --slow-out "${STORM[@]}"
	stormed 1000
}

@test "with a signal every 0.2 ms in create, and while a FIFO's writer is missing" {
	storm
	"${STORM[@]}" bloomtool create -q -n 1e6 f.bf
	is "$(field f.bf keys_wanted)" 1000000
	is "$(echo ./*.bf)" ./f.bf
	mkfifo keys.fifo
	"${STORM[@]}" bloomtool check -v "$FILES/few.bf" keys.fifo > out 2> err &
	sleep 0.1
	# shellcheck disable=SC2016  # expands there
	timeout 10 sh -c 'cat "$1" > keys.fifo' sh "$FILES/few"
	wait $!
	is "$(cat err)" ""
	cmp out "$FILES/few check -v"
	stormed 20
}

@test "with a signal every 0.2 ms while it waits for a lock" {
	storm
	cp "$FILES/few.bf" copy.bf
	mkfifo keys.fifo
	# recover has the presence lock until its keys have ended.
	bloomtool recover -q copy.bf keys.fifo 3>&- &
	local recover=$!
	exec 7> keys.fifo
	while bloomtool add --wait 0 copy.bf < /dev/null 2> /dev/null; do
		sleep 0.01
	done
	"${STORM[@]}" bloomtool add -v copy.bf < "$FILES/few" > out 7>&- 3>&- &
	local add=$!
	run -2 --separate-stderr "${STORM[@]}" bloomtool add --wait 0.3 \
		copy.bf "$FILES/few" 7>&-
	has "$stderr" "copy.bf: locked by another process, gave up after 0.3"
	echo "a key to recover" >&7
	exec 7>&-
	wait "$recover"
	wait "$add"
	cmp out "$FILES/few add -v"
	stormed 100
}

# ---- when there is nothing to read from or to write to ----

# More than tests/io.bats has: each command with each of the three closed.
@test "with any of stdin, stdout, stderr closed: done, or status 2 and no harm" {
	local closed command input fd script status wanted left n=0
	for closed in 0 1 2 "0 1" "0 2" "1 2" "0 1 2"; do
		script='exec "$@"'
		for fd in $closed; do
			script+=" $fd<&-"
		done
		while IFS= read -r command; do
			for input in "" "$FILES/few"; do
				wanted=0 left="few $command"
				if [[ -z $input && $closed == *0* ]]; then
					wanted=2 left=few
				elif [[ $closed == *1* && ! $command =~ \
					^(add|recover)$ ]]; then
					wanted=2
					# Only counts are lost; no line is.
					[ "$command" = "add -c" ] || left=few
				fi
				cp "$FILES/few.bf" copy.bf
				# shellcheck disable=SC2086  # words
				status=0 && sh -c "$script" sh \
					bloomtool $command copy.bf $input \
					< "$FILES/few" > out 2> err ||
					status=$?
				is "$closed $command: $status" \
					"$closed $command: $wanted"
				# A recover that failed leaves it open.
				[ "$wanted$command" = 2recover ] ||
					same_filter "$left"
				cmp -i 8192 copy.bf "$FILES/$left.bf"
				[ $status = 2 ] || [[ $closed == *1* ]] ||
					[ "$command" = "check -Hv" ] ||
					cmp out "$FILES/few $command"
				[ $status = 0 ] || [[ $closed == *2* ]] ||
					has "$(cat err)" ": Bad file descriptor"
				n=$((n + 1))
			done
		done < <(commands)
	done
	echo "# $n runs" >&3
}

# ---- what keys may be; tests/io.bats has NULs, CR, the lack of an end ----

@test "a million empty lines are a million times one key" {
	bloomtool create -q -n 10 f.bf
	yes '' | head -n 1000000 > keys
	is "$(bloomtool add -v f.bf keys | wc -l)" 1
	is "$(field f.bf keys_added)" 1
	bloomtool check f.bf < keys | cmp - keys
	# shellcheck disable=SC2002  # through a pipe
	is "$(cat keys | bloomtool check -vc f.bf || true)" 0
	head -c 1000000 /dev/zero | bloomtool add -z f.bf
	is "$(head -c 1000000 /dev/zero | bloomtool check -zc f.bf)" 1000000
	is "$(field f.bf keys_added)" 1
	echo "# $(wc -l < keys) lines, 1 key" >&3
}

@test "lines that are no UTF-8 are the same in all locales" {
	local locale names
	names=$(locale -a 2> /dev/null | grep -iE \
		'^(C|POSIX|(C|en_US|tr_TR|de_DE)\.(utf-?8|iso.*)|ja_JP.*)$') ||
		skip "no locales here"
	[ "$(wc -l <<< "$names")" -gt 1 ] || skip "one locale only"
	for locale in $names; do
		as_ever few env LC_ALL="$locale"
	done
	echo "# ${names//$'\n'/ }" >&3
}

# tests/io.bats has those that are longer.
@test "a line of 1 GiB from a pipe comes out of add -v byte by byte" {
	local free start=$SECONDS
	free=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	[ "${free:-0}" -ge $((5 * 1024 * 1024)) ] ||
		skip "less than 5 GiB of memory available"
	need_plain_build
	bloomtool create -q -n 100 -p 1e-12 f.bf
	# Of NULs, and none of it on disk.
	echo before > keys
	truncate -s $(((1 << 30) + 7)) keys
	printf '\nafter\n' >> keys
	# shellcheck disable=SC2002  # through a pipe
	cat keys | bloomtool add -v f.bf | cmp - keys
	is "$(field f.bf keys_added)" 3
	is "$(bloomtool check -c f.bf keys)" 3
	echo "# $((SECONDS - start)) s" >&3
}

# ---- at once ----

@test "each line is answered within 50 ms, as for tail -f" {
	local command
	for command in "check" "check -v" "add -v"; do
		# shellcheck disable=SC2086  # a command and its option
		drive latency 50 bloomtool $command f.bf
	done
	drive latency 50 --tail bloomtool add -v f.bf
}
