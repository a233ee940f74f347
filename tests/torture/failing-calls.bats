# Each system call and each allocation fails once.  Whatever fails: either all
# is done, or one line says what went wrong and the exit status is 2; no key is
# lost, nothing is left behind, and the next run works.

# "run --separate-stderr" sets stderr.
# shellcheck disable=SC2154
load rig

setup_file() {
	make_shim
	make_work
}

teardown_file() {
	rm -rf "$WORK"
}

setup() {
	cd_work
}

# fail WHAT: see fail_calls.py.
fail() {
	need_strace
	need_wchan
	drive fail_calls "$1"
}

@test "whatever fails in create, the filter is there whole or not at all" {
	fail create
}

@test "whatever fails in add, no key is lost" {
	fail add
}

@test "whatever fails in add -v, no line is lost" {
	fail unseen
}

@test "whatever fails in check and stats, they give no wrong answer" {
	fail look
}

@test "whatever fails in recover, the mark stays until all is well" {
	fail recover
}

@test "what is interrupted or told to wait is tried again" {
	fail again
}

@test "a boot id that cannot be read is not taken for a power cut" {
	fail boot
}

@test "each allocation fails once: a message and exit 2" {
	need_strace
	need_wchan
	need_shim
	drive fail_calls mallocs
}

# limited BLOCKS COMMAND...: with files of at most so many KiB.
limited() (
	ulimit -f "$1"
	shift
	exec "$@"
)

@test "RLIMIT_FSIZE: create says so and leaves nothing" {
	mkdir d && cd d
	run -2 --separate-stderr limited 100 bloomtool create -n 1e6 f.bf
	is "$stderr" "bloomtool: f.bf: cannot reserve 1.19 MiB: File too large"
	is "$output" ""
	is "$(ls -A)" ""
	run -0 --separate-stderr limited 2000 bloomtool create -q -n 1e6 f.bf
	is "$(ls -A)" f.bf
}

@test "RLIMIT_FSIZE: create --force leaves the old filter" {
	mkdir d && cd d
	bloomtool create -q -n 1000 f.bf
	echo key | bloomtool add f.bf
	cp f.bf ../before
	run -2 --separate-stderr limited 100 \
		bloomtool create --force -n 1e6 f.bf
	has "$stderr" "bloomtool: f.bf: cannot reserve"
	cmp f.bf ../before
	is "$(ls -A)" f.bf
}

@test "RLIMIT_FSIZE: add --create says so and leaves nothing" {
	mkdir d && cd d
	seq 10 > ../keys
	run -2 --separate-stderr limited 100 \
		bloomtool add --create -n 1e6 f.bf ../keys
	is "$stderr" "bloomtool: f.bf: cannot reserve 1.19 MiB: File too large"
	is "$(ls -A)" ""
}

@test "RLIMIT_FSIZE: a filter larger than the limit can be added to" {
	bloomtool create -q -n 1e6 f.bf
	seq 1000 > keys
	run -0 --separate-stderr limited 100 bloomtool add f.bf keys
	is "$stderr" ""
	is "$(bloomtool check -c f.bf keys)" 1000
	is "$(field f.bf state)" clean
}

@test "RLIMIT_FSIZE: add -v into a file that may not grow loses no line" {
	local whole
	bloomtool create -q -n 1e6 -p 1e-9 f.bf
	seq 100000 > keys
	limited 100 bloomtool add -v f.bf keys > first 2> message || status=$?
	is "$status" 2
	is "$(cat message)" "bloomtool: stdout: File too large"
	is "$(field f.bf state)" clean
	# The last line may have gone out in part.
	whole=$(wc -l < first)
	head -n "$whole" first > printed
	bloomtool add -v f.bf keys >> printed
	cmp printed keys
	echo "# $whole lines before the limit, all others after" >&3
}
