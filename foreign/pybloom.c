/*
 * The memory-mapped files of pybloomfiltermmap3 (Python and C), by a 64-bit
 * little-endian machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"

#define MAGIC "MBITARRAY"

/* Behind the magic. */
enum {
	AT_BITS = 9,
	AT_SIZE = 17,			/* of the struct, 32 bits */
	AT_STRUCT = 21,
	AT_KEYS = AT_STRUCT,
	AT_RATE = AT_STRUCT + 8,
	AT_PROBES = AT_STRUCT + 16,	/* 32 bits */
	AT_SEEDS = AT_STRUCT + 20,	/* 32 bits each */
	STRUCT_SIZE = 1200,
	AT_BYTES = 1280
};

static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < strlen(MAGIC) || memcmp(head, MAGIC, strlen(MAGIC)) != 0)
		return FOREIGN_OTHER;
	if (len < AT_BYTES || le32_get(head + AT_SIZE) != STRUCT_SIZE) {
		snprintf(why, WHY_SIZE, "%s filter, damaged or of another kind "
		    "of machine", f->format->words);
		return FOREIGN_BAD;
	}
	const uint32_t probes = le32_get(head + AT_PROBES);
	if (probes < 1 || probes > RULE_SEEDS_MAX) {
		snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu32
		    " probes, wanted 1 to %d", f->format->words, probes,
		    RULE_SEEDS_MAX);
		return FOREIGN_BAD;
	}
	const enum foreign_match m = foreign_part(f, &scheme_pybloom, 0,
	    le64_get(head + AT_BITS), probes, AT_BYTES, size, why);
	foreign_made_for(f, le64_get(head + AT_KEYS),
	    le64_to_double(le64_get(head + AT_RATE)));
	for (unsigned i = 0; i < probes; i++)
		f->head.rule.seeds[i] = le32_get(head + AT_SEEDS + 4 * i);
	return m;
}

const struct foreign_format foreign_pybloom = {
	.name = "pybloomfiltermmap3",
	.words = "pybloomfiltermmap3",
	.match = match,
};

static uint64_t
hash_once(const struct rule *r, const struct line *key, unsigned probe)
{
	const struct hash h = hashes_murmur3(key->bytes, key->len, -1,
	    r->seeds[probe]);

	return h.lo ^ h.hi;
}

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	places_hash_each(r, keys, n, out, hash_once);
}

const struct scheme scheme_pybloom = {
	.id = 8,
	.name = "pybloomfiltermmap3",
	.words = "pybloomfiltermmap3",
	.variants = 1,
	.seeds = true,
	.hash = hash,
	.places = places_one_by_one,
	PLACES_SCHEME
};
