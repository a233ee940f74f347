# What the tests here share.  The work is done by the programs in Python and C
# beside them; what they print are the figures.
load ../helper
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PATH=$ROOT:$PATH
export PYTHONDONTWRITEBYTECODE=1

# drive PROGRAM ARGUMENT...: run a driver, its figures to the terminal.
drive() {
	python3 "$BATS_TEST_DIRNAME/$1.py" "${@:2}" >&3
}

need() {
	command -v "$1" > /dev/null || skip "no $1 here"
}

# Sanitizers bring system calls and allocations of their own.
need_plain_build() {
	! sanitized || skip "built with sanitizers"
}

# WORK, a folder with no disk below, on which syncs would take most of the
# time; nothing in it may be run, perhaps.  For setup_file, with a removal in
# teardown_file.
make_work() {
	WORK=$(mktemp -d -p /dev/shm 2> /dev/null || mktemp -d)
	export WORK
	cd "$WORK" || return 1
}

# A folder for the test in there; for setup.
cd_work() {
	mkdir "$WORK/$BATS_TEST_NUMBER"
	cd "$WORK/$BATS_TEST_NUMBER" || return 1
}

# strace is there, and allowed to.
need_strace() {
	need strace
	need_plain_build
	strace -o /dev/null -e inject=getppid:error=EIO true 2> /dev/null ||
		skip "strace is not allowed here"
}

# The kernel says in what a process sleeps.
need_wchan() {
	local pid where
	sleep 10 &
	pid=$!
	until [ "$(cat "/proc/$pid/comm")" = sleep ]; do :; done
	for _ in 1 2 3 4 5; do
		where=$(cat "/proc/$pid/wchan" 2> /dev/null)
		[ "${where:-0}" = 0 ] || break
	done
	kill "$pid"
	[ "${where:-0}" != 0 ] || skip "no /proc/PID/wchan here"
}

# shim.c, which is preloaded into bloomtool.  To be called in setup_file.
make_shim() {
	SHIM=$BATS_FILE_TMPDIR/shim.so
	cc -shared -fPIC -O2 -o "$SHIM" "$BATS_TEST_DIRNAME/shim.c" || SHIM=
	export SHIM
}

need_shim() {
	need_plain_build
	[ -n "$SHIM" ] || skip "shim.c does not compile here: not glibc?"
	LD_PRELOAD=$SHIM bloomtool --version > /dev/null 2>&1 ||
		skip "no LD_PRELOAD here"
}
