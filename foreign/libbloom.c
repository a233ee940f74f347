/*
 * bloom_save of libbloom 2 (github.com/jvirkki/libbloom, C), by a 64-bit
 * little-endian machine: it writes a struct as it lies in memory.
 */
#include <stdio.h>
#include <string.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"

#define MAGIC "libbloom2"

/* Behind the magic and the size of the struct, two bytes. */
enum {
	AT_SIZE = 9,
	AT_STRUCT = 11,
	AT_KEYS = AT_STRUCT,		/* 32 bits */
	AT_BITS = AT_STRUCT + 8,
	AT_PROBES = AT_STRUCT + 24,	/* a byte */
	AT_RATE = AT_STRUCT + 32,
	AT_MAJOR = AT_STRUCT + 41,	/* a byte */
	AT_BYTES = AT_STRUCT + 64
};

static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < strlen(MAGIC) || memcmp(head, MAGIC, strlen(MAGIC)) != 0)
		return FOREIGN_OTHER;
	if (len < AT_BYTES || head[AT_SIZE] != 64 || head[AT_SIZE + 1] != 0 ||
	    head[AT_MAJOR] != 2 || head[AT_PROBES] == 0) {
		snprintf(why, WHY_SIZE, "%s filter, damaged or of another kind "
		    "of machine", f->format->words);
		return FOREIGN_BAD;
	}
	const enum foreign_match m = foreign_part(f, &scheme_libbloom, 0,
	    le64_get(head + AT_BITS), head[AT_PROBES], AT_BYTES, size, why);
	foreign_made_for(f, le32_get(head + AT_KEYS),
	    le64_to_double(le64_get(head + AT_RATE)));
	return m;
}

const struct foreign_format foreign_libbloom = {
	.name = "libbloom",
	.words = "libbloom",
	.match = match,
};

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	(void)r;
	for (size_t i = 0; i < n; i++)
		out[i] = hashes_murmur2_twice(&keys[i]);
}

const struct scheme scheme_libbloom = {
	.id = 7,
	.name = "libbloom",
	.words = "libbloom",
	.width = 1,
	.variants = 1,
	.hash = hash,
	.places = places_double,
	PLACES_SCHEME
};
