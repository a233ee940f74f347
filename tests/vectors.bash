# Filters that other programs wrote, with the answers of these programs, one
# key, tab and 1 or 0 in a line of NAME.probes.  tests/interop has small ones,
# ../shared/interop all that there are.
INTEROP=$BATS_TEST_DIRNAME/interop

# All of them, or skip.
all_vectors() {
	INTEROP=$ROOT/../shared/interop
	[ -d "$INTEROP" ] || skip "no ../shared/interop here"
}

# vectors: the names of their files.
vectors() {
	find "$INTEROP" -name '*.bloom' -not -path '*/valkey-bloom/*' -o \
	    -name '*.cli' -o -name '*.resp' -o -name '*.bitmap' \
	    -not -name 'scrapy*' | sort
}

# import_options FILE: what import has to be told of this one, in OPTIONS.
# shellcheck disable=SC2034	# the caller's
import_options() {
	case $1 in
	*/*chars-*) OPTIONS=(--key utf16le) ;;
	*/*long-*) OPTIONS=(--key int64) ;;
	*.v1.1.1.*) OPTIONS=(--from redisbloom-1.1) ;;
	*.v2.0.3.*) OPTIONS=(--from redisbloom-2.0) ;;
	*/guava-helper-*.bitmap) OPTIONS=(--from redis-bitmap --rule guava
	    --bits 3649 --hashes 5) ;;
	*/gozero-*.bitmap) OPTIONS=(--from redis-bitmap --rule go-zero
	    --bits 4000 --hashes 14) ;;
	*) OPTIONS=() ;;
	esac
}

# probes_of FILE: those keys into the file keys, and those that are in, by the
# program, into the file members.
probes_of() {
	cut -f 1 "${1%.*}.probes" > keys
	awk -F '\t' '$NF == 1 { print $1 }' "${1%.*}.probes" > members
}

# answers FILTER [OPTION...]: they are those of the program; after probes_of.
answers() {
	bloomtool check "$@" keys > got || [ $? = 1 ]
	cmp got members
}
