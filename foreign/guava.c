/*
 * Guava's BloomFilter.writeTo (github.com/google/guava, Java), both strategies:
 * MURMUR128_MITZ_32 is 0 and MURMUR128_MITZ_64, since 17.0, is 1.
 */
#include "foreign.h"
#include "hashes.h"

enum { MITZ_32 = 0, MITZ_64 = 1 };

/* No magic: the size has to be that of so many words, to the byte. */
static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 14 || head[0] > MITZ_64 || head[1] == 0)
		return FOREIGN_OTHER;
	const uint64_t words = (uint64_t)head[2] << 24 |
	    (uint64_t)head[3] << 16 | (uint64_t)head[4] << 8 | head[5];
	if (words == 0 || words > INT32_MAX || size != 6 + 8 * words)
		return FOREIGN_OTHER;
	f->variant = head[0];
	f->probes = head[1];
	f->bits = 64 * words;
	f->offset = 6;
	f->flip = 56;
	return foreign_fits(f, size, why);
}

static void
places_of(const struct foreign *f, const struct line *key, uint64_t *at)
{
	const struct hashes_128 h = hashes_murmur3(key->bytes, key->len, -1,
	    0);

	if (f->variant == MITZ_64) {
		for (unsigned i = 0; i < f->probes; i++)
			at[i] = ((h.h1 + i * h.h2) & INT64_MAX) % f->bits;
		return;
	}
	const uint32_t a = (uint32_t)h.h1, b = (uint32_t)(h.h1 >> 32);
	for (unsigned i = 1; i <= f->probes; i++) {
		uint32_t x = a + i * b;
		/* Negative, as Java has it. */
		if (x > INT32_MAX)
			x = ~x;
		at[i - 1] = x % f->bits;
	}
}

static void
places(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	for (size_t i = 0; i < n; i++)
		places_of(f, &keys[i], at + i * f->probes);
}

const struct foreign_format foreign_guava = {
	"guava", "Guava", match, places
};
