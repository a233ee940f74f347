# bloomtool union and intersect: one filter out of several.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# Not in the folder where run keeps its own files: some tests list it.
# a.bf has the keys 1 to 600, b.bf 401 to 1000, all.bf 1 to 1000, both.bf 401
# to 600.
setup() {
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
	bloomtool create -q -n 2000 -p 1e-4 --seed 5 --note first a.bf
	seq 600 | bloomtool add a.bf
	make_like_a b.bf 401 1000
}

# make_like_a FILTER FROM TO: with these numbers as keys.
make_like_a() {
	bloomtool create -q --like a.bf "$1"
	seq "$2" "$3" | bloomtool add "$1"
}

# same_blocks A B: from the end of the header on.
same_blocks() {
	cmp -i 8192 "$1" "$2"
}

# patch FILTER OFFSET BYTES: as printf has them.
patch() {
	# shellcheck disable=SC2059	# a format on purpose
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# big.bf, and names of it for a second of work: in $MANY.
make_big() {
	bloomtool create -q -n 1e7 -p 0.01 big.bf
	seq 100 | bloomtool add big.bf
	mapfile -t MANY < <(yes big.bf | head -n 250)
}

# bats test_tags=valgrind
@test "union makes the filter of all keys, byte for byte" {
	run -0 --separate-stderr bloomtool union -o all.bf a.bf b.bf
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	[[ $stderr == "all.bf: union of 2 filters, about "*" keys; made for \
2000 keys at rate 0.0001: "*" bits a key, 12 probes in 1 block, "* ]]
	make_like_a wanted.bf 1 1000
	same_blocks all.bf wanted.bf
	is "$(field all.bf state)" clean
	is "$(seq 1000 | bloomtool check -c all.bf)" 1000
	bloomtool stats --verify all.bf
}

# bats test_tags=valgrind
@test "intersect leaves the bits that are in all of them" {
	make_like_a c.bf 500 2000
	run -0 --separate-stderr bloomtool intersect -o out.bf a.bf b.bf c.bf
	is "$output" ""
	has "$stderr" "out.bf: intersection of 3 filters, about "
	python3 - <<- 'END'
	blocks = [open(f + ".bf", "rb").read()[8192:] for f in "abc"]
	out = open("out.bf", "rb").read()[8192:]
	assert out == bytes(x & y & z for x, y, z in zip(*blocks))
	END
	bloomtool stats --verify out.bf
	is "$(seq 500 600 | bloomtool check -c out.bf)" 101
}

@test "union of many shards is what one filter of all keys is, in all shapes" {
	for p in 0.1 0.01 1e-5 1e-9; do
		bloomtool create -q -n 40000 -p $p 0.bf
		for i in 1 2 3 4 5 6 7 8; do
			bloomtool create -q --like 0.bf $i.bf
			seq $((i * 4000)) $((i * 4000 + 3999)) |
			    bloomtool add $i.bf
		done
		seq 4000 35999 | bloomtool add 0.bf
		bloomtool union -q -o u.bf [1-8].bf
		same_blocks u.bf 0.bf
		bloomtool union -q -o v.bf u.bf 3.bf
		same_blocks v.bf 0.bf
		bloomtool intersect -q -o w.bf u.bf 3.bf
		same_blocks w.bf 3.bf
		rm -- ?.bf
	done
}

@test "the keys of a union are an estimate, and marked so" {
	bloomtool union -q -o all.bf a.bf b.bf
	is "$(field a.bf keys_added_estimated)" false
	is "$(field all.bf keys_added_estimated)" true
	is "$(field all.bf keys_added)" "$(field all.bf keys_estimated)"
	is "$(field all.bf 'keys_added > 980 and .keys_added < 1020')" true
	run -0 --separate-stderr bloomtool stats all.bf
	has "$output" "keys added    $(field all.bf keys_added), an estimate"
	# it stays, and keys are counted on
	before=$(field all.bf keys_added)
	seq 5001 5010 | bloomtool add all.bf
	is "$(field all.bf keys_added)" $((before + 10))
	is "$(field all.bf keys_added_estimated)" true
	# but not in a new one
	bloomtool create -q --like all.bf new.bf
	is "$(field new.bf keys_added_estimated)" false
	is "$(field new.bf keys_added)" 0
}

@test "a union takes seed, shape, keys, rate and note of the first" {
	bloomtool union -q -o all.bf a.bf b.bf
	for name in seed blocks probes keys_wanted rate_wanted note; do
		is "$(field all.bf $name)" "$(field a.bf $name)"
	done
	bloomtool union -q -o all2.bf b.bf a.bf
	is "$(field all2.bf note)" ""
	same_blocks all.bf all2.bf
}

@test "a union of one filter has its bits" {
	run -0 --separate-stderr bloomtool union -o all.bf a.bf
	has "$stderr" "all.bf: union of 1 filter, about "
	same_blocks all.bf a.bf
	bloomtool intersect -q -o both.bf a.bf a.bf
	same_blocks both.bf a.bf
}

@test "a union of full or empty filters" {
	bloomtool create -q --like a.bf empty.bf
	bloomtool union -q -o e.bf empty.bf empty.bf
	same_blocks e.bf empty.bf
	is "$(field e.bf keys_added)" 0
	bloomtool create -q -s 8256 -n 10 full.bf
	patch full.bf 8192 "$(printf '\\377%.0s' {1..64})"
	run -0 --separate-stderr bloomtool union -q -o f.bf full.bf
	is "${#stderr_lines[@]}" 1
	has "$stderr" "f.bf: overfull: holds $(field f.bf keys_added) keys,"
	is "$(bloomtool stats --json f.bf | jq .fill)" 1
}

@test "an overfull union is made, and says so even with -q" {
	bloomtool create -q -n 1000 -p 0.01 1.bf
	bloomtool create -q --like 1.bf 2.bf
	seq 1 900 | bloomtool add 1.bf
	seq 901 1800 | bloomtool add 2.bf
	run -0 --separate-stderr bloomtool union -q -o out.bf 1.bf 2.bf
	is "${#stderr_lines[@]}" 1
	[[ $stderr =~ ^"bloomtool: out.bf: overfull: holds 1"[78][0-9][0-9]" \
keys, was made for 1000; rate now 0.0"[6-9] ]]
	run -1 --separate-stderr bloomtool stats --check out.bf
	has "$stderr" "out.bf: overfull"
}

@test "a union that is just full is not called overfull" {
	bloomtool create -q -n 10000 -p 0.01 --seed 1 0.bf
	for i in {1..10}; do
		bloomtool create -q -n 10000 -p 0.01 --seed "$i" 1.bf
		seq 9990 | bloomtool add 1.bf
		run -0 --separate-stderr bloomtool union -qfo u.bf 1.bf
		is "$stderr" ""
		bloomtool stats --check u.bf
		rm 1.bf
	done
}

@test "filters of other seed or shape are refused, and nothing is written" {
	bloomtool create -q -n 2000 -p 1e-4 --seed 6 seed.bf
	bloomtool create -q -n 2001 -p 1e-3 --seed 5 shape.bf
	cp b.bf out.bf
	while read -r other what; do
		for command in union intersect; do
			for order in "a.bf b.bf $other" "a.bf $other seed.bf"; do
				# shellcheck disable=SC2086	# several words
				run -2 --separate-stderr bloomtool $command \
				    -f -o out.bf $order
				is "$output" ""
				is "${stderr_lines[0]}" \
				    "bloomtool: $other: $what, unlike a.bf"
				has "${stderr_lines[1]}" \
				    '"bloomtool create --like a.bf"'
				cmp out.bf b.bf
			done
			run -2 --separate-stderr bloomtool $command \
			    -o new.bf a.bf "$other"
			[ ! -e new.bf ]
		done
	done <<- END
		seed.bf seed 0x0000000000000006
		shape.bf $(field shape.bf bits) bits, 9 probes in 1 block
	END
}

@test "a filter that may lack keys is refused" {
	patch b.bf 4104 '\x01'
	for arguments in "a.bf b.bf" "b.bf a.bf"; do
		# shellcheck disable=SC2086	# several words
		run -2 --separate-stderr bloomtool union -o out.bf $arguments
		is "$output" ""
		has "${stderr_lines[0]}" "b.bf: keys added since"
		has "${stderr_lines[1]}" "bloomtool recover b.bf"
		[ ! -e out.bf ]
	done
}

# grown FILTER FIRST LAST: like g.bf, with these numbers.
grown() {
	[ -e g.bf ] || bloomtool create -q --grow -n 100 -p 0.01 --seed 2 g.bf
	bloomtool create -q --like g.bf "$1"
	seq "$2" "$3" | bloomtool add "$1"
}

# layers FILTER FIELD: of each of its layers.
layers() {
	bloomtool stats --json "$1" | jq -c "[.layers[].$2]"
}

@test "filters that grow are united layer beside layer" {
	grown 1.bf 1 1000
	grown 2.bf 1001 1500
	run -0 --separate-stderr bloomtool union -o out.bf 1.bf 2.bf
	has "${stderr_lines[0]}" "out.bf: union of 2 filters, about 1"
	has "${stderr_lines[0]}" " keys, in 7 layers"
	is "$(layers 1.bf keys_wanted)" "[100,200,400,800]"
	is "$(layers 2.bf keys_wanted)" "[100,200,400]"
	is "$(layers out.bf keys_wanted)" "[100,100,200,200,400,400,800]"
	is "$(seq 1500 | bloomtool check -c out.bf)" 1500
	bloomtool stats --verify out.bf > /dev/null
	is "$(field out.bf size_bytes)" "$(stat -c %s out.bf)"
	wrong=$(seq 100001 200000 | bloomtool check -c out.bf)
	((wrong > 300 && wrong < 2000))
}

@test "a union of filters that grow grows on, from its largest layer" {
	grown 1.bf 1 1000
	grown 2.bf 1001 1500
	bloomtool union -q -o out.bf 1.bf 2.bf 2> /dev/null
	seq 1501 5000 | bloomtool add out.bf
	is "$(seq 5000 | bloomtool check -c out.bf)" 5000
	is "$(layers out.bf keys_wanted)" \
		"[100,100,200,200,400,400,800,1600,3200]"
}

@test "layers that have room for the keys of both become one" {
	grown 1.bf 1 40
	grown 2.bf 31 70
	grown 3.bf 1 150
	grown 4.bf 151 300
	run -0 --separate-stderr bloomtool union -q -o out.bf 1.bf 2.bf
	is "$stderr" ""
	is "$(layers out.bf keys_wanted)" "[100]"
	grown wanted.bf 1 70
	same_blocks out.bf wanted.bf
	bloomtool union -q -o out2.bf 3.bf 4.bf 2> /dev/null
	is "$(layers out2.bf keys_wanted)" "[100,100,200]"
	is "$(seq 300 | bloomtool check -c out2.bf)" 300
}

@test "a union of filters that grew says if it is wrong too often" {
	grown 1.bf 1 3100
	grown 2.bf 3101 6200
	grown 3.bf 6201 9300
	run -0 --separate-stderr bloomtool union -q -o out.bf 1.bf 2.bf 3.bf
	has "$stderr" "out.bf: rate now 0.01"
	has "$stderr" ", wanted 0.01: it is united of filters that grew"
	run -1 --separate-stderr bloomtool stats --check out.bf
	has "$stderr" "out.bf: rate now 0.01"
	bloomtool stats --check 1.bf
}

@test "a filter that grows and one like its first layer make one that grows" {
	grown 1.bf 1 1000
	bloomtool create -q -n 100 -p 0.005 --seed 2 --note fixed fixed.bf
	seq 2001 2090 | bloomtool add fixed.bf
	for order in "1.bf fixed.bf" "fixed.bf 1.bf"; do
		rm -f out.bf
		# shellcheck disable=SC2086	# several words
		bloomtool union -q -o out.bf $order
		is "$(layers out.bf keys_wanted)" "[100,100,200,400,800]"
		is "$(field out.bf rate_wanted)" 0.01
		is "$(field out.bf note)" "$(field "${order% *}" note)"
		is "$({ seq 1000; seq 2001 2090; } |
		    bloomtool check -c out.bf)" 1090
	done
}

@test "a union of too many layers is refused, and leaves nothing" {
	grown 1.bf 1 10000
	run -2 --separate-stderr bloomtool union -o out.bf \
		1.bf 1.bf 1.bf 1.bf 1.bf 1.bf 1.bf
	is "$stderr" "bloomtool: out.bf: would have more layers than fit; unite fewer filters"
	[ ! -e out.bf ]
	bloomtool union -q -o out.bf 1.bf 1.bf 1.bf 1.bf 1.bf 1.bf 2> /dev/null
	is "$(seq 10000 | bloomtool check -c out.bf)" 10000
}

@test "filters that grow are intersected only while they have one layer" {
	grown 1.bf 1 60
	grown 2.bf 41 100
	grown 3.bf 1 200
	bloomtool intersect -q -o both.bf 1.bf 2.bf
	is "$(seq 41 60 | bloomtool check -c both.bf)" 20
	run -2 --separate-stderr bloomtool intersect -o out.bf 1.bf 3.bf
	is "$stderr" "bloomtool: 3.bf: has grown to several layers, wanted one; \"check --all\" asks several filters"
	[ ! -e out.bf ]
}

@test "what is no filter is refused" {
	echo text > text
	run -2 --separate-stderr bloomtool union -o out.bf a.bf text
	is "$stderr" "bloomtool: text: not a bloomtool filter"
	run -2 --separate-stderr bloomtool union -o out.bf a.bf gone.bf
	is "$stderr" "bloomtool: gone.bf: No such file or directory"
	is "$(ls)" $'a.bf\nb.bf\ntext'
}

@test "an existing OUT is replaced only with -f, whatever it is" {
	cp a.bf before
	echo text > text
	for out in a.bf text; do
		run -2 --separate-stderr bloomtool union -o $out a.bf b.bf
		is "$stderr" \
		    "bloomtool: $out: File exists; --force replaces it"
	done
	cmp a.bf before
	make_like_a wanted.bf 1 1000
	for option in -f --force; do
		bloomtool union -q $option -o text a.bf b.bf
		same_blocks text wanted.bf
		echo text > text
	done
	bloomtool union -q -f -o new.bf a.bf b.bf
	same_blocks new.bf wanted.bf
}

@test "OUT may be one of the inputs, first or last" {
	make_like_a wanted.bf 1 1000
	cp a.bf c.bf
	bloomtool union -q -f --output a.bf a.bf b.bf
	same_blocks a.bf wanted.bf
	bloomtool union -q -f -o b.bf c.bf b.bf
	same_blocks b.bf wanted.bf
	bloomtool intersect -q -f -o b.bf c.bf b.bf
	same_blocks b.bf c.bf
	is "$(find . -name '.bloomtool*')" ""
}

@test "what replaces OUT has its owner and permissions, a new one those of the umask" {
	chmod 604 a.bf
	if [ "$(id -u)" = 0 ]; then chown 12:34 a.bf; fi
	was=$(stat -c '%a %u %g' a.bf)
	bloomtool union -q -f -o a.bf a.bf b.bf
	is "$(stat -c '%a %u %g' a.bf)" "$was"
	(umask 027; bloomtool union -q -o new.bf a.bf b.bf)
	is "$(stat -c %a new.bf)" 640
}

@test "OUT that is a link, a directory or has other names is not replaced" {
	ln -s a.bf link.bf
	mkdir dir
	ln b.bf other.bf
	for out in link.bf dir b.bf; do
		run -2 --separate-stderr bloomtool union -f -o $out a.bf
		is "${#stderr_lines[@]}" 1
		has "$stderr" "bloomtool: $out: "
	done
	[ -L link.bf ]
	cmp b.bf other.bf
}

@test "an OUT that somebody adds to is waited for, no longer than --wait" {
	cp a.bf before
	coproc bloomtool add a.bf 3>&-
	writer=$COPROC_PID keys=${COPROC[1]}
	echo new >&"$keys"
	timeout 20 bash -c "until bloomtool check -q a.bf <<< new; do :; done"
	run -2 --separate-stderr bloomtool union -f -w 0.1 -o a.bf a.bf b.bf
	is "$stderr" "bloomtool: a.bf: locked by another process, gave up after 0.1 seconds"
	bloomtool union -q -f --wait 50 -o a.bf a.bf b.bf 3>&- &
	echo later >&"$keys"
	exec {keys}>&-
	wait "$writer"
	wait $!
	is "$(printf '%s\n' 1 new later 1000 | bloomtool check -c a.bf)" 4
}

@test "keys that are added to OUT while it is replaced are in the new one" {
	make_big
	in_the_middle bloomtool union -q -f -o big.bf "${MANY[@]}"
	for i in 1 2 3 4; do
		bloomtool add big.bf <<< "late $i" 3>&- &
	done
	run -2 --separate-stderr bloomtool add -w 0.01 big.bf <<< x
	has "$stderr" "big.bf: locked by another process"
	wait
	is "$(printf 'late %s\n' 1 2 3 4 | bloomtool check -c big.bf)" 4
	is "$(seq 100 | bloomtool check -c big.bf)" 100
	is "$(field big.bf state)" clean
}

@test "an input may be added to in the meantime" {
	make_big
	cp big.bf old.bf
	bloomtool add big.bf <<< before
	in_the_middle bloomtool union -q -o out.bf old.bf "${MANY[@]}"
	bloomtool add big.bf <<< after
	wait "$pid"
	is "$(bloomtool check out.bf <<< before)" before
	bloomtool stats --verify out.bf > /dev/null
	is "$(field big.bf state)" clean
}

@test "killed in the middle it leaves OUT as it was, and nothing else" {
	make_big
	cp a.bf before
	bloomtool create -q --like big.bf out.bf
	sum=$(sha256sum out.bf)
	for signal in KILL TERM INT HUP; do
		in_the_middle env --default-signal=INT \
		    bloomtool union -f -o out.bf "${MANY[@]}"
		dies_of $signal "$pid"
		is "$(sha256sum out.bf)" "$sum"
		[ $signal = KILL ] || is "$(ls -A)" \
		    $'a.bf\nb.bf\nbefore\nbig.bf\nout.bf\nsaid'
	done
	cmp a.bf before
}

@test "an input that is cut short meanwhile is named, and nothing is made" {
	make_big
	cp big.bf cut.bf
	in_the_middle bloomtool union -o out.bf cut.bf "${MANY[@]}"
	truncate -s 100000 cut.bf
	status=0
	wait "$pid" || status=$?
	is "$status" 2
	is "$(cat said)" "bloomtool: cut.bf: size changed while in use: 100000\
 bytes, wanted $(wc -c < big.bf)"
	[ ! -e out.bf ]
}

@test "an OUT that is replaced meanwhile by others is left alone" {
	make_big
	bloomtool create -q --like big.bf out.bf
	in_the_middle bloomtool union -f -o out.bf "${MANY[@]}"
	cp a.bf out.tmp
	mv out.tmp out.bf
	status=0
	wait "$pid" || status=$?
	is "$status" 2
	is "$(cat said)" \
	    "bloomtool: out.bf: replaced or removed in the meantime"
	cmp out.bf a.bf
}

@test "a thousand filters are united, though few files may be open" {
	for i in {1..10}; do make_like_a "$i.bf" "$i"01 "$i"99; done
	mapfile -t names < <(yes "$(ls -- [0-9]*.bf)" | head -n 1000)
	is "${#names[@]}" 1000
	run -0 --separate-stderr bash -c 'ulimit -Sn 64
	    bloomtool union -o out.bf "$@"' - "${names[@]}"
	has "$stderr" "out.bf: union of 1000 filters, about "
	bloomtool union -q -o wanted.bf [0-9]*.bf
	same_blocks out.bf wanted.bf
	run -2 --separate-stderr bash -c 'ulimit -n 64
	    bloomtool union -o new.bf "$@"' - "${names[@]}"
	has "$stderr" "open files, the limit is 64 (ulimit -n)"
	[ ! -e new.bf ]
}

@test "a union over a size limit is an error and leaves nothing" {
	make_big
	run -2 --separate-stderr bash -c \
	    "ulimit -f 1000; bloomtool union -o out.bf big.bf big.bf"
	is "$output" ""
	is "${#stderr_lines[@]}" 1
	has "$stderr" "out.bf: "
	has "$stderr" "File too large"
	is "$(ls -A)" $'a.bf\nb.bf\nbig.bf'
}

@test "union and intersect want -o and a filter" {
	for command in union intersect; do
		run -2 --separate-stderr bloomtool $command a.bf b.bf
		has "${stderr_lines[0]}" "--output"
		run -2 --separate-stderr bloomtool $command -o out.bf
		has "${stderr_lines[0]}" "no FILTER given"
	done
	is "$(ls -A)" $'a.bf\nb.bf'
}

@test "create --like of a filter itself, with --force, empties it" {
	bloomtool create -q --force --like a.bf --note first a.bf
	is "$(field a.bf keys_added)" 0
	is "$(seq 600 | bloomtool check -c a.bf || true)" 0
	bloomtool union -q -o out.bf a.bf b.bf
	same_blocks out.bf b.bf
}

# bats test_tags=slow
@test "on a terminal a line tells how far it is, and is erased" {
	make_big
	run -0 "$BATS_TEST_DIRNAME/progress.py" hold -- \
	    bloomtool union -o out.bf "${MANY[@]}"
	line='\\r *union: [0-9.]+ [KMG]iB of 11\.8 MiB, [0-9]+ %, [0-9]:[0-9]+:[0-9]+ left(; [0-9.]+ [KMG]iB/s)? *'
	[[ ${lines[0]} =~ ^\'($line)+(.runion: syncing +)?'\r'\ +'\r'"out.bf: union of 250 filters, " ]]
	[[ ${lines[1]} == "out.bf: union of 250 filters, "* ]]
}

# bats test_tags=slow
@test "in the background no line is drawn, nor where stderr is no terminal" {
	make_big
	run -0 "$BATS_TEST_DIRNAME/progress.py" background hold -- \
	    bloomtool union -q -o out.bf "${MANY[@]}"
	is "$output" "''"
	run -0 "$BATS_TEST_DIRNAME/progress.py" hold -- \
	    bash -c 'exec bloomtool union -o out.bf -f "$@" 2> said' - \
	    "${MANY[@]}"
	is "$output" "''"
	[[ $(cat said) == "out.bf: union of 250 filters, "* ]]
}

@test "SIGUSR1 asks for a line at any time, into a file too" {
	make_big
	in_the_middle bloomtool intersect -q -o out.bf "${MANY[@]}"
	kill -USR1 "$pid"
	wait "$pid"
	line='^intersection: [0-9.]+ [KM]iB of 11\.8 MiB, [0-9]+ %, 0:00:[0-9]+ left(; [0-9.]+ [KM]iB/s)?$'
	[[ $(cat said) =~ $line ]]
	same_blocks out.bf big.bf
}
