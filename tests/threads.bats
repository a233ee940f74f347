# With any number of threads, and with vector instructions or without, the
# answers are those of a slow and simple program, byte for byte.
# shellcheck disable=SC2154,SC2317	# run sets stderr; in_all_ways calls
load helper

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES" || return
	python3 "$BATS_TEST_DIRNAME/threads.py"
	bloomtool create -q -n 300000 -p 1e-9 --seed 5 empty.bf
	cp empty.bf full.bf
	BLOOMTOOL_SIMD=plain bloomtool add -j1 full.bf keys
	cp empty.bf all.bf
	BLOOMTOOL_SIMD=plain bloomtool add -j1 all.bf lines
}

# in_all_ways COMMAND...: with 1, 2 and 7 threads, each with SIMD and without.
in_all_ways() {
	for simd in best plain; do
		for j in 1 2 7; do
			BLOOMTOOL_SIMD=$simd "$@" || {
				echo "$simd, $j threads" >&2
				return 1
			}
		done
	done
}

# same_bits FILTER FILTER: and counters; boot id and times may differ.
same_bits() {
	cmp <(tail -c +8193 "$1") <(tail -c +8193 "$2") &&
	    cmp <(tail -c +4161 "$1" | head -c 16) \
		<(tail -c +4161 "$2" | head -c 16)
}

@test "check prints what is in, whatever the threads" {
	prints() {
		bloomtool check -j"$j" "$FILES/full.bf" < "$FILES/lines" |
			cmp - "$FILES/in"
	}
	in_all_ways prints
}

# bats test_tags=slow
@test "check -v prints what is not in, whatever the threads, from a pipe too" {
	prints() {
		bloomtool check -v -j"$j" "$FILES/full.bf" "$FILES/lines" |
			cmp - "$FILES/out" &&
		    dd if="$FILES/lines" bs=100000 status=none |
			bloomtool check -v -j"$j" "$FILES/full.bf" |
			cmp - "$FILES/out"
	}
	in_all_ways prints
}

# bats test_tags=slow
@test "from a pipe that holds much, whatever the threads" {
	cat > pipe.py <<- 'END'
	import fcntl, os, sys, time
	fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
	with open(sys.argv[1], "rb") as f:
	    while part := f.read(700000):
	        os.write(1, part)
	        time.sleep(0.01)
	END
	prints() {
		python3 pipe.py "$FILES/lines" |
			bloomtool check -v -j"$j" "$FILES/full.bf" |
			cmp - "$FILES/out"
	}
	in_all_ways prints
}

# bats test_tags=slow
@test "check -c counts, whatever the threads, file by file too" {
	known=$(wc -l < "$FILES/in")
	counts() {
		is "$(bloomtool check -c -j"$j" "$FILES/full.bf" \
		    "$FILES/lines")" "$known" &&
		    is "$(cd "$FILES" && bloomtool check -cH -j"$j" full.bf keys \
			lines in)" "keys:40000
lines:$known
in:$known"
	}
	in_all_ways counts
}

# bats test_tags=slow
@test "lines that end in NUL, whatever the threads" {
	prints() {
		bloomtool check -zv -j"$j" "$FILES/full.bf" "$FILES/zlines" |
			cmp - "$FILES/zout"
	}
	in_all_ways prints
}

@test "add -v prints the first of equal lines, whatever the threads" {
	prints() {
		cp "$FILES/empty.bf" f.bf
		bloomtool add -v -j"$j" f.bf "$FILES/lines" | cmp - "$FILES/new" &&
		    same_bits f.bf "$FILES/all.bf"
	}
	in_all_ways prints
}

# bats test_tags=slow
@test "add sets the same bits and counts the same, whatever the threads" {
	adds() {
		cp "$FILES/empty.bf" f.bf
		bloomtool add -j"$j" f.bf "$FILES/lines" &&
		    same_bits f.bf "$FILES/all.bf"
	}
	in_all_ways adds
}

@test "add to a large filter, out of order, is as in order" {
	bloomtool create -q -s 300MB -n 1e6 --seed 5 ordered.bf
	cp ordered.bf f.bf
	is "$(bloomtool add -c -j1 ordered.bf < <(cat "$FILES/lines"))" \
	    "$(bloomtool add -c f.bf "$FILES/lines")"
	same_bits f.bf ordered.bf
	# several inputs, of which one may have to be waited for
	is "$(bloomtool add -c f.bf "$FILES/keys" - "$FILES/in" \
	    < <(cat "$FILES/keys"))" "$(bloomtool add -c ordered.bf "$FILES/keys")"
	same_bits f.bf ordered.bf
}

# bats test_tags=slow
@test "a long line after many short ones takes no longer, whatever the threads" {
	! sanitized || skip "the sanitizer takes memory of its own"
	bloomtool create -q -n 1000 f.bf
	make_long() {
		seq 1000000
		head -c 50000000 /dev/zero
		printf '\n%s' end
	}
	make_long > long
	cat > peak.py <<- 'END'
	import os, subprocess, sys, time
	start = time.monotonic()
	p = subprocess.Popen(["bloomtool", "check", "-v", *sys.argv[1:], "f.bf"],
	    stdin=subprocess.Popen(["cat", "long"],
	    stdout=subprocess.PIPE).stdout, stdout=open("out", "wb"))
	_, status, used = os.wait4(p.pid, 0)
	assert status == 0
	passed = time.monotonic() - start
	assert passed < 20, passed
	assert used.ru_maxrss < 300000, used.ru_maxrss
	END
	for j in 1 2 8; do
		python3 peak.py -j$j
		cmp out long
	done
}

@test "by default a small input starts no thread, a large one does" {
	command -v strace > /dev/null || skip "no strace here"
	[ "$(nproc)" -gt 1 ] || skip "one processor"
	threads() {
		ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=clone,clone3 \
		    bloomtool check -c "$@" > /dev/null
		grep -c CLONE_THREAD trace || true
	}
	head -c 1000000 "$FILES/lines" > small
	is "$(threads "$FILES/full.bf" small)" 0
	[ "$(threads "$FILES/full.bf" "$FILES/lines")" -gt 0 ]
	is "$(threads -j1 "$FILES/full.bf" "$FILES/lines")" 0
	is "$(threads -j4 "$FILES/full.bf" small)" 3
}

@test "where no thread can be had it works alone" {
	command -v strace > /dev/null || skip "no strace here"
	for nth in 1 3; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -o trace \
		    -e inject=clone,clone3:error=EAGAIN:when=$nth+ \
		    bloomtool check -j7 "$FILES/full.bf" "$FILES/lines" |
			cmp - "$FILES/in"
		grep -q INJECTED trace
	done
}

@test "with threads each line is answered at once" {
	mkfifo in out
	bloomtool check -j3 "$FILES/all.bf" < in > out 3>&- &
	exec 7> in 8< out
	for line in 1 2 3; do
		echo $line >&7
		read -r -t 20 answer <&8
		is "$answer" $line
	done
	exec 7>&-
	wait $!
}

@test "a signal ends add with threads cleanly" {
	cp "$FILES/empty.bf" f.bf
	mkfifo in
	for signal in TERM:143 HUP:129; do
		bloomtool add -j7 f.bf < in 3>&- 2> message &
		add=$!
		exec 7> in
		(trap '' PIPE; cat "$FILES/lines" "$FILES/lines" >&7) \
		    2> /dev/null || true
		until bloomtool check -q f.bf <<< 1; do :; done
		kill -"${signal%:*}" $add
		status=0
		wait $add || status=$?
		exec 7>&-
		is "$status" "${signal#*:}"
		is "$(field f.bf state)" clean
	done
}

@test "a number of threads out of range is refused" {
	for n in 0 65 two 1.5 -1; do
		run -2 --separate-stderr bloomtool check -j "$n" \
		    "$FILES/all.bf" <<< 1
		has "$stderr" "-j, --threads: \"$n\""
		has "$stderr" "wanted 1 to 64 threads"
	done
	is "$(bloomtool check --threads 64 "$FILES/all.bf" <<< 1)" 1
}
