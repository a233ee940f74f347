/*
 * DCSO bloom (github.com/DCSO/bloom, Go) since 0.2.2, flor (Python), fleur (C);
 * and the layout of DCSO bloom before that, which has other hashes.
 */
#include <math.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"

/* 2^64 - 59, a prime, and the generator. */
#define PRIME UINT64_C(18446744073709551557)
#define GENERATOR UINT64_C(18446744073709550147)

static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 48 || le64_get(head) != 1)
		return FOREIGN_OTHER;
	/* Whole words: what follows them is no part of one. */
	const enum foreign_match m = foreign_part(f, &scheme_dcso, 0,
	    le64_get(head + 32), le64_get(head + 24), 48,
	    (size - 48) / 8 * 8 + 48, why);
	foreign_made_for(f, le64_get(head + 8),
	    le64_to_double(le64_get(head + 16)));
	f->counted = true;
	f->keys_added[0] = le64_get(head + 40);
	return m;
}

static int
encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE])
{
	le64_put(head, 1);
	le64_put(head + 8, h->keys);
	le64_put(head + 16, le64_of_double(h->rate));
	le64_put(head + 24, h->shape.probes);
	le64_put(head + 32, sizing_bits(&h->shape));
	le64_put(head + 40, keys[0]);
	*n = 48;
	return foreign_has(h, &scheme_dcso, why);
}

const struct foreign_format foreign_dcso = {
	.name = "dcso",
	.words = "DCSO bloom",
	.match = match,
	.encode = encode,
	.unit = 8,
};

/* x modulo PRIME, of which there is at most one in a number. */
static uint64_t
reduce(uint64_t x)
{
	return x >= PRIME ? x - PRIME : x;
}

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	(void)r;
	hashes_fnv1_many(keys, n, out);
	for (size_t i = 0; i < n; i++)
		out[i].lo = reduce(out[i].lo);
}

/* The product wraps before the modulus: this is no multiplication modulo it. */
static void
places(const struct filter *f, const struct hash *h, size_t n, uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++) {
		uint64_t x = h[i].lo;
		for (unsigned j = 0; j < f->shape.probes; j++) {
			x = reduce(x * GENERATOR);
			*at++ = places_reduce(m, x);
		}
	}
}

static enum sizing_err
size(struct plan *p, enum sizing_prefer prefer)
{
	const double m = floor(places_bits(p));

	(void)prefer;
	return places_size(p, m, ceil(M_LN2 * m / (double)p->keys));
}

const struct scheme scheme_dcso = {
	.id = 2,
	.name = "dcso",
	.words = "DCSO bloom",
	.width = 1,
	.variants = 1,
	.hash = hash,
	.places = places,
	.size = size,
	PLACES_SCHEME
};

/* ---- 0.1.0 and 0.2.0 ---- */

/*
 * It has no mark, so all of it has to be as that program computed it: m and k
 * from n and p.
 */
static enum foreign_match
match_old(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 24)
		return FOREIGN_OTHER;
	const double n = le32_get(head), p = le64_to_double(le64_get(head + 4));
	const double m = le32_get(head + 16), k = le32_get(head + 12);
	if (!(n >= 1 && p > 0 && p < 1) || k > SIZING_PROBES_MAX || k < 1 ||
	    fabs(m - floor(n * fabs(log(p)) / (M_LN2 * M_LN2))) > 1 ||
	    fabs(k - ceil(M_LN2 * m / n)) > 1)
		return FOREIGN_OTHER;
	f->counted = true;
	f->keys_added[0] = le32_get(head + 20);
	const enum foreign_match match = foreign_part(f, &scheme_dcso_old, 0,
	    (uint64_t)m, (uint64_t)k, 24, size, why);
	foreign_made_for(f, (uint64_t)n, p);
	return match;
}

const struct foreign_format foreign_dcso_old = {
	.name = "dcso-0.1",
	.words = "DCSO bloom 0.1",
	.match = match_old,
};

static void
hash_old(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	static const char more[] = "this-is-magical";

	(void)r;
	hashes_fnv1_many(keys, n, out);
	for (size_t i = 0; i < n; i++)
		out[i].hi = hashes_fnv1(out[i].lo, (const uint8_t *)more,
		    sizeof(more) - 1);
}

static void
places_old(const struct filter *f, const struct hash *h, size_t n,
    uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++)
		for (unsigned j = 1; j <= f->shape.probes; j++)
			*at++ = places_reduce(m, h[i].lo + j * h[i].hi);
}

const struct scheme scheme_dcso_old = {
	.id = 3,
	.name = "dcso-0.1",
	.words = "DCSO bloom 0.1",
	.width = 1,
	.variants = 1,
	.hash = hash_old,
	.places = places_old,
	PLACES_SCHEME
};
