# bloomtool export, of filters made by create --scheme or import: other programs
# can load what it writes.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
# shellcheck disable=SC2153	# OPTIONS: import_options sets it
load helper
load vectors

# Not in the folder where run keeps its own files: some tests list it.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

teardown() {
	[ -n "${SERVER-}" ] || return 0
	kill "$SERVER"
	wait "$SERVER" || true
}

# made SCHEME [OPTION...]: f.bf has all keys of the file members.
made() {
	bloomtool create -qf --scheme "$@" f.bf
	bloomtool add f.bf members
}

# served COMMAND...: see served.py.
served() {
	"$BATS_TEST_DIRNAME/served.py" "$@"
}

# start_redis: a server of our own at the socket ./redis.
start_redis() {
	local server
	command -v redis-cli > /dev/null || skip "no redis-cli here"
	# Debian's redis-tools has the server too, under another name; the
	# package redis-server would start one for the machine.
	server=$(command -v redis-server redis-check-rdb | head -n 1)
	[ -n "$server" ] || skip "no redis-server here"
	(exec -a redis-server "$server" --port 0 --unixsocket redis --save '' \
	    --appendonly no --daemonize no > redis.log 2>&1 3>&-) &
	SERVER=$!
	soon [ -S redis ]
	soon redis ping > /dev/null
}

redis() {
	redis-cli -s redis "$@"
}

# value KEY: the bytes of a string.
value() {
	redis --raw get "$1" | head -c -1
}

# on_terminal COMMAND...: what it writes there; its exit status.
on_terminal() {
	python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"
}

# ---- byte for byte ----

@test "what is added to a new filter and exported is what the program writes" {
	while read -r f format options; do
		f=$INTEROP/$f
		probes_of "$f"
		# shellcheck disable=SC2086	# several words
		made $format $options 2> /dev/null
		bloomtool export -f --to "$format" f.bf out
		cmp out "$f"
	done <<- 'END'
		dcso-edge-n60-p0.1.bloom dcso -n 60 -p 0.1
		bits-and-blooms-edge-n60-p0.1.bloom bits-and-blooms -n 60 -p 0.1
		guava-utf8-edge-p0.1.bloom guava -n 60 -p 0.1
		guava-chars-n500-p0.01.bloom guava -n 500 -p 0.01 --key utf16le
	END
}

# bats test_tags=slow
@test "new filters are byte for byte those of ../shared/interop" {
	all_vectors
	while read -r f format options; do
		cp "$INTEROP/${f%.*}.keys" members
		# shellcheck disable=SC2086	# several words
		made $format $options 2> /dev/null
		bloomtool export -f --to "$format" f.bf out
		cmp out "$INTEROP/$f"
	done <<- 'END'
		dcso/sha1upper-n500-p0.01.bloom dcso -n 500
		dcso/edge-n60-p0.1.bloom dcso -n 60 -p 0.1
		guava/bytes-n500-p0.001.bloom guava -n 500 -p 0.001
		guava/chars-n500-p0.01.bloom guava -n 500 -K utf16le
		guava/long-n200-p0.03.bloom guava -n 200 -p 0.03 -K int64
		guava/utf8-n1000-default.bloom guava -n 1000 -p 0.03
		guava/utf8-edge-p0.1.bloom guava -n 60 -p 0.1
		guava/utf8-tiny-n1-p0.5.bloom guava -n 1 -p 0.5
		bits-and-blooms/edge-n60-p0.1.bloom bits-and-blooms -n 60 -p 0.1
	END
}

# with_delete FILE NAME: what export writes for a dump.
with_delete() {
	# shellcheck disable=SC2016	# lengths
	printf '*2\r\n$3\r\nDEL\r\n$%d\r\n%s\r\n' ${#2} "$2"
	cat "$1"
}

@test "a new filter of RedisBloom is byte for byte what BF.ADD makes" {
	probes_of "$INTEROP/default.resp"
	made redisbloom -n 100 --grow
	bloomtool export -t redisbloom -n default f.bf out
	with_delete "$INTEROP/default.resp" default | cmp - out
}

# bats test_tags=slow
@test "filters of RedisBloom are byte for byte those of ../shared/interop" {
	all_vectors
	while read -r name options; do
		cp "$INTEROP/redisbloom/$name.keys" members
		# shellcheck disable=SC2086	# several words
		made redisbloom $options
		bloomtool export -ft redisbloom -n "$name" f.bf out
		bloomtool import -q "$INTEROP/redisbloom/$name.resp" theirs.bf
		cmp -i 8192 f.bf theirs.bf
		served header out > ours
		with_delete "$INTEROP/redisbloom/$name.resp" "$name" > theirs
		served header theirs | cmp - ours
		cmp out theirs
		rm theirs.bf
	done <<- 'END'
		default -n 100 --grow
		scaled-n100-p0.01 -n 100 -p 0.01 --grow
		reserved-n10000-p0.001 -n 10000 -p 0.001 --grow
		nonscaling-n300-p0.05 -n 300 -p 0.05 --full stop
	END
}

# bats test_tags=slow
@test "filters are as large as those of ../shared/interop" {
	all_vectors
	while read -r scheme unit n p m k; do
		# Larger ones would fill the disk.
		((m < 3000000)) || continue
		bloomtool create -q --scheme "$scheme" -n "$n" -p "$p" \
		    "$scheme $n $p.bf"
		echo "$scheme $n $p.bf $scheme" \
		    $(((m + unit - 1) / unit * unit)) "$k" >> wanted
	done < <(
		sed 's/^/guava 64 /' "$INTEROP/guava/sizes.tsv"
		sed 's/^/bits-and-blooms 1 /' "$INTEROP/bits-and-blooms/sizes.tsv"
	)
	bloomtool stats --json -- *.bf |
	    jq -r '[.file, .scheme, .bits, .probes] | join(" ")' > got
	[ -s got ]
	sort wanted | diff - <(sort got)
}

@test "what was imported is exported again byte for byte" {
	while read -r f; do
		case $f in
		*dcso-old* | *libbloom* | *pybloom* | *.cli | *.v*) continue ;;
		*dcso*) to=dcso ;;
		*bits-and-blooms*) to=bits-and-blooms ;;
		*guava*.bloom) to=guava ;;
		*.resp) to="redisbloom -n $(basename "$f" .resp)" ;;
		*.bitmap) to="redis-bitmap -n k" ;;
		esac
		import_options "$f"
		bloomtool import -qf "${OPTIONS[@]}" "$f" f.bf
		# shellcheck disable=SC2086	# several words
		bloomtool export --to $to f.bf > out
		case $f in
		*dcso-flor*) head -c 304 "$f" | cmp - out ;;
		*.resp) with_delete "$f" "${to#* -n }" | cmp - out ;;
		*.bitmap)
			# one command, whose last argument this is
			n=$(stat -c %s "$f")
			tail -c $((n + 2)) out | head -c "$n" | cmp - "$f"
			;;
		*) cmp "$f" out ;;
		esac
		done=("${done[@]}" "$f")
	done < <(vectors)
	is ${#done[@]} 12
}

@test "an old filter of RedisBloom is exported as one of today" {
	f=$INTEROP/scaled-n50-p0.02.v2.0.3.cli
	import_options "$f"
	probes_of "$f"
	bloomtool import -q "${OPTIONS[@]}" "$f" f.bf
	bloomtool export -t redisbloom -n k f.bf out
	served redisbloom out k < keys | cmp - members
	bloomtool import -q -V members out new.bf
	answers new.bf
	# but not one whose hash nobody has
	f=$INTEROP/scaled-n50-p0.02.v1.1.1.cli
	import_options "$f"
	bloomtool import -qf "${OPTIONS[@]}" "$f" f.bf
	run -2 --separate-stderr bloomtool export -t redisbloom -n k f.bf
	is "$output" ""
	has "$stderr" "bloomtool: f.bf: no RedisBloom since 2.0.2 has its hash"
}

@test "what was exported is imported with all it had" {
	seq 300 > members
	for scheme in dcso guava bits-and-blooms redisbloom; do
		made $scheme -n 400 -p 0.001
		name=()
		[ $scheme != redisbloom ] || name=(--name "a key")
		bloomtool export -t $scheme "${name[@]}" f.bf out
		bloomtool import -qf -V members out new.bf
		cmp -i 8192 f.bf new.bf
		bloomtool export -t $scheme "${name[@]}" new.bf | cmp - out
		rm out
	done
}

# ---- programs that are here ----

@test "DCSO's own program makes the same files, and answers alike" {
	command -v bloom > /dev/null || skip "no bloom here"
	seq 700 > members
	seq 601 20000 > keys
	while read -r n p; do
		rm -f theirs* ours* out
		# It would add what it can read.
		bloom create -n "$n" -p "$p" theirs < /dev/null
		bloomtool create -qf --scheme dcso -n "$n" -p "$p" f.bf
		bloomtool export -t dcso f.bf ours
		cmp theirs ours
		bloom insert theirs < members
		bloomtool add f.bf members
		bloomtool export -ft dcso f.bf ours
		cmp theirs ours
		bloom check ours < keys > wanted
		bloomtool check f.bf keys | cmp - wanted
	done <<- 'END'
		1000 0.01
		700 0.1
		1 0.5
		12345 0.0001
		100000 0.000001
	END
	# from theirs to ours and back
	bloomtool import -qf theirs f.bf
	seq 5000 5100 | bloomtool add f.bf
	bloomtool export --gzip -t dcso f.bf back.gz
	seq 5000 5100 | bloom --gzip check back.gz | cmp - <(seq 5000 5100)
	bloom --gzip insert back.gz < keys
	bloomtool import -qf -V keys back.gz f.bf
}

# ---- Redis ----

# load_bitmap FILTER KEY
load_bitmap() {
	bloomtool export --to redis-bitmap --name "$2" "$1" |
	    redis --pipe > pipe.log
	has "$(cat pipe.log)" "errors: 0, replies: "
}

@test "a bitmap in Redis answers as the filter does, by GETBIT" {
	start_redis
	f=$INTEROP/dcso-flor-n250-p0.02.bloom
	probes_of "$f"
	for scheme in guava guava-bitmap go-zero; do
		made $scheme -n 180 -p 0.1
		bloomtool check f.bf keys > wanted
		load_bitmap f.bf "a key of $scheme"
		served bitmap redis "a key of $scheme" $scheme \
		    "$(field f.bf bits)" "$(field f.bf probes)" < keys > got
		cmp got wanted
		# some are wrong, not all
		(($(wc -l < got) > $(wc -l < members) - 20))
		(($(wc -l < got) < $(wc -l < keys)))
	done
}

@test "bitmaps of Redis are in Redis what they were" {
	start_redis
	while read -r f; do
		[[ $f == *.bitmap ]] || continue
		import_options "$f"
		probes_of "$f"
		bloomtool import -qf "${OPTIONS[@]}" "$f" f.bf
		load_bitmap f.bf k
		value k | cmp - "$f"
		served bitmap redis k "$(field f.bf scheme)" \
		    "$(field f.bf bits)" "$(field f.bf probes)" < keys > got
		cmp got members
		# and back
		value k | bloomtool import -qf "${OPTIONS[@]}" - g.bf
		cmp -i 8192 f.bf g.bf
		redis --raw get k |
		    bloomtool import -qf "${OPTIONS[@]}" - g.bf
		cmp -i 8192 f.bf g.bf
	done < <(vectors)
}

@test "loading a bitmap again replaces what the key had" {
	start_redis
	seq 100 > members
	made guava-bitmap -n 1000
	load_bitmap f.bf k
	value k > first
	load_bitmap f.bf k
	value k | cmp - first
	redis set other "$(seq 1000)" > /dev/null
	redis sadd set a b > /dev/null
	bloomtool create -q --like f.bf empty.bf
	for key in k other set; do
		load_bitmap empty.bf $key
		value $key | cmp - <(head -c "$(stat -c %s first)" /dev/zero)
	done
}

# bats test_tags=slow
@test "a bitmap of many commands is whole in Redis" {
	start_redis
	seq 20000 > members
	seq 19000 21000 > keys
	made guava-bitmap -n 3500000 -p 0.03
	n=$(($(field f.bf bits) / 8 + 1))
	((n > 3 << 20))
	load_bitmap f.bf k
	is "$(tail -n 1 pipe.log)" "errors: 0, replies: 5"
	is "$(redis strlen k)" "$n"
	bloomtool check f.bf keys > wanted
	served bitmap redis k guava-bitmap "$(field f.bf bits)" \
	    "$(field f.bf probes)" < keys | cmp - wanted
	value k | bloomtool import -q -F redis-bitmap -R guava -k 5 \
	    -m "$(field f.bf bits)" -V members - g.bf
	cmp -i 8192 f.bf g.bf
}

@test "--name goes with what is for Redis, and is needed there" {
	run -2 --separate-stderr bloomtool export -t redisbloom f.bf
	is "${stderr_lines[0]}" "bloomtool export: --to redisbloom needs --name \
(the key in Redis)"
	run -2 --separate-stderr bloomtool export -t dcso -n k f.bf
	has "${stderr_lines[0]}" "--name, the key in Redis, goes with --to"
}

@test "a key may have any name" {
	start_redis
	seq 100 > members
	made guava-bitmap -n 100
	long=$(printf 'x%.0s' {1..1024})
	for name in "a b" $'two\nlines\r\n' "größe" '*4' "{user}:seen" \
	    "$long"; do
		load_bitmap f.bf "$name"
		is "$(redis exists "$name")" 1
		bloomtool create -q --scheme redisbloom -n 100 r.bf
		bloomtool export -t redisbloom -n "$name" r.bf out.resp
		bloomtool import -q -n "$name" out.resp new.bf
		rm new.bf r.bf out.resp
	done
	for name in "" "x$long"; do
		run -2 --separate-stderr bloomtool export -t redis-bitmap \
		    -n "$name" f.bf out
		has "${stderr_lines[0]}" "--name: wanted 1 to 1024 bytes"
		[ ! -e out ]
	done
}

@test "RedisBloom would load what export writes, and answer alike" {
	f=$INTEROP/dcso-flor-n250-p0.02.bloom
	probes_of "$f"
	while read -r options; do
		# shellcheck disable=SC2086	# several words
		made redisbloom $options 2> /dev/null
		bloomtool check f.bf keys > wanted
		bloomtool export -f --to redisbloom --name "k 1" f.bf out
		served redisbloom out "k 1" < keys | cmp - wanted
		is "$(served header out | jq .items)" "$(field f.bf keys_added)"
	done <<- 'END'
		-n 200
		-n 250 -p 0.2
		-n 250 -p 0.5
		-n 1000 -p 1e-6
		-n 10 -p 0.05 --grow
		-n 7 -p 0.3 --grow
	END
}

@test "a filter of RedisBloom of many commands and sub-filters is whole" {
	seq 900000 > members
	made redisbloom -n 400000 -p 0.01 --grow
	bloomtool export -t redisbloom -n k f.bf out
	# 576 KB and 1.2 MB: none crosses from one to the other
	is "$(served header out | jq -c '[.chunks, (.filters | length)]')" \
	    "[3,2]"
	seq 899950 900050 > keys
	bloomtool check f.bf keys > wanted
	served redisbloom out k < keys | cmp - wanted
}

# ---- where it goes ----

# bats test_tags=valgrind
@test "export writes to standard output or FILE, by gzip or not" {
	seq 100 > members
	made dcso -n 100
	bloomtool export -t dcso f.bf > out1
	bloomtool export -t dcso f.bf - > out2
	run -0 --separate-stderr bloomtool export -t dcso f.bf out3
	is "$output$stderr" ""
	bloomtool export --gzip -t dcso f.bf | zcat > out4
	bloomtool export -Z -t dcso f.bf out5.gz
	gzip -t out5.gz
	zcat out5.gz > out5
	for i in 2 3 4 5; do
		cmp out1 out$i
	done
	(umask 027; bloomtool export -t dcso f.bf out6)
	is "$(stat -c %a out6)" 640
}

@test "an existing FILE is replaced only with --force" {
	seq 100 > members
	made dcso -n 100
	echo text > out
	run -2 --separate-stderr bloomtool export -t dcso f.bf out
	is "$stderr" "bloomtool: out: File exists; --force replaces it"
	is "$(cat out)" text
	chmod 604 out
	bloomtool export -f -t dcso f.bf out
	bloomtool export -t dcso f.bf | cmp - out
	is "$(stat -c %a out)" 604
	# not by what fails, not what is no file, and no filter of ours
	bloomtool create -q -n 10 native.bf
	run -2 --separate-stderr bloomtool export --force -t dcso native.bf out
	bloomtool export -t dcso f.bf | cmp - out
	mkdir dir
	ln -s out link
	head -c 100 native.bf > cut.bf
	for file in dir link /dev/null native.bf f.bf cut.bf; do
		run -2 --separate-stderr bloomtool export -ft dcso f.bf $file
		is "${#stderr_lines[@]}" 1
		has "$stderr" "bloomtool: $file: "
	done
	[ -L link ]
	run -2 --separate-stderr bloomtool export -t dcso f.bf gone/out
	is "$stderr" "bloomtool: gone/out: No such file or directory"
	is "$(find . -name '.bloomtool*')" ""
}

@test "a terminal gets no filter" {
	seq 100 > members
	made dcso -n 100
	for file in "" -; do
		# shellcheck disable=SC2086	# none, or one word
		run -2 on_terminal bloomtool export -t dcso f.bf $file
		is "${output%$'\r'}" "bloomtool: stdout: a terminal, will not\
 write a filter to it"
	done
}

@test "a full disk, a size limit and a closed pipe" {
	seq 100 > members
	made dcso -n 1e6
	run -2 --separate-stderr bash -c "bloomtool export -t dcso f.bf > /dev/full"
	is "$stderr" "bloomtool: stdout: No space left on device"
	run -2 --separate-stderr bash -c \
	    "ulimit -f 500; bloomtool export -t dcso f.bf out"
	is "${#stderr_lines[@]}" 1
	has "$stderr" "bloomtool: out: "
	has "$stderr" "File too large"
	is "$(ls -A)" $'f.bf\nmembers'
	run -0 --separate-stderr bash -c \
	    "bloomtool export -t dcso f.bf | head -c 8 | od -An -tx1"
	is "$output" " 01 00 00 00 00 00 00 00"
	is "$stderr" ""
}

@test "killed before a full pipe it ends by the signal" {
	seq 100 > members
	made dcso -n 1e6
	mkfifo out
	for signal in TERM INT; do
		exec 4<> out
		env --default-signal=INT bloomtool export -t dcso f.bf \
		    > out 2> said 3>&- 4>&- &
		writer=$!
		timeout 20 head -c 1000 <&4 > /dev/null
		dies_of $signal "$writer"
		exec 4>&-
	done
}

@test "killed in the middle it leaves FILE as it was, and nothing else" {
	head -c 25M /dev/urandom | bloomtool import -q -F redis-bitmap -k 14 \
	    -R go-zero -m $((25 << 23)) - f.bf
	echo before > out
	for signal in KILL TERM INT HUP; do
		in_the_middle env --default-signal=INT bloomtool export -fZ \
		    -t redis-bitmap -n k f.bf out
		dies_of $signal "$pid"
		is "$(cat out)" before
		[ $signal = KILL ] || is "$(ls -A)" $'f.bf\nout\nsaid'
	done
}

# ---- refusals ----

@test "what the other side could not ask is refused, with what to do" {
	seq 60 > members
	bloomtool create -q -n 100 native.bf
	made dcso -n 100
	mv f.bf dcso.bf
	while read -r filter to scheme; do
		name=()
		[[ $to != redis* ]] || name=(-n k)
		run -2 --separate-stderr bloomtool export -t "$to" \
		    "${name[@]}" "$filter" out
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "bloomtool: $filter: its bits follow "
		has "$stderr" "add its keys to a filter made with \"create \
--scheme $scheme\" and export that"
		[ ! -e out ]
	done <<- 'END'
		native.bf dcso dcso
		native.bf guava guava
		native.bf bits-and-blooms bits-and-blooms
		native.bf redisbloom redisbloom
		native.bf redis-bitmap guava-bitmap
		dcso.bf guava guava
		dcso.bf bits-and-blooms bits-and-blooms
		dcso.bf redisbloom redisbloom
	END
	bloomtool export -t dcso dcso.bf dcso.bloom
	run -2 --separate-stderr bloomtool export -t dcso dcso.bloom
	has "$stderr" "dcso.bloom: a DCSO bloom filter, which"
	run -2 --separate-stderr bloomtool export -t dcso members
	is "$stderr" "bloomtool: members: not a bloomtool filter"
}

@test "a bitmap of a Guava helper is Guava's, if it has whole words" {
	seq 60 > members
	bloomtool import -q -F redis-bitmap -R guava -m 640 -k 5 /dev/null f.bf
	bloomtool add f.bf members
	bloomtool export -t guava f.bf out
	is "$(head -c 2 out | od -An -tx1)" " 00 05"
	bloomtool check out members | cmp - members
	bloomtool import -qf -F redis-bitmap -R guava -m 650 -k 5 /dev/null f.bf
	run -2 --separate-stderr bloomtool export -t guava f.bf
	has "$stderr" "f.bf: 650 bits are no whole words of 64"
}

@test "layers go to RedisBloom only" {
	seq 600 > members
	made redisbloom -n 100 -p 0.01 --grow
	run -2 --separate-stderr bloomtool export -t redis-bitmap -n k f.bf out
	is "${#stderr_lines[@]}" 1
	has "$stderr" "bloomtool: f.bf: has grown to 3 layers"
	[ ! -e out ]
	bloomtool export -t redisbloom -n k f.bf out
}

@test "bits that RedisBloom could not count are refused" {
	cat "$INTEROP"/default.{header,bits} > odd
	printf '\x7d\x04' | dd of=odd bs=1 seek=28 conv=notrunc 2> /dev/null
	bloomtool import -q odd f.bf
	run -2 --separate-stderr bloomtool export -t redisbloom -n k f.bf out
	is "${#stderr_lines[@]}" 1
	has "$stderr" "bloomtool: f.bf: 1149 bits are no whole bytes"
	[ ! -e out ]
}

@test "a filter that may lack keys is refused" {
	seq 60 > members
	made dcso -n 100
	printf '\1' | dd of=f.bf bs=1 seek=4104 conv=notrunc 2> /dev/null
	run -2 --separate-stderr bloomtool export -t dcso f.bf out
	is "$output" ""
	has "${stderr_lines[0]}" "f.bf: keys added since"
	has "${stderr_lines[1]}" "bloomtool recover f.bf"
	[ ! -e out ]
	bloomtool recover -q f.bf members
	bloomtool export -t dcso f.bf out
}

@test "an export may be made while somebody adds" {
	seq 60 > members
	made dcso -n 100
	coproc bloomtool add f.bf 3>&-
	writer=$COPROC_PID keys=${COPROC[1]}
	echo new >&"$keys"
	timeout 20 bash -c "until bloomtool check -q f.bf <<< new; do :; done"
	bloomtool export -t dcso f.bf out
	exec {keys}>&-
	wait "$writer"
	bloomtool check -q out <<< new
	is "$(bloomtool check -c out members)" 60
}

# ---- how it is called ----

@test "create --scheme takes keys and rate, and a key for some" {
	for arguments in "--scheme nosuch -n 10" "--scheme dcso" \
	    "--scheme dcso -p 0.1" "--scheme guava -s 1000 -n 10" \
	    "--scheme dcso -n 10 --prefer speed" "--scheme dcso -n 10 -S 1" \
	    "--scheme dcso -n 10 -g" "--scheme libbloom -n 10" \
	    "-n 10 --key utf16le" "--scheme guava -n 10 --key utf8" \
	    "--scheme dcso --like f.bf"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr bloomtool create $arguments f.bf
		is "$output" ""
		is "${#stderr_lines[@]}" 2
		has "${stderr_lines[0]}" "bloomtool create: "
		has "${stderr_lines[1]}" "usage: bloomtool create "
	done
	is "$(ls -A)" ""
}

@test "a filter like another has its scheme and encoding" {
	bloomtool create -q --scheme guava -n 500 --key utf16le a.bf
	bloomtool create -q --like a.bf b.bf
	probes_of "$INTEROP/guava-chars-n500-p0.01.bloom"
	bloomtool add b.bf members
	bloomtool export -t guava b.bf |
	    cmp - "$INTEROP/guava-chars-n500-p0.01.bloom"
	bloomtool add --create --scheme guava -n 500 --key utf16le c.bf members \
	    2> /dev/null
	cmp -i 8192 b.bf c.bf
	bloomtool union -q -o d.bf a.bf b.bf
	cmp -i 8192 d.bf b.bf
}

@test "export wants a format and a FILTER, and for Redis a key" {
	bloomtool create -q --scheme dcso -n 10 f.bf
	for arguments in "" "f.bf" "-t dcso" "-t nosuch f.bf" \
	    "-t libbloom f.bf" "-t dcso f.bf a b" "-t dcso -n k f.bf" \
	    "-t redisbloom f.bf" "-t redis-bitmap f.bf"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr bloomtool export $arguments
		is "$output" ""
		is "${#stderr_lines[@]}" 2
		has "${stderr_lines[0]}" "bloomtool export: "
		has "${stderr_lines[1]}" "usage: bloomtool export "
	done
	is "$(ls -A)" f.bf
}
