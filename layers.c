/*
 * Batches of keys against one layer after the other.
 */
#include <assert.h>
#include <string.h>

#include "layers.h"
#include "simd.h"

/*
 * What is for several layers stands in functions of its own, not inlined: with
 * one, compilers that clear variables would clear these for every batch.
 */

/* The keys that no layer has had so far, and where they stand in the batch. */
struct rest {
	size_t n;
	struct hash h[LAYERS_BATCH];
	size_t at[LAYERS_BATCH];
};

/* Drop those of the rest that are in, and note that they are. */
static void
drop(struct rest *r, const bool *in_layer, bool *in)
{
	size_t left = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (in_layer[i]) {
			in[r->at[i]] = true;
		} else {
			r->h[left] = r->h[i];
			r->at[left++] = r->at[i];
		}
	}
	r->n = left;
}

/* in[], and what is left of the keys; the last layer holds the most. */
static void
sift(const struct layers *l, const struct hash *h, size_t n, bool *in,
    struct rest *r)
{
	bool in_layer[LAYERS_BATCH];

	assert(n <= LAYERS_BATCH);
	r->n = n;
	memcpy(r->h, h, n * sizeof(*h));
	memset(in, 0, n * sizeof(*in));
	for (size_t i = 0; i < n; i++)
		r->at[i] = i;
	for (unsigned i = atomic_load(&l->n); i-- > 0 && r->n > 0;)
		if (filter_test(&l->layer[i], r->h, r->n, in_layer) > 0)
			drop(r, in_layer, in);
}

static NOINLINE size_t
test_many(const struct layers *l, const struct hash *h, size_t n, bool *in)
{
	struct rest r = { 0 };

	sift(l, h, n, in, &r);
	return n - r.n;
}

size_t
layers_test(const struct layers *l, const struct hash *h, size_t n, bool *in)
{
	return atomic_load(&l->n) == 1 ?
	    filter_test(&l->layer[0], h, n, in) : test_many(l, h, n, in);
}

/*
 * Set the rest in order until `most` of them were new, and tell where the next
 * new one stands: a key may come twice, or be in by the bits of others.
 */
static size_t
set_rest(const struct filter *last, const struct rest *r, uint64_t most,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	bool set[LAYERS_BATCH];
	uint64_t keys, bits;
	size_t i = 0;

	*nfresh = *nbits = 0;
	while (i < r->n && *nfresh < most) {
		const uint64_t room = most - *nfresh;
		const size_t n = r->n - i < room ? r->n - i : (size_t)room;
		filter_set(last, r->h + i, n, set, &keys, &bits);
		for (size_t j = 0; j < n; j++)
			fresh[r->at[i + j]] = set[j];
		*nfresh += keys;
		*nbits += bits;
		i += n;
	}
	while (i < r->n && filter_test(last, r->h + i, 1, set) == 1)
		i++;
	return i;
}

static NOINLINE size_t
set_many(const struct layers *l, const struct hash *h, size_t n,
    uint64_t most, bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	const struct filter *last = &l->layer[atomic_load(&l->n) - 1];
	bool in[LAYERS_BATCH];
	struct rest r = { 0 };

	sift(l, h, n, in, &r);
	memset(fresh, 0, n * sizeof(*fresh));
	const size_t end = set_rest(last, &r, most, fresh, nfresh, nbits);
	return end == r.n ? n : r.at[end];
}

size_t
layers_set(const struct layers *l, const struct hash *h, size_t n,
    uint64_t most, bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	if (atomic_load(&l->n) > 1 || most < n)
		return set_many(l, h, n, most, fresh, nfresh, nbits);
	filter_set(&l->layer[0], h, n, fresh, nfresh, nbits);
	return n;
}
