# What went wrong for people with other tools: the cases of ../shared/CASES.md
# that concern create, add, check, stats and estimate, under their numbers.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
# bats file_tags=slow
load helper

# Not in the folder where run keeps its own files: some tests list it.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

# Room for a filter of that many bytes that will stay almost empty, or skip.
need_room() {
	case $(stat -f -c %T .) in
	tmpfs | ramfs) skip "no files of $1 bytes in memory" ;;
	esac
	(($(df --output=avail -B1 . | tail -n 1) > 2 * $1)) ||
		skip "no room for a file of $1 bytes"
}

# patched OFFSET BYTES: f.bf with these bytes there is bad.bf.
patched() {
	cp f.bf bad.bf
	printf '%b' "$2" | dd of=bad.bf bs=1 seek="$1" conv=notrunc \
	    2> /dev/null
}

# refused FILE WORDS: one line with these words, exit 2, FILE as it was.
refused() {
	local before
	before=$(sha256sum "$1")
	for command in add check stats; do
		run -2 --separate-stderr timeout 5 bloomtool $command "$1" \
		    <<< key
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "$1: "
		has "$stderr" "$2"
	done
	is "$(sha256sum "$1")" "$before"
}

# in_range NUMBER FROM TO, for jq's numbers
in_range() {
	awk -v x="$1" -v from="$2" -v to="$3" \
	    'BEGIN { exit !(x >= from && x <= to) }' || {
		echo "$1 is not in $2 to $3" >&2
		return 1
	}
}

@test "case 1: 1e10 keys at 1e-10 take tens of GB, or are refused first" {
	in_range "$(bloomtool estimate --json -n 1e10 -p 1e-10 |
	    jq .size_bytes)" 6e10 7e10
	# more than may be written
	run -2 --separate-stderr bash -c \
	    "ulimit -f 1000; bloomtool create -n 1e10 -p 1e-10 f.bf"
	has "$stderr" "f.bf: "
	is "$(ls -A)" ""
}

@test "case 2: 2e9 keys at 1e-4 are accepted" {
	in_range "$(bloomtool estimate --json -n 2e9 -p 1e-4 |
	    jq .size_bytes)" 5.4e9 5.6e9
	need_room 5600000000
	run -0 --separate-stderr bloomtool create -n 2e9 -p 1e-4 f.bf
	has "$stderr" "2000000000 keys"
	[ -s f.bf ]
	run -0 --separate-stderr bloomtool add -v f.bf <<< a
	is "$output" a
}

@test "case 3: around 2^32 bits a second key is new" {
	need_room 540000000
	for blocks in $(((1 << 23) - 1)) $((1 << 23)) $(((1 << 23) + 1)); do
		bloomtool create -q -f -s $((8192 + 64 * blocks)) f.bf
		is "$(wc -c < f.bf)" $((8192 + 64 * blocks))
		run -0 --separate-stderr bloomtool add -v f.bf <<< $'one\ntwo'
		is "$output" $'one\ntwo'
		run -0 --separate-stderr bloomtool add -v f.bf < <(seq 1000)
		is "${#lines[@]}" 1000
		run -1 --separate-stderr bloomtool check f.bf \
		    < <(seq 1001 20000)
	done
}

@test "case 4: past 2^32 bits keys go everywhere and the rate holds" {
	bloomtool estimate --json -n 4.8e8 -p 1e-6 > told
	in_range "$(jq .bits told)" 1.4e10 1.5e10
	in_range "$(jq '.overfill[1].rate' told)" 0.97e-6 1e-6
	need_room 1900000000
	bloomtool create -q -n 4.8e8 -p 1e-6 --seed 1 f.bf
	is "$(wc -c < f.bf)" "$(jq .size_bytes told)"
	seq 10000 | bloomtool add f.bf
	is "$(bloomtool check -c f.bf < <(seq 10000))" 10000
	run -1 --separate-stderr bloomtool check -c f.bf < <(seq 10001 30000)
	is "$output" 0
	# as many bits here as there; some 170 blocks of each part have any
	python3 - <<- 'END'
	import os
	fd, size = os.open("f.bf", os.O_RDONLY), os.path.getsize("f.bf")
	part = 16 << 20
	wanted = 10000 * 18 * part / size
	for at in (8192, 300 << 20, (512 << 20) - part, (512 << 20) + 8192,
	    1 << 30, 1500 << 20, size - part):
	    ones = bin(int.from_bytes(os.pread(fd, part, at), "little")).count("1")
	    assert abs(ones / wanted - 1) < 0.4, (at, ones, wanted)
	END
}

@test "case 5: a filter for 1e9 keys at 1e-6 can be opened again" {
	need_room 4000000000
	bloomtool create -q -n 1e9 -p 1e-6 f.bf
	run -0 --separate-stderr bloomtool add -v f.bf <<< a
	is "$output" a
	run -0 --separate-stderr bloomtool check f.bf <<< $'a\nb'
	is "$output" a
	run -0 --separate-stderr bloomtool stats --check f.bf
	is "$stderr" ""
}

@test "case 6: far below its keys a large filter's rate is far below p" {
	bloomtool estimate --json -n 4e8 -p 1e-3 > told
	# nothing is capped at 2^30 bits
	in_range "$(jq .bits told)" 6.1e9 6.3e9
	in_range "$(jq '.overfill[0].rate' told)" 1e-6 3e-5
	need_room 800000000
	bloomtool create -q -n 4e8 -p 1e-3 f.bf
	seq 5000 | bloomtool add f.bf
	run -1 --separate-stderr bloomtool check -c f.bf < <(seq 5001 50000)
	is "$output" 0
}

@test "case 7: with more bits a key the rate keeps falling" {
	while read -r rate least most; do
		bloomtool create -q -f -n 1e6 -p "$rate" --seed 1 f.bf
		seq 1000000 | bloomtool add f.bf
		found=$(seq 1000001 3000000 | bloomtool check -c f.bf || true)
		# 2e6 times the rate, five standard deviations either way;
		# a 32-bit hash would stop at 460
		in_range "$found" "$least" "$most"
	done <<- END
		1e-2 18600 21400
		1e-3 1700 2300
		1e-4 120 280
		1e-6 0 12
		1e-9 0 0
	END
}

@test "case 8: a header with absurd probes, bits or keys is refused" {
	bloomtool create -q -n 1000 f.bf
	patched 36 '\xff\xff\xff\xff'
	refused bad.bf probes
	patched 56 '\0\0\0\0\0\0\0\x40'
	refused bad.bf bits
	patched 56 '\0\0\0\0\0\0\0\0'
	refused bad.bf bits
	patched 48 '\0\0\0\0\0\0\0\0'
	refused bad.bf blocks
	patched 72 '\0\0\0\0\0\0\0\0'
	refused bad.bf keys
}

@test "case 9: a header at odds with itself or with the file is refused" {
	bloomtool create -q -n 1000 f.bf	# 20 blocks
	patched 48 '\x15'
	refused bad.bf bits
	patched 48 '\x15\0\0\0\0\0\0\0\0\x2a'
	refused bad.bf "file size"
	patched 88 '\0\0\x01'
	refused bad.bf "file size"
	patched 4168 '\x01\x28'			# 10241 bits set of 10240
	refused bad.bf "bits set"
}

@test "case 10: a filter cut to half, to nothing, to its header is refused" {
	bloomtool create -q -n 10000 f.bf
	head -c $(($(wc -c < f.bf) / 2)) f.bf > half.bf
	refused half.bf "wrong size"
	: > nothing.bf
	refused nothing.bf "empty file"
	head -c 8192 f.bf > header.bf
	refused header.bf "wrong size"
	head -c 4096 f.bf > page.bf
	refused page.bf "cut off"
}

@test "case 11: bytes after the end of the filter are refused" {
	bloomtool create -q -n 1000 f.bf
	{ cat f.bf; echo; } > longer.bf
	refused longer.bf "wrong size"
}

@test "case 14: a file of another format is refused, naming both versions" {
	bloomtool create -q -n 1000 f.bf
	patched 8 '\x02'
	refused bad.bf "format version 2, this build reads 1"
}

@test "case 15: the file does not depend on the machine that made it" {
	bloomtool create -q -n 100 -p 1e-6 --seed 0x1122334455667788 f.bf
	seq 50 | bloomtool add f.bf
	# seed, keys and rate, little-endian
	is "$(od -An -v -tx1 -j 64 -N 24 f.bf | tr -d ' \n')" \
	    887766554433221164000000000000008dedb5a0f7c6b03e
	# keys added
	is "$(od -An -v -tx1 -j 4160 -N 8 f.bf | tr -d ' \n')" 3200000000000000
	is "$(tail -c +8193 f.bf | sha256sum)" "f8572dd41438bdc5ada1f937b2867e785afe7d198022bfdf2ddf5dfe135353d3  -"
}

@test "case 17: CR is part of the key" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	printf 'a\r\n' | bloomtool add f.bf
	run -1 --separate-stderr bloomtool check -c f.bf < <(printf 'a\n')
	is "$output" 0
	run -0 --separate-stderr bloomtool check -c f.bf < <(printf 'a\r\n')
	is "$output" 1
}

@test "case 18: a last line without a newline is a key" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	is "$(printf 'aa\nbb' | bloomtool add -c f.bf)" 2
	run -0 --separate-stderr bloomtool check f.bf <<< $'aa\nbb\nb'
	is "$output" $'aa\nbb'
}

@test "case 19: a line of 70,000 bytes between two others makes three keys" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	{ echo a; head -c 70000 /dev/zero | tr '\0' x; echo; echo b; } > keys
	is "$(bloomtool add -c f.bf keys)" 3
	bloomtool check f.bf keys | cmp - keys
}

@test "case 20: a NUL does not end a key" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	printf 'a\0b\n' | bloomtool add f.bf
	run -1 --separate-stderr bloomtool check -c f.bf < <(printf 'a\0c\n')
	is "$output" 0
}

@test "case 21: a blank line is a key, and matches no other; no keys are no error" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	printf 'a\n\nb\n' | bloomtool add f.bf
	run -0 --separate-stderr bloomtool check -c f.bf <<< ""
	is "$output" 1
	run -1 --separate-stderr bloomtool check -c f.bf < <(seq 10000)
	is "$output" 0
	run -0 --separate-stderr bloomtool add f.bf < /dev/null
	is "$stderr" ""
	run -1 --separate-stderr bloomtool check f.bf < /dev/null
	is "$stderr" ""
}

@test "case 22: output to a full disk is exit 2 with a message" {
	[ -c /dev/full ] || skip "no /dev/full here"
	bloomtool create -q -n 1000 f.bf
	for command in "add -v" check "check -v"; do
		bloomtool create -q -f -n 1000 f.bf
		[ "$command" != check ] || seq 100 | bloomtool add f.bf
		run -2 --separate-stderr bash -c \
		    "seq 100 | bloomtool $command f.bf > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
	done
}

@test "case 23: 256 KiB of free disk and a filter of 1.8 MB" {
	inside=(unshare -m)
	"${inside[@]}" mount -t tmpfs none . 2> /dev/null ||
		inside=(unshare -rm)
	"${inside[@]}" mount -t tmpfs none . 2> /dev/null ||
		skip "cannot mount anything here"
	mkdir disk
	# shellcheck disable=SC2016	# for the inner shell
	run -0 --separate-stderr "${inside[@]}" bash -eu -c '
		mount -t tmpfs -o size=512k none disk
		bloomtool create -q -n 1000 disk/old.bf
		head -c 240k /dev/zero > disk/other
		before=$(sha256sum disk/old.bf)
		for arguments in disk/f.bf "--force disk/old.bf"; do
			s=0
			bloomtool create -n 1.5e6 $arguments 2>> messages || s=$?
			[ $s = 2 ]
		done
		[ "$(ls -A disk | tr "\n" " ")" = "old.bf other " ]
		[ "$(sha256sum disk/old.bf)" = "$before" ]'
	is "$(grep -c 'No space left on device' messages)" 2
}

@test "case 24: head ends check quietly, and what add recorded is kept" {
	bloomtool create -q -n 20000 -p 1e-9 f.bf
	seq 20000 > keys
	for command in "add -v" check; do
		run -0 --separate-stderr env --default-signal=PIPE bash -c "
			bloomtool $command f.bf keys keys | head -n 1
			[ \${PIPESTATUS[0]} != 2 ]"
		is "$output" 1
		is "$stderr" ""
	done
	run -0 --separate-stderr bloomtool check f.bf <<< 1
	is "$output" 1
	is "$(field f.bf state)" clean
}

@test "case 25: two add at once, 50,000 keys each, make 100,000" {
	bloomtool create -q -n 100000 -p 1e-9 f.bf
	seq 50000 | timeout 60 bloomtool add f.bf 3>&- &
	one=$!
	seq 50001 100000 | timeout 60 bloomtool add f.bf 3>&- &
	wait $!
	wait $one
	is "$(bloomtool check -c f.bf < <(seq 100000))" 100000
	is "$(field f.bf keys_added)" 100000
}

@test "case 26: SIGKILL in the middle of add leaves a filter with what was in" {
	bloomtool create -q -n 20000 -p 1e-9 f.bf
	seq 10000 | bloomtool add f.bf
	coproc bloomtool add -v f.bf 3>&-
	pid=$COPROC_PID
	seq 9999 10500 >&"${COPROC[1]}"
	read -r -t 10 first <&"${COPROC[0]}"
	is "$first" 10001
	kill -KILL "$pid"
	wait "$pid" || true
	run -0 --separate-stderr bloomtool check -c f.bf < <(seq 10000)
	is "$output" 10000
	run -0 --separate-stderr bloomtool stats f.bf
	# once more: nothing is missing
	bloomtool add f.bf < <(seq 9999 10500)
	is "$(bloomtool check -c f.bf < <(seq 10500))" 10500
}

@test "case 27: numbers out of range are exit 2, with what is allowed" {
	for rate in 0 1 2 -1 1e-300 nan ""; do
		run -2 --separate-stderr timeout 5 bloomtool create -n 1000 \
		    -p "$rate" f.bf
		is "${#stderr_lines[@]}" 2
		has "$stderr" "--rate"
		has "$stderr" "1e-12 to 0.5"
	done
	for keys in 0 -5 1e18 9223372036854775808 ""; do
		run -2 --separate-stderr timeout 5 bloomtool create \
		    -n "$keys" f.bf
		is "${#stderr_lines[@]}" 2
		has "$stderr" "--keys"
		has "$stderr" "1 to 1e15"
	done
	is "$(ls -A)" ""
}

@test "case 28: three times the keys are kept, warned of and shown" {
	bloomtool create -q -n 10000 -p 0.01 f.bf
	run -0 --separate-stderr bloomtool add f.bf < <(seq 30000)
	is "${#stderr_lines[@]}" 1
	has "$stderr" "overfull"
	is "$(bloomtool check -c f.bf < <(seq 30000))" 30000
	in_range "$(field f.bf rate_now)" 0.3 0.4
	# new keys that were taken for seen are not counted
	in_range "$(field f.bf keys_added)" 25000 30000
	in_range "$(field f.bf keys_estimated)" 29000 31000
	run -0 --separate-stderr bloomtool stats f.bf
	has "$output" "overfull"
	run -1 --separate-stderr bloomtool stats --check f.bf
}

@test "case 29: create over a filled filter needs --force" {
	bloomtool create -q -n 1000 -p 1e-9 f.bf
	seq 100 | bloomtool add f.bf
	before=$(sha256sum f.bf)
	run -2 --separate-stderr bloomtool create -n 1000 f.bf
	has "$stderr" "--force"
	is "$(sha256sum f.bf)" "$before"
	run -0 --separate-stderr bloomtool create --force -n 1000 f.bf
	is "$(field f.bf keys_added)" 0
}

@test "case 30: lines go into a pipe in blocks, not one by one" {
	[ -r /proc/self/io ] || skip "no counts of system calls here"
	bloomtool create -q -n 50000 g.bf
	seq -f 'https://example.org/a-path-of-some-length/page-%06.0f' 50000 \
	    > keys
	cat > count.py <<- 'END'
	import subprocess, threading
	data = open("keys", "rb").read()
	lines = data.count(b"\n")
	for args in (["check", "-v", "g.bf"], ["add", "-v", "g.bf"],
	    ["check", "g.bf"]):
	    p = subprocess.Popen(["bloomtool", *args], stdin=subprocess.PIPE,
	        stdout=subprocess.PIPE)
	    feed = threading.Thread(target=p.stdin.write, args=(data,))
	    feed.start()
	    need = len(data) // 2	# it stays alive, waiting for more
	    while need > 0:
	        need -= len(p.stdout.read1(65536))
	    writes = [int(l.split()[1]) for l in open(f"/proc/{p.pid}/io")
	        if l.startswith("syscw")][0]
	    rest = threading.Thread(target=p.stdout.read)
	    rest.start()
	    feed.join()
	    p.stdin.close()
	    rest.join()
	    assert p.wait(10) == 0, args
	    assert writes < lines / 20, (args, writes, lines)
	END
	python3 count.py
}

@test "case 31: stats says the rate of a filter half full" {
	bloomtool create -q -n 100000 -p 0.01 --seed 1 f.bf
	seq 50000 | bloomtool add f.bf
	# 4.6e-4, as estimate tells, and as it is
	now=$(field f.bf rate_now)
	told=$(bloomtool estimate --json -n 100000 -p 0.01 |
	    jq '.overfill[0].rate')
	in_range "$now" "$(awk "BEGIN { print 0.95 * $told }")" \
	    "$(awk "BEGIN { print 1.05 * $told }")"
	found=$(bloomtool check -c f.bf < <(seq 50001 2050000))
	in_range "$found" "$(awk "BEGIN { x = 2e6 * $now
	    print 0.98 * x - 5 * sqrt(x) }")" "$(awk "BEGIN { x = 2e6 * $now
	    print 1.02 * x + 5 * sqrt(x) }")"
}

@test "case 32: a note in the file says what is in it" {
	bloomtool create -q -n 1000 --note "SHA-1, upper case, NSRL 2.81" f.bf
	seq 10 | bloomtool add f.bf
	is "$(field f.bf note)" "SHA-1, upper case, NSRL 2.81"
	run -0 --separate-stderr bloomtool stats f.bf
	has "$output" "SHA-1, upper case, NSRL 2.81"
}
