/*
 * Filters without blocks: test, set, count, for all schemes but the native one.
 * Pure.  Who sets needs to be alone, as with filter_set.
 */
#ifndef FOREIGN_PLACES_H
#define FOREIGN_PLACES_H

#include "../scheme.h"

/* struct scheme's. */
size_t places_test(const struct filter *f, const struct hash *h, size_t n,
    bool *in);
void places_set(const struct filter *f, const struct hash *h, size_t n,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits);
void places_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c);

/* at[i] = hash i of the key, of which there are two in each. */
void places_one_by_one(const struct filter *f, const struct hash *h,
    uint64_t *at);

/* Give p the shape of m bits and k probes, if there is such a filter. */
enum sizing_err places_size(struct plan *p, double m, double k);

/* For the tables of schemes: what is the same in all. */
#define PLACES_SCHEME \
	.foreign = true, .test = places_test, .set = places_set, \
	.census = places_census

#endif
