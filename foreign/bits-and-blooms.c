/*
 * WriteTo of bits-and-blooms/bloom (Go; once willf/bloom), since 2.0.1.
 */
#include <math.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"

/* No magic: the size has to be that of so many bits, to the byte. */
static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 32)
		return FOREIGN_OTHER;
	const uint64_t m = be64_get(head), k = be64_get(head + 8);
	/* After bitset.LittleEndian() all that follows is the other way. */
	const bool little = le64_get(head + 16) == m &&
	    be64_get(head + 16) != m;
	const uint64_t set = little ? m : be64_get(head + 16);
	if (m < 1 || k < 1 || k > SIZING_PROBES_MAX || set < m ||
	    set > UINT64_MAX / 2)
		return FOREIGN_OTHER;
	f->size = 24 + (set + 63) / 64 * 8;
	if (size != FOREIGN_STREAM && size != f->size)
		return FOREIGN_OTHER;
	return foreign_part(f, &scheme_bits_and_blooms, little ? 0 : 56,
	    m, k, 24, size, why);
}

static int
encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE])
{
	(void)keys;
	be64_put(head, sizing_bits(&h->shape));
	be64_put(head + 8, h->shape.probes);
	be64_put(head + 16, sizing_bits(&h->shape));
	*n = 24;
	return foreign_has(h, &scheme_bits_and_blooms, why);
}

const struct foreign_format foreign_bits_and_blooms = {
	.name = "bits-and-blooms",
	.words = "bits-and-blooms",
	.match = match,
	.encode = encode,
	.flip = 56,
	.unit = 8,
};

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	(void)r;
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hashes_murmur3(keys[i].bytes, keys[i].len, -1, 0);
		out[2 * i + 1] = hashes_murmur3(keys[i].bytes, keys[i].len, 1,
		    0);
	}
}

/* Four hashes, two and two of them, are combined for each place. */
static void
places(const struct filter *f, const struct hash *h, size_t n, uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++, h += 2) {
		const uint64_t x[4] = { h[0].lo, h[0].hi, h[1].lo, h[1].hi };
		for (unsigned j = 0; j < f->shape.probes; j++)
			*at++ = places_reduce(m, x[j % 2] +
			    j * x[2 + (j + j % 2) % 4 / 2]);
	}
}

static enum sizing_err
size(struct plan *p, enum sizing_prefer prefer)
{
	const double m = ceil(places_bits(p));

	(void)prefer;
	return places_size(p, m, ceil(M_LN2 * m / (double)p->keys));
}

const struct scheme scheme_bits_and_blooms = {
	.id = 6,
	.name = "bits-and-blooms",
	.words = "bits-and-blooms",
	.width = 2,
	.variants = 1,
	.hash = hash,
	.places = places,
	.size = size,
	PLACES_SCHEME
};
