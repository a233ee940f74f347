# What all tests share.  Each test runs in a folder of its own, with the built
# bloomtool first in PATH, or what stands for it in BLOOMTOOL_DIR.
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
PATH=${BLOOMTOOL_DIR:-$ROOT}:$PATH

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# is ACTUAL WANTED: equal as texts, or say how they differ.
is() {
	if [ "$1" != "$2" ]; then
		printf 'got:    %s\nwanted: %s\n' "$1" "$2" >&2
		return 1
	fi
}

# has TEXT PART: PART is somewhere in TEXT.
has() {
	if [[ "$1" != *"$2"* ]]; then
		printf 'got:            %s\nwanted in there: %s\n' "$1" "$2" >&2
		return 1
	fi
}

# soon COMMAND...: asks until it is true.
soon() {
	local end=$((SECONDS + 30))
	until "$@"; do
		if ((SECONDS > end)); then
			echo "in vain: $*" >&2
			return 1
		fi
	done
}

# in_the_middle COMMAND...: started, and its new file is there, but not whole:
# in $pid.
in_the_middle() {
	"$@" 3>&- 4>&- 2> said &
	pid=$!
	timeout 20 bash -c "until ls -l /proc/$pid/fd 2> /dev/null |
	    grep -Eq 'deleted|[.]bloomtool[.]'; do
		kill -0 $pid || exit 1
	done"
}

# dies_of SIGNAL PID: it does, and says nothing in ./said.
dies_of() {
	local status=0
	kill -s "$1" "$2"
	wait "$2" || status=$?
	is "$(kill -l "$status")" "$1"
	is "$(cat said)" ""
}

# The folder with real inputs, or skip.
shared_data() {
	DATA=$ROOT/../shared/data
	[ -d "$DATA" ] || skip "no ../shared/data here"
}

# field FILTER NAME: one field of its stats, as JSON has it.
field() {
	bloomtool stats --json "$1" | jq -r ".$2"
}

# differences A B: bytes of two filters that differ, but for those that tell of
# time and machine: creation time, the checksum that covers it, boot id, time of
# the last sync.
differences() {
	cmp -l "$1" "$2" | awk '{ at = $1 - 1 }
		at >= 96 && at < 104 { next }
		at >= 4088 && at < 4096 { next }
		at >= 4112 && at < 4128 { next }
		at >= 4224 && at < 4232 { next }
		{ print at, $2, $3 }'
}

# Is this bloomtool built with sanitizers?
sanitized() {
	grep -q __asan_init "$ROOT/bloomtool"
}

# blocks LANGUAGE DOCUMENT [SECTION]: the lines of the document's code blocks of
# that language.
blocks() {
	awk -v start="^\`\`\`$1\$" -v section="${3-}" '
		/^## / { here = section == "" || $0 == "## " section }
		/^```/ { inside = $0 ~ start; next }
		inside && (here || section == "")' "$ROOT/$2"
}

# scripts DOCUMENT: writes its code blocks that begin with "#!" to files.  Their
# second line begins with "# NAME".
scripts() {
	awk '
		/^```/ { inside = !inside; nth = 0; name = ""; next }
		inside && ++nth == 1 && /^#!/ { name = "?"; first = $0; next }
		name == "?" {
			name = $2
			sub(/:$/, "", name)
			print first > name
			system("chmod +x " name)
		}
		name != "" { print > name }' "$ROOT/$1"
}

# transcript DOCUMENT [SECTION]: runs the commands in the document's console
# blocks in a new folder, with its scripts, and compares what they print with
# what stands there.  A command goes on in the lines after it that begin with
# "> ".
transcript() {
	local line command commands=()
	blocks console "$@" > wanted
	while IFS= read -r line; do
		case $line in
		'$ '*) commands+=("${line#??}") ;;
		'> '*) commands[-1]+=$'\n'${line#??} ;;
		esac
	done < wanted
	[ ${#commands[@]} != 0 ]
	mkdir work
	cd work || return 1
	ln -s "$ROOT/tests" tests
	scripts "$1"
	for command in "${commands[@]}"; do
		printf '$ %s\n' "${command//$'\n'/$'\n> '}"
		# What fails says why.
		eval "$command" 2>&1 < /dev/null || true
	done > ../got
	diff -u ../wanted ../got
}
