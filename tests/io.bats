# Keys in, lines out: any bytes, any length, through files, pipes and
# terminals that behave badly.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# A filter that is wrong about none of a test's keys.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 20000 -p 1e-9 f.bf
}

# round_trip FILE [OPTION...]: add -v prints all of FILE, which holds no line
# twice, check prints all of it, and check -v nothing.
round_trip() {
	local file=$1
	shift
	bloomtool create -q -f -n 20000 -p 1e-9 r.bf
	bloomtool add -v "$@" r.bf < "$file" > got
	cmp got "$file"
	bloomtool check "$@" r.bf < "$file" > got
	cmp got "$file"
	bloomtool check "$@" r.bf "$file" | cmp - "$file"
	is "$(bloomtool check -vc "$@" r.bf "$file")" 0
	bloomtool create -q -f -n 20000 -p 1e-9 r.bf
	bloomtool check -v "$@" r.bf < "$file" > got
	cmp got "$file"
}

# traced OPTION... COMMAND: by strace, which writes to ./trace; leaks cannot be
# looked for then.
traced() {
	command -v strace > /dev/null || skip "no strace here"
	ASAN_OPTIONS=detect_leaks=0 strace -o trace "$@"
}

# No more input for the coprocess; its exit status.
hang_up() {
	local in=${COPROC[1]} pid=$COPROC_PID
	exec {in}>&-
	wait "$pid"
}

@test "a key is bytes: all of them but the newline" {
	python3 -c 'import sys
for b in range(256):
    if b != 10:
        sys.stdout.buffer.write(bytes([b, 10]))' > keys
	for locale in C C.UTF-8 en_US.UTF-8 ""; do
		LC_ALL=$locale round_trip keys
	done
	is "$(bloomtool add -c f.bf keys)" 255
}

@test "with -z a key is bytes: all of them but NUL" {
	python3 -c 'import sys
for b in range(1, 256):
    sys.stdout.buffer.write(bytes([b, 0]))' > keys
	round_trip keys -z
	is "$(bloomtool add -zc f.bf keys)" 255
}

@test "a NUL does not end a key" {
	printf 'a\0b\n' | bloomtool add f.bf
	printf 'a\0b\na\0c\na\na\0\n\0b\na\0b\n' > keys
	bloomtool check f.bf keys > got
	printf 'a\0b\na\0b\n' | cmp got -
	bloomtool check -v f.bf keys > got
	printf 'a\0c\na\na\0\n\0b\n' | cmp got -
}

@test "invalid UTF-8 is a key like any other" {
	printf '%b\n' '\xff' '\xc3' '\xc3\xa4' '\xe4' '\xed\xa0\x80' \
	    '\xf4\x90\x80\x80' '\xc0\x80' 'a\xcc\x81' '\xc3\xa1' > keys
	for locale in C C.UTF-8; do
		LC_ALL=$locale round_trip keys
	done
	is "$(bloomtool add -c f.bf keys)" 9
}

@test "CR is part of the key" {
	printf 'a\r\nb\n' | bloomtool add f.bf
	printf 'a\na\r\nb\nb\r\n\r\n' > keys
	bloomtool check f.bf keys > got
	printf 'a\r\nb\n' | cmp got -
	bloomtool check -v f.bf keys > got
	printf 'a\nb\r\n\r\n' | cmp got -
}

@test "space around a key is part of it" {
	printf ' a\nb \n' | bloomtool add f.bf
	printf 'a\n a\nb\nb \n\tb\n' > keys
	bloomtool check f.bf keys > got
	printf ' a\nb \n' | cmp got -
}

@test "an empty line is a key" {
	printf 'a\n\nb\n' > keys
	run -1 --separate-stderr bloomtool check f.bf <<< ""
	is "$(bloomtool add -c f.bf keys)" 3
	bloomtool check f.bf keys | cmp - keys
	is "$(printf '\n\n\n' | bloomtool check -c f.bf)" 3
	is "$(printf '\n\n\n' | bloomtool add -c f.bf)" 0
}

@test "a last line without a newline counts, and is printed without one" {
	printf 'a\nb' > keys
	bloomtool check -v f.bf keys > got
	cmp got keys
	bloomtool add -v f.bf keys > got
	cmp got keys
	bloomtool check f.bf keys > got
	cmp got keys
	is "$(bloomtool check -c f.bf keys)" 2
	# the same key as with a newline
	printf 'b\n' | bloomtool check f.bf > got
	printf 'b\n' | cmp got -
	printf 'b' | bloomtool check f.bf > got
	printf 'b' | cmp got -
	# not selected: nothing of it is printed
	printf 'a\nx' | bloomtool check f.bf > got
	printf 'a\n' | cmp got -
	printf 'c\0d' > keys
	bloomtool add -zv f.bf keys > got
	cmp got keys
}

@test "a newline too many at the end is an empty key" {
	printf 'a\n\n' > keys
	is "$(bloomtool check -vc f.bf keys)" 2
	printf 'a\n' > keys
	is "$(bloomtool check -vc f.bf keys)" 1
}

@test "a line of 70,000 bytes stands between two others" {
	{ echo a; head -c 70000 /dev/zero | tr '\0' x; echo; echo b; } > keys
	round_trip keys
	is "$(bloomtool add -c f.bf keys)" 3
	# other by its last byte
	sed 's/xx$/xy/' keys | bloomtool check -v f.bf > got
	is "$(wc -lc < got | tr -s ' ')" "$(sed -n 2p keys | wc -lc |
	    tr -s ' ')"
}

@test "a line of 10 MB stands between two others" {
	{ echo a; head -c 10000000 /dev/zero | tr '\0' x; echo; echo b; } > keys
	round_trip keys
	is "$(bloomtool add -c f.bf < keys)" 3
	{ head -c 10000000 /dev/zero | tr '\0' x; echo y; } > other
	is "$(bloomtool check -vc f.bf other)" 1
}

@test "lines of all lengths around what is read at once keep their ends" {
	python3 - > keys <<- 'END'
	n = 0
	for middle in (0, 32, 64, 128, 4096, 65536, 131072, 262144, 524288):
	    for length in range(max(8, middle - 3), middle + 4):
	        n += 1
	        print(str(n).ljust(length, "x"))
	END
	round_trip keys
}

@test "lines keep their ends wherever they lie in what is read at once" {
	# 262,144 bytes a read, 64 at a time in the search for newlines
	for shift in 0 1 31 32 33 62 63 64; do
		{
			head -c $shift /dev/zero | tr '\0' .
			echo
			seq -f 'key%06.0f and some' 100000 120000
			seq 5000
		} > keys
		bloomtool add -v f.bf keys > got
		cmp got keys
		bloomtool create -q -f -n 30000 -p 1e-9 f.bf
	done
}

@test "files and pipes give the same answers" {
	awk 'BEGIN { srand(3); for (i = 0; i < 60000; i++)
	    print int(rand() * 40000) }' > keys
	seq 1 2 40000 | bloomtool add f.bf
	bloomtool check f.bf keys > from_file
	awk '$1 % 2' keys | cmp - from_file
	# shellcheck disable=SC2002	# a pipe is the point
	cat keys | bloomtool check f.bf | cmp - from_file
	bloomtool check -v f.bf keys > from_file
	awk '!($1 % 2)' keys | cmp - from_file
	# shellcheck disable=SC2002
	cat keys | bloomtool check -v f.bf | cmp - from_file
}

@test "input that comes a byte at a time gives the same answers" {
	seq 3 3 600 | bloomtool add f.bf
	{ seq 600; printf 'x\n\n\ny'; } > keys
	cat > drip <<- 'END'
	import fcntl, os, struct, subprocess, sys, termios
	data = open("keys", "rb").read()
	for args in (["check"], ["check", "-v"], ["add", "-v"]):
	    cmd = ["bloomtool", args[0], *args[1:], "f.bf"]
	    if args[0] == "add":
	        subprocess.run(["cp", "f.bf", "g.bf"], check=True)
	        cmd[-1] = "g.bf"
	    r, w = os.pipe()
	    p = subprocess.Popen(cmd, stdin=r, stdout=open("got", "wb"))
	    os.close(r)
	    for i in range(len(data)):
	        os.write(w, data[i:i + 1])
	        while True:		# until it has been read
	            left = struct.pack("i", 0)
	            left = fcntl.ioctl(w, termios.FIONREAD, left)
	            if struct.unpack("i", left)[0] == 0:
	                break
	    os.close(w)
	    p.wait(30)
	    if args[0] == "add":
	        subprocess.run(["cp", "f.bf", "g.bf"], check=True)
	    want = subprocess.run(cmd, input=data, capture_output=True).stdout
	    assert want and open("got", "rb").read() == want, args
	END
	python3 drip
}

@test "output to a full disk is exit 2 with a message" {
	[ -c /dev/full ] || skip "no /dev/full here"
	seq 10000 | bloomtool add f.bf
	seq 10001 > keys
	echo 1 > one
	for options in "" -v -c -cv -H -zv; do
		run -2 --separate-stderr bash -c \
		    "bloomtool check $options f.bf keys > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
	done
	run -2 --separate-stderr bash -c \
	    "bloomtool check f.bf one > /dev/full"
	has "$stderr" "stdout: No space left on device"
	run -2 --separate-stderr bash -c \
	    "bloomtool add -c f.bf one > /dev/full"
	is "${#stderr_lines[@]}" 1
	has "$stderr" "stdout: No space left on device"
}

@test "add -v to a full disk is exit 2, and what was not printed is not added" {
	[ -c /dev/full ] || skip "no /dev/full here"
	seq 10000 > keys
	run -2 --separate-stderr bash -c "bloomtool add -v f.bf keys > /dev/full"
	is "${#stderr_lines[@]}" 1
	has "$stderr" "stdout: No space left on device"
	is "$(field f.bf keys_added)" 0
	is "$(field f.bf state)" clean
	bloomtool add -v f.bf keys | cmp - keys
}

@test "nothing to print is no error on a full disk" {
	[ -c /dev/full ] || skip "no /dev/full here"
	run -1 --separate-stderr bash -c \
	    "echo x | bloomtool check f.bf > /dev/full"
	is "$stderr" ""
	run -0 --separate-stderr bash -c \
	    "echo x | bloomtool add f.bf > /dev/full"
	is "$stderr" ""
	run -0 --separate-stderr bash -c \
	    "echo x | bloomtool check -q f.bf > /dev/full"
	is "$stderr" ""
}

@test "a closed stdout is exit 2 with a message where something is to be printed" {
	echo 1 > one
	run -2 --separate-stderr bash -c "bloomtool add -v f.bf one >&-"
	is "${#stderr_lines[@]}" 1
	has "$stderr" "stdout: "
	is "$(field f.bf keys_added)" 0
	run -0 --separate-stderr bash -c "bloomtool add f.bf one >&-"
	is "$stderr" ""
	is "$(field f.bf keys_added)" 1
	for options in "" -c -H; do
		run -2 --separate-stderr bash -c \
		    "bloomtool check $options f.bf one >&-"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: "
	done
	run -0 --separate-stderr bash -c "bloomtool check -q f.bf one >&-"
	is "$stderr" ""
}

@test "a closed stdin is exit 2 with a message" {
	for command in check "check -q" "check -v" add "add -v"; do
		run -2 --separate-stderr bash -c "bloomtool $command f.bf <&-"
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "(standard input): "
	done
	echo 1 > one
	run -0 --separate-stderr bash -c "bloomtool add -v f.bf one <&-"
	is "$output" 1
}

@test "with all three closed the filter is not taken for one of them" {
	seq 100 > keys
	run -0 bash -c "bloomtool add f.bf keys <&- >&- 2>&-"
	is "$(field f.bf keys_added)" 100
	# all but the times of syncs
	before=$(head -c 4096 f.bf | sha256sum; tail -c +8193 f.bf | sha256sum)
	echo x > other
	for command in "check f.bf keys" "check f.bf" "add -v f.bf other" \
	    "add f.bf" "add f.bf gone" "stats f.bf" "create -n 10 f.bf" \
	    "stats gone" nonsense help; do
		run -2 bash -c "bloomtool $command <&- >&- 2>&-"
	done
	is "$(head -c 4096 f.bf | sha256sum; tail -c +8193 f.bf | sha256sum)" \
	    "$before"
	run -0 bash -c "bloomtool create -n 10 g.bf <&- >&- 2>&-"
	is "$(field g.bf keys_wanted)" 10
	for fds in "<&- >&-" "<&- 2>&-" ">&- 2>&-" "2>&-"; do
		run -0 bash -c "bloomtool add f.bf keys $fds"
	done
	is "$(field f.bf keys_added)" 100
}

@test "a file that is the output as well is not read without end" {
	seq 100 > keys
	run -2 --separate-stderr timeout 20 bash -c \
	    "bloomtool check -v f.bf keys >> keys"
	is "${#stderr_lines[@]}" 1
	has "$stderr" "keys: "
	run -2 --separate-stderr timeout 20 bash -c \
	    "bloomtool add -v f.bf < keys >> keys"
	is "${#stderr_lines[@]}" 1
	is "$(cat keys)" "$(seq 100)"
}

@test "check into head ends quietly" {
	seq 20000 > keys
	bloomtool add f.bf keys
	for options in "" -H; do
		run -0 --separate-stderr env --default-signal=PIPE bash -c "
			bloomtool check $options f.bf keys keys keys keys |
			    head -n 1
			[ \${PIPESTATUS[0]} = 141 ]"
		is "$output" "${options:+keys:}1"
		is "$stderr" ""
	done
}

@test "add -v into head ends quietly, and what was not printed comes again" {
	seq 20000 > keys
	run -0 --separate-stderr env --default-signal=PIPE bash -c "
		bloomtool add -v f.bf keys | head -n 1
		[ \${PIPESTATUS[0]} = 141 ]"
	is "$output" 1
	is "$stderr" ""
	is "$(field f.bf state)" clean
	kept=$(field f.bf keys_added)
	((kept < 20000))
	is "$(bloomtool check -c f.bf keys)" "$kept"
	bloomtool add -v f.bf keys > rest
	is "$(wc -l < rest)" $((20000 - kept))
	tail -n +$((kept + 1)) keys | cmp - rest
}

@test "where SIGPIPE is ignored a reader that went is exit 2 with a message" {
	seq 20000 > keys
	bloomtool add f.bf keys
	bloomtool create -q -n 20000 g.bf
	bloomtool create -q -n 20000 empty.bf
	for command in "check f.bf" "check -v empty.bf" "add -v g.bf"; do
		run -0 --separate-stderr bash -c "
			trap '' PIPE
			bloomtool $command keys keys keys keys | head -n 1
			[ \${PIPESTATUS[0]} = 2 ]"
		is "$output" 1
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: Broken pipe"
	done
	is "$(field g.bf state)" clean
}

# A python program with `start`, which runs bloomtool with pipes for stdin
# and stdout that do not block and hold one page, and `answer`.
nonblocking() {
	{
		cat <<- 'END'
		import fcntl, os, select, subprocess, sys
		def page(fd):
		    fcntl.fcntl(fd, 1031, 4096)		# F_SETPIPE_SZ
		def start(*args, full=False):
		    global into, out
		    r, into = os.pipe()
		    out, w = os.pipe()
		    for fd in r, w:
		        page(fd)
		        os.set_blocking(fd, False)
		    if full:
		        os.write(w, b"#" * 4096)
		    p = subprocess.Popen(["bloomtool", *args], stdin=r, stdout=w)
		    os.close(r)
		    os.close(w)
		    return p
		def answer(n):
		    got = b""
		    while len(got) < n:
		        if not select.select([out], [], [], 10)[0]:
		            sys.exit(f"no answer after {got!r}")
		        part = os.read(out, 4096)
		        if not part:
		            break
		        got += part
		    return got
		END
		cat
	} > program.py
	python3 program.py
}

@test "stdin may be non-blocking" {
	seq 2 2 1000 | bloomtool add f.bf
	nonblocking <<- 'END'
	for args in (["check", "f.bf"], ["check", "-v", "f.bf"]):
	    p = start(*args)
	    for i in range(1, 50):
	        os.write(into, f"{2 * i}\n{2 * i + 1}\n".encode())
	        want = f"{2 * i + (len(args) > 2)}\n".encode()
	        got = answer(len(want))
	        assert got == want, (args, got, want)
	    os.close(into)
	    assert p.wait(10) == 0, args
	p = start("add", "-v", "f.bf")
	for i in range(2000, 2050):
	    want = f"{i}\n".encode()
	    os.write(into, want * 2)
	    got = answer(len(want))
	    assert got == want, got
	os.close(into)
	assert p.wait(10) == 0
	assert answer(1) == b""
	END
}

@test "stdout may be non-blocking and slow" {
	seq 20000 > keys
	bloomtool add f.bf keys
	bloomtool create -q -n 20000 -p 1e-9 g.bf
	nonblocking <<- 'END'
	keys = open("keys", "rb").read()
	for args in (["check", "f.bf", "keys"], ["check", "-v", "g.bf", "keys"],
	    ["add", "-v", "g.bf", "keys"]):
	    p = start(*args, full=True)
	    got = answer(4096 + len(keys))
	    assert got[4096:] == keys, (args, len(got))
	    os.close(into)
	    assert p.wait(10) == 0, args
	END
	is "$(field g.bf keys_added)" 20000
}

@test "stdout may be non-blocking and slow for a line longer than it holds" {
	{ echo a; head -c 300000 /dev/zero | tr '\0' x; echo; echo b; } > keys
	nonblocking <<- 'END'
	keys = open("keys", "rb").read()
	for args in (["check", "-v", "f.bf", "keys"],
	    ["add", "-v", "f.bf", "keys"], ["check", "f.bf", "keys"]):
	    p = start(*args)
	    got = answer(len(keys))
	    assert got == keys, (args, len(got))
	    assert p.wait(10) == 0, args
	END
	is "$(field f.bf keys_added)" 3
}

@test "stdout may be non-blocking and full for counts, stats and help as well" {
	seq 10 > keys
	nonblocking <<- 'END'
	for args in (["add", "-c", "f.bf", "keys"], ["check", "-c", "f.bf", "keys"],
	    ["stats", "f.bf"], ["stats", "--json", "f.bf"],
	    ["estimate", "-n", "1000"], ["help"]):
	    p = start(*args, full=True)
	    # It has to wait for its reader; one that does not is done by now.
	    try:
	        p.wait(0.3)
	    except subprocess.TimeoutExpired:
	        pass
	    got = answer(1 << 20)[4096:]
	    assert p.wait(10) == 0, args
	    assert got.endswith(b"\n"), (args, got)
	END
}

@test "check answers each line at once" {
	seq 2 2 100 | bloomtool add f.bf
	coproc timeout 60 bloomtool check f.bf 3>&-
	for i in 2 4 6 8 10; do
		printf '%s\n' x $i $((i + 1)) >&"${COPROC[1]}"
		read -r -t 10 got <&"${COPROC[0]}"
		is "$got" $i
	done
	hang_up
}

@test "check -v answers each line at once" {
	seq 2 2 100 | bloomtool add f.bf
	coproc timeout 60 bloomtool check -v f.bf 3>&-
	for i in 2 4 6 8 10; do
		printf '%s\n' $i $((i + 1)) >&"${COPROC[1]}"
		read -r -t 10 got <&"${COPROC[0]}"
		is "$got" $((i + 1))
	done
	hang_up
}

@test "check -H answers each line at once, from a FIFO too" {
	seq 2 2 100 | bloomtool add f.bf
	mkfifo fifo
	coproc timeout 60 bloomtool check -H f.bf fifo 3>&-
	exec 7> fifo
	for i in 2 4 6; do
		printf '%s\n' $i $((i + 1)) >&7
		read -r -t 10 got <&"${COPROC[0]}"
		is "$got" fifo:$i
	done
	pid=$COPROC_PID
	exec 7>&-
	wait "$pid"
}

@test "add -v answers each line at once" {
	coproc timeout 60 bloomtool add -v f.bf 3>&-
	for i in 1 2 3 4 5; do
		printf '%s\n' old $i old $i >&"${COPROC[1]}"
		if [ $i = 1 ]; then
			read -r -t 10 got <&"${COPROC[0]}"
			is "$got" old
		fi
		read -r -t 10 got <&"${COPROC[0]}"
		is "$got" $i
	done
	hang_up
	is "$(field f.bf keys_added)" 6
}

@test "with -z each key is answered at once" {
	coproc timeout 60 bloomtool add -zv f.bf 3>&-
	for i in 1 2 3; do
		printf 'key\n%s\0' $i >&"${COPROC[1]}"
		read -r -d '' -t 10 got <&"${COPROC[0]}"
		is "$got" $'key\n'$i
	done
	hang_up
}

@test "a line that is not whole yet waits for its end" {
	coproc timeout 60 bloomtool check -v f.bf 3>&-
	printf 'whole\nha' >&"${COPROC[1]}"
	read -r -t 10 got <&"${COPROC[0]}"
	is "$got" whole
	printf 'lf\n' >&"${COPROC[1]}"
	read -r -t 10 got <&"${COPROC[0]}"
	is "$got" half
	hang_up
}

@test "what add has read is in the filter before it waits for more" {
	holds() {
		bloomtool check -q f.bf <<< "$1"
	}
	mkfifo fifo
	timeout 60 bloomtool add f.bf < fifo 3>&- &
	exec 7> fifo
	for i in 1 2 3; do
		echo $i >&7
		soon holds $i
	done
	exec 7>&-
	wait $!
}

@test "lines follow tail -f" {
	command -v tail > /dev/null || skip "no tail here"
	echo old | bloomtool add f.bf
	printf 'old\nnew\n' > log
	mkfifo fifo
	timeout 60 tail -n +1 -f log > fifo 3>&- &
	tail=$!
	coproc timeout 60 bloomtool add -v f.bf < fifo 3>&-
	read -r -t 10 got <&"${COPROC[0]}"
	is "$got" new
	printf 'old\nnew\nnewer\n' >> log
	read -r -t 20 got <&"${COPROC[0]}"
	is "$got" newer
	pid=$COPROC_PID
	kill $tail
	wait "$pid"
}

# bats test_tags=slow
@test "memory stays below the mapping and 16 MiB, however many keys there are" {
	! sanitized || skip "the sanitizer takes memory of its own"
	[ -r /proc/self/status ] || skip "no /proc here"
	bloomtool create -q -n 1e6 g.bf
	seq -f 'https://example.org/a-path-of-some-length/page-%07.0f' \
	    1000000 > keys
	cat > peak.py <<- 'END'
	import os, subprocess
	size = os.path.getsize("g.bf")
	for args in (["add"], ["add", "-v"], ["check"], ["check", "-v"],
	    ["check", "-c"]):
	    p = subprocess.Popen(["bloomtool", args[0], *args[1:], "g.bf"],
	        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
	    with open("keys", "rb") as f:
	        while part := f.read(1 << 20):
	            p.stdin.write(part)
	    p.stdin.flush()		# at most a pipe's worth is not read
	    peak = [int(l.split()[1]) * 1024 for l in
	        open(f"/proc/{p.pid}/status") if l.startswith("VmHWM")][0]
	    p.stdin.close()
	    p.wait(60)
	    assert peak <= size + 16 * 1024 * 1024, (args, peak, size)
	END
	python3 peak.py
}

# bats test_tags=slow
@test "a line over 1 GiB is an error that names the line's number" {
	! sanitized || skip "the sanitizer takes memory of its own"
	free=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	((${free:-0} > 5000000)) || skip "less than 5 GB of memory"
	# NULs are bytes like others, and a hole takes no disk
	printf 'first\nsecond\n' > keys
	truncate -s $(((1 << 30) + 15)) keys
	printf '\nlast\n' >> keys
	printf 'other\n' > other
	run -2 --separate-stderr timeout 60 bloomtool add -v f.bf keys other
	is "$output" $'first\nsecond\nother'
	is "${#stderr_lines[@]}" 1
	has "$stderr" "keys: line 3 "
}

# bats test_tags=slow
@test "a line of 1 GiB is a key" {
	! sanitized || skip "the sanitizer takes memory of its own"
	free=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	((${free:-0} > 5000000)) || skip "less than 5 GB of memory"
	printf 'first\n' > keys
	truncate -s $(((1 << 30) + 6)) keys
	printf '\nlast\n' >> keys
	run -0 --separate-stderr timeout 60 bloomtool check -vc f.bf keys
	is "$output" 3
	is "$stderr" ""
}

@test "interrupted system calls are taken up again" {
	seq 20000 > keys
	seq 5 | bloomtool add f.bf
	# every second read of the keys, write of the answers, lock
	for call in read write pwritev2 fcntl; do
		for command in check add; do
			cp f.bf g.bf
			traced -P "$PWD/keys" -P "$PWD/got" \
			    -P "$PWD/g.bf" -e trace=$call \
			    -e inject=$call:error=EINTR:when=1+2 \
			    bloomtool $command -v g.bf keys > got 2> err ||
				skip "strace may not inject here"
			tail -n +6 keys | cmp - got
			is "$(cat err)" ""
			is "$(bloomtool stats --json g.bf | jq -r .state)" clean
			case $call in
			read | write) is "$(grep -m 1 -oc INJECTED trace)" 1 ;;
			esac
		done
	done
}

@test "add -v: a file that cannot be synced is said, and the filter is whole" {
	seq 20 > keys
	run --separate-stderr traced -P "$PWD/got" \
		-e trace=fdatasync -e inject=fdatasync:error=EIO \
		sh -c 'exec bloomtool add -v f.bf keys > got'
	grep -q INJECTED trace || skip "strace may not inject here"
	is "$status" 2
	is "$stderr" "bloomtool: stdout: sync: Input/output error; lines of this run may be lost, and f.bf knows them"
	cmp keys got
	is "$(bloomtool stats --json f.bf | jq -r .state)" clean
	is "$(bloomtool check -c f.bf keys)" 20
}

@test "add -v --no-sync does not sync the output either" {
	traced -e trace=fsync,fdatasync bloomtool add -v -y f.bf \
		<<< a > got || skip "strace may not trace here"
	is "$(cat got)" a
	is "$(grep -c sync trace)" 0
}

@test "lines of several add -v into one pipe stay whole" {
	for i in 1 2 3 4; do
		awk -v i=$i 'BEGIN { for (n = 0; n < 15000; n++)
			printf "%d-%0*d\n", i, n % 200 + 6, n }' > keys$i
		bloomtool create -q -n 20000 -p 1e-9 $i.bf
	done
	# A reader that is now faster, now slower than they are.
	{
		for i in 1 2 3 4; do
			bloomtool add -v $i.bf keys$i &
		done
		wait
	} | python3 -c 'import os, time
n = 0
while piece := os.read(0, 1 << (12 + n % 6)):
    os.write(1, piece)
    n += 1
    time.sleep(n % 3 * 0.0005)' > got
	sort got | cmp - <(sort keys?)
}

@test "add -v into a pipe works where splice does not" {
	seq 20000 > keys
	for error in EINVAL ENOSYS EPERM; do
		cp f.bf g.bf
		traced -e trace=splice -e inject=splice:error=$error \
			bloomtool add -v g.bf keys | cat > got
		grep -q INJECTED trace || skip "strace may not inject here"
		cmp keys got
		is "$(grep -c splice trace)" 1
	done
}
