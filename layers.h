/*
 * The layers of a filter.  One that grows has several: a key is in if any of
 * them has it, and new keys go into the last (Almeida, Baquero, Preguica and
 * Hutchison, "Scalable Bloom Filters", 2007).  All have the same rule.
 * Pure.
 */
#ifndef LAYERS_H
#define LAYERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scheme.h"

#define LAYERS_MAX 48

/*
 * n only rises, and only after layer[n] was filled in, so that others may test
 * while a layer is put on top.
 */
struct layers {
	atomic_uint n;		/* at least 1 */
	struct filter layer[LAYERS_MAX];
};

/* At most so many keys at a time. */
#define LAYERS_BATCH 1024

/*
 * in[i] = the key whose hashes are h[i * rule->width ...] is in the filter,
 * probably.  Returns how many.
 */
size_t layers_test(const struct layers *l, const struct hash *h, size_t n,
    bool *in);

/*
 * Add keys, in order, until `most` of them were new.  fresh[i] = the key was
 * not in when its turn came; *nfresh and *nbits are how many such keys and
 * bits, all in the last layer.  Returns how many keys were dealt with: n, or
 * the place of the first new one that was too many.
 */
size_t layers_set(const struct layers *l, const struct hash *h, size_t n,
    uint64_t most, bool *fresh, uint64_t *nfresh, uint64_t *nbits);

#endif
