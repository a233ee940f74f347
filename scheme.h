/*
 * Schemes: by which rule bits belong to a key.  The native one is filter.c; the
 * others, in foreign/, are those of other programs, which know no blocks: the
 * textbook's filter (Bloom 1970), with any number of bits, which is a filter of
 * blocks that takes each of a key's bits from a block of its own.  Pure.
 *
 * Whoever works with filters asks their scheme, and none else what it is.
 */
#ifndef SCHEME_H
#define SCHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "encode.h"
#include "filter.h"
#include "hash.h"
#include "lines.h"
#include "sizing.h"

struct scheme;

/* Seeds of a scheme that has one for each probe. */
#define RULE_SEEDS_MAX 64

/* All that decides which bits are those of a key, but for the shape. */
struct rule {
	const struct scheme *scheme;
	uint64_t seed;		/* of a scheme that has one, else 0 */
	unsigned variant;	/* what the scheme makes of it */
	enum encoding encoding;	/* of the keys of a foreign scheme */
	unsigned width;		/* how many struct hash a key has */
	uint64_t flip;		/* bit i is number i ^ flip of those in the
				   file, if another program wrote that: 56
				   reverses bytes, in words of 64 bits */
	uint32_t seeds[RULE_SEEDS_MAX];	/* 0 from the last probe's on */
};

/* A scheme's hashes of a key at most: two probes each. */
#define RULE_WIDTH_MAX 128

struct scheme {
	unsigned id;		/* in filter files */
	const char *name;	/* "guava": one word */
	const char *words;	/* "Guava" */
	unsigned width;		/* rule.width; 0: one for two probes */
	unsigned variants;	/* rule.variant is less */
	unsigned variant;	/* that of new filters */
	const char *const *variant_names;	/* NULL if it has but one */
	bool seed, seeds;	/* does it have them? */

	/*
	 * Another program's, without blocks: each bit of a key has a group of
	 * its own, and the bits need not fill the last block.  What a filter
	 * was made for may be unknown, and so is in which letters the keys
	 * were: who does not care for upper and lower case has to ask for all.
	 */
	bool foreign;

	/* out[i * rule->width ...] = the hashes of keys[i]. */
	void (*hash)(const struct rule *r, const struct line *keys, size_t n,
	    struct hash *out);

	/* The same of keys whose A to Z are taken for a to z. */
	void (*hash_folded)(const struct rule *r, const struct line *keys,
	    size_t n, struct hash *out);

	/* in[i] = the i-th key is in, probably.  Returns how many. */
	size_t (*test)(const struct filter *f, const struct hash *h, size_t n,
	    bool *in);

	/* Add keys, in order; as filter_set. */
	void (*set)(const struct filter *f, const struct hash *h, size_t n,
	    bool *fresh, uint64_t *nfresh, uint64_t *nbits);

	/* The bits of a key, block by block; as filter_parts. */
	unsigned (*parts)(const struct filter *f, const struct hash *h,
	    struct filter_part *parts);

	/*
	 * at[i * f->shape.probes ...] = the bits of the i-th key, counted from
	 * 0; for places.c.
	 */
	void (*places)(const struct filter *f, const struct hash *h, size_t n,
	    uint64_t *at);

	/* The block that all bits of a key are in, if it has one group. */
	uint64_t (*block)(const struct filter *f, const struct hash *h);

	/* Add blocks first..first+n to the counts in *c. */
	void (*census)(const struct filter *f, uint64_t first, uint64_t n,
	    struct census *c);

	/*
	 * The shape for p->keys at p->rate, as the scheme's own program sizes
	 * it; NULL if bloomtool makes no such filters.
	 */
	enum sizing_err (*size)(struct plan *p, enum sizing_prefer prefer);

	/* Can it have layers? */
	bool layers;
};

extern const struct scheme scheme_native;

/* Their ids are 1 to this. */
#define SCHEME_LAST 10

/* The scheme with this id or name; NULL if there is none. */
const struct scheme *scheme_of_id(uint64_t id);
const struct scheme *scheme_of_name(const char *name);

/*
 * "dcso, guava ...": those of other programs that bloomtool makes filters of,
 * as far as there is room.
 */
const char *scheme_names(char *buf, size_t size);

/*
 * The rule of a scheme whose keys have so many probes; seed and seeds are then
 * 0.
 */
struct rule scheme_rule(const struct scheme *s, unsigned probes);

/*
 * Bytes that the bits of a filter take where they lie by this rule: whole words
 * of 64 bits where those are turned round.
 */
uint64_t scheme_bytes(const struct rule *r, const struct shape *s);

/* Do the same bits belong to a key? */
bool scheme_same_rule(const struct rule *a, const struct rule *b);

#endif
