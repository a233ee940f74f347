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
	size_t width;			/* struct hash of a key */
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
			memmove(r->h + left * r->width, r->h + i * r->width,
			    r->width * sizeof(*r->h));
			r->at[left++] = r->at[i];
		}
	}
	r->n = left;
}

static size_t
test_layer(const struct filter *f, const struct hash *h, size_t n, bool *in)
{
	return f->rule->scheme->test(f, h, n, in);
}

static void
set_layer(const struct filter *f, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits)
{
	f->rule->scheme->set(f, h, n, fresh, nfresh, nbits);
}

/* in[], and what is left of the keys; the last layer holds the most. */
static void
sift(const struct layers *l, const struct hash *h, size_t n, bool *in,
    struct rest *r)
{
	bool in_layer[LAYERS_BATCH];

	r->n = n;
	r->width = l->layer[0].rule->width;
	assert(n * r->width <= LAYERS_BATCH);
	memcpy(r->h, h, n * r->width * sizeof(*h));
	memset(in, 0, n * sizeof(*in));
	for (size_t i = 0; i < n; i++)
		r->at[i] = i;
	for (unsigned i = atomic_load(&l->n); i-- > 0 && r->n > 0;)
		if (test_layer(&l->layer[i], r->h, r->n, in_layer) > 0)
			drop(r, in_layer, in);
}

static size_t
test_some(const struct layers *l, const struct hash *h, size_t n, bool *in)
{
	struct rest r = { 0 };

	sift(l, h, n, in, &r);
	return n - r.n;
}

/* As many at a time as there is room for the hashes of. */
static size_t
step_of(const struct layers *l)
{
	return LAYERS_BATCH / l->layer[0].rule->width;
}

static NOINLINE size_t
test_many(const struct layers *l, const struct hash *h, size_t n, bool *in)
{
	const size_t width = l->layer[0].rule->width, step = step_of(l);
	size_t found = 0;

	for (size_t i = 0; i < n; i += step)
		found += test_some(l, h + i * width, n - i < step ? n - i :
		    step, in + i);
	return found;
}

size_t
layers_test(const struct layers *l, const struct hash *h, size_t n, bool *in)
{
	return atomic_load(&l->n) == 1 ?
	    test_layer(&l->layer[0], h, n, in) : test_many(l, h, n, in);
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
		set_layer(last, r->h + i * r->width, n, set, &keys, &bits);
		for (size_t j = 0; j < n; j++)
			fresh[r->at[i + j]] = set[j];
		*nfresh += keys;
		*nbits += bits;
		i += n;
	}
	while (i < r->n &&
	    test_layer(last, r->h + i * r->width, 1, set) == 1)
		i++;
	return i;
}

static size_t
set_some(const struct layers *l, const struct hash *h, size_t n,
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

static NOINLINE size_t
set_many(const struct layers *l, const struct hash *h, size_t n,
    uint64_t most, bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	const size_t width = l->layer[0].rule->width, step = step_of(l);
	uint64_t keys, bits;

	*nfresh = *nbits = 0;
	for (size_t i = 0; i < n; i += step) {
		const size_t some = n - i < step ? n - i : step;
		const size_t done = set_some(l, h + i * width, some,
		    most - *nfresh, fresh + i, &keys, &bits);
		*nfresh += keys;
		*nbits += bits;
		if (done < some)
			return i + done;
	}
	return n;
}

size_t
layers_set(const struct layers *l, const struct hash *h, size_t n,
    uint64_t most, bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	if (atomic_load(&l->n) > 1 || most < n)
		return set_many(l, h, n, most, fresh, nfresh, nbits);
	set_layer(&l->layer[0], h, n, fresh, nfresh, nbits);
	return n;
}
