# The bloomtool of another machine, in BLOOMTOOL_DIR, makes and says what that of
# this one does, which is NATIVE.  Run by tests/check-cross.
# shellcheck disable=SC2154	# stderr: run sets it
load ../helper

FILTERS=(
	"-n 1000 -p 0.01"
	"-n 1000 -p 1e-6"
	"-n 1000 -p 1e-9 --prefer space"
	"-n 300 -p 0.01 --grow"
	"-n 200 -p 0.001 --full=stop"
	"-n 1000 --scheme dcso"
	"-n 1000 --scheme guava"
	"-n 1000 --scheme guava --key utf16le"
	"-n 1000 --scheme guava --key int64"
	"-n 1000 --scheme guava-bitmap"
	"-n 1000 --scheme bits-and-blooms"
	"-n 1000 --scheme go-zero"
	"-n 300 --scheme redisbloom --grow"
)

# by here|there ARGUMENT...: one of the two bloomtools.
by() {
	if [ "$1" = here ]; then
		bloomtool "${@:2}"
	else
		"$NATIVE" "${@:2}"
	fi
}

# Each of FILTERS by its number, made and filled by both in the folders here and
# there, with the seed that makes them the same.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	seq 700 > keys		# more than some of them are made for
	seq 351 3000 > others
	mkdir here there
	for i in "${!FILTERS[@]}"; do
		seed="--seed 0x123456789abcdef0"
		[[ ${FILTERS[i]} != *--scheme* ]] || seed=
		for side in here there; do
			# shellcheck disable=SC2086	# several words
			by $side create -q ${FILTERS[i]} $seed $side/"$i".bf
			by $side add $side/"$i".bf keys 2> said || true
		done
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cp -R "$BATS_FILE_TMPDIR"/{here,there,keys,others} .
}

# each COMMAND: with each of them as here/f.bf and there/f.bf.
each() {
	local options i
	for i in "${!FILTERS[@]}"; do
		options=${FILTERS[i]}
		for side in here there; do
			mv -f $side/"$i".bf $side/f.bf
		done
		"$@"
	done
}

same_files() {
	is "$(differences here/f.bf there/f.bf)" ""
}

@test "the same options and keys make the same file" {
	each same_files
}

# answers BLOOMTOOL FILTER: all that it says of it.  Logarithms may end in other
# digits elsewhere: ten of a number are compared.
answers() {
	"$1" check "$2" keys others
	"$1" stats "$2"
	"$1" stats --json "$2" | jq 'walk(if type != "number" or . == 0 then .
		else (log10 | floor) as $e | . / pow(10; $e) * 1e9 | round end)'
}

same_answers() {
	for f in here/f.bf there/f.bf; do
		answers bloomtool $f > got
		answers "$NATIVE" $f > wanted
		cmp got wanted
	done
}

@test "each reads what the other wrote, and says the same" {
	each same_answers
}

added_by_both() {
	bloomtool add there/f.bf others 2> said || true
	"$NATIVE" add here/f.bf others 2> said || true
	same_files
}

@test "each adds to what the other wrote" {
	each added_by_both
}

united() {
	for side in here there; do
		by $side create -qf --like here/f.bf $side/g.bf
		by $side add $side/g.bf others 2> said || true
	done
	for side in here there; do
		by $side union -qf -o $side/u.bf here/f.bf there/g.bf 2> said
		[[ $options == *--grow* ]] || by $side intersect -qf \
			-o $side/i.bf here/f.bf there/g.bf 2> said
	done
	is "$(differences here/u.bf there/u.bf)" ""
	[[ $options == *--grow* ]] ||
		is "$(differences here/i.bf there/i.bf)" ""
}

@test "unions and intersections are the same" {
	each united
}

exported() {
	local to=${options#*--scheme } more=
	[[ $options == *--scheme* ]] || return 0
	to=${to%% *}
	case $to in
	redisbloom) more="-n k" ;;
	guava-bitmap | go-zero) to=redis-bitmap more="-n k" ;;
	esac
	for side in here there; do
		# shellcheck disable=SC2086	# several words
		by $side export -f -t $to $more $side/f.bf $side/out
	done
	cmp here/out there/out
	[ "$to" != redis-bitmap ] || return 0
	for side in here there; do
		by $side import -qf here/out $side/again.bf 2> said
	done
	is "$(differences here/again.bf there/again.bf)" ""
}

@test "exports are the same, and are imported alike" {
	each exported
}

@test "plans are the same" {
	for n in 1 60 12345 3e7 1e10; do
		for p in 0.3 0.007 1e-4 1e-9; do
			bloomtool estimate --json -n $n -p $p |
				jq -c '[.bits, .blocks, .probes]' >> got
			"$NATIVE" estimate --json -n $n -p $p |
				jq -c '[.bits, .blocks, .probes]' >> wanted
		done
	done
	cmp got wanted
}

@test "what 32 bits cannot address is refused before it is made" {
	[ "$MACHINE" = i386 ] || skip "has addresses of 64 bits"
	run -2 --separate-stderr bloomtool create -s 5GiB f.bf
	is "$stderr" "bloomtool: f.bf: 5.00 GiB do not fit into the memory addresses of this build, which have 32 bits"
	[ ! -e f.bf ]
	# One that comes from elsewhere.
	"$NATIVE" create -qf -s 5GiB --seed 1 big.bf ||
		skip "no room for 5 GiB here"
	run -2 --separate-stderr bloomtool check big.bf keys
	has "$stderr" "big.bf: 5.00 GiB do not fit into the memory addresses"
}
