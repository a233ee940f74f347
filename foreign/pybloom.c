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
	const uint32_t probes = len < AT_BYTES ? 0 :
	    le32_get(head + AT_PROBES);
	if (probes < 1 || probes > FOREIGN_PROBES_MAX ||
	    le32_get(head + AT_SIZE) != STRUCT_SIZE) {
		snprintf(why, WHY_SIZE, "%s filter, damaged or of another kind "
		    "of machine", f->format->words);
		return FOREIGN_BAD;
	}
	const uint64_t rate = le64_get(head + AT_RATE);
	f->keys = le64_get(head + AT_KEYS);
	memcpy(&f->rate, &rate, sizeof(f->rate));
	f->bits = le64_get(head + AT_BITS);
	f->probes = probes;
	f->offset = AT_BYTES;
	for (unsigned i = 0; i < probes; i++)
		f->seeds[i] = le32_get(head + AT_SEEDS + 4 * i);
	return foreign_fits(f, size, why);
}

static void
places_of(const struct foreign *f, const struct line *key, uint64_t *at)
{
	for (unsigned i = 0; i < f->probes; i++) {
		const struct hashes_128 h = hashes_murmur3(key->bytes,
		    key->len, -1, f->seeds[i]);
		at[i] = (h.h1 ^ h.h2) % f->bits;
	}
}

static void
places(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	for (size_t i = 0; i < n; i++)
		places_of(f, &keys[i], at + i * f->probes);
}

const struct foreign_format foreign_pybloom = {
	"pybloomfiltermmap3", "pybloomfiltermmap3", match, places
};
