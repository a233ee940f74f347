/*
 * The mathematics of the native filter: keys, rate and size, any two of them
 * to the third; and from the bits of a filter back to keys and rate.  Pure.
 *
 * A filter is `blocks` blocks of 512 bits.  A key sets `probes` bits, spread
 * evenly over `groups` blocks (the g of Bloom-g: Qiao, Li and Chen, "One
 * Memory Access Bloom Filters and Their Generalization", 2011; with one group
 * it is the blocked filter of Putze, Sanders and Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters", 2007).
 */
#ifndef SIZING_H
#define SIZING_H

#include <stdbool.h>
#include <stdint.h>

#define SIZING_BLOCK_BITS 512
#define SIZING_BLOCK_BYTES (SIZING_BLOCK_BITS / 8)

/* What may be asked for. */
#define SIZING_KEYS_MIN UINT64_C(1)
#define SIZING_KEYS_MAX UINT64_C(1000000000000000)	/* 10^15 */
#define SIZING_RATE_MIN 1e-12
#define SIZING_RATE_MAX 0.5
#define SIZING_BLOCKS_MAX (UINT64_C(1) << 54)	/* their bits fit in 64 */
#define SIZING_PROBES_MAX 255	/* of any scheme */

struct shape {
	uint64_t blocks;	/* at least 1 */
	unsigned probes;	/* bits a key, a multiple of groups */
	unsigned groups;	/* blocks a key */
	unsigned spare;		/* bits at the end that no key has: 0 but in
				   filters of other schemes, at most 511 */
};

static inline uint64_t
sizing_bits(const struct shape *s)
{
	return s->blocks * SIZING_BLOCK_BITS - s->spare;
}

/* A filter without blocks: each bit of a key lies anywhere. */
static inline struct shape
sizing_without_blocks(uint64_t bits, unsigned probes)
{
	const uint64_t blocks = bits / SIZING_BLOCK_BITS +
	    (bits % SIZING_BLOCK_BITS != 0);

	return (struct shape){ blocks, probes, probes,
	    (unsigned)(blocks * SIZING_BLOCK_BITS - bits) };
}

static inline double
sizing_blocks(const struct shape *s)
{
	return (double)s->blocks - (double)s->spare / SIZING_BLOCK_BITS;
}

static inline bool
sizing_same_shape(const struct shape *a, const struct shape *b)
{
	return a->blocks == b->blocks && a->probes == b->probes &&
	    a->groups == b->groups && a->spare == b->spare;
}

enum sizing_prefer {
	SIZING_SPEED,	/* fewest groups within 15 % of the textbook's size */
	SIZING_SPACE	/* smallest file */
};

/* A filter as planned: holds `keys` keys at a false-positive rate of `rate`. */
struct plan {
	struct shape shape;
	uint64_t keys;
	double rate;
};

enum sizing_err {
	SIZING_OK,
	SIZING_TOO_SMALL,	/* no rate up to SIZING_RATE_MAX, or no key */
	SIZING_TOO_LARGE	/* over SIZING_KEYS_MAX or SIZING_BLOCKS_MAX */
};

/*
 * The smallest filter for p->keys keys at p->rate; sets p->shape.  keys and
 * rate must lie in the ranges above.
 */
enum sizing_err sizing_shape(struct plan *p, enum sizing_prefer prefer);

/* The most keys that p->shape.blocks blocks hold at p->rate. */
enum sizing_err sizing_keys(struct plan *p, enum sizing_prefer prefer);

/*
 * The rate that p->shape.blocks blocks give p->keys keys, with the groups that
 * `prefer` takes at that rate, but never below SIZING_RATE_MIN: with room to
 * spare for that rate, the fewest groups that reach it are taken, and of them
 * the fewest probes.
 */
enum sizing_err sizing_rate(struct plan *p, enum sizing_prefer prefer);

/*
 * The rate of a filter of this shape that holds nkeys distinct keys, 0 to 1.
 * Within 1 % of what is measured as long as it lies above 1e-12.
 */
double sizing_rate_at(const struct shape *s, double nkeys);

/*
 * How many distinct keys leave `ones` of the bits set, on average; infinite
 * if all are.
 */
double sizing_keys_in(const struct shape *s, uint64_t ones);

/* The share of its bits that so many distinct keys set, on average. */
double sizing_fill_at(const struct shape *s, double nkeys);

/*
 * Can so many keys have been added to a filter of which so many bits are set?
 * Of as many as DCSO bloom has counted after a join, not always.
 */
bool sizing_plausible(const struct shape *s, uint64_t ones, uint64_t nkeys);

/*
 * The classical filter, one array of bits and no blocks, for comparison
 * (Bloom 1970): bits a key at this rate, and probes.
 */
double sizing_textbook_bits(double rate);
unsigned sizing_textbook_probes(double rate);

#endif
