# Filters that other programs wrote.  tests/interop has small ones with the
# answers of those programs, ../shared/interop all that there are.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

INTEROP=$BATS_TEST_DIRNAME/interop

# key_of FILE: how its program has hashed text.
key_of() {
	case $1 in
	*chars*) echo utf16le ;;
	*long*) echo int64 ;;
	*) echo bytes ;;
	esac
}

# answers_of FILE: those of bloomtool are those of its program.
answers_of() {
	local probes=${1%.bloom}.probes
	cut -f 1 "$probes" > keys
	awk -F '\t' '$NF == 1 { print $1 }' "$probes" > wanted
	bloomtool check --key "$(key_of "$1")" "$1" keys > got || [ $? = 1 ]
	cmp got wanted
}

# damaged FILE OFFSET BYTES: a copy, bad.bloom, changed as printf has it.
damaged() {
	cp "$INTEROP/$1" bad.bloom
	# shellcheck disable=SC2059	# a format on purpose
	printf "$3" | dd of=bad.bloom bs=1 seek="$2" conv=notrunc 2> /dev/null
}

@test "check gives the answers of the program that wrote the filter" {
	for f in "$INTEROP"/*.bloom; do
		answers_of "$f"
	done
}

# bats test_tags=slow
@test "check gives all answers of ../shared/interop" {
	interop=$ROOT/../shared/interop
	[ -d "$interop" ] || skip "no ../shared/interop here"
	n=0
	for f in "$interop"/{dcso,guava,bits-and-blooms,libbloom}/*.bloom \
		"$interop"/pybloomfiltermmap3/*.bloom; do
		answers_of "$f"
		n=$((n + 1))
	done
	is "$n" 19
}

@test "answers are the same with threads, in batches and beside other filters" {
	f=$INTEROP/dcso-flor-n250-p0.02.bloom
	cut -f 1 "${f%.bloom}.probes" > some
	yes some | head -n 300 | xargs cat > keys
	bloomtool check -j1 "$f" keys > wanted
	bloomtool check -j2 "$f" keys | cmp - wanted
	bloomtool create -q -n 1000 --seed 0 own.bf
	bloomtool check -f own.bf -f "$f" keys | cmp - wanted
	bloomtool check -f "$f" -f own.bf keys | cmp - wanted
	g=$INTEROP/guava-utf8-edge-p0.1.bloom
	bloomtool check "$g" keys > other
	bloomtool check --all -f "$f" -f "$g" keys > both
	bloomtool check "$f" other | cmp - both
	bloomtool add own.bf some
	bloomtool check -a -f own.bf -f "$f" -f "$g" keys | cmp - both
	is "$(bloomtool check -w -f "$g" -f own.bf -f "$f" some |
	    grep -cF "$f	")" "$(bloomtool check -c "$f" some)"
}

@test "-i asks a filter of another program for both cases" {
	f=$INTEROP/dcso-flor-n250-p0.02.bloom
	awk -F '\t' '$NF == 1 { print $1 }' "${f%.bloom}.probes" |
	    grep -x '[0-9A-F]*[A-F][0-9A-F]*' > upper
	[ -s upper ]
	tr A-F a-f < upper > lower
	n=$(wc -l < upper)
	is "$(bloomtool check -c -i "$f" upper)" "$n"
	is "$(bloomtool check -c -i "$f" lower)" "$n"
	(($(bloomtool check -c "$f" lower) < n))
	sed 's/^/x,/' lower > lines
	bloomtool check -t, -k2 -i "$f" lines | cmp - lines
}

@test "long keys, empty ones and bytes that are no text are looked up" {
	f=$INTEROP/guava-utf8-edge-p0.1.bloom
	{ head -c 3000000 /dev/zero | tr '\0' x; echo; echo; printf '\xff\n'; } > keys
	for how in "" "-i" "-K utf16le" "-i -K utf16le -j2"; do
		# shellcheck disable=SC2086	# words
		bloomtool check -c $how "$f" keys > count || [ $? = 1 ]
		grep -qx '[0-3]' count
	done
}

@test "a filter of another program is never written to" {
	f=dcso-edge-n60-p0.1.bloom
	cp "$INTEROP/$f" "$f"
	chmod a-w "$f"
	run -2 --separate-stderr bloomtool add "$f" <<< new
	is "$stderr" "bloomtool: $f: a DCSO bloom filter, which only check and stats can read; import it first"
	run -2 --separate-stderr bloomtool recover "$f" <<< new
	has "$stderr" "a DCSO bloom filter, which"
	bloomtool create -q -n 10 a.bf
	run -2 --separate-stderr bloomtool union -o o.bf a.bf "$f"
	has "$stderr" "$f: a DCSO bloom filter, which"
	run -2 --separate-stderr bloomtool create --like "$f" b.bf
	has "$stderr" "$f: a DCSO bloom filter, which"
	bloomtool check -c "$f" <<< new > /dev/null || [ $? = 1 ]
	bloomtool stats "$f" > /dev/null
	cmp "$f" "$INTEROP/$f"
}

@test "stats tells what the file says, and what its bits say" {
	f=$INTEROP/dcso-edge-n60-p0.1.bloom
	run -0 --separate-stderr bloomtool stats "$f"
	is "$(head -n 3 <<< "$output")" "$f
made for      60 keys at rate 0.1
keys added    60"
	has "$output" "scheme        DCSO bloom"
	has "$output" "bits          287"
	has "$output" "probes        4"
	is "$(field "$f" scheme)" dcso
	is "$(field "$f" size_bytes)" "$(stat -c %s "$f")"
	f=$INTEROP/guava-utf8-edge-p0.1.bloom
	is "$(field "$f" scheme)" guava
	is "$(field "$f" keys_wanted)" null
	is "$(field "$f" keys_added)" null
	is "$(field "$f" bits)" 320
	run -0 --separate-stderr bloomtool stats "$f" "$INTEROP"/*.bloom
	is "$(grep -c '^scheme ' <<< "$output")" 11
}

@test "stats --check of another program's filter knows if it is overfull" {
	bloomtool stats --check "$INTEROP"/dcso-*.bloom
	# As if it had been made for 30 keys.
	damaged dcso-edge-n60-p0.1.bloom 8 '\x1e'
	run -1 --separate-stderr bloomtool stats --check bad.bloom
	has "$stderr" "bad.bloom: overfull: holds 60 keys, was made for 30"
}

@test "a damaged filter of another program is refused in one line" {
	while read -r file offset bytes words; do
		damaged "$file" "$offset" "$bytes"
		for command in check stats; do
			run -2 --separate-stderr bloomtool $command bad.bloom \
				< /dev/null
			is "$output" ""
			is "${#stderr_lines[@]}" 1
			has "$stderr" "bloomtool: bad.bloom: $words"
		done
	done <<- 'END'
		dcso-edge-n60-p0.1.bloom 24 \x00 DCSO bloom filter, damaged: 0 probes
		dcso-edge-n60-p0.1.bloom 25 \x01 DCSO bloom filter, damaged: 260 probes
		dcso-edge-n60-p0.1.bloom 34 \x01 DCSO bloom filter, damaged: 65823 bits
		dcso-edge-n60-p0.1.bloom 39 \xff DCSO bloom filter, damaged: 18374686479671623967 bits
		dcso-edge-n60-p0.1.bloom 32 \x00\x00 DCSO bloom filter, damaged: 0 bits
		libbloom-edge-n1000-p0.1.bloom 52 \x03 libbloom filter, damaged
		libbloom-edge-n1000-p0.1.bloom 35 \x00 libbloom filter, damaged
		libbloom-edge-n1000-p0.1.bloom 22 \x01 libbloom filter, damaged
		pybloomfiltermmap3-seeds-n60-p0.1.bloom 37 \x00 pybloomfiltermmap3 filter, damaged
		pybloomfiltermmap3-seeds-n60-p0.1.bloom 17 \x00 pybloomfiltermmap3 filter, damaged
		guava-utf8-edge-p0.1.bloom 5 \x06 not a bloomtool filter
		bits-and-blooms-edge-n60-p0.1.bloom 15 \x00 not a bloomtool filter
	END
	for f in "$INTEROP"/{dcso-flor,libbloom,pybloom}*.bloom; do
		head -c $(($(stat -c %s "$f") / 2)) "$f" > bad.bloom
		run -2 --separate-stderr bloomtool check bad.bloom < /dev/null
		has "$stderr" " filter, damaged"
	done
}

@test "what is known but not read is named" {
	while read -r bytes words; do
		# shellcheck disable=SC2059	# a format on purpose
		printf "$bytes" > bad.bloom
		head -c 100 /dev/zero >> bad.bloom
		run -2 --separate-stderr bloomtool check bad.bloom < /dev/null
		has "$stderr" "bloomtool: bad.bloom: $words"
	done <<- 'END'
		\x1f\x8b\x08 compressed by gzip; decompress it first, or, if another program
		\xac\xed\x00\x05 a serialised Java object
		\x02\x00\x00\x00\x00\x00\x00\x00 a filter of Poppy 2
		PAR1 a Parquet file
		*4\r\n$12\r\n a stream of Redis commands
		{"m":300,"k":4,"b":" the JSON of bits-and-blooms
		\x15\x80\x01\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00 a filter out of a Parquet file
	END
}

@test "--key goes with files of other programs, and knows three words" {
	bloomtool create -q -n 10 a.bf
	run -2 --separate-stderr bloomtool check -K utf16le a.bf <<< a
	is "$stderr" "bloomtool: a.bf: its keys are hashed as bytes; --key utf16le is for files of other programs"
	run -1 --separate-stderr bloomtool check -K bytes a.bf <<< a
	run -2 --separate-stderr bloomtool check -K utf8 a.bf <<< a
	has "${stderr_lines[0]}" '"utf8" is neither bytes, utf16le nor int64'
}

@test "a filter of another program that is cut under check is exit 2" {
	f=dcso-flor-n250-p0.02.bloom
	cp "$INTEROP/$f" "$f"
	mkfifo in
	timeout 60 bloomtool check -c "$f" in > out 2> err 3>&- &
	exec 4> in
	echo a >&4
	truncate -s 100 "$f"
	exec 4>&-
	status=0
	wait $! || status=$?
	is "$status" 2
	has "$(cat err)" "bloomtool: $f: size changed while in use"
}

@test "a filter as large as CIRCL's is asked without being read" {
	cat > large.py <<- 'END'
		import resource, struct, subprocess, sys
		m, k = 8018853474, 14
		with open("large.bloom", "wb") as f:
		    f.write(struct.pack("<QQdQQQ", 1, 418299668, 1e-4, k, m, 1))
		    f.truncate(48 + (m + 63) // 64 * 8)
		h = 0xcbf29ce484222325
		for byte in b"known":
		    h = h * 0x100000001b3 % 2**64 ^ byte
		h %= 2**64 - 59
		with open("large.bloom", "r+b") as f:
		    for _ in range(k):
		        h = h * (2**64 - 1469) % 2**64 % (2**64 - 59)
		        f.seek(48 + h % m // 8)
		        byte = f.read(1)[0] | 1 << h % m % 8
		        f.seek(-1, 1)
		        f.write(bytes([byte]))
		out = subprocess.run(["bloomtool", "check", "large.bloom"],
		                     input=b"known\nunknown\n",
		                     stdout=subprocess.PIPE, check=True).stdout
		assert out == b"known\n", out
		peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		assert peak < 64 << 10, peak	# KiB
	END
	python3 large.py
	rm large.bloom
}
