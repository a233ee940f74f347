# Filters that grow, and filters that stop when they are full.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# A filter that begins with N keys and is wrong about none of a test's.
grows() {
	bloomtool create -q -n "$1" --grow -p 1e-9 f.bf
}

# A filter for N keys that stops then.
stops() {
	bloomtool create -q -n "$1" -p 1e-9 --full=stop f.bf
}

# patch OFFSET BYTES: as printf has them, into f.bf.
patch() {
	# shellcheck disable=SC2059	# a format on purpose
	printf "$2" | dd of=f.bf bs=1 seek="$1" conv=notrunc 2> /dev/null
}

# layers FIELD: of each layer of f.bf.
layers() {
	bloomtool stats --json f.bf | jq -c "[.layers[].$1]"
}

# What the add of a test said: full, after so many lines.
is_full() {
	is "$stderr" "bloomtool: f.bf: full: made for $1 keys and to stop then; of all lines the first $2 are recorded
add them all to a filter that is made for more, or that grows"
}

@test "create without keys and size makes a filter that grows" {
	run -0 --separate-stderr bloomtool create f.bf
	has "$stderr" "f.bf: made for 1000000 keys at rate 0.005: "
	has "$stderr" "; grows when full, at rate 0.01 in all"
	is "$(field f.bf when_full)" grow
	is "$(field f.bf keys_wanted)" 1000000
	is "$(field f.bf rate_wanted)" 0.01
	run -0 --separate-stderr bloomtool create -p 1e-4 g.bf
	is "$(field g.bf rate_wanted)" 0.0001
	is "$(field g.bf 'layers[0].rate_wanted')" 5e-05
}

# bats test_tags=slow
@test "a hundred times the keys: none is missing, the rate is kept" {
	bloomtool create -q -n 1000 --grow --seed 5 f.bf
	seq 100000 > keys
	bloomtool add f.bf keys
	is "$(bloomtool check -c f.bf keys)" 100000
	is "$(layers keys_wanted)" "[1000,2000,4000,8000,16000,32000,64000]"
	wrong=$(seq 1000000 1999999 | bloomtool check -c f.bf)
	# 10,000 and five standard deviations at most, and not for nothing.
	((wrong <= 10500 && wrong > 5000))
}

@test "a layer is filled to its last key before the next one comes" {
	bloomtool create -q -n 10 --grow -p 1e-9 --seed 1 f.bf
	seq 70 | bloomtool add f.bf
	is "$(layers keys_added)" "[10,20,40]"
	seq 70 | bloomtool add f.bf
	is "$(layers keys_added)" "[10,20,40]"
	seq 71 | bloomtool add f.bf
	is "$(layers keys_added)" "[10,20,40,1]"
	is "$(layers keys_wanted)" "[10,20,40,80]"
	is "$(field f.bf keys_added)" 71
	is "$(seq 71 | bloomtool check -c f.bf)" 71
}

@test "the same keys make the same file, however they come" {
	seq 3000 > keys
	for how in "add" "add -v" "add -c" "add -j7"; do
		rm -f f.bf
		bloomtool create -q -n 10 --grow --seed 3 f.bf
		# shellcheck disable=SC2086	# words
		bloomtool $how f.bf keys > /dev/null
		tail -c +8193 f.bf > "blocks$how"
		cmp "blocksadd" "blocks$how"
	done
	rm f.bf
	bloomtool create -q -n 10 --grow --seed 3 f.bf
	for i in $(seq 0 100 2900); do
		seq $((i + 1)) $((i + 100)) | bloomtool add f.bf
	done
	tail -c +8193 f.bf | cmp - blocksadd
}

@test "add -v and add -c of a filter that grows know each key's first time" {
	grows 10
	{ seq 500; seq 250 750; seq 1 2 999; } > keys
	awk '!seen[$0]++' keys > first
	run -0 bloomtool add -c f.bf keys
	is "$output" "$(wc -l < first)"
	rm f.bf
	grows 10
	bloomtool add -v f.bf keys | cmp - first
	bloomtool add -v f.bf keys > again
	[ ! -s again ]
}

@test "add -v with lines longer than a pipe takes at once grows too" {
	grows 2
	for i in 1 2 3 4 5; do
		printf '%s%0100000d\n' $i 0
	done > keys
	bloomtool add -v f.bf keys | cat | cmp - keys
	is "$(layers keys_added)" "[2,3]"
}

@test "check that runs sees a layer that comes" {
	grows 10
	mkfifo in
	for threads in 1 2; do
		timeout 60 bloomtool check -j$threads f.bf in > out 3>&- &
		exec 4> in
		echo "1 $threads" >&4
		seq "$threads"00 "$threads"99 | bloomtool add f.bf
		echo "$threads"55 >&4
		exec 4>&-
		wait $!
		is "$(cat out)" "$threads"55
	done
}

@test "add that runs goes on in a layer that another one put on top" {
	grows 10
	mkfifo in
	timeout 60 bloomtool add -v f.bf in > out 3>&- &
	exec 4> in
	echo a >&4
	until [ -s out ]; do :; done
	seq 100 | bloomtool add f.bf
	is "$(layers keys_added)" "[10,20,40,31]"
	echo b >&4
	echo 55 >&4
	exec 4>&-
	wait $!
	is "$(cat out)" "$(printf 'a\nb')"
	is "$(layers keys_added)" "[10,20,40,32]"
}

# bats test_tags=slow
@test "many add at once grow a filter as one would" {
	grows 10
	pids=
	for i in 0 1 2 3 4 5 6 7; do
		# each key comes from two of them
		seq $((i * 500)) $((i * 500 + 999)) |
		    timeout 60 bloomtool add f.bf 3>&- &
		pids+=" $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
	is "$(seq 0 4499 | bloomtool check -c f.bf)" 4500
	is "$(field f.bf keys_added)" 4500
	is "$(layers keys_added)" "[10,20,40,80,160,320,640,1280,1950]"
	bloomtool stats --check --verify f.bf
	is "$(field f.bf state)" clean
}

# bats test_tags=slow
@test "killed while it grows, add leaves a filter with all that it had" {
	for i in $(seq 20); do
		rm -f f.bf
		grows 4
		seq 100 | bloomtool add f.bf
		(ulimit -c 0; seq 101 20000 | timeout -s KILL 0.0$((i % 9 + 1)) \
		    bloomtool add f.bf) || true
		bloomtool stats --check --verify f.bf
		is "$(seq 100 | bloomtool check -c f.bf)" 100
		seq 101 20000 | bloomtool add f.bf
		is "$(seq 20000 | bloomtool check -c f.bf)" 20000
		bloomtool stats --check --verify f.bf
	done
}

@test "no room to grow: exit 2, what was added stays, the file is as it was" {
	grows 1000
	seq 1000 > keys
	bloomtool add f.bf keys
	size=$(stat -c %s f.bf)
	for how in add "add -v" "add -c"; do
		# shellcheck disable=SC2016	# for the inner shell
		run -2 --separate-stderr bash -c 'ulimit -f 40
			seq 2000 | bloomtool $0 f.bf' "$how"
		has "$stderr" "f.bf: full, and cannot reserve "
		has "$stderr" "to grow: File too large"
		is "$(stat -c %s f.bf)" "$size"
		is "$(bloomtool check -c f.bf keys)" 1000
		is "$(field f.bf state)" clean
	done
	seq 2000 | bloomtool add f.bf
	is "$(seq 2000 | bloomtool check -c f.bf)" 2000
}

@test "bytes behind the last layer are nobody's, and are zeros when it grows" {
	grows 10
	seq 10 | bloomtool add f.bf
	head -c 300000 /dev/zero | tr '\0' '\377' >> f.bf
	is "$(seq 1000 | bloomtool check -c f.bf)" 10
	seq 30 | bloomtool add f.bf
	is "$(layers keys_added)" "[10,20]"
	bloomtool stats --check --verify f.bf
	is "$(seq 1000 | bloomtool check -c f.bf)" 30
}

@test "a filter that grew and was cut short is refused" {
	grows 10
	seq 30 | bloomtool add f.bf
	size=$(stat -c %s f.bf)
	truncate -s -1 f.bf
	run -2 --separate-stderr bloomtool check f.bf < /dev/null
	is "$stderr" "bloomtool: f.bf: wrong size: $((size - 1)) bytes, the header says $size"
}

@test "a damaged entry of a layer is refused" {
	grows 10
	seq 30 | bloomtool add f.bf
	patch 4312 '\x07'
	run -2 --separate-stderr bloomtool check f.bf < /dev/null
	is "$stderr" "bloomtool: f.bf: header damaged: the entry of layer 1"
}

@test "recover adds lost keys to a filter that grew, and grows it" {
	grows 10
	seq 30 | bloomtool add f.bf
	patch 4096 '\x02'
	patch 4112 '\x01\x02\x03'
	is "$(field f.bf state)" unclean
	run -0 --separate-stderr bloomtool recover f.bf < <(seq 100)
	is "$stderr" "f.bf: clean; 100 keys read, 70 of them were missing"
	is "$(layers keys_added)" "[10,20,40,30]"
	is "$(seq 1000 | bloomtool check -c f.bf)" 100
}

@test "recover of a failed sync copies all layers" {
	grows 10
	seq 100 | bloomtool add f.bf
	patch 4128 '\x01'
	is "$(field f.bf state)" "sync failed"
	run -0 --separate-stderr bloomtool recover f.bf < <(seq 200)
	is "$stderr" "f.bf: clean; 200 keys read, 100 of them were missing"
	is "$(layers keys_added)" "[10,20,40,80,50]"
	is "$(seq 1000 | bloomtool check -c f.bf)" 200
	bloomtool stats --check --verify f.bf
}

@test "recover that waited for an add takes the layers that came" {
	local adder
	bloomtool create -q -n 1000 --grow -p 1e-9 f.bf
	mkfifo in
	timeout 60 bloomtool add f.bf in 3>&- &
	adder=$!
	exec 4> in
	echo a >&4
	until [ "$(field f.bf keys_added)" = 1 ]; do :; done
	bloomtool recover -q f.bf <<< b 2> err 3>&- 4>&- &
	# It has the file mapped, and waits.
	until grep -q f.bf "/proc/$!/maps"; do :; done
	seq 100000 >&4
	exec 4>&-
	wait $adder
	wait $!
	is "$(cat err)" ""
	is "$(bloomtool check -c f.bf < <(echo a; echo b; seq 100000))" 100002
	bloomtool stats --check --verify f.bf
}

@test "an add does not grow a filter that was cut short under it" {
	local size
	grows 10
	seq 30 | bloomtool add f.bf
	mkfifo in
	timeout 60 bloomtool add f.bf in 2> err 3>&- &
	exec 4> in
	echo 31 >&4
	until [ "$(field f.bf keys_added)" = 31 ]; do :; done
	size=$(stat -c %s f.bf)
	truncate -s -64 f.bf
	seq 100 200 >&4
	exec 4>&-
	status=0
	wait $! || status=$?
	is "$status" 2
	is "$(cat err)" "bloomtool: f.bf: size changed while in use: $((size - 64)) bytes, wanted $size"
	is "$(stat -c %s f.bf)" $((size - 64))
}

@test "stats shows the layers, and room before the next" {
	grows 1000
	seq 1500 | bloomtool add f.bf
	run -0 --separate-stderr bloomtool stats f.bf
	has "$output" "made for      1000 keys at rate 1e-09 in all, and grows"
	has "$output" "keys added    1500"
	has "$output" "room left     1500 keys (50.0 %), then it grows"
	has "$output" "layer 1       1000 of 1000 keys, fill "
	has "$output" "layer 2       500 of 2000 keys, fill "
	is "$(layers blocks | jq add)" "$(field f.bf blocks)"
	is "$(field f.bf size_bytes)" "$(stat -c %s f.bf)"
}

@test "a filter that grows is never overfull" {
	bloomtool create -q -n 10 --grow f.bf
	seq 5000 > keys
	run -0 --separate-stderr bloomtool add f.bf keys
	is "$stderr" ""
	run -0 --separate-stderr bloomtool stats --check f.bf
	is "$output$stderr" ""
}

@test "create --like a filter that grew makes one that begins like it" {
	bloomtool create -q -n 10 --grow -P space -p 1e-4 f.bf
	seq 100 | bloomtool add f.bf
	bloomtool create -q --like f.bf g.bf
	for name in keys_wanted rate_wanted seed when_full 'layers[0].blocks'; do
		is "$(field g.bf "$name")" "$(field f.bf "$name")"
	done
	is "$(field g.bf 'layers | length')" 1
	is "$(field g.bf keys_added)" 0
	seq 100 | bloomtool add g.bf
	is "$(field g.bf blocks)" "$(field f.bf blocks)"
}

@test "add --create takes the options of create" {
	seq 100 | bloomtool add -q --create -n 10 --grow --seed 7 --note x f.bf
	is "$(field f.bf seed)" 0x0000000000000007
	is "$(field f.bf note)" x
	is "$(field f.bf 'layers | length')" 4
	bloomtool add -qC --like f.bf g.bf <<< a
	is "$(field g.bf seed)" 0x0000000000000007
	bloomtool add -qC h.bf <<< a
	is "$(field h.bf when_full)" grow
	is "$(field h.bf keys_wanted)" 1000000
}

@test "create refuses what does not go with a filter that grows" {
	while read -r options; do
		# shellcheck disable=SC2086	# words
		run -2 --separate-stderr bloomtool create $options f.bf
		is "${#stderr_lines[@]}" 2
		[ ! -e f.bf ]
	done <<- END
		--grow --size 1MB
		--grow --full=stop -n 10
		--grow -n 10 -p 1e-10
		-p 1e-10
		--full=stop
		--full=grow -n 10
		--full= -n 10
	END
	grows 10
	run -2 --separate-stderr bloomtool create --like f.bf --grow g.bf
	[ ! -e g.bf ]
}

@test "a filter that stops when full takes no more, and says what it has" {
	for how in "add" "add -v" "add -c" "add -j2"; do
		rm -f f.bf
		stops 100
		# shellcheck disable=SC2086	# words
		run -2 --separate-stderr bloomtool $how f.bf < <(seq 150)
		is_full 100 100
		is "$(seq 150 | bloomtool check f.bf)" "$(seq 100)"
		is "$(field f.bf keys_added)" 100
		is "$(field f.bf state)" clean
		[ "$how" != "add -v" ] || is "$output" "$(seq 100)"
	done
}

@test "a full filter that stops still takes keys that it has" {
	stops 100
	seq 100 > keys
	bloomtool add f.bf keys
	for how in "add" "add -v" "add -c"; do
		# shellcheck disable=SC2086	# words
		run -0 --separate-stderr bloomtool $how f.bf keys
		is "$stderr" ""
	done
	{ seq 50; echo new; seq 50; } > others
	for how in "add" "add -v" "add -c"; do
		# shellcheck disable=SC2086	# words
		run -2 --separate-stderr bloomtool $how f.bf keys others
		is_full 100 150
	done
	run -1 bloomtool check -q f.bf <<< new
	bloomtool stats --check f.bf
}

@test "what a full filter has recorded is counted over files, NULs and repeats" {
	printf 'a\0b\nb\0a\0' > one
	printf 'c\0a\0d\0e\0e\0a\0f\0g\0' > two
	for how in "add" "add -v" "add -c" "add -j2"; do
		rm -f f.bf
		stops 5
		# shellcheck disable=SC2086	# words
		run -2 --separate-stderr bloomtool $how -z f.bf one two one
		is_full 5 9
		is "$(field f.bf keys_added)" 5
	done
}

# recorded MESSAGE: how many lines, as it says.
recorded() {
	sed -n 's/.*of all lines the first \([0-9]*\) are recorded$/\1/p' "$1"
}

@test "two that fill a filter that stops have recorded what they say" {
	seq 5000 > one
	seq 9000 -1 3000 > two
	for how in "add" "add -v" "add -c"; do
		rm -f f.bf
		stops 3000
		for keys in one two; do
			# shellcheck disable=SC2086	# words
			bloomtool $how f.bf $keys > $keys.out \
				2> $keys.err 3>&- &
		done
		wait
		is "$(field f.bf keys_added)" 3000
		for keys in one two; do
			n=$(recorded $keys.err)
			is "$(head -n "$n" $keys | bloomtool check -vc f.bf)" 0
			is "$(sed "$((n + 1))!d" $keys |
				bloomtool check -vc f.bf)" 1
		done
		[ "$how" != "add -v" ] ||
			is "$(cat one.out two.out | sort -u | wc -l)" 3000
	done
}

@test "recover of a full filter that stops takes lost keys" {
	stops 100
	seq 100 | bloomtool add f.bf
	patch 8192 "$(printf '\\x00%.0s' $(seq 512))"
	patch 4096 '\x02'
	patch 4112 '\x01\x02\x03'
	bloomtool recover -q f.bf < <(seq 100)
	is "$(seq 100 | bloomtool check -c f.bf)" 100
}

@test "stats tells what a filter does when full" {
	stops 100
	is "$(field f.bf when_full)" stop
	bloomtool stats f.bf | grep -qx "made for      100 keys at rate 1e-09, then it stops"
	bloomtool create -q -n 100 --full=warn g.bf
	is "$(field g.bf when_full)" warn
	bloomtool create -q --like f.bf h.bf
	is "$(field h.bf when_full)" stop
}
