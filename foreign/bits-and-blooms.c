/*
 * WriteTo of bits-and-blooms/bloom (Go; once willf/bloom), since 2.0.1.
 */
#include "foreign.h"
#include "hashes.h"

static uint64_t
big_endian(const uint8_t *p)
{
	uint64_t x = 0;

	for (int i = 0; i < 8; i++)
		x = x << 8 | p[i];
	return x;
}

/* No magic: the size has to be that of so many bits, to the byte. */
static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 32)
		return FOREIGN_OTHER;
	const uint64_t m = big_endian(head), k = big_endian(head + 8);
	const uint64_t set = big_endian(head + 16);
	if (m < 1 || k < 1 || k > FOREIGN_PROBES_MAX || set < m ||
	    set > UINT64_MAX - 63 || size - 24 != (set + 63) / 64 * 8)
		return FOREIGN_OTHER;
	f->bits = m;
	f->probes = (unsigned)k;
	f->offset = 24;
	f->flip = 56;
	return foreign_fits(f, size, why);
}

/* Four hashes, two and two of them, are combined for each place. */
static void
places_of(const struct foreign *f, const struct line *key, uint64_t *at)
{
	const struct hashes_128 a = hashes_murmur3(key->bytes, key->len, -1,
	    0);
	const struct hashes_128 b = hashes_murmur3(key->bytes, key->len, 1,
	    0);
	const uint64_t h[4] = { a.h1, a.h2, b.h1, b.h2 };

	for (unsigned i = 0; i < f->probes; i++)
		at[i] = (h[i % 2] + i * h[2 + (i + i % 2) % 4 / 2]) % f->bits;
}

static void
places(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	for (size_t i = 0; i < n; i++)
		places_of(f, &keys[i], at + i * f->probes);
}

const struct foreign_format foreign_bits_and_blooms = {
	"bits-and-blooms", "bits-and-blooms", match, places
};
