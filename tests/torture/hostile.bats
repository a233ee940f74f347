# Filter files that are damaged, cut or no files at all: refused with exit
# status 2 and one line that names file and fault, never a signal, never an
# answer that is a guess, and never a byte of theirs changed.

# bats sets these.
# shellcheck disable=SC2154
load rig

setup_file() {
	local object objects=()
	make_work
	for object in "$ROOT"/*.o "$ROOT"/foreign/*.o; do
		# Not main.
		[[ $object == */bloomtool.o ]] || objects+=("$object")
	done
	seq 40 > keys
	bloomtool create -q -s 16384 -p 1e-6 --note "who made it" good.bf
	bloomtool add good.bf keys
	HOSTILE=$BATS_FILE_TMPDIR/hostile
	export HOSTILE
	compile "$HOSTILE" "$ROOT/tests/torture/hostile.c" "${objects[@]}"
}

teardown_file() {
	rm -rf "$WORK"
}

# compile PROGRAM SOURCE...
compile() {
	local flags=()
	! sanitized || flags=("${SANITIZE[@]}")
	cc -std=c11 -O2 -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -I"$ROOT" \
		"${flags[@]}" -o "$@" -lm -lz
}

SANITIZE=(-O1 "-fsanitize=address,undefined" -fno-sanitize-recover=all)

# attack PROGRAM MODE [BLOOMTOOL [EVERY]]: see hostile.c.
attack() {
	local program=$1 mode=$2 status=0
	shift 2
	mkdir "$mode"
	(cd "$mode" && "$program" "$WORK/good.bf" "$WORK/keys" "$mode" "$@") \
		> "$mode.log" 2>&1 || status=$?
	if [ $status != 0 ]; then
		cat "$mode.log" >&2
		return 1
	fi
	sed 's/^/# /' "$mode.log" >&3
}

# together COMMAND... -- COMMAND...: both at once.
together() {
	local first=() status=0
	while [ "$1" != -- ]; do
		first+=("$1")
		shift
	done
	shift
	"${first[@]}" &
	"$@" || status=1
	wait $! || status=1
	return $status
}

setup() {
	cd_work
}

@test "each length but one, each flipped bit of page 0 is refused by name" {
	together attack "$HOSTILE" lengths "$ROOT/bloomtool" 4 -- \
		attack "$HOSTILE" page0 "$ROOT/bloomtool"
}

@test "each flipped bit of page 1 is refused by name, or hides no key" {
	together attack "$HOSTILE" page1 "$ROOT/bloomtool" -- \
		attack "$HOSTILE" page1-left "$ROOT/bloomtool" 4
}

@test "random words in page 1 and flags of builds to come are dealt with" {
	together attack "$HOSTILE" random "$ROOT/bloomtool" -- \
		attack "$HOSTILE" flags "$ROOT/bloomtool"
}

@test "the same with address and undefined sanitizers" {
	local o=$BATS_TEST_TMPDIR
	cd "$o"
	echo 'int main(void) { return 0; }' > probe.c
	cc "${SANITIZE[@]}" -o probe probe.c 2> /dev/null && ./probe ||
		skip "no sanitizers here"
	# The leak checker would have to trace, and all is freed by the exit.
	export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0
	export UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
	printf '%s\0' "$ROOT"/*.c "$ROOT"/foreign/*.c \
		"$ROOT/tests/torture/hostile.c" |
		xargs -0 -n 5 -P "$(nproc)" cc -std=c11 -D_DEFAULT_SOURCE \
		-D_FILE_OFFSET_BITS=64 -I"$ROOT" "${SANITIZE[@]}" -c
	mkdir main && mv hostile.o bloomtool.o main
	cc "${SANITIZE[@]}" -o hostile main/hostile.o ./*.o -lm -lz
	cc "${SANITIZE[@]}" -o bloomtool main/bloomtool.o ./*.o -lm -lz
	cd "$WORK/$BATS_TEST_NUMBER"
	together attack "$o/hostile" page1 "$o/bloomtool" 17 -- \
		attack "$o/hostile" page1-left "$o/bloomtool" 17
	together attack "$o/hostile" page0 "$o/bloomtool" 17 -- \
		attack "$o/hostile" lengths "$o/bloomtool" 61
	together attack "$o/hostile" random "$o/bloomtool" 8 -- \
		attack "$o/hostile" flags "$o/bloomtool" 8
}

# More than tests/format.bats has: recover and create --like, and all of it
# with each command.
@test "what is no file, none of ours or of a version to come is refused" {
	local n=0 file words command before made
	mkfifo fifo
	mkdir dir
	: > empty
	ln -s loop loop
	ln -s nowhere dangling
	python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("socket")'
	cp ../good.bf next.bf
	printf '\3' | dd of=next.bf bs=1 seek=8 conv=notrunc 2> /dev/null
	cp ../good.bf file
	mknod block b 7 77 2> /dev/null ||
		echo "# no block device: only root makes one" >&3
	while IFS='|' read -r file words; do
		# Not all of them are everywhere.
		[[ $file != /* && $file != block ]] || [ -e "$file" ] || continue
		before=$(stat -Lc '%i %a %s %y %z' "$file" 2>&1 || true)
		for command in check "check -v" add "add -v" stats \
			"stats --json" "stats --check" recover \
			"recover --accept" "create --like"; do
			made=()
			[ "$command" != "create --like" ] || made=(made.bf)
			# shellcheck disable=SC2086  # a command and its option
			run -2 --separate-stderr timeout 20 bloomtool \
				$command "$file" "${made[@]}" < ../keys
			is "$output" ""
			is "${#stderr_lines[@]}" 1
			has "$stderr" "bloomtool: $file: "
			has "$stderr" "$words"
			[ ! -e made.bf ] && [ ! -e nowhere ]
			n=$((n + 1))
		done
		case $file in
		/*) ;;
		*) is "$(stat -Lc '%i %a %s %y %z' "$file" 2>&1 || true)" \
			"$before" ;;
		esac
	done <<-END
		fifo|not a regular file
		dir|s a directory
		socket|No such device or address
		empty|empty file
		loop|Too many levels of symbolic links
		dangling|No such file or directory
		next.bf|format version 3, this build reads 1
		block|
		|No such file or directory
		file/x|Not a directory
		$(printf '%0300d' 1)|File name too long
		/dev/zero|not a regular file
		/dev/null|not a regular file
		/dev/full|not a regular file
		/proc/self/maps|
		/proc/self/mem|
		/proc/version|
		/proc/sys/kernel/random/uuid|
		/sys/kernel/mm/transparent_hugepage/enabled|
	END
	echo "# $n refusals" >&3
}

@test "a filter that is cut or grows while it is mapped ends with a message" {
	need python3
	drive in_use
}
