/*
 * Guava's BloomFilter.writeTo (github.com/google/guava, Java), both strategies:
 * MURMUR128_MITZ_32 is 0 and MURMUR128_MITZ_64, since 17.0, is 1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"

enum { MITZ_32 = 0, MITZ_64 = 1 };

/* No magic: the size has to be that of so many words, to the byte. */
static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 14 || head[0] > MITZ_64 || head[1] == 0)
		return FOREIGN_OTHER;
	const uint64_t words = be32_get(head + 2);
	if (words == 0 || words > INT32_MAX ||
	    (size != FOREIGN_STREAM && size != 6 + 8 * words))
		return FOREIGN_OTHER;
	f->size = 6 + 8 * words;
	const enum foreign_match m = foreign_part(f, &scheme_guava, 56,
	    64 * words, head[1], 6, size, why);
	f->head.rule.variant = head[0];
	return m;
}

/* A bitmap of whole words has the same bits, in another order. */
static int
encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE])
{
	const uint64_t bits = sizing_bits(&h->shape), words = bits / 64;

	(void)keys;
	head[0] = (uint8_t)h->rule.variant;
	head[1] = (uint8_t)h->shape.probes;
	be32_put(head + 2, (uint32_t)words);
	*n = 6;
	if (words > INT32_MAX) {
		snprintf(why, WHY_SIZE, "%" PRIu64 " bits, and Guava has at "
		    "most %" PRIu64, bits, 64 * (uint64_t)INT32_MAX);
		return -1;
	}
	if (h->rule.scheme == &scheme_guava_bitmap) {
		snprintf(why, WHY_SIZE, "%" PRIu64 " bits are no whole words "
		    "of 64, which Guava's files have", bits);
		return bits % 64 == 0 ? 0 : -1;
	}
	return foreign_has(h, &scheme_guava, why);
}

const struct foreign_format foreign_guava = {
	.name = "guava",
	.words = "Guava",
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
	for (size_t i = 0; i < n; i++)
		out[i] = hashes_murmur3(keys[i].bytes, keys[i].len, -1, 0);
}

static void
places_32(const struct filter *f, const struct hash *h, size_t n, uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++) {
		const uint32_t a = (uint32_t)h[i].lo;
		const uint32_t b = (uint32_t)(h[i].lo >> 32);
		for (unsigned j = 1; j <= f->shape.probes; j++) {
			const uint32_t x = a + j * b;
			/* Negative, as Java has it. */
			*at++ = places_reduce(m, x > INT32_MAX ? ~x : x);
		}
	}
}

static void
places(const struct filter *f, const struct hash *h, size_t n, uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	if (f->rule->variant == MITZ_32) {
		places_32(f, h, n, at);
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < f->shape.probes; j++)
			*at++ = places_reduce(m, (h[i].lo + j * h[i].hi) &
			    INT64_MAX);
}

static double
probes_for(double m, double n)
{
	return fmax(1, floor(m / n * M_LN2 + 0.5));
}

/* As of 31.1; since the end of 2024 k follows from the rate alone. */
static enum sizing_err
size(struct plan *p, enum sizing_prefer prefer)
{
	const double m = floor(places_bits(p));
	const double words = ceil(m / 64);

	(void)prefer;
	if (words > INT32_MAX)
		return SIZING_TOO_LARGE;
	return places_size(p, 64 * words, probes_for(m, (double)p->keys));
}

static const char *const variant_names[] = {
	[MITZ_32] = "MURMUR128_MITZ_32",
	[MITZ_64] = "MURMUR128_MITZ_64",
};

const struct scheme scheme_guava = {
	.id = 5,
	.name = "guava",
	.words = "Guava",
	.width = 1,
	.variants = 2,
	.variant = MITZ_64,
	.variant_names = variant_names,
	.hash = hash,
	.places = places,
	.size = size,
	PLACES_SCHEME
};

/* ---- in a bitmap of Redis ---- */

/*
 * A class that is copied from project to project, mostly as BloomFilterHelper:
 * MITZ_32 over as many bits as come out, which Java counts in an int.
 */
static enum sizing_err
size_bitmap(struct plan *p, enum sizing_prefer prefer)
{
	const double m = floor(places_bits(p));

	(void)prefer;
	if (m > INT32_MAX)
		return SIZING_TOO_LARGE;
	return places_size(p, m, probes_for(m, (double)p->keys));
}

const struct scheme scheme_guava_bitmap = {
	.id = 10,
	.name = "guava-bitmap",
	.words = "Guava bitmap",
	.width = 1,
	.variants = 1,
	.variant = MITZ_32,
	.hash = hash,
	.places = places_32,
	.size = size_bitmap,
	PLACES_SCHEME
};
