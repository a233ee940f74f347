/*
 * A Bloom filter over a span of memory, and the native scheme for it: test,
 * set, count, merge.  Pure: the span may be a mapped file or an array.
 *
 * Bits only ever go from 0 to 1, by plain stores of whole words: at most one
 * caller may set at a time, and has to see to that.  Testing needs no such
 * care; it may miss a key that is being set just now.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "sizing.h"

#define FILTER_BLOCK_WORDS (SIZING_BLOCK_BYTES / 8)

struct rule;

struct filter {
	void *bits;		/* shape.blocks * FILTER_BLOCK_WORDS words,
				   little-endian, aligned to 64 bytes; but not
				   in files of other programs */
	struct shape shape;
	const struct rule *rule;	/* scheme.h */
};

/* in[i] = the key of h[i] is in the filter, probably.  Returns how many. */
size_t filter_test(const struct filter *f, const struct hash *h, size_t n,
    bool *in);

/*
 * Add keys, in order.  fresh[i] = the key was not in when its turn came, that
 * is, a bit changed.  *nfresh and *nbits are how many such keys and bits.
 */
void filter_set(const struct filter *f, const struct hash *h, size_t n,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits);

/* Some bits of a block. */
struct filter_part {
	uint64_t block;
	uint64_t bits[FILTER_BLOCK_WORDS];	/* of this machine's order */
};

/*
 * The bits of a key: up to shape.groups parts, which may be of one block.
 * Returns how many.
 */
unsigned filter_parts(const struct filter *f, const struct hash *h,
    struct filter_part *parts);

/* The block of the first of them. */
uint64_t filter_block(const struct filter *f, const struct hash *h);

struct census {
	uint64_t blocks;	/* looked at; the last may be less than one */
	uint64_t ones;
	double part_rate;	/* sum over blocks of (ones/512)^depth */
};

/* Add blocks first..first+n to the counts in *c. */
void filter_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c);

/* The false-positive rate of a filter with these bits, exactly. */
double filter_rate(const struct shape *s, const struct census *c);

/*
 * to |= from and to &= from, each n words of filters of one shape and seed.
 * The union is the filter that all keys would have made; the intersection has
 * at least the keys that are in both.
 */
void filter_unite(uint64_t *to, const uint64_t *from, size_t n);
void filter_intersect(uint64_t *to, const uint64_t *from, size_t n);

/* How many bits of these words are set. */
uint64_t filter_ones(const uint64_t *words, size_t n);

#endif
