# Full and broken disks, files that are cut short, read-only and network file
# systems.  Needs root and loop devices, and skips where they are not there.

# shellcheck disable=SC2030,SC2031  # output and status are of run

load rig

setup_file() {
	"${CC:-cc}" -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/netfs.so" \
		"$BATS_TEST_DIRNAME/netfs.c" -ldl 2>/dev/null || true
}

teardown() {
	exec 5>&- 6>&-
	cd /
	[ -z "${REQUESTS-}" ] || echo "$REQUESTS_WERE" > "$REQUESTS"
	local where
	for where in $(awk -v top="$BATS_TEST_TMPDIR/" \
		'index($2, top) == 1 { print $2 }' /proc/self/mounts | tac); do
		umount "$where" || umount -l "$where"
	done
}

# say TEXT: a figure, into the output of the tests.
say() {
	echo "# $*" >&3
}

# until_true COMMAND...: for ten seconds.
until_true() {
	local i
	for ((i = 0; i < 1000; i++)); do
		! "$@" || return 0
		sleep 0.01
	done
	echo "in vain: $*" >&2
	return 1
}

# are_in FILTER KEYS
are_in() {
	[ "$(bloomtool check -c -v "$1" "$2")" = 0 ]
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "not root: cannot mount"
	mkdir -p probe
	mount -t tmpfs none probe 2>/dev/null || skip "cannot mount here"
	umount probe
}

# need_disk KIND: such a file system can be made and mounted.
need_disk() {
	need_root
	[ -c /dev/loop-control ] || skip "no loop devices"
	command -v "mkfs.$1" >/dev/null || skip "no mkfs.$1"
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null ||
		skip "the kernel does not know $1"
}

# make_disk KIND SIZE IMAGE: an image of a file system.
make_disk() {
	truncate -s "$2" "$3"
	case $1 in
	ext4)
		mkfs.ext4 -q -F -b 4096 -J size=4 -E \
			nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$3"
		;;
	*)
		"mkfs.$1" -q -K "$3" >/dev/null 2>&1
		;;
	esac
}

# mount_disk KIND SIZE: a disk at ./m; the loop device goes with the mount.
mount_disk() {
	mkdir -p m
	make_disk "$1" "$2" image
	mount -o loop image m
}

mount_again() {
	umount m
	mount -o loop "$1" m
}

# fill DIRECTORY: not a byte goes in there any more.
fill() {
	local n=0 size
	for size in 64M 8M 1M 128K 16K 4K; do
		while fallocate -l $size "$1/fill.$n" 2>/dev/null; do
			n=$((n + 1))
		done
		rm -f "$1/fill.$n"
	done
	dd if=/dev/zero of="$1/fill.last" bs=4k status=none 2>/dev/null || true
	sync -f "$1"
}

used() {
	df -k --output=used "$1" | tail -n 1 | tr -d ' '
}

state() {
	field "$1" state
}

# All the keys from 1 to $2 are in, and the file is clean.
is_whole() {
	is "$(state "$1")" clean
	is "$(seq "$2" | bloomtool check -c -v "$1")" 0
	bloomtool stats --verify "$1" >/dev/null
}

# is_whole, of what is really on the disk.
is_whole_on_disk() {
	is_whole m/f.bf "$2"
	sync
	echo 3 > /proc/sys/vm/drop_caches
	is_whole m/f.bf "$2"
	mount_again "$1"
	is_whole m/f.bf "$2"
}

# failed_for FILE: the last run ended with 2 and a message that names FILE,
# not by a signal.
failed_for() {
	is "$status" 2
	has "$stderr" "bloomtool: $1: "
}

# ---- too little space ----

@test "create on a tmpfs that is too small names file and size and leaves nothing" {
	need_root
	mkdir t
	mount -t tmpfs -o size=1M none t
	local before
	before=$(used t)
	run -2 --separate-stderr bloomtool create -n 1e7 t/f.bf
	failed_for t/f.bf
	has "$stderr" "11.8 MiB"
	has "$stderr" "No space left on device"
	is "$output" ""
	is "$(ls -A t)" ""
	is "$(used t)" "$before"

	run -2 --separate-stderr bloomtool add --create -n 1e7 t/f.bf <<< key
	failed_for t/f.bf
	is "$(ls -A t)" ""
	is "$(used t)" "$before"
}

@test "create --force on a tmpfs that is too small keeps the old filter" {
	need_root
	mkdir t
	mount -t tmpfs -o size=1M none t
	bloomtool create -q -n 1000 t/f.bf
	seq 1000 | bloomtool add t/f.bf
	local before
	before=$(used t)
	run -2 --separate-stderr bloomtool create --force -n 1e6 t/f.bf
	failed_for t/f.bf
	is "$(ls -A t)" f.bf
	is "$(used t)" "$before"
	is_whole t/f.bf 1000
}

@test "create that needs the last blocks of a disk works or leaves nothing" {
	need_disk ext4
	mount_disk ext4 32M
	local free before size made=0 refused=0
	before=$(used m)
	free=$(stat -f -c '%f' m)
	# ext4 keeps 2 % for itself.
	for size in $(seq $((free - 200)) 7 $((free + 1))); do
		run --separate-stderr bloomtool create -q -s $((size * 4096)) \
			m/f.bf
		if [ "$status" = 0 ]; then
			made=$((made + 1))
			rm m/f.bf
		else
			failed_for m/f.bf
			has "$stderr" "No space left on device"
			refused=$((refused + 1))
		fi
		is "$(ls -A m)" lost+found
		sync -f m
		is "$(used m)" "$before"
	done
	say "$made filters made, $refused refused"
	[ $made -gt 0 ]
	[ $refused -gt 0 ]
}

# add_on_full KIND SIZE KEYS ROUNDS
add_on_full() {
	need_disk "$1"
	mount_disk "$1" "$2"
	local i
	bloomtool create -q -n $(($3 * 10)) m/f.bf
	fill m
	run ! dd if=/dev/zero of=m/more bs=4k count=1 conv=fsync
	for i in $(seq "$4"); do
		seq $(((i - 1) * $3 / $4 + 1)) $((i * $3 / $4)) > keys
		run -0 --separate-stderr bloomtool add m/f.bf keys
		is "$stderr" ""
	done
	is_whole_on_disk image "$3"
	say "$1: $3 keys added to a full disk, none missing"
}

@test "add works on an ext4 that was filled after create" {
	add_on_full ext4 64M 1000000 4
}

@test "add works on an XFS that was filled after create" {
	add_on_full xfs 320M 1000000 4
}

@test "add works on a btrfs that was filled after create" {
	# It looks for space for seconds at each page: one page will do.
	add_on_full btrfs 128M 300 2
}

# grow_on_full KIND SIZE: no room for a layer, until some is made.
grow_on_full() {
	need_disk "$1"
	mount_disk "$1" "$2"
	local size before how
	bloomtool create -q -n 1000 --grow -p 1e-9 m/f.bf
	seq 3000 | bloomtool add m/f.bf
	sync -f m
	seq 100000 > keys
	# XFS finds some more room after a while.
	until [ "$(stat -c %s m/f.bf)" = "${size-}" ]; do
		size=$(stat -c %s m/f.bf)
		fill m
		run -2 bloomtool add m/f.bf keys
	done
	before=$(used m)
	for how in add "add -v" "add -c"; do
		# shellcheck disable=SC2086	# words
		run -2 --separate-stderr bloomtool $how m/f.bf keys
		failed_for m/f.bf
		has "$stderr" "full, and cannot reserve "
		has "$stderr" "to grow: No space left on device"
		is "$output" ""
		is "$(stat -c %s m/f.bf)" "$size"
		is_whole m/f.bf 3000
	done
	sync -f m
	is "$(used m)" "$before"
	rm m/fill.*
	sync -f m
	run -0 --separate-stderr bloomtool add m/f.bf keys
	is "$stderr" ""
	is_whole_on_disk image 100000
}

@test "a filter that cannot grow on a full ext4 keeps its keys, and grows later" {
	grow_on_full ext4 64M
}

@test "a filter that cannot grow on a full XFS keeps its keys, and grows later" {
	grow_on_full xfs 320M
}

@test "a filter that cannot grow on a full btrfs keeps its keys, and grows later" {
	grow_on_full btrfs 128M
}

@test "add to a reflink copy on a full XFS ends with a message, not a signal" {
	need_disk xfs
	mount_disk xfs 320M
	bloomtool create -q -n 1e6 m/f.bf
	seq 1000 | bloomtool add m/f.bf
	sync -f m
	cp --reflink=always m/f.bf m/copy.bf 2>/dev/null || skip "no reflinks"
	fill m
	seq 100000 > keys
	run -2 --separate-stderr bloomtool add m/copy.bf keys
	failed_for m/copy.bf
	is "$output" ""

	rm m/fill.*
	sync -f m
	run -0 bloomtool add m/copy.bf keys
	is_whole m/copy.bf 100000
	is_whole m/f.bf 1000
}

@test "add in a snapshot on a full btrfs ends with a message, not a signal" {
	need_disk btrfs
	mount_disk btrfs 128M
	btrfs -q subvolume create m/a >/dev/null
	bloomtool create -q -n 20000 m/a/f.bf
	seq 2000 | bloomtool add m/a/f.bf
	sync -f m
	btrfs -q subvolume snapshot m/a m/b >/dev/null
	fill m
	seq 20000 > keys
	run -2 --separate-stderr bloomtool add m/b/f.bf keys
	failed_for m/b/f.bf

	rm m/fill.*
	sync -f m
	run -0 bloomtool add m/b/f.bf keys
	is_whole m/b/f.bf 20000
	is_whole m/a/f.bf 2000
}

# ---- a disk whose writes fail ----

KEYS=100000

# short_requests DEVICE: of a page at the most.  If one succeeds in part, the
# loop driver takes all of it for written.
short_requests() {
	REQUESTS=/sys/block/${1#/dev/}/queue/max_sectors_kb
	REQUESTS_WERE=$(cat "$REQUESTS")
	echo 4 > "$REQUESTS" || skip "cannot set the size of requests"
}

# failing_disk KIND SIZE [data-only]: a disk at ./m, on a tmpfs that has no room
# for pages that are not there, and these are all that are zero; data-only: all
# of the filter that are zero, so that metadata can be written.  On the disk is
# a filter of 20 keys.
failing_disk() {
	need_disk "$1"
	command -v filefrag >/dev/null || skip "no filefrag"
	mkdir small m
	mount -t tmpfs -o size=1G none small
	make_disk "$1" "$2" small/image
	if [ "${3-}" = data-only ]; then
		cp --sparse=never small/image small/full
		mv small/full small/image
	fi
	mount -o loop small/image m
	bloomtool create -q -n 3e6 m/f.bf
	seq 20 | bloomtool add m/f.bf
	# And none of it in large folios, which are written whole.
	mount_again small/image
	short_requests "$(findmnt -no SOURCE m)"
	if [ "${3-}" = data-only ]; then
		filefrag -v -b4096 m/f.bf |
			awk '/^ *[0-9]+:/ { gsub(/[.:]/, " "); print $4, $6 }' |
			while read -r at n; do
				fallocate --dig-holes -o $((at * 4096)) \
					-l $((n * 4096)) small/image
			done
	else
		fallocate --dig-holes small/image
	fi
	mount -o "remount,size=$(used small)k" small
	seq $KEYS > keys
}

# What add, check and stats say once the disk has failed.
disk_has_failed() {
	failed_for m/f.bf
	is "$(state m/f.bf)" "sync failed"
	run -2 --separate-stderr bloomtool check -c m/f.bf keys
	failed_for m/f.bf
	has "$stderr" "bloomtool recover m/f.bf"
	is "$output" ""
	run -2 --separate-stderr bloomtool add -v m/f.bf keys
	failed_for m/f.bf
	is "$output" ""
	run -2 --separate-stderr bloomtool add m/f.bf keys
	failed_for m/f.bf
}

disk_is_well_again() {
	mount -o remount,size=1G small
}

recover_all() {
	run -0 --separate-stderr bloomtool recover m/f.bf keys
	is_whole_on_disk small/image $KEYS
	say "$1: $KEYS keys recovered, none missing"
}

@test "what an ext4 could not write, recover brings back" {
	failing_disk ext4 32M data-only
	run -2 --separate-stderr bloomtool add m/f.bf keys
	has "$stderr" "sync: "
	disk_has_failed
	disk_is_well_again
	is "$(state m/f.bf)" "sync failed"
	recover_all ext4
}

@test "what an ext4 could not write, recover brings back beside a reader" {
	failing_disk ext4 32M data-only
	run -2 --separate-stderr bloomtool add m/f.bf keys
	disk_has_failed
	disk_is_well_again
	# It has all pages of the file mapped.
	mkfifo hold
	python3 -c '
import mmap, sys
with open("m/f.bf", "rb") as f:
	pages = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
sum(pages[::4096])
print("ready", flush=True)
sys.stdin.read()' < hold > reader 3>&- &
	local reader=$!
	exec 6> hold
	until_true [ -s reader ]
	run -0 bloomtool recover m/f.bf keys
	exec 6>&-
	wait $reader
	is_whole_on_disk small/image $KEYS
}

@test "what an XFS could not write, recover brings back" {
	failing_disk xfs 320M
	run -2 --separate-stderr bloomtool add m/f.bf keys
	has "$stderr" "sync: "
	disk_has_failed
	disk_is_well_again
	is "$(state m/f.bf)" "sync failed"
	recover_all XFS
}

@test "when an ext4 has failed altogether, recover brings back all after a mount" {
	failing_disk ext4 32M
	run -2 --separate-stderr bloomtool add m/f.bf keys
	disk_has_failed
	disk_is_well_again
	mount_again small/image
	is "$(state m/f.bf)" "sync failed"
	run -2 bloomtool check -q m/f.bf keys
	recover_all "ext4, read-only since its journal failed"
}

@test "what the kernel could not write of a killed add, the next add tells of" {
	failing_disk ext4 32M data-only
	mkfifo pipe
	bloomtool add m/f.bf < pipe 3>&- &
	local add=$!
	exec 5> pipe
	cat keys >&5
	until_true are_in m/f.bf keys
	kill -9 $add
	wait $add || true
	sync
	run -2 --separate-stderr bloomtool add m/f.bf <<< "one more"
	disk_has_failed
}

# ---- a file that is cut short ----

# start_cut COMMAND FILE: it runs, reads from descriptor 5, and has answered.
start_cut() {
	rm -f pipe out
	mkfifo pipe
	# shellcheck disable=SC2094
	if [ "$1" = add ]; then
		bloomtool add "$2" < pipe > out 2> err 3>&- 6>&- &
	else
		bloomtool check -v "$2" < pipe > out 2> err 3>&- 6>&- &
	fi
	pid=$!
	exec 5> pipe
	echo first >&5
	if [ "$1" = add ]; then
		echo first > first
		until_true are_in "$2" first
	else
		until_true [ -s out ]
	fi
}

# end_cut [KEYS]: more keys, and the end; sets status and stderr.
end_cut() {
	seq "${1-20000}" >&5 2>/dev/null || true
	exec 5>&-
	status=0
	wait "$pid" || status=$?
	stderr=$(< err)
}

@test "add and check end with a message when their file is cut short" {
	local command size at n=0
	trap '' PIPE
	for _ in $(seq 25); do
		for command in add check; do
			bloomtool create -q -f -n 20000 f.bf
			size=$(stat -c %s f.bf)
			at=$((RANDOM * 32768 + RANDOM))
			at=$((at % (size / 4096 * 4096)))
			start_cut $command f.bf
			truncate -s $at f.bf
			end_cut
			failed_for f.bf || {
				echo "$command, cut to $at of $size" >&2
				return 1
			}
			n=$((n + 1))
		done
	done
	say "$n files cut, $n messages"
}

@test "add ends with a message when its file is cut within the last page" {
	bloomtool create -q -n 1000 f.bf
	start_cut add f.bf
	truncate -s -64 f.bf
	end_cut
	failed_for f.bf
	has "$stderr" "size changed"
}

@test "check ends with a message when its file is cut within the last page" {
	bloomtool create -q -n 1000 f.bf
	seq 1000 | bloomtool add f.bf
	start_cut check f.bf
	truncate -s -64 f.bf
	end_cut 1000
	failed_for f.bf
}

# ---- read-only and network file systems ----

@test "check and stats work on a read-only mount, add says that it is one" {
	need_root
	mkdir t
	mount -t tmpfs none t
	bloomtool create -q -n 1000 t/f.bf
	seq 1000 | bloomtool add t/f.bf
	bloomtool create -q -n 1000 t/left.bf
	bloomtool add --no-sync t/left.bf <<< 1
	mount -o remount,ro t
	is_whole t/f.bf 1000
	is "$(state t/left.bf)" "left open"
	is "$(bloomtool check -c t/left.bf <<< 1)" 1
	local command
	for command in "add t/f.bf" "add -v t/f.bf" "recover --accept t/f.bf"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr bloomtool $command <<< new
		failed_for t/f.bf
		has "$stderr" "Read-only file system"
		is "$output" ""
	done
	run -2 --separate-stderr bloomtool create -n 10 t/new.bf
	failed_for t/new.bf
	mount -o remount,rw t
	is_whole t/f.bf 1000
}

need_netfs() {
	[ -e "$BATS_FILE_TMPDIR/netfs.so" ] ||
		skip "netfs.c does not compile here: not glibc?"
}

# on KIND COMMAND...: run it where fstatfs says KIND.
on() {
	NETFS=$1 LD_PRELOAD=$BATS_FILE_TMPDIR/netfs.so \
		ASAN_OPTIONS=verify_asan_link_order=0 "${@:2}"
}

@test "add and recover refuse network file systems without --network" {
	need_netfs
	local kind command
	bloomtool create -q -n 1000 f.bf
	seq 100 | bloomtool add f.bf
	for kind in 0x6969 0x517b 0xff534d42 0xfe534d42 0x01021997 0x00c36400; do
		for command in "add" "add -v" "add --no-sync" \
			"recover --accept"; do
			# shellcheck disable=SC2086
			run -2 --separate-stderr on $kind \
				bloomtool $command f.bf <<< new
			failed_for f.bf
			has "$stderr" --network
			is "$output" ""
		done
	done
	is "$(bloomtool check -c f.bf <<< new)" 0
	is "$(state f.bf)" clean
}

@test "add works on a network file system with --network" {
	need_netfs
	bloomtool create -q -n 1000 f.bf
	seq 100 | on 0x6969 bloomtool add --network f.bf
	is "$(seq 101 200 | on 0x6969 bloomtool add -W -v f.bf | wc -l)" 100
	is_whole f.bf 200
	on 0x6969 bloomtool recover -q --network f.bf <<< 201
	is_whole f.bf 201
}

@test "check, stats and create work on a network file system" {
	need_netfs
	on 0x6969 bloomtool create -q -n 1000 f.bf
	seq 100 | bloomtool add f.bf
	is "$(seq 100 | on 0x6969 bloomtool check -c f.bf)" 100
	on 0x6969 bloomtool stats f.bf | grep '^state  *clean$'
}

@test "add works on local file systems whatever their kind" {
	need_netfs
	bloomtool create -q -n 1000 f.bf
	for kind in 0xef53 0x58465342 0x9123683e 0x01021994 0x794c7630; do
		seq 100 | on $kind bloomtool add f.bf
	done
	is_whole f.bf 100
}
