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

# The folder with real inputs, or skip.
shared_data() {
	DATA=$ROOT/../shared/data
	[ -d "$DATA" ] || skip "no ../shared/data here"
}

# field FILTER NAME: one field of its stats, as JSON has it.
field() {
	bloomtool stats --json "$1" | jq -r ".$2"
}

# Is this bloomtool built with sanitizers?
sanitized() {
	grep -q __asan_init "$ROOT/bloomtool"
}
