/*
 * bloom_save of libbloom 2 (github.com/jvirkki/libbloom, C), by a 64-bit
 * little-endian machine: it writes a struct as it lies in memory.
 */
#include <stdio.h>
#include <string.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"

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
	const uint64_t rate = le64_get(head + AT_RATE);
	f->keys = le32_get(head + AT_KEYS);
	memcpy(&f->rate, &rate, sizeof(f->rate));
	f->bits = le64_get(head + AT_BITS);
	f->probes = head[AT_PROBES];
	f->offset = AT_BYTES;
	return foreign_fits(f, size, why);
}

static void
places_of(const struct foreign *f, const struct line *key, uint64_t *at)
{
	const uint32_t a = hashes_murmur2(key->bytes, key->len,
	    UINT32_C(0x9747b28c));
	const uint64_t b = hashes_murmur2(key->bytes, key->len, a);

	for (unsigned i = 0; i < f->probes; i++)
		at[i] = (a + b * i) % f->bits;
}

static void
places(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	for (size_t i = 0; i < n; i++)
		places_of(f, &keys[i], at + i * f->probes);
}

const struct foreign_format foreign_libbloom = {
	"libbloom", "libbloom", match, places
};
