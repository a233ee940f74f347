# bloomtool import: filters of other programs become filters of ours.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper
load vectors

# Not in the folder where run keeps its own files: some tests list it.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
	DCSO=$INTEROP/dcso-edge-n60-p0.1.bloom
	GUAVA=$INTEROP/guava-utf8-edge-p0.1.bloom
}

# same_blocks A B: from the end of the header on.
same_blocks() {
	cmp -i 8192 "$1" "$2"
}

same_counts_and_blocks() {
	cmp -i 4096 "$1" "$2"
}

# imported FILE: x.bf is made of it, and is in every way what it should be.
imported() {
	import_options "$1"
	probes_of "$1"
	rm -f x.bf
	bloomtool import -q "${OPTIONS[@]}" --verify members "$1" x.bf
	answers x.bf
	bloomtool stats --verify x.bf > /dev/null
	is "$(bloomtool add -c x.bf members)" 0
	answers x.bf
}

# le64 NUMBER: its bytes.
le64() {
	local i
	for ((i = 0; i < 64; i += 8)); do
		# shellcheck disable=SC2059	# made here
		printf "$(printf '\\x%02x' $(($1 >> i & 255)))"
	done
}

# dcso_head BITS: of a DCSO filter for as many keys at a rate of 0.5.
dcso_head() {
	local x
	for x in 1 "$1" 0x3fe0000000000000 1 "$1" 0; do
		le64 "$x"
	done
}

# refused FILE WORDS [OPTION...]: in one line, and nothing is there.
refused() {
	local file=$1 words=$2
	shift 2
	# Many times: "run" would take longer.
	status=0
	bloomtool import "$@" "$file" x.bf < /dev/null > out 2> err || status=$?
	is "$status" 2
	is "$(< out)" ""
	mapfile -t stderr_lines < err
	is "${#stderr_lines[@]}" 1
	has "${stderr_lines[0]}" "bloomtool: $words"
	[ ! -e x.bf ]
	rm out err
}

# ---- what it makes ----

@test "an imported filter gives the answers of its program" {
	n=0
	while read -r f; do
		imported "$f"
		n=$((n + 1))
	done < <(vectors)
	is "$n" 19
}

# bats test_tags=slow
@test "all filters of ../shared/interop are imported with their answers" {
	all_vectors
	n=0
	while read -r f; do
		imported "$f"
		gzip -c "$f" > f.gz
		bloomtool import -q "${OPTIONS[@]}" f.gz y.bf
		same_blocks x.bf y.bf
		bloomtool union -qf -o y.bf x.bf y.bf
		answers y.bf
		rm y.bf
		n=$((n + 1))
	done < <(vectors)
	is "$n" 33
}

@test "files, pipes, FIFOs and standard input give the same, plain or by gzip" {
	while read -r f; do
		import_options "$f"
		bloomtool import -q "${OPTIONS[@]}" "$f" 1.bf
		gzip -c "$f" > f.gz
		bloomtool import -q "${OPTIONS[@]}" f.gz 2.bf
		bloomtool import -q "${OPTIONS[@]}" - 3.bf < "$f"
		# A pipe, not the file.
		# shellcheck disable=SC2002
		cat f.gz | bloomtool import -q "${OPTIONS[@]}" - 4.bf
		mkfifo fifo
		dd if="$f" of=fifo bs=7 2> /dev/null 3>&- &
		bloomtool import -q "${OPTIONS[@]}" fifo 5.bf
		wait $!
		for i in 2 3 4 5; do
			same_counts_and_blocks 1.bf $i.bf
		done
		rm -- *
	done < <(vectors)
}

@test "import says what it made, unless -q" {
	run -0 --separate-stderr bloomtool import "$DCSO" x.bf
	is "$output" ""
	is "$stderr" "x.bf: imported from DCSO bloom: 60 keys; made for 60 \
keys at rate 0.1: 4.78 bits a key, 4 probes, 8.06 KiB (8256 bytes)"
	run -0 --separate-stderr bloomtool import "$GUAVA" y.bf
	is "$stderr" "y.bf: imported from Guava: about 62 keys; 320 bits, made for an unknown number of keys"
	run -0 --separate-stderr bloomtool import -fq "$GUAVA" y.bf
	is "$stderr" ""
}

@test "keys are as many as the file says, otherwise as its bits say" {
	while read -r f keys estimated; do
		import_options "$INTEROP/$f"
		bloomtool import -q "${OPTIONS[@]}" "$INTEROP/$f" x.bf
		is "$f $(field x.bf keys_added) $(field x.bf \
		    keys_added_estimated)" "$f $keys $estimated"
		rm x.bf
	done <<- 'END'
		dcso-edge-n60-p0.1.bloom 60 false
		dcso-flor-n250-p0.02.bloom 200 false
		dcso-old-v0.1.0-n500-p0.02.bloom 497 false
		default.cli 80 false
		scaled-n100-p0.01.resp 1487 false
		scaled-n50-p0.02.v2.0.3.cli 390 false
		nonscaling-n300-p0.05.resp 296 false
		guava-chars-n500-p0.01.bloom 494 true
		bits-and-blooms-edge-n60-p0.1.bloom 62 true
		pybloomfiltermmap3-seeds-n60-p0.1.bloom 57 true
		gozero-m4000.bitmap 200 true
	END
}

@test "scheme, bits, probes, keys and rate are those of the file" {
	while read -r f wanted; do
		import_options "$INTEROP/$f"
		bloomtool import -q "${OPTIONS[@]}" "$INTEROP/$f" x.bf
		is "$(bloomtool stats --json x.bf | jq -r '[.scheme, .bits,
		    .probes, .keys_wanted, .rate_wanted, .when_full] |
		    map(tostring) | join(" ")')" "$wanted"
		rm x.bf
	done <<- 'END'
		dcso-edge-n60-p0.1.bloom dcso 287 4 60 0.1 warn
		guava-utf8-edge-p0.1.bloom guava 320 3 null null warn
		bits-and-blooms-m1001-k9.bloom bits-and-blooms 1001 9 null null warn
		nonscaling-n300-p0.05.resp redisbloom 1920 5 300 0.05 stop
		guava-helper-n500-p0.03.bitmap guava-bitmap 3649 5 null null warn
		gozero-m4000.bitmap go-zero 4000 14 null null warn
	END
	bloomtool import -q "$INTEROP/scaled-n100-p0.01.cli" x.bf
	is "$(bloomtool stats --json x.bf |
	    jq -c '[.layers[].keys_wanted]')" "[100,200,400,800]"
	is "$(field x.bf rate_wanted)" 0.01
}

@test "keys added to an imported filter are found, beside the old ones" {
	seq -f "new %.0f" 60 > new
	for f in "$INTEROP"/*{n60,edge,default,scaled}*.{bloom,cli,resp}; do
		[ -e "$f" ] || continue
		import_options "$f"
		probes_of "$f"
		bloomtool import -q "${OPTIONS[@]}" "$f" x.bf
		before=$(field x.bf keys_added)
		n=$(bloomtool add -c x.bf new 2> /dev/null)
		((n > 0))
		is "$(cat new members | bloomtool check -cv x.bf)" 0
		is "$(field x.bf keys_added)" $((before + n))
		bloomtool stats --verify x.bf > /dev/null
		rm x.bf
	done
}

# bats test_tags=valgrind
@test "keys in another encoding are added in that, too" {
	f=$INTEROP/guava-chars-n500-p0.01.bloom
	bloomtool import -q -K utf16le "$f" x.bf
	printf 'grün\n\xff\n\n' > new
	bloomtool add x.bf new
	bloomtool check x.bf new | cmp - new
	bloomtool check --key utf16le x.bf new | cmp - new
	run -2 --separate-stderr bloomtool check --key bytes x.bf new
	has "$stderr" "x.bf: its keys are hashed as utf16le; --key bytes is for files of other programs"
}

@test "a filter that grew in RedisBloom grows on" {
	bloomtool import -q "$INTEROP/scaled-n100-p0.01.resp" x.bf
	seq 3000 | bloomtool add x.bf
	is "$(seq 3000 | bloomtool check -c x.bf)" 3000
	is "$(bloomtool stats --json x.bf |
	    jq -c '[.layers[].keys_wanted]')" "[100,200,400,800,1600,3200]"
}

@test "a union of imports has the keys of all of them" {
	while read -r f; do
		import_options "$f"
		probes_of "$f"
		bloomtool import -q "${OPTIONS[@]}" "$f" 1.bf
		bloomtool union -q -o same.bf 1.bf 1.bf 2> /dev/null
		answers same.bf
		bloomtool create -q --like 1.bf 2.bf
		seq 20 | bloomtool add 2.bf
		bloomtool union -q -o both.bf 1.bf 2.bf 2> /dev/null
		is "$({ seq 20; cat members; } |
		    bloomtool check -cv both.bf)" 0
		rm -- *
	done < <(vectors)
}

@test "filters of other rules, bits or keys are not united" {
	bloomtool import -q "$GUAVA" a.bf
	bloomtool import -q "${GUAVA/utf8/utf8-mitz32}" b.bf
	bloomtool import -q -K utf16le "$GUAVA" c.bf
	bloomtool import -q "$DCSO" d.bf
	bloomtool create -q -n 60 -p 0.1 e.bf
	for other in [b-e].bf; do
		run -2 --separate-stderr bloomtool union -o x.bf a.bf "$other"
		has "${stderr_lines[0]}" "bloomtool: $other: "
		has "${stderr_lines[0]}" "unlike a.bf"
		[ ! -e x.bf ]
	done
}

@test "a note is kept" {
	bloomtool import -q --note "from the archive" "$DCSO" x.bf
	is "$(field x.bf note)" "from the archive"
}

# bats test_tags=valgrind
@test "header and bits that BF.SCANDUMP gave are joined to one" {
	cat "$INTEROP"/default.{header,bits} |
	    bloomtool import -q - 1.bf
	bloomtool import -q "$INTEROP/default.resp" 2.bf
	same_blocks 1.bf 2.bf
	is "$(field 1.bf keys_added)" 80
}

@test "--name chooses among the filters of a stream" {
	sed 's/^default\r$/another\r/' "$INTEROP/default.resp" > other
	cat "$INTEROP/scaled-n100-p0.01.resp" other > both
	refused both "both: has filters of the keys "
	bloomtool import -q -n another both x.bf
	bloomtool import -q "$INTEROP/default.resp" y.bf
	same_blocks x.bf y.bf
	rm x.bf
	refused both "both: Redis commands, but no BF.LOADCHUNK of key none" \
	    -n none
	refused "$DCSO" "$DCSO: --name x: only a stream of Redis commands" \
	    -n x
}

# redis WORD...: as Redis takes it.
redis() {
	printf '*%d\r\n' $#
	for word; do
		printf '$%d\r\n%s\r\n' "${#word}" "$word"
	done
}

@test "a filter that the stream deletes later is refused" {
	f=$INTEROP/default.resp
	while read -r words; do
		# shellcheck disable=SC2086	# several words
		{ cat "$f"; redis $words; } > stream
		refused stream "stream: deletes or renames the filter's key"
		refused stream "stream: deletes or renames" -n default
		# before it, or of another key, it does no harm
		# shellcheck disable=SC2086
		{ redis $words; cat "$f"; } > stream
		# shellcheck disable=SC2086
		[[ $words != *default* ]] ||
			redis ${words//default/x} >> stream
		bloomtool import -q stream x.bf
		rm x.bf
	done <<-end
		DEL default
		del other default another
		UNLINK other default
		RENAME default other
		RENAMENX other default
		FLUSHALL
		flushdb ASYNC
	end
}

@test "--from says which of the old layouts of RedisBloom it is" {
	f=$INTEROP/scaled-n50-p0.02.v1.1.1.cli
	probes_of "$f"
	refused "$f" "$f: dumped by RedisBloom before 2.2; import it --from"
	refused "$f" "members: only " -F redisbloom-2.0 -V members
	bloomtool import -q -F redisbloom-1.1 -V members "$f" x.bf
}

@test "a bitmap may end early, as Redis cuts zeros off" {
	f=$INTEROP/gozero-m4000.bitmap
	import_options "$f"
	head -c 100 "$f" > short
	{ cat short; head -c 400 /dev/zero; } > long
	bloomtool import -q "${OPTIONS[@]}" short 1.bf
	bloomtool import -q "${OPTIONS[@]}" long 2.bf
	same_blocks 1.bf 2.bf
	# as redis-cli prints it
	{ cat "$f"; echo; } > printed
	bloomtool import -q "${OPTIONS[@]}" printed 3.bf
	bloomtool import -q "${OPTIONS[@]}" "$f" 4.bf
	same_blocks 3.bf 4.bf
	{ cat "$f"; printf '\n\n'; } > longer
	refused longer "longer: goes on behind its end" "${OPTIONS[@]}"
	bloomtool import -q "${OPTIONS[@]}" /dev/null empty.bf
	is "$(field empty.bf fill)" 0
}

# ---- --verify ----

@test "--verify makes nothing unless all keys are found" {
	probes_of "$DCSO"
	{ cat members; echo "no such key 2"; } > wrong
	n=$(wc -l < members)
	refused "$DCSO" "wrong: only $n of $((n + 1)) of these keys are in \
$DCSO; nothing was made" -V wrong
	bloomtool import -q -V - "$DCSO" x.bf < members
	rm x.bf
	refused "$DCSO" "/dev/null: no keys to verify with" -V /dev/null
	run -2 --separate-stderr bloomtool import -V gone "$DCSO" x.bf
	has "${stderr_lines[0]}" "bloomtool: gone: No such file or directory"
	is "$(ls)" $'keys\nmembers\nwrong'
}

@test "--verify sees a wrong case, wrong line ends and a wrong --key" {
	f=$INTEROP/dcso-flor-n250-p0.02.bloom
	probes_of "$f"
	grep -x '[0-9A-F]*[A-F][0-9A-F]*' members > upper
	bloomtool import -q -V upper "$f" x.bf
	rm x.bf
	tr A-F a-f < upper > lower
	refused "$f" "lower: only " -V lower
	sed 's/$/\r/' upper > returns
	run -2 --separate-stderr bloomtool import -V returns "$f" x.bf
	has "${stderr_lines[0]}" "returns: line 1 ends in a carriage return"
	has "${stderr_lines[1]}" "returns: only "
	refused "$f" "upper: only " -V upper -K utf16le
	chars=$INTEROP/guava-chars-n500-p0.01.bloom
	probes_of "$chars"
	refused "$chars" "members: only " -V members
	refused "$chars" "members: " -V members -K int64
}

# ---- what has the name ----

@test "an existing FILTER is replaced only with --force" {
	echo text > x.bf
	run -2 --separate-stderr bloomtool import "$DCSO" x.bf
	is "$stderr" "bloomtool: x.bf: File exists; --force replaces it"
	is "$(cat x.bf)" text
	bloomtool import -q --force "$DCSO" x.bf
	bloomtool import -q -f "$GUAVA" x.bf
	is "$(field x.bf scheme)" guava
	# not by what fails
	cp x.bf before
	head -c 60 "$DCSO" > bad
	run -2 --separate-stderr bloomtool import -f bad x.bf
	cmp x.bf before
	run -2 --separate-stderr bloomtool import -f -V bad "$DCSO" x.bf
	cmp x.bf before
	is "$(ls -A)" $'bad\nbefore\nx.bf'
}

@test "a FILTER that somebody adds to is waited for" {
	bloomtool import -q "$DCSO" x.bf
	coproc bloomtool add x.bf 3>&-
	writer=$COPROC_PID keys=${COPROC[1]}
	echo new >&"$keys"
	timeout 20 bash -c "until bloomtool check -q x.bf <<< new; do :; done"
	run -2 --separate-stderr bloomtool import -f -w 0.1 "$DCSO" x.bf
	is "$stderr" "bloomtool: x.bf: locked by another process, gave up \
after 0.1 seconds"
	bloomtool import -qf "$DCSO" x.bf 3>&- &
	exec {keys}>&-
	wait "$writer"
	wait $!
	is "$(field x.bf keys_added)" 60
}

# ---- what is no filter ----

@test "a filter that is cut short is refused wherever it is" {
	while read -r f; do
		[[ $f != *.bitmap ]] || continue
		import_options "$f"
		size=$(stat -c %s "$f")
		# What follows the last bit is no loss.
		[[ $f != *dcso-flor* ]] || size=304
		[[ $f != *dcso-old* ]] || size=533
		# It need not print the last, empty one.
		[[ $f != *.cli ]] || size=$((size - 3))
		for at in 0 5 24 47 48 73 $((size / 2)) $((size - 9)) \
		    $((size - 8)) $((size - 1)); do
			((at < size)) || continue
			head -c $at "$f" > bad
			refused bad "bad: " "${OPTIONS[@]}"
		done
		gzip -c "$f" > f.gz
		size=$(stat -c %s f.gz)
		for at in 10 $((size / 2)) $((size - 1)); do
			head -c $at f.gz > bad
			refused bad "bad: gzip data that are cut short" \
			    "${OPTIONS[@]}"
		done
	done < <(vectors)
}

@test "bytes behind a filter are no part of it, or an error" {
	while read -r f taken; do
		import_options "$INTEROP/$f"
		for more in '\n' 'x' 'more and more'; do
			# shellcheck disable=SC2059	# a format on purpose
			{ cat "$INTEROP/$f"; printf "$more"; } > long
			if [ "$taken" = taken ]; then
				bloomtool import -q "${OPTIONS[@]}" long x.bf
				rm x.bf
			else
				refused long "long: " "${OPTIONS[@]}"
			fi
		done
	done <<- 'END'
		dcso-edge-n60-p0.1.bloom taken
		dcso-old-v0.1.0-n500-p0.02.bloom taken
		libbloom-edge-n1000-p0.1.bloom taken
		guava-utf8-edge-p0.1.bloom refused
		bits-and-blooms-edge-n60-p0.1.bloom refused
		default.cli refused
		default.resp refused
	END
	{ cat "$INTEROP"/default.{header,bits}; echo; } > long
	refused long "long: "
}

@test "a file of another format than --from says is refused" {
	for format in dcso dcso-0.1 guava bits-and-blooms redisbloom \
	    redisbloom-2.0 redisbloom-1.1 libbloom pybloomfiltermmap3; do
		f=$DCSO
		[ $format != dcso ] || f=$GUAVA
		refused "$f" "$f: not a " -F $format
	done
	bloomtool import -q -F dcso "$DCSO" x.bf
	run -2 --separate-stderr bloomtool import -F nosuch "$DCSO" y.bf
	has "${stderr_lines[0]}" '-F, --from: "nosuch" is none of libbloom, '
}

@test "what is no filter of another program is refused" {
	bloomtool create -q -n 10 own.bf
	refused own.bf "own.bf: is a bloomtool filter already"
	refused . ".: Is a directory"
	refused gone "gone: No such file or directory"
	: > empty
	refused empty "empty: not a filter that bloomtool knows; a bitmap of \
Redis needs --from redis-bitmap"
	gzip empty
	refused empty.gz "empty.gz: not a filter"
	echo text > text
	refused text "text: not a filter"
	bloomtool import -q "$DCSO" own2.bf
	refused own2.bf "own2.bf: is a bloomtool filter already"
}

@test "what is known but cannot be read is named" {
	while read -r bytes words; do
		# shellcheck disable=SC2059	# a format on purpose
		printf "$bytes" > bad
		head -c 100 /dev/zero >> bad
		refused bad "bad: $words"
	done <<- 'END'
		\xac\xed\x00\x05 a serialised Java object
		\x02\x00\x00\x00\x00\x00\x00\x00 a filter of Poppy 2
		PAR1 a Parquet file
		REDIS0011 an RDB file
		{"m":300,"k":4,"b":" the JSON of bits-and-blooms; what its WriteTo
		\x15\x80\x10\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00 a filter out of a Parquet file
	END
	printf '1\n\1\0\0\0\0\0\0\0\0\0\0@\n13\nx\n0\n\n' > dragonfly
	refused dragonfly "dragonfly: a filter of Dragonfly"
	# shellcheck disable=SC2016	# lengths
	printf '*3\r\n$7\r\nBF.LOAD\r\n$1\r\nk\r\n$1\r\nx\r\n' > valkey
	refused valkey "valkey: a filter of valkey-bloom"
	# shellcheck disable=SC2016	# lengths
	printf '*4\r\n$12\r\nCF.LOADCHUNK\r\n$1\r\nk\r\n$1\r\n1\r\n$1\r\nx\r\n' \
	    > cuckoo
	refused cuckoo "cuckoo: a cuckoo filter"
	# 1, bytes, probes, 32 bytes of seed, the bits
	{ printf '\1'; le64 100; head -c 136 /dev/zero; } > valkey
	refused valkey "valkey: a filter of valkey-bloom"
}

# bats test_tags=slow
@test "what ../shared/interop has and cannot be read is named" {
	all_vectors
	for f in "$INTEROP"/valkey-bloom/*.bloom; do
		refused "$f" "$f: a filter of valkey-bloom"
	done
	f=$INTEROP/parquet/hello-4keys.bin
	refused "$f" "$f: a filter out of a Parquet file"
	f=$INTEROP/bits-and-blooms/json-m300-k4.json
	refused "$f" "$f: the JSON of bits-and-blooms"
	f=$INTEROP/redis-bitmap/scrapy-bit14.bitmap
	refused "$f" "$f: not a filter that bloomtool knows; a bitmap of Redis"
}

@test "what gzip announces and does not have is refused, and its space freed" {
	dcso_head $((1 << 28)) | gzip > bad.gz
	refused bad.gz "bad.gz: ends too early"
	dcso_head $((1 << 50)) | gzip > bad.gz
	refused bad.gz "x.bf: cannot reserve 1"
	dcso_head $((1 << 60)) | gzip > bad.gz
	refused bad.gz "x.bf: cannot reserve 1"
	dcso_head -1 | gzip > bad.gz
	refused bad.gz "bad.gz: DCSO bloom filter, damaged: "
	is "$(ls -A)" bad.gz
}

@test "what a stream announces takes no space before it has come" {
	mkfifo fifo
	exec 7<> fifo
	{ dcso_head $((1 << 31)); head -c 8000 /dev/zero; } >&7
	in_the_middle bloomtool import fifo x.bf 7>&-
	blocks=$(find "/proc/$pid/fd/" -printf '%p %l\n' |
		grep -E 'deleted|[.]bloomtool[.]' | cut -d ' ' -f 1 |
		xargs stat -L -c %b)
	exec 7>&-
	status=0
	wait "$pid" || status=$?
	is "$status" 2
	is "$(< said)" "bloomtool: fifo: ends too early"
	[ "$blocks" -lt 4096 ]
}

@test "what begins with the two bytes of gzip need not be compressed" {
	# 35615 keys, as a header of RedisBloom has them
	cat "$INTEROP"/default.{header,bits} > many
	for at in 0 36; do
		printf '\x1f\x8b' |
		    dd of=many bs=1 seek=$at conv=notrunc 2> /dev/null
	done
	bloomtool import -q many x.bf
	bloomtool import -q "$INTEROP/default.resp" y.bf
	same_blocks x.bf y.bf
	rm x.bf
	printf '\x1f\x8b\x01' > bits
	bloomtool import -q -F redis-bitmap -m 24 -k 1 -R guava bits x.bf
	is "$(field x.bf fill)" "$(jq -n 10/24)"
}

@test "what a small gzip file becomes without end is refused" {
	{ cat "$DCSO"; head -c 100M /dev/zero; } | gzip > bad.gz
	refused bad.gz "bad.gz: goes on too far behind its end"
	head -c 100M /dev/zero | gzip > bad.gz
	refused bad.gz "bad.gz: not a filter"
	gzip -c "$DCSO" > bad.gz
	printf '\xff' | dd of=bad.gz bs=1 seek=$(($(stat -c %s bad.gz) - 6)) \
	    conv=notrunc 2> /dev/null
	refused bad.gz "bad.gz: gzip data that cannot be inflated: incorrect"
	{ gzip -c "$DCSO"; echo text; } > bad.gz
	refused bad.gz "bad.gz: has something else behind its gzip data"
}

# ---- ends before the end ----

@test "killed in the middle it leaves FILTER as it was, and nothing else" {
	bloomtool import -q "$GUAVA" x.bf
	sum=$(sha256sum x.bf)
	dcso_head 8000000 > half
	head -c 400K /dev/zero >> half
	mkfifo in
	for signal in KILL TERM INT HUP; do
		exec 4<> in
		cat half >&4 3>&- &
		writer=$!
		in_the_middle env --default-signal=INT \
		    bloomtool import -f in x.bf
		wait "$writer"
		dies_of $signal "$pid"
		is "$(sha256sum x.bf)" "$sum"
		[ $signal = KILL ] || is "$(ls -A)" $'half\nin\nsaid\nx.bf'
		exec 4>&-
	done
}

@test "killed while it verifies it leaves nothing" {
	mkfifo in
	for signal in TERM INT; do
		exec 4<> in
		echo key >&4
		in_the_middle env --default-signal=INT \
		    bloomtool import -V in "$DCSO" x.bf
		dies_of $signal "$pid"
		is "$(ls -A)" $'in\nsaid'
		exec 4>&-
	done
}

@test "an import over a size limit is an error and leaves nothing" {
	{ dcso_head 80000000; head -c 10000000 /dev/zero; } > big
	run -2 --separate-stderr bash -c \
	    "ulimit -f 1000; bloomtool import big x.bf"
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "bloomtool: x.bf: "
	has "$stderr" "File too large"
	is "$(ls -A)" big
}

@test "SIGUSR1 asks how far it is" {
	dcso_head 8000000 > half
	head -c 400K /dev/zero >> half
	mkfifo in
	exec 4<> in
	cat half >&4 3>&- &
	writer=$!
	in_the_middle bloomtool import in x.bf
	wait "$writer"
	kill -USR1 "$pid"
	head -c 600K /dev/zero >&4
	exec 4>&-
	wait "$pid"
	[[ $(cat said) =~ ^import:\ [0-9.]+\ KiB\ of\ [0-9.]+\ KiB,\ [0-9]+\ % ]]
	has "$(tail -n 1 said)" "x.bf: imported from DCSO bloom: 0 keys"
}

# ---- how it is called ----

@test "import wants a FOREIGN and a FILTER, and a bitmap all that it lacks" {
	for arguments in "" "a" "a b c" "--bits 8 a b" "--rule guava a b" \
	    "--from redis-bitmap a b" \
	    "--from redis-bitmap --bits 8 --hashes 2 a b" \
	    "--from redis-bitmap --bits 8 --rule guava a b" \
	    "--from redis-bitmap --bits 8 --hashes 2 --rule x a b" \
	    "--from redis-bitmap --bits 0 --hashes 2 --rule guava a b" \
	    "--from redis-bitmap --bits 4294967297 --hashes 2 --rule guava a b" \
	    "--from redis-bitmap --bits 8 --hashes 256 --rule guava a b" \
	    "--key utf8 a b"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr bloomtool import $arguments
		is "$output" ""
		has "${stderr_lines[0]}" "bloomtool import: "
		has "${stderr_lines[1]}" "usage: bloomtool import "
	done
	is "$(ls -A)" ""
}
