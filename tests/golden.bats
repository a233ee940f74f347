# Files that released versions wrote are read for ever, and the same options
# still make the same bytes.  The files in tests/golden are never made again.

# bats file_tags=slow
load helper

GOLDEN=$BATS_TEST_DIRNAME/golden

# make_again FILTER OPTION...: a filter from the golden keys.
make_again() {
	local filter=$1
	shift
	bloomtool create -q "$@" "$filter"
	bloomtool add "$filter" "$GOLDEN/keys"
}

@test "golden files hold all their keys" {
	local f
	for f in "$GOLDEN"/*.bf; do
		bloomtool check "$f" "$GOLDEN/keys" > found 2> said
		[ ! -s said ]
		cmp found "$GOLDEN/keys"
	done
}

@test "golden files answer as they did for keys that were not added" {
	local f
	for f in "$GOLDEN"/*.bf; do
		is "$(seq 100000 | bloomtool check -c "$f")" \
			"$(jq .in_of_100000 "${f%.bf}.json")"
	done
}

@test "golden files have the stats that they had" {
	local f had='del(.file, .in_of_100000)'
	for f in "$GOLDEN"/*.bf; do
		bloomtool stats --json "$f" > now
		is "$(jq -c --slurpfile was "${f%.bf}.json" ". as \$now |
		    \$was[0] | $had | with_entries(.value = \$now[.key])" \
		    now)" "$(jq -c "$had" "${f%.bf}.json")"
	done
}

@test "the same options and keys make the golden files again" {
	make_again 1 -n 200 -p 0.01 --seed 1 \
		--note 'golden: format 1, one block a key'
	is "$(differences 1 "$GOLDEN/v1-g1.bf")" ""
	make_again 2 -n 200 -p 1e-6 --seed 0x123456789abcdef0 \
		--note 'golden: format 1, two blocks a key'
	is "$(differences 2 "$GOLDEN/v1-g2.bf")" ""
	make_again 3 -n 200 -p 1e-9 --seed 18446744073709551615
	is "$(differences 3 "$GOLDEN/v1-g3.bf")" ""
	make_again 4 -n 60 -p 0.01 --grow --seed 4 \
		--note 'golden: format 1, three layers'
	is "$(differences 4 "$GOLDEN/v1-grow.bf")" ""
	make_again 5 -n 200 -p 0.001 --full=stop --seed 5
	is "$(differences 5 "$GOLDEN/v1-stop.bf")" ""
	bloomtool create -q -n 200 -p 0.01 --seed 4 \
		--note 'golden: format 1, a union' odd.bf
	bloomtool create -q --like odd.bf even.bf
	awk 'NR % 2 == 1' "$GOLDEN/keys" | bloomtool add odd.bf
	awk 'NR % 2 == 0' "$GOLDEN/keys" | bloomtool add even.bf
	bloomtool union -q -o 6 odd.bf even.bf
	is "$(differences 6 "$GOLDEN/v1-union.bf")" ""
}

@test "checking golden files does not change them" {
	cp "$GOLDEN"/v1-g1.bf copy
	bloomtool check -q copy "$GOLDEN/keys"
	bloomtool stats copy > /dev/null
	cmp copy "$GOLDEN/v1-g1.bf"
}
