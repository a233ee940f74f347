# Power cuts: see power.py.  Needs root, loop devices and FUSE, and skips where
# they are not there.  POWER_STATES=2000 looks at as many states of each file
# system.

# shellcheck disable=SC2030,SC2031  # output and such are of run

load ../helper

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PATH=$ROOT:$PATH
export PYTHONDONTWRITEBYTECODE=1

C=("${CC:-cc}" -std=c11 -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -O1)

setup_file() {
	local fuse
	fuse=$(pkg-config --cflags --libs fuse3 2>/dev/null) || return 0
	# shellcheck disable=SC2086
	"${C[@]}" -o "$BATS_FILE_TMPDIR/blocklog" \
		"$BATS_TEST_DIRNAME/blocklog.c" $fuse
}

# need KIND: all it takes to cut the power of such a file system, or skip.
need() {
	[ "$(id -u)" = 0 ] || skip "not root: cannot mount"
	[ -x "$BATS_FILE_TMPDIR/blocklog" ] || skip "no libfuse3 to build with"
	[ -c /dev/fuse ] || skip "no FUSE"
	[ -c /dev/loop-control ] || skip "no loop devices"
	command -v "mkfs.$1" >/dev/null || skip "no mkfs.$1"
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null ||
		skip "the kernel does not know $1"
	unshare -m --propagation private \
		mount -t tmpfs none "$BATS_TEST_TMPDIR" 2>/dev/null ||
		skip "cannot mount here"
}

# cut_power KIND STATES PROGRAM [OPTION...]: run it and cut the power; sets status,
# lines and a variable for each figure.  All in a mount namespace of its own,
# so that nothing is left of it, however it ends.
cut_power() {
	mkdir -p lab
	run timeout -k 10 600 unshare -m --propagation private \
		python3 "$BATS_TEST_DIRNAME/power.py" --fs "$1" \
		--states "${POWER_STATES:-$2}" --seed "$RANDOM" --dir "$PWD/lab" \
		--blocklog "$BATS_FILE_TMPDIR/blocklog" --tool "$3" \
		"${@:4}" 3>&-
	local figure
	states=0 clean=0 unclean=0 absent=0 keys=0 missing=0
	for figure in ${lines[0]}; do
		[[ $figure =~ ^[a-z]+=[0-9]+$ ]] && declare -g "$figure"
	done
	say "$1: $states states; filters $clean clean, $unclean unclean," \
		"$absent not made yet; $keys keys looked for, $missing missing"
}

say() {
	echo "# $*" >&3
}

# holds KIND STATES: bloomtool keeps its promise.
holds() {
	need "$1"
	cut_power "$1" "$2" "$ROOT/bloomtool"
	printf '%s\n' "${lines[@]}"
	is "$status" 0
	is "$missing" 0
	# And it was looked at.
	[ "$states" -ge "${POWER_STATES:-$2}" ]
	[ "$clean" -gt "$states" ]
	[ "$unclean" -gt $((states / 4)) ]
	[ "$keys" -gt $((states * 1000)) ]
}

@test "after power cuts on ext4 no acknowledged key is missing, what is clean is whole" {
	holds ext4 250
}

@test "after power cuts on XFS no acknowledged key is missing, what is clean is whole" {
	holds xfs 100
}

@test "after power cuts on btrfs no acknowledged key is missing, what is clean is whole" {
	holds btrfs 40
}

# wrong_order N: bloomtool with that mistake, see writing.c, at ./wrong.
wrong_order() {
	grep -q BLOOMTOOL_WRONG_ORDER "$ROOT/writing.c" || {
		echo "writing.c has no wrong orders to test with" >&2
		return 1
	}
	local object objects=() flags=()
	for object in "$ROOT"/*.o "$ROOT"/foreign/*.o; do
		[[ $object == */writing.o ]] || objects+=("$object")
	done
	! sanitized || flags=("-fsanitize=address,undefined")
	"${C[@]}" -pthread "${flags[@]}" -D "BLOOMTOOL_WRONG_ORDER=$1" \
		-o wrong "$ROOT/writing.c" "${objects[@]}" -lm -lz
}

# is_caught N: that mistake is found in 400 states.
is_caught() {
	need ext4
	wrong_order "$1"
	cut_power ext4 400 "$PWD/wrong" --find
	printf '%s\n' "${lines[@]}"
	is "$status" 1
	[ "$missing" -gt 0 ]
	[ "$states" -le 400 ]
	has "$output" "and yet it is clean"
	say "wrong order $1: found after $states states"
}

@test "the same cuts find a clean mark that is synced together with the data" {
	is_caught 1
}

@test "the same cuts find a dirty mark that is not synced before the first bit" {
	is_caught 2
}
