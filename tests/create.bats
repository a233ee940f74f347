# bloomtool create: what it makes, what it says, and that it makes a file
# whole or not at all.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# Not in the folder where run keeps its own files: some tests list it.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

# plain COMMAND...: without root's right to ignore permissions.
plain() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set -dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

# Where mounting harms nobody: sets INSIDE, or skips.
need_mounts() {
	for flags in -m -rm; do
		INSIDE=(unshare "$flags")
		if "${INSIDE[@]}" mount -t tmpfs none . 2> /dev/null; then
			return
		fi
	done
	skip "cannot mount anything here"
}

# refused ARGUMENT...: two lines, exit 2, and no file.
refused() {
	run -2 --separate-stderr timeout 5 bloomtool create "$@" f.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	[ ! -e f.bf ]
}

# A filter's blocks.
blocks() {
	tail -c +8193 "$1" | sha256sum
}

# Everything that stats tells of what was asked for and of the shape.
shape() {
	bloomtool stats --json "$1" | jq -c '[.keys_wanted, .rate_wanted, .bits,
	    .blocks, .probes, .blocks_per_key, .bits_per_key, .size_bytes]'
}

size_of() {
	wc -c < "$1"
}

# bats test_tags=valgrind
@test "create from keys and rate fixes the size" {
	run -0 --separate-stderr bloomtool create -n 100000 -p 0.001 f.bf
	is "$output" ""
	is "$(field f.bf keys_wanted)" 100000
	is "$(field f.bf rate_wanted)" 0.001
	# DESIGN.md, section 3: 15.488 bits a key, in whole blocks
	size=$(size_of f.bf)
	((size > 8192 + 100000 * 15488 / 8000 - 64))
	((size < 8192 + 100000 * 15643 / 8000 + 64))
}

@test "create from keys and size fixes the rate" {
	run -0 --separate-stderr bloomtool create -n 100000 -s 200000 f.bf
	is "$(field f.bf keys_wanted)" 100000
	size=$(size_of f.bf)
	((size <= 200000 && size > 200000 - 64))
	# 15.34 bits a key: a little over 0.001
	is "$(field f.bf 'rate_wanted > 0.00100 and .rate_wanted < 0.00115')" \
	    true
}

@test "create from rate and size fixes the keys" {
	run -0 --separate-stderr bloomtool create -p 0.001 -s 200000 f.bf
	is "$(field f.bf rate_wanted)" 0.001
	size=$(size_of f.bf)
	((size <= 200000 && size > 200000 - 64))
	keys=$(field f.bf keys_wanted)
	((keys > 98000 && keys < 99500))
}

@test "create with keys alone takes a rate of 0.01" {
	run -0 --separate-stderr bloomtool create -n 5000 f.bf
	is "$(field f.bf keys_wanted)" 5000
	is "$(field f.bf rate_wanted)" 0.01
}

@test "create with size alone takes a rate of 0.01" {
	run -0 --separate-stderr bloomtool create -s 1MB f.bf
	is "$(field f.bf rate_wanted)" 0.01
	size=$(size_of f.bf)
	((size <= 1000000 && size > 1000000 - 64))
}

@test "create refuses keys, rate and size together" {
	refused -n 1000 -p 0.01 -s 10000
	has "${stderr_lines[0]}" "--keys, --rate and --size"
}

@test "create refuses a size too small for the keys or the rate" {
	refused -n 1e6 -s 10000
	has "${stderr_lines[0]}" "10000 bytes"
	has "${stderr_lines[0]}" "1000000 keys"
}

@test "create says on stderr what it made" {
	run -0 --separate-stderr bloomtool create -n 10M -p 0.01 f.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	size=$(size_of f.bf)
	for part in f.bf "10000000 keys" "rate 0.01" " bits a key" \
	    "6 probes" "11.8 MiB" "($size bytes)"; do
		has "$stderr" "$part"
	done
	per_key=$(field f.bf bits_per_key)
	has "$stderr" "$(printf %.2f "$per_key") bits a key"
}

@test "create -q and --quiet say nothing" {
	for option in -q --quiet; do
		run -0 --separate-stderr bloomtool create $option -n 100 f.bf
		is "$output" ""
		is "$stderr" ""
		[ -s f.bf ]
		rm f.bf
	done
}

@test "create -q keeps its errors" {
	run -2 --separate-stderr bloomtool create -q -n 100 nowhere/f.bf
	has "$stderr" "nowhere/f.bf: No such file or directory"
}

@test "create --prefer space makes the smaller file, --prefer speed fewer blocks a key" {
	bloomtool create -q -n 100000 -p 1e-4 f.bf
	bloomtool create -q -n 100000 -p 1e-4 --prefer speed speed.bf
	bloomtool create -q -n 100000 -p 1e-4 --prefer space space.bf
	is "$(shape f.bf)" "$(shape speed.bf)"
	is "$(field speed.bf blocks_per_key)" 1
	(($(field space.bf blocks_per_key) > 1))
	(($(size_of space.bf) * 100 < $(size_of speed.bf) * 92))
	is "$(field space.bf rate_wanted)" 0.0001
}

@test "create --prefer refuses other words" {
	for word in fast SPEED "" spac; do
		refused -n 1000 --prefer "$word"
		has "${stderr_lines[0]}" "--prefer"
		has "${stderr_lines[0]}" "speed"
		has "${stderr_lines[0]}" "space"
	done
}

@test "create --seed makes the same file, but for the time of its making" {
	bloomtool create -q -n 1000 --seed 42 --note x a.bf
	bloomtool create -q -n 1000 --seed 42 --note x b.bf
	[ -s a.bf ]
	# creation time at 96, checksum of the page at 4088
	cmp -l a.bf b.bf > differ || true
	is "$(awk '{ at = $1 - 1 }
	    !(at >= 96 && at < 104 || at >= 4088 && at < 4096)' differ)" ""
	is "$(size_of a.bf)" "$(size_of b.bf)"
}

@test "create --seed gives the same blocks for the same keys" {
	bloomtool create -q -n 1000 --seed 42 a.bf
	bloomtool create -q -n 1000 --seed 42 b.bf
	bloomtool create -q -n 1000 --seed 43 c.bf
	for f in a b c; do
		seq 1000 | bloomtool add $f.bf
	done
	is "$(blocks a.bf)" "$(blocks b.bf)"
	[ "$(blocks a.bf)" != "$(blocks c.bf)" ]
}

@test "create --seed is the same in decimal and in hexadecimal" {
	while read -r decimal hex shown; do
		bloomtool create -q -n 1000 --seed "$decimal" a.bf
		bloomtool create -q -n 1000 --seed "$hex" b.bf
		is "$(field a.bf seed)" "$shown"
		is "$(field b.bf seed)" "$shown"
		rm a.bf b.bf
	done <<- END
		0 0x0 0x0000000000000000
		255 0xff 0x00000000000000ff
		255 0XFF 0x00000000000000ff
		1e3 0x3e8 0x00000000000003e8
		18446744073709551615 0xffffffffffffffff 0xffffffffffffffff
		1311768467463790320 0x123456789aBCdef0 0x123456789abcdef0
	END
}

@test "create without --seed takes another one each time" {
	for i in 1 2 3 4; do
		bloomtool create -q -n 1000 $i.bf
		field $i.bf seed
	done > seeds
	is "$(sort -u seeds | wc -l)" 4
}

@test "create --like takes shape, rate and seed, and no keys" {
	bloomtool create -q -n 12345 -p 1e-7 --prefer space --note old a.bf
	seq 100 | bloomtool add a.bf
	run -0 --separate-stderr bloomtool create --like a.bf b.bf
	is "$output" ""
	has "$stderr" "12345 keys"
	is "$(shape b.bf)" "$(shape a.bf)"
	is "$(field b.bf seed)" "$(field a.bf seed)"
	is "$(field b.bf keys_added)" 0
	seq 100 | bloomtool add b.bf
	is "$(blocks b.bf)" "$(blocks a.bf)"
}

@test "create --like refuses options that it takes from the filter" {
	bloomtool create -q -n 1000 a.bf
	for option in "-n 1000" "-p 0.01" "-s 1MB" "--seed 1" \
	    "--prefer space"; do
		# shellcheck disable=SC2086	# two words
		refused --like a.bf $option
		has "${stderr_lines[0]}" "--like"
	done
}

@test "create --like of no filter is refused and makes nothing" {
	run -2 --separate-stderr bloomtool create --like gone.bf f.bf
	is "${#stderr_lines[@]}" 1
	has "$stderr" "gone.bf: No such file or directory"
	[ ! -e f.bf ]
	echo text > text
	run -2 --separate-stderr bloomtool create --like text f.bf
	is "${#stderr_lines[@]}" 1
	has "$stderr" "text: not a bloomtool filter"
	[ ! -e f.bf ]
}

@test "create --note is kept and shown" {
	run -0 --separate-stderr bloomtool create -q -n 1000 \
	    --note "URLs seen by the crawler, ä" f.bf
	run -0 --separate-stderr bloomtool stats f.bf
	is "$(grep -c '^note  *URLs seen by the crawler, ä$' <<< "$output")" 1
	is "$(field f.bf note)" "URLs seen by the crawler, ä"
}

@test "create without --note keeps none" {
	bloomtool create -q -n 1000 f.bf
	bloomtool create -q -n 1000 --note "" g.bf
	for f in f.bf g.bf; do
		is "$(bloomtool stats --json $f | jq .note)" '""'
		run -0 --separate-stderr bloomtool stats $f
		is "$(grep -c '^note' <<< "$output")" 0
	done
}

@test "create --note takes 1024 bytes and no more" {
	longest=$(printf '%01024d' 7)
	run -0 --separate-stderr bloomtool create -q -n 1000 --note "$longest" \
	    g.bf
	is "$(field g.bf note)" "$longest"
	refused -n 1000 --note "x$longest"
	has "${stderr_lines[0]}" "--note"
	has "${stderr_lines[0]}" "1025"
	has "${stderr_lines[0]}" "1024"
}

@test "a note cannot control the terminal" {
	bloomtool create -q -n 1000 \
	    --note $'a\tb\e[31mred\nline\r\x7f\x01' f.bf
	bloomtool stats f.bf > out
	is "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' out)" 0
	is "$(grep '^note' out | sed 's/^note *//')" \
	    'a\x09b\x1b[31mred\x0aline\x0d\x7f\x01'
	is "$(field f.bf note)" $'a\tb\e[31mred\nline\r\x7f\x01'
}

@test "create refuses to replace a file" {
	bloomtool create -q -n 1000 f.bf
	seq 100 | bloomtool add f.bf
	echo precious > text
	ln -s text link
	for file in f.bf text link; do
		before=$(sha256sum f.bf text; ls -lA --full-time)
		run -2 --separate-stderr bloomtool create -n 5 $file
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "$file: File exists"
		has "$stderr" "--force"
		is "$(sha256sum f.bf text; ls -lA --full-time)" "$before"
	done
	run -2 --separate-stderr bloomtool create -n 5 .
	is "${#stderr_lines[@]}" 1
	has "$stderr" "bloomtool: .: "
}

@test "create --force and -f replace a file" {
	for option in -f --force; do
		bloomtool create -q -n 1000 f.bf
		seq 100 | bloomtool add f.bf
		run -0 --separate-stderr bloomtool create $option -n 5000 f.bf
		has "$stderr" "5000 keys"
		is "$(field f.bf keys_wanted)" 5000
		is "$(field f.bf keys_added)" 0
		is "$(ls -A)" f.bf
		rm f.bf
		run -0 --separate-stderr bloomtool create -q $option -n 7 f.bf
		is "$(field f.bf keys_wanted)" 7
		rm f.bf
	done
}

@test "create --force leaves readers of the old file alone" {
	bloomtool create -q -n 1000 f.bf
	echo old | bloomtool add f.bf
	exec 7< f.bf
	bloomtool create -q -f -n 1000 f.bf
	run -1 --separate-stderr bloomtool check f.bf <<< old
	run -0 --separate-stderr bloomtool check /dev/fd/7 <<< old
	is "$output" old
}

@test "create --force that fails leaves the old file" {
	bloomtool create -q -n 1000 f.bf
	seq 100 | bloomtool add f.bf
	before=$(sha256sum f.bf; ls -lA --full-time)
	run -2 --separate-stderr bloomtool create -f -n 1e15 f.bf
	run -2 --separate-stderr bloomtool create -f -n -1 f.bf
	run -2 --separate-stderr bash -c \
	    "ulimit -f 100; bloomtool create -f -n 1e6 f.bf"
	is "$(sha256sum f.bf; ls -lA --full-time)" "$before"
}

@test "create --force does not replace what is no file" {
	mkdir dir
	mkfifo fifo
	for name in dir fifo; do
		run -2 --separate-stderr bloomtool create -f -n 1000 $name
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "$name: "
	done
	[ -p fifo ]
	is "$(ls -A . dir)" "$(printf '%s\n' .: dir fifo "" dir:)"
}

@test "create gives the file the permissions that the umask leaves" {
	while read -r mask mode; do
		for force in "" -f; do
			(umask "$mask"; bloomtool create -q $force -n 10 f.bf)
			is "$(stat -c %a f.bf)" "$mode"
			[ -n "$force" ] || rm f.bf
		done
		rm f.bf
	done <<- END
		022 644
		002 664
		077 600
		027 640
		000 666
	END
}

@test "create makes a file elsewhere, and only that" {
	mkdir -p sub/dir
	bloomtool create -q -n 1000 sub/dir/f.bf
	is "$(ls -A . sub/dir)" "$(printf '%s\n' .: sub "" sub/dir: f.bf)"
	bloomtool create -q -n 1000 "$PWD/sub/g.bf"
	is "$(ls -A sub)" "$(printf '%s\n' dir g.bf)"
}

@test "create in a directory without permission leaves nothing" {
	mkdir dir
	chmod 555 dir
	plain [ ! -w dir ] || skip "permissions do not hold here"
	run -2 --separate-stderr plain bloomtool create -n 1000 dir/f.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "dir/f.bf: Permission denied"
	is "$(ls -A dir)" ""
}

@test "create where there is no directory leaves nothing" {
	echo text > file
	run -2 --separate-stderr bloomtool create -n 1000 nowhere/f.bf
	is "${#stderr_lines[@]}" 1
	has "$stderr" "nowhere/f.bf: No such file or directory"
	run -2 --separate-stderr bloomtool create -n 1000 file/f.bf
	is "${#stderr_lines[@]}" 1
	has "$stderr" "file/f.bf: Not a directory"
	run -2 --separate-stderr bloomtool create -n 1000 ""
	is "${#stderr_lines[@]}" 1
	is "$(ls -A)" file
}

@test "create on a full disk fails there and leaves nothing" {
	need_mounts
	mkdir disk
	# shellcheck disable=SC2016	# for the inner shell
	run -0 --separate-stderr "${INSIDE[@]}" bash -eu -c '
		mount -t tmpfs -o size=1m none disk
		bloomtool create -q -n 1000 disk/old.bf
		seq 100 | bloomtool add disk/old.bf
		before=$(sha256sum disk/old.bf)
		for arguments in disk/f.bf "-f disk/f.bf" "-f disk/old.bf"; do
			s=0
			bloomtool create -n 1.5e6 $arguments 2>> messages || s=$?
			[ $s = 2 ]
		done
		[ "$(ls -A disk)" = old.bf ]
		[ "$(sha256sum disk/old.bf)" = "$before" ]
		# the space is free again
		bloomtool create -q -n 600000 disk/f.bf'
	is "$(wc -l < messages)" 3
	is "$(grep -c '^bloomtool: disk/.*\.bf: .*No space left' messages)" 3
}

@test "create over a size limit is an error and leaves nothing" {
	run -2 --separate-stderr bash -c \
	    "ulimit -f 100; bloomtool create -n 1e6 f.bf"
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: "
	has "$stderr" "File too large"
	is "$(ls -A)" ""
	run -0 --separate-stderr bash -c \
	    "ulimit -f 100; bloomtool create -q -n 1000 f.bf"
}

@test "create larger than the disk fails at once and leaves nothing" {
	for arguments in "-n 1e6 -s 1Ei" "-n 1e15" "-n 1e15 -p 1e-12" \
	    "-s 1Ei -p 1e-9"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr timeout 5 bloomtool create \
		    $arguments f.bf
		is "$output" ""
		[[ $stderr =~ "No space left on device"|"00000 keys" ]]
		is "$(ls -A)" ""
	done
}

@test "create reserves the space" {
	head -c 10000000 /dev/zero > zeros
	sync zeros
	[ "$(du -k zeros | cut -f 1)" -ge 9700 ] ||
		skip "this file system does not tell what is reserved"
	bloomtool create -q -s 10MB f.bf
	[ "$(du -k f.bf | cut -f 1)" -ge 9700 ]
}

# bats test_tags=slow
@test "create makes what estimate tells, to the byte" {
	while read -r arguments; do
		# shellcheck disable=SC2086	# several words
		bloomtool create -q $arguments f.bf
		# shellcheck disable=SC2086
		bloomtool estimate --json $arguments >> told
		bloomtool stats --json f.bf >> made
		size_of f.bf >> sizes
		rm f.bf
	done < <(
		for n in 1 7 1000 12345 300001; do
			echo "-n $n"
			for p in 0.5 0.1 3% 0.01 1e-3 1e-4 1e-5 1e-8 1e-12; do
				echo "-n $n -p $p"
			done
			echo "-n $n -p 1e-4 --prefer space"
			echo "-n $n -p 1e-6 --prefer space"
		done
		for s in 8256 10000 64Ki 1MB 1.5Mi; do
			echo "-s $s"
			echo "-s $s -p 1e-3"
			echo "-s $s -p 1e-6 --prefer space"
			echo "-s $s -n 10"
			echo "-s $s -n 60 --prefer space"
		done)
	is "$(wc -l < told)" 85
	jq .size_bytes told | cmp - sizes
	fields='.bits, .blocks, .probes, .blocks_per_key, .bits_per_key,
	    .size_bytes'
	jq -c "[.keys, .rate, $fields]" told > told.fields
	jq -c "[.keys_wanted, .rate_wanted, $fields]" made | cmp - told.fields
}

@test "create refuses what is no number of keys, and names the range" {
	while IFS= read -r keys; do
		refused -n "$keys"
		has "${stderr_lines[0]}" "-n, --keys: \"$keys\""
		has "${stderr_lines[0]}" "1 to 1e15"
	done <<- 'END'

		0
		0e9
		-0
		-5
		+5
		--5
		.
		e5
		nan
		NaN
		inf
		infinity
		1.5
		1e-3
		0.9999999999999999999
		1.0001k
		1000000000000001
		2e15
		1e18
		9223372036854775808
		18446744073709551616
		18446744073709551617
		1e99999999999999999999
		1e-99999999999999999999
		10B
		10MB
		10Mb
		10m
		10Mx
		10 M
		10kk
		1e5e5
		1..5
		1,000
		1_000
		0x10
		ten
		5x
	END
	for keys in " 5" "5 " $'\t5' $'5\r'; do
		refused -n "$keys"
		has "$stderr" "--keys"
	done
}

@test "create refuses what is no rate, and names the range" {
	while IFS= read -r rate; do
		refused -n 1000 -p "$rate"
		has "${stderr_lines[0]}" "-p, --rate: \"$rate\""
		has "${stderr_lines[0]}" "1e-12 to 0.5"
	done <<- 'END'

		0
		0%
		0.0
		-0
		1
		2
		0.51
		51%
		100%
		-1
		-0.01
		-1%
		nan
		NaN%
		inf
		1e-300
		1e-99999999999999999999
		1e99999999999999999999
		9e-13
		0.01x
		0.01%%
		1 %
		%
		0.01k
		0x1p-7
		1/100
		0,01
		1e-
	END
	refused -n 1000 -p " 0.01"
	refused -n 1000 -p $'0.01\r'
}

@test "create refuses what is no size, and names the range" {
	while IFS= read -r size; do
		refused -s "$size"
		has "${stderr_lines[0]}" "-s, --size: \"$size\""
		has "${stderr_lines[0]}" "8256 to 1Ei"
	done <<- 'END'

		0
		-1
		8255
		1.5
		8256.5
		1.00001k
		nan
		inf
		2Ei
		5Ei
		16Ei
		1e19
		18446744073709551616
		99999999E
		1e999999999999
		4Gib
		4gib
		4GiBB
		4GBi
		4G B
		10%
		0x10000
		big
	END
}

@test "create refuses what is no seed, and names the range" {
	while IFS= read -r seed; do
		refused -n 1000 --seed "$seed"
		has "${stderr_lines[0]}" "--seed: \"$seed\""
		has "${stderr_lines[0]}" "0 to 18446744073709551615"
	done <<- 'END'

		-1
		1.5
		18446744073709551616
		0x
		0x10000000000000000
		0xfg
		0x-1
		x
		nan
		ff
	END
}

@test "create neither reads stdin nor writes to stdout" {
	run -0 --separate-stderr bash -c "bloomtool create -q -n 10 f.bf <&- >&-"
	is "$stderr" ""
	[ -s f.bf ]
	printf 'a\nb\n' > in
	{ bloomtool create -q -n 10 g.bf; cat; } < in > out
	cmp in out
}

@test "the new file is whole as soon as it has its name" {
	whole=$(bloomtool estimate --json -n 2e7 | jq .size_bytes)
	((whole > 20000000))
	bloomtool create -q -n 2e7 f.bf 3>&- &
	is "$(timeout 30 bash -c "until [ -e f.bf ]; do :; done
	    wc -c < f.bf")" "$whole"
	bloomtool stats --check f.bf
	wait $!
}

@test "the new file is synced before it gets its name, its directory after" {
	command -v strace > /dev/null || skip "no strace here"
	export ASAN_OPTIONS=detect_leaks=0
	for force in "" -f; do
		strace -o trace -e trace=fsync,fdatasync,link,linkat,rename,renameat,renameat2 \
		    bloomtool create -q $force -n 1000 f.bf 2> /dev/null ||
			skip "strace may not trace here"
		steps=$(sed -nE 's/^(f(data)?sync|link(at)?|rename(at2?)?)\(.*= 0$/\1/p' \
		    trace | tr '\n' ' ')
		if [ -z "$force" ]; then
			[[ $steps =~ ^f(data)?sync\ (link|linkat|rename.*)\ fsync\ $ ]]
		else
			[[ $steps =~ ^f(data)?sync\ (linkat\ )?rename[a-z0-9]*\ fsync\ $ ]]
		fi
	done
}

@test "create --force keeps owner and permissions of what it replaces" {
	bloomtool create -q -n 100 f.bf
	chmod 604 f.bf
	if [ "$(id -u)" = 0 ]; then chown 12:34 f.bf; fi
	was=$(stat -c '%a %u %g' f.bf)
	bloomtool create -q --force -n 200 f.bf
	is "$(stat -c '%a %u %g' f.bf)" "$was"
}

@test "create --force says when it cannot keep the group" {
	[ "$(id -u)" = 0 ] || skip "not root"
	mkdir -m 777 d
	bloomtool create -q -n 100 d/f.bf
	chmod a+rx . ..
	run -2 --separate-stderr setpriv --reuid 65534 --regid 65534 \
	    --clear-groups "$ROOT/bloomtool" create --force -n 200 d/f.bf
	# what comes after it is from a build that counts its lines
	is "${stderr_lines[0]}" "bloomtool: d/f.bf: cannot keep its owner:\
 Operation not permitted"
	is "$(ls -A d)" f.bf
	is "$(field d/f.bf keys_wanted)" 100
}

@test "create --force keeps an access control list" {
	bloomtool create -q -n 100 f.bf
	chmod 600 f.bf
	# the owner, user 1002, nobody of the group, at most rw, no others
	cat > acl.py <<- 'END'
	import os, struct, sys
	name, none = "system.posix_acl_access", 0xffffffff
	acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in (
	    (1, 6, none), (2, 6, 1002), (4, 0, none), (16, 6, none),
	    (32, 0, none)))
	if sys.argv[1] == "set":
	    os.setxattr("f.bf", name, acl)
	assert os.getxattr("f.bf", name) == acl
	END
	python3 acl.py set 2> /dev/null || skip "no access control lists here"
	bloomtool create -q --force -n 200 f.bf
	python3 acl.py look
	is "$(stat -c %a f.bf)" 660
	printf '\x01' | dd of=f.bf bs=1 seek=4128 conv=notrunc 2> /dev/null
	bloomtool recover -aq f.bf
	python3 acl.py look
}

@test "create --force and recover give no access that the directory would" {
	mkdir d
	# user 1002 may read what is made there
	cat > acl.py <<- 'END'
	import os, struct, sys
	none = 0xffffffff
	acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in (
	    (1, 7, none), (2, 7, 1002), (4, 7, none), (16, 7, none),
	    (32, 0, none)))
	if sys.argv[1] == "set":
	    os.setxattr("d", "system.posix_acl_default", acl)
	elif sys.argv[1] == "drop":
	    os.removexattr("d/f.bf", "system.posix_acl_access")
	else:
	    assert "system.posix_acl_access" not in os.listxattr("d/f.bf")
	END
	python3 acl.py set 2> /dev/null || skip "no access control lists here"
	bloomtool create -q -n 100 d/f.bf
	python3 acl.py drop
	chmod 640 d/f.bf
	bloomtool create -q --force -n 200 d/f.bf
	python3 acl.py look
	is "$(stat -c %a d/f.bf)" 640
	printf '\x01' | dd of=d/f.bf bs=1 seek=4128 conv=notrunc 2> /dev/null
	bloomtool recover -aq d/f.bf
	python3 acl.py look
	is "$(stat -c %a d/f.bf)" 640
}
