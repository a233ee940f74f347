/*
 * Filters without blocks: test, set, count, for all schemes but the native one.
 * Pure.  Who sets needs to be alone, as with filter_set.
 */
#ifndef FOREIGN_PLACES_H
#define FOREIGN_PLACES_H

#include "../probe.h"
#include "../scheme.h"

/* struct scheme's. */
size_t places_test(const struct filter *f, const struct hash *h, size_t n,
    bool *in);
void places_set(const struct filter *f, const struct hash *h, size_t n,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits);
unsigned places_parts(const struct filter *f, const struct hash *h,
    struct filter_part *parts);
void places_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c);

/* Place j is lo + j * hi of the key's hash (Kirsch and Mitzenmacher, 2006). */
void places_double(const struct filter *f, const struct hash *h, size_t n,
    uint64_t *at);

/* A hash for each place, two in each struct hash of a key: these make them. */
typedef uint64_t places_hash_fn(const struct rule *r, const struct line *key,
    unsigned place);
void places_hash_each(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out, places_hash_fn *one);
void places_one_by_one(const struct filter *f, const struct hash *h, size_t n,
    uint64_t *at);

/* Divides by the bits of a filter, without a division. */
struct modulus {
	uint64_t bits;
	uint64_t inverse;	/* 2^64 / bits, or one less */
};

static inline struct modulus
places_modulus(const struct filter *f)
{
	const uint64_t bits = sizing_bits(&f->shape);

	return (struct modulus){ bits, UINT64_MAX / bits };
}

/* x modulo m.bits; the quotient is right or one too small. */
static inline uint64_t
places_reduce(struct modulus m, uint64_t x)
{
	const uint64_t rest = x - probe_high(x, m.inverse) * m.bits;

	return rest >= m.bits ? rest - m.bits : rest;
}

/*
 * -keys * ln rate / (ln 2)^2, in the order in which the other programs compute
 * it: their bits, and so their places, hang on the last digit.
 */
double places_bits(const struct plan *p);

/* Give p the shape of m bits and k probes, if there is such a filter. */
enum sizing_err places_size(struct plan *p, double m, double k);

/* For the tables of schemes: what is the same in all. */
#define PLACES_SCHEME \
	.foreign = true, .test = places_test, .set = places_set, \
	.parts = places_parts, .census = places_census

#endif
