# What stands in a filter's place and is none: each gets one clear line and
# exit 2 from every command that opens filters, and is left as it is.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 1000 --seed 1 f.bf
	seq 100 | bloomtool add f.bf
}

# refused FILE WORDS [COMMAND...]: these, or add, check and stats, do not take
# FILE for a filter and say WORDS.
refused() {
	local file=$1 words=$2 before command
	shift 2
	(($# > 0)) || set -- add check stats
	before=$(traces "$file")
	for command; do
		# shellcheck disable=SC2086	# a command and options
		run -2 --separate-stderr timeout 5 bloomtool $command \
		    "$file" <<< key
		is "$command: $output" "$command: "
		is "$command: ${#stderr_lines[@]}" "$command: 1"
		[[ $stderr == "bloomtool: $file: "* ]]
		has "$stderr" "$words"
	done
	is "$(traces "$file")" "$before"
}

# What any writing to a file would change.
traces() {
	stat -Lc '%i %a %s %y %z' "$1"
	[ ! -f "$1" ] || sha256sum "$1"
}

# patched OFFSET BYTES: f.bf with these bytes there is bad.bf.
patched() {
	cp f.bf bad.bf
	printf '%b' "$2" | dd of=bad.bf bs=1 seek="$1" conv=notrunc \
	    2> /dev/null
}

# A little-endian 32- or 64-bit number as escapes for patched.
le() {
	local i value=$2
	for ((i = 0; i < $1; i += 8)); do
		printf '\\x%02x' $((value & 255))
		value=$((value >> 8))
	done
}

@test "a sound filter is taken" {
	run -0 --separate-stderr bloomtool check f.bf <<< 1
	is "$stderr" ""
}

@test "the header has its fields where bloomtool(5) says, little-endian" {
	bloomtool create -q -n 70000 -p 0.25 --seed 0x0102030405060708 \
	    --note hello g.bf
	at() {
		od -An -v -tx1 -j "$1" -N "$2" g.bf | tr -d ' \n'
	}
	is "$(at 0 8)" bf424c4f4f4d0d0a			# magic
	is "$(at 8 4)" 01000000				# version
	is "$(at 12 4)" 00200000			# header size
	is "$(at 64 8)" 0807060504030201		# seed
	is "$(at 72 8)" 7011010000000000		# keys: 70000
	is "$(at 80 8)" 000000000000d03f		# rate: 0.25
	is "$(at 104 8)" 0500000000000000		# length of the note
	is "$(at 1024 6)" 68656c6c6f00			# the note
	# total size
	size=$(wc -c < g.bf)
	is "$(at 88 8)" "$(le 64 "$size" | sed 's/\\x//g')"
}

@test "an empty file is refused" {
	: > empty
	refused empty "empty file"
}

@test "each form of each command refuses what is no filter" {
	head -c 9000 f.bf > cut.bf
	seq 10000 > text
	mkdir dir
	for file in "cut.bf wrong size" "text not a bloomtool filter" \
	    "dir s a directory"; do
		refused "${file%% *}" "${file#* }" "add -v" "add -c" \
		    "add --create -n 10" "add -z" "check -v" "check -c" \
		    "check -q" "check -H" "stats --json" "stats --check"
		run -2 --separate-stderr bloomtool create \
		    --like "${file%% *}" new.bf
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "${file%% *}: "
		has "$stderr" "${file#* }"
		[ ! -e new.bf ]
	done
}

@test "a truncated filter is refused" {
	size=$(wc -c < f.bf)
	for length in 8 100 4095 4096 8191; do
		head -c $length f.bf > cut.bf
		refused cut.bf "cut off: $length bytes"
	done
	for length in 8192 8193 $((size / 2 + 4096)) $((size - 64)) \
	    $((size - 1)); do
		head -c $length f.bf > cut.bf
		refused cut.bf "wrong size: $length bytes"
		has "$stderr" "$size"
	done
	for length in 1 7; do
		head -c $length f.bf > cut.bf
		refused cut.bf "not a bloomtool filter"
	done
}

@test "bytes after the end of a filter are refused" {
	size=$(wc -c < f.bf)
	for more in 1 64 4096; do
		cp f.bf long
		head -c $more /dev/zero >> long
		refused long "wrong size: $((size + more)) bytes"
		has "$stderr" "$size"
	done
	cat f.bf f.bf > twice
	refused twice "wrong size"
}

@test "a text file is refused" {
	seq 10000 > text
	refused text "not a bloomtool filter"
	echo x > text
	refused text "not a bloomtool filter"
	echo BLOOM > text
	refused text "not a bloomtool filter"
}

@test "files of other programs are refused" {
	gzip < f.bf > f.bf.gz
	refused f.bf.gz "compressed by gzip; decompress it first"
	cp "$(command -v sh)" elf
	refused elf "not a bloomtool filter"
	head -c 20000 /dev/zero > zeros
	refused zeros "not a bloomtool filter"
	head -c 20000 /dev/zero | tr '\0' '\377' > ones
	refused ones "not a bloomtool filter"
}

# bats test_tags=slow
@test "add refuses filters of other programs, check those that it cannot read" {
	[ -d "$ROOT/../shared/interop" ] || skip "no ../shared/interop here"
	seen=0
	while IFS= read -r file; do
		run -2 --separate-stderr timeout 5 bloomtool add "$file" \
		    <<< key
		is "${#stderr_lines[@]}" 1
		has "$stderr" "$file: "
		[[ $stderr != *"which only check and stats can read"* ]] ||
			continue
		run -2 --separate-stderr timeout 5 bloomtool check "$file" \
		    <<< key
		is "${#stderr_lines[@]}" 1
		has "$stderr" "$file: "
		seen=$((seen + 1))
	done < <(find "$ROOT/../shared/interop" -type f)
	((seen > 10))
}

@test "a transfer in text mode is named" {
	# CR LF to LF, LF to CR LF, the top bit cleared
	LC_ALL=C sed 's/\r$//' f.bf > bad
	refused bad "text mode"
	LC_ALL=C sed 's/\r*$/\r\r/' f.bf > bad
	refused bad "text mode"
	python3 -c 'import sys
data = sys.stdin.buffer.read()
sys.stdout.buffer.write(data.replace(b"\n", b"\r\n"))' < f.bf > bad
	refused bad "text mode"
	python3 -c 'import sys
data = sys.stdin.buffer.read()
sys.stdout.buffer.write(bytes(b & 127 for b in data))' < f.bf > bad
	refused bad "text mode"
}

@test "another version is refused, naming both" {
	for version in 0 2 3 255 256 4294967295; do
		patched 8 "$(le 32 $version)"
		refused bad.bf "version $version, this build reads 1"
	done
}

@test "a newer version is refused even where nothing else fits" {
	patched 8 "$(le 32 2)"
	head -c 9000 /dev/urandom | dd of=bad.bf bs=1 seek=12 conv=notrunc \
	    2> /dev/null
	refused bad.bf "version 2, this build reads 1"
}

@test "an unknown incompatible flag is refused" {
	patched 24 '\x01'
	refused bad.bf "features"
	has "$stderr" "0x1"
	patched 31 '\x80'
	refused bad.bf "0x8000000000000000"
}

@test "an unknown scheme is refused, naming both" {
	for scheme in 0 11 77; do
		patched 32 "$(le 32 $scheme)"
		refused bad.bf "scheme $scheme, this build reads 1 to 10"
	done
}

# bats test_tags=slow
@test "every damaged byte of the first page is noticed" {
	# ... by one command; a flag that readers may ignore is damage too
	python3 - <<- 'END'
	import subprocess
	good = open("f.bf", "rb").read()
	places = list(range(0, 168)) + [500, 1023, 1024, 2047, 2048, 3000] + \
	    list(range(4080, 4096))
	for at in places:
	    for flip in (1, 128):
	        bad = bytearray(good)
	        bad[at] ^= flip
	        open("bad.bf", "wb").write(bad)
	        p = subprocess.run(["bloomtool", "check", "bad.bf"],
	            input=b"1\n", capture_output=True, timeout=5)
	        assert p.returncode == 2, (at, flip, p)
	        assert p.stdout == b"", (at, flip, p)
	        assert p.stderr.startswith(b"bloomtool: bad.bf: "), (at, p)
	        assert p.stderr.count(b"\n") == 1, (at, flip, p)
	END
}

# bats test_tags=slow
@test "hostile numbers in the header are refused, one by one" {
	while read -r offset width value words; do
		patched "$offset" "$(le "$width" $((value)))"
		refused bad.bf "header damaged: $words"
	done <<- END
		12 32 0 header size
		12 32 4096 header size
		12 32 0xffffffff header size
		32 32 2 blocks a key
		36 32 0 probes
		36 32 256 probes
		36 32 0xffffffff probes
		36 32 7 checksum
		40 32 0 blocks a key
		40 32 7 blocks a key
		40 32 0xffffffff blocks a key
		40 32 5 6 probes in 5 blocks
		44 32 3 action when full
		44 32 2 checksum
		48 64 0 blocks
		48 64 1<<62 blocks
		48 64 -1 blocks
		48 64 1<<54 bits
		48 64 (1<<54)+1 blocks
		48 64 19 bits
		56 64 0 bits
		56 64 1<<62 bits
		56 64 -1 bits
		72 64 0 keys
		72 64 -1 keys
		72 64 1<<62 keys
		80 64 0 rate
		80 64 0x7ff8000000000000 rate
		80 64 0x7ff0000000000000 rate
		80 64 0x3ff0000000000000 rate
		80 64 -0x4046666666666667 rate
		88 64 0 file size
		88 64 -1 file size
		88 64 1<<62 file size
		104 32 1025 length of the note
		104 32 0xffffffff length of the note
		104 64 1<<32 length of the note
		120 32 2 preference
		124 32 1 variant
		128 32 2 growth
		132 32 1 encoding of keys
		136 32 1 reserved
		160 32 1 reserved
		1020 32 1 reserved
		1024 32 1 reserved
		2044 32 1 reserved
		4084 32 1 reserved
		64 64 2 checksum
		96 64 -1 checksum
		4088 64 0 checksum
	END
}

@test "hostile numbers at odds with each other are refused" {
	# blocks, bits and total size that agree, but not with the file
	for blocks in 1 19 21 $((1 << 40)) $((1 << 54)); do
		patched 48 "$(le 64 $blocks)$(le 64 $((blocks * 512)))"
		printf '%b' "$(le 64 $((8192 + 64 * blocks)))" |
		    dd of=bad.bf bs=1 seek=88 conv=notrunc 2> /dev/null
		refused bad.bf ""
	done
	# 2^58 blocks: all products wrap to what a tiny file has
	patched 48 "$(le 64 $((1 << 58)))$(le 64 0)"
	printf '%b' "$(le 64 8192)" |
	    dd of=bad.bf bs=1 seek=88 conv=notrunc 2> /dev/null
	head -c 8192 bad.bf > worse.bf
	refused worse.bf "blocks"
}

@test "a damaged second page is refused" {
	while read -r offset width value words; do
		patched "$offset" "$(le "$width" $((value)))"
		refused bad.bf "$words"
	done <<- END
		4096 64 3 state
		4096 64 -1 state
		4104 64 2 mark
		4104 64 -1 mark
		4128 64 2 mark
		4128 64 -1 mark
		4136 64 1 reserved
		4152 64 1 reserved
		4168 64 20*512+1 bits set
		4168 64 -1 bits set
		4176 64 2 estimate mark
		4176 64 -1 estimate mark
		4184 64 1 reserved
		4216 64 1 reserved
		4240 64 1 further layers
		4248 64 1 reserved
		4304 64 1 reserved
		7311 8 1 reserved
		7312 64 1 reserved
		8184 64 1 reserved
	END
}

@test "a hostile header takes no memory and no time" {
	! grep -q __asan_init "$ROOT/bloomtool" ||
		skip "the sanitizer takes memory of its own"
	patched 48 "$(le 64 $((1 << 54)))$(le 64 $((1 << 63)))"
	for command in add check stats; do
		run -2 --separate-stderr bash -c "ulimit -v 100000
		    timeout 2 bloomtool $command bad.bf < /dev/null"
		has "$stderr" "bad.bf: header damaged"
	done
}

# bats test_tags=slow
@test "random bytes in the header never crash it" {
	python3 - <<- 'END'
	import random, subprocess
	random.seed(1)
	good = open("f.bf", "rb").read()
	for i in range(300):
	    bad = bytearray(good)
	    for _ in range(random.randint(1, 8)):
	        at = random.choice([random.randrange(8, 128),
	            random.randrange(4096, 4096 + 160)])
	        bad[at] = random.choice([0, 1, 127, 128, 255])
	    size = random.choice([len(bad)] * 4 + [random.randrange(len(bad))])
	    open("bad.bf", "wb").write(bad[:size])
	    p = subprocess.run(["bloomtool", random.choice(["check", "stats"]),
	        "bad.bf"], input=b"1\n", capture_output=True, timeout=5)
	    assert p.returncode in (0, 1, 2), (i, p)
	    if p.returncode == 2:
	        assert p.stderr.startswith(b"bloomtool: bad.bf: "), (i, p)
	        # a hint on a second line: the state may come out as unclean
	        assert p.stderr.count(b"\n") <= 2, (i, p)
	    else:
	        assert p.stderr == b"", (i, p)
	END
}

@test "a directory is refused" {
	mkdir dir
	refused dir "s a directory"
}

@test "a FIFO is refused without waiting for its other end" {
	mkfifo fifo
	refused fifo "not a regular file"
}

@test "a FIFO that has a writer is refused and not read" {
	mkfifo fifo
	exec 7<> fifo
	echo line >&7
	refused fifo "not a regular file"
	read -r -t 5 got <&7
	is "$got" line
}

@test "devices are refused" {
	for device in /dev/zero /dev/null /dev/full /dev/tty; do
		[ -c $device ] || continue
		for command in add check stats "stats --check"; do
			# shellcheck disable=SC2086	# two words
			run -2 --separate-stderr timeout 5 bloomtool $command \
			    $device <<< key
			is "$output" ""
			is "${#stderr_lines[@]}" 1
			has "$stderr" "bloomtool: $device: "
		done
	done
	run -2 --separate-stderr timeout 5 bloomtool check /dev/zero <<< key
	has "$stderr" "not a regular file"
}

@test "a socket is refused" {
	python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("socket")'
	refused socket ""
}

@test "stdin as the filter is refused when it is a pipe, taken when it is a filter" {
	echo 1 > keys
	run -2 --separate-stderr timeout 5 bloomtool check /dev/stdin keys \
	    < <(cat f.bf)
	has "$stderr" "/dev/stdin: not a regular file"
	run -0 --separate-stderr bloomtool check /dev/stdin keys < f.bf
	is "$output" 1
}

@test "a symlink to a filter is a filter" {
	ln -s f.bf link
	run -0 --separate-stderr bloomtool add -v link <<< $'1\n101'
	is "$output" 101
	run -0 --separate-stderr bloomtool check link <<< $'101\nx'
	is "$output" 101
	[ -L link ]
	run -0 --separate-stderr bloomtool stats --check link
}

@test "a dangling symlink is refused and nothing made" {
	ln -s nowhere link
	for command in add "add --create -n 10" check stats "stats --check"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr timeout 5 bloomtool $command link \
		    <<< key
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "link: "
		[ ! -e nowhere ]
	done
	ln -s loop loop
	run -2 --separate-stderr bloomtool check loop <<< key
	has "$stderr" "loop: Too many levels of symbolic links"
}

@test "a missing file is refused and nothing made" {
	for command in add check stats "stats --check"; do
		# shellcheck disable=SC2086	# two words
		run -2 --separate-stderr bloomtool $command gone <<< key
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		is "${stderr%; --create makes it}" \
		    "bloomtool: gone: No such file or directory"
		# shellcheck disable=SC2086
		run -2 --separate-stderr bloomtool $command f.bf/x <<< key
		has "$stderr" "f.bf/x: Not a directory"
		[ ! -e gone ]
	done
}

@test "a filter cut short while in use ends with a message" {
	bloomtool create -q -n 1e6 g.bf
	mkfifo in
	bloomtool check -v g.bf < in > out 2> err 3>&- &
	exec 7> in
	echo first >&7
	soon [ -s out ]		# it has mapped the file
	truncate -s 8192 g.bf
	seq 100 >&7
	exec 7>&-
	status=0
	wait $! || status=$?
	is "$status" 2
	is "$(wc -l < err)" 1
	has "$(cat err)" "bloomtool: g.bf: "
}
