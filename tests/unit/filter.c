/*
 * The filter against a slow one that does what bloomtool(5) says, one bit at
 * a time; and the promise: no false negative, and as many false positives as
 * were asked for.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "few.h"
#include "filter.h"
#include "hash.h"
#include "random.h"
#include "scheme.h"
#include "sizing.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sanitizers make everything some ten times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef SLOW
#define SLOW 0
#endif

/*
 * The index rule, written from its description.  It stands before the code of
 * the filter is included, and can use none of it.
 */
struct slow {
	uint8_t *bits;		/* one in each byte */
	uint64_t blocks;
	unsigned groups, depth;
};

/* The high half of the product, by doubling and adding. */
static uint64_t
slow_high(uint64_t a, uint64_t b)
{
	uint64_t high = 0, low = 0;

	for (int i = 63; i >= 0; i--) {
		high = high << 1 | low >> 63;
		low <<= 1;
		if (a >> i & 1) {
			low += b;
			high += low < b;
		}
	}
	return high;
}

static uint64_t
slow_mix(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
	return x ^ x >> 33;
}

/* The places of all bits of a key, as numbers from the start of the filter. */
static size_t
slow_places(const struct slow *s, struct hash h, uint64_t *places)
{
	size_t n = 0;

	for (unsigned g = 0; g < s->groups; g++) {
		const uint64_t block = slow_high(h.lo, s->blocks);
		uint32_t word = (uint32_t)(h.hi & 0xffffffff);
		for (unsigned i = 0; i < s->depth; i++) {
			places[n++] = block * 512 + word / 8388608;
			word = (uint32_t)((uint64_t)word * 2654435769 %
			    4294967296);
		}
		h.lo = slow_mix(h.lo);
		h.hi = slow_mix(h.hi);
	}
	return n;
}

enum { PLACES_MAX = 1024 };

static bool
slow_test(const struct slow *s, struct hash h)
{
	uint64_t places[PLACES_MAX];
	bool in = true;

	for (size_t n = slow_places(s, h, places); n-- > 0;)
		in = in && s->bits[places[n]];
	return in;
}

/* Returns how many bits were not set before. */
static unsigned
slow_set(const struct slow *s, struct hash h)
{
	uint64_t places[PLACES_MAX];
	unsigned changed = 0;

	for (size_t n = slow_places(s, h, places); n-- > 0;) {
		changed += s->bits[places[n]] == 0;
		s->bits[places[n]] = 1;
	}
	return changed;
}

/*
 * The filter once more, without vector instructions.
 */
static size_t plain_test(const struct filter *f, const struct hash *h,
    size_t n, bool *in);
static void plain_set(const struct filter *f, const struct hash *h, size_t n,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits);
static unsigned plain_parts(const struct filter *f, const struct hash *h,
    struct filter_part *parts);
static uint64_t plain_block(const struct filter *f, const struct hash *h);
static void plain_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c);
static double plain_rate(const struct shape *s, const struct census *c);
static void plain_unite(uint64_t *to, const uint64_t *from, size_t n);
static void plain_intersect(uint64_t *to, const uint64_t *from, size_t n);
static uint64_t plain_ones(const uint64_t *words, size_t n);
extern const struct scheme plain_scheme;

#define filter_test plain_test
#define filter_set plain_set
#define filter_parts plain_parts
#define filter_block plain_block
#define filter_census plain_census
#define filter_rate plain_rate
#define filter_unite plain_unite
#define filter_intersect plain_intersect
#define filter_ones plain_ones
#define scheme_native plain_scheme
#include "plain.h"
#include "../../filter.c"
#undef filter_test
#undef filter_set
#undef filter_parts
#undef filter_block
#undef filter_census
#undef filter_rate
#undef filter_unite
#undef filter_intersect
#undef filter_ones
#undef scheme_native

static const struct code {
	const char *name;
	size_t (*test)(const struct filter *, const struct hash *, size_t,
	    bool *);
	void (*set)(const struct filter *, const struct hash *, size_t,
	    bool *, uint64_t *, uint64_t *);
	unsigned (*parts)(const struct filter *, const struct hash *,
	    struct filter_part *);
	uint64_t (*block)(const struct filter *, const struct hash *);
	void (*census)(const struct filter *, uint64_t, uint64_t,
	    struct census *);
	double (*rate)(const struct shape *, const struct census *);
	void (*unite)(uint64_t *, const uint64_t *, size_t);
	void (*intersect)(uint64_t *, const uint64_t *, size_t);
	uint64_t (*ones)(const uint64_t *, size_t);
} codes[] = {
	{ "as built", filter_test, filter_set, filter_parts, filter_block,
	    filter_census, filter_rate, filter_unite, filter_intersect,
	    filter_ones },
	{ "plain C", plain_test, plain_set, plain_parts, plain_block,
	    plain_census, plain_rate, plain_unite, plain_intersect,
	    plain_ones },
};

static struct filter
new_filter(uint64_t blocks, unsigned groups, unsigned depth)
{
	const size_t nbytes = (size_t)blocks * SIZING_BLOCK_BYTES;
	struct filter f = { aligned_alloc(64, nbytes),
	    { blocks, groups * depth, groups, 0 }, NULL };

	if (f.bits == NULL)
		abort();
	memset(f.bits, 0, nbytes);
	return f;
}

static struct slow
new_slow(const struct filter *f)
{
	const struct shape s = f->shape;
	struct slow slow = { calloc((size_t)s.blocks, 512), s.blocks, s.groups,
	    s.probes / s.groups };

	if (slow.bits == NULL)
		abort();
	return slow;
}

/*
 * Every bit, where the file has it: bit number b of a block is bit b % 8 of
 * its byte b / 8, on all machines.
 */
static bool
same_bits(const struct filter *f, const struct slow *s)
{
	const uint8_t *bytes = f->bits;

	for (uint64_t i = 0; i < s->blocks * 512; i++)
		if ((bytes[i / 8] >> i % 8 & 1) != s->bits[i])
			return false;
	return true;
}

/* Random ones, some of an earlier batch, some at the ends of the range. */
static void
some_hashes(uint64_t *state, struct hash *h, size_t n)
{
	static const uint64_t ends[] = { 0, 1, UINT64_MAX,
		UINT64_C(1) << 63, UINT32_MAX, UINT64_C(0xffffffff00000000) };
	uint64_t earlier = 12345;

	for (size_t i = 0; i < n; i++) {
		uint64_t *from = random_below(state, 8) == 0 ? &earlier : state;
		h[i].lo = random_next(from);
		h[i].hi = random_next(from);
		if (random_below(state, 16) == 0)
			h[i].lo = ends[random_size(state, COUNT(ends))];
		if (random_below(state, 16) == 0)
			h[i].hi = ends[random_size(state, COUNT(ends))];
	}
}

enum { BATCH_MAX = 1000 };
static const size_t batches[] = { 0, 1, 2, 23, 24, 25, 48, 49, BATCH_MAX, 7 };

struct tallies {
	struct tally fresh, nfresh, nbits, bits, in, again, beyond, parts;
};

/* A part for each group, in their order, and none behind the last. */
static void
parts_of(const struct code *c, const struct filter *f, const struct slow *s,
    const struct hash *h, struct tallies *t, const char *what)
{
	uint64_t places[PLACES_MAX], *place = places;
	struct filter_part parts[4], wanted[4];

	memset(parts, 0xa5, sizeof(parts));
	memset(wanted, 0xa5, sizeof(wanted));
	slow_places(s, *h, places);
	for (unsigned g = 0; g < s->groups; g++) {
		wanted[g] = (struct filter_part){ .block = *place / 512 };
		for (unsigned i = 0; i < s->depth; i++, place++)
			wanted[g].bits[*place % 512 / 64] |= UINT64_C(1) <<
			    *place % 64;
	}
	CASE(&t->parts, c->parts(f, h, parts) == s->groups &&
	    memcmp(parts, wanted, sizeof(parts)) == 0 &&
	    c->block(f, h) == places[0] / 512, "%s", what);
}

/* One batch through both; the answers have to be the same, and no more. */
static void
one_batch(const struct code *c, const struct filter *f, const struct slow *s,
    const struct hash *h, size_t n, struct tallies *t, const char *what)
{
	bool answers[BATCH_MAX + 1], wanted[BATCH_MAX];
	uint64_t nfresh = 999, nbits = 999, keys = 0, bits = 0;
	size_t found = 0, first = n;

	answers[n] = true;
	for (size_t i = 0; i < n; i++) {
		wanted[i] = slow_test(s, h[i]);
		found += wanted[i];
		parts_of(c, f, s, &h[i], t, what);
	}
	size_t reported = c->test(f, h, n, answers);
	CASE(&t->in, reported == found && (n == 0 ||
	    memcmp(answers, wanted, n) == 0), "%s, batch of %zu", what, n);

	for (size_t i = 0; i < n; i++) {
		const unsigned changed = slow_set(s, h[i]);
		wanted[i] = changed > 0;
		keys += changed > 0;
		bits += changed;
	}
	c->set(f, h, n, answers, &nfresh, &nbits);
	for (size_t i = n; i-- > 0;)
		if (answers[i] != wanted[i])
			first = i;
	CASE(&t->fresh, first == n, "%s, key %zu of %zu", what, first, n);
	CASE(&t->nfresh, nfresh == keys, "%s, batch of %zu: %" PRIu64 " not %"
	    PRIu64, what, n, nfresh, keys);
	CASE(&t->nbits, nbits == bits, "%s, batch of %zu: %" PRIu64 " not %"
	    PRIu64, what, n, nbits, bits);

	/* All are in now, and adding them again changes nothing. */
	reported = c->test(f, h, n, answers);
	CASE(&t->in, reported == n, "%s, batch of %zu: %zu found again", what,
	    n, reported);
	c->set(f, h, n, answers, &nfresh, &nbits);
	first = n;
	for (size_t i = n; i-- > 0;)
		if (answers[i])
			first = i;
	CASE(&t->again, nfresh == 0 && nbits == 0 && first == n,
	    "%s, batch of %zu: %" PRIu64 " keys, %" PRIu64 " bits", what, n,
	    nfresh, nbits);
	CASE(&t->beyond, answers[n], "%s, batch of %zu", what, n);
}

static void
one_shape(const struct code *c, uint64_t blocks, unsigned groups,
    unsigned depth, uint64_t *state, struct tallies *t)
{
	static struct hash h[BATCH_MAX];
	const struct filter f = new_filter(blocks, groups, depth);
	const struct slow s = new_slow(&f);
	char what[64];

	snprintf(what, sizeof(what), "%" PRIu64 " blocks, depth %u, groups %u",
	    blocks, depth, groups);
	for (size_t i = 0; i < COUNT(batches); i++) {
		/* Small filters are full after a few keys. */
		if (blocks < 1000 && batches[i] == BATCH_MAX)
			continue;
		some_hashes(state, h, batches[i]);
		one_batch(c, &f, &s, h, batches[i], t, what);
	}
	CASE(&t->bits, same_bits(&f, &s), "%s", what);
	free(f.bits);
	free(s.bits);
}

static void
against_slow(const struct code *c)
{
	static const uint64_t blocks[] = { 1, 2, 1000 };
	const unsigned step = cases(1, 16);
	struct tallies t = { 0 };
	uint64_t state = 4;

	for (size_t i = 0; i < COUNT(blocks); i++)
		for (unsigned groups = 1; groups <= 3; groups++) {
			/* What sizing chooses, and the most of a file. */
			for (unsigned depth = 1; depth <= 33; depth += step)
				one_shape(c, blocks[i], groups, depth, &state,
				    &t);
			one_shape(c, blocks[i], groups, 255 / groups, &state,
			    &t);
		}
	OK_ALL_OF(&t.in, c->name, "filter_test answers as the rule says");
	OK_ALL_OF(&t.fresh, c->name, "filter_set says which keys are fresh");
	OK_ALL_OF(&t.nfresh, c->name, "it counts the fresh keys");
	OK_ALL_OF(&t.nbits, c->name, "it counts the bits it sets");
	OK_ALL_OF(&t.bits, c->name,
	    "each bit is where the rule and the file want it");
	OK_ALL_OF(&t.parts, c->name,
	    "a key's bits, block by block, are those of the rule");
	OK_ALL_OF(&t.again, c->name,
	    "adding the same keys again changes nothing");
	OK_ALL_OF(&t.beyond, c->name,
	    "no answer is written beyond the batch");
}

/*
 * A key that is in already must not make the page of the file dirty.  In a
 * child, since writing to these pages kills.
 */
static void
known_keys_write_nothing(const struct code *c)
{
	const size_t nbytes = 1000 * SIZING_BLOCK_BYTES;
	void *map = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANON, -1, 0);
	const struct filter f = { map, { 1000, 9, 1, 0 }, NULL };
	struct hash h[BATCH_MAX];
	bool fresh[BATCH_MAX];
	uint64_t state = 6, nfresh, nbits;
	int status = -1;

	if (map == MAP_FAILED)
		abort();
	some_hashes(&state, h, BATCH_MAX);
	c->set(&f, h, BATCH_MAX, fresh, &nfresh, &nbits);
	fflush(stdout);
	const pid_t pid = fork();
	if (pid == 0) {
		if (mprotect(map, nbytes, PROT_READ) == 0)
			c->set(&f, h, BATCH_MAX, fresh, &nfresh, &nbits);
		_exit(nbits != 0);
	}
	waitpid(pid, &status, 0);
	OK(status == 0, "%s: adding known keys writes nothing", c->name);
	munmap(map, nbytes);
}

struct counts {
	struct tally ones, rates, parts;
};

/* Of a filter in which `total` bits were set. */
static void
one_census(const struct code *c, const struct filter *f, uint64_t total,
    struct counts *t)
{
	const uint8_t *bytes = f->bits;
	const uint64_t blocks = f->shape.blocks;
	const unsigned groups = f->shape.groups;
	const unsigned depth = f->shape.probes / groups;
	struct census all = { 0 }, part = { 0 };
	uint64_t by_hand = 0;
	double sum = 0;

	for (uint64_t i = 0; i < blocks; i++) {
		unsigned n = 0;
		for (unsigned j = 0; j < 512; j++)
			n += bytes[i * 64 + j / 8] >> j % 8 & 1;
		by_hand += n;
		sum += pow(n / 512.0, depth);
	}
	const double rate = pow(sum / (double)blocks, groups);
	c->census(f, 0, blocks, &all);
	CASE(&t->ones, all.ones == by_hand && all.ones == total &&
	    all.blocks == blocks, "depth %u, groups %u: %" PRIu64 " not %"
	    PRIu64, depth, groups, all.ones, by_hand);
	CASE(&t->rates, fabs(c->rate(&f->shape, &all) - rate) <= 1e-12 * rate,
	    "depth %u, groups %u: %g not %g", depth, groups,
	    c->rate(&f->shape, &all), rate);
	c->census(f, 0, 1, &part);
	c->census(f, 1, 0, &part);
	c->census(f, 1, blocks - 2, &part);
	c->census(f, blocks - 1, 1, &part);
	CASE(&t->parts, part.ones == all.ones && part.blocks == all.blocks &&
	    fabs(part.part_rate - all.part_rate) <= 1e-12 * all.part_rate,
	    "depth %u, groups %u", depth, groups);
}

static void
counts_of_all(const struct code *c)
{
	const unsigned step = cases(4, 16);
	struct counts t = { 0 };
	struct hash h[BATCH_MAX];
	bool fresh[BATCH_MAX];
	uint64_t state = 5, nfresh, nbits;

	for (unsigned groups = 1; groups <= 3; groups++)
		for (unsigned depth = 1; depth <= 17; depth += step) {
			const struct filter f = new_filter(300, groups, depth);
			uint64_t total = 0;
			for (int round = 0; round < 8; round++) {
				one_census(c, &f, total, &t);
				some_hashes(&state, h, BATCH_MAX);
				c->set(&f, h, BATCH_MAX, fresh, &nfresh,
				    &nbits);
				total += nbits;
			}
			free(f.bits);
		}
	OK_ALL_OF(&t.ones, c->name,
	    "the census counts all ones, as many as were set");
	OK_ALL_OF(&t.rates, c->name,
	    "the rate is the mean over blocks, to the groups");
	OK_ALL_OF(&t.parts, c->name, "counting in parts gives the same");

	const struct filter f = new_filter(3, 2, 6);
	struct census none = { 0 }, full = { 0 };
	c->census(&f, 0, 3, &none);
	OK(none.ones == 0 && fpclassify(c->rate(&f.shape, &none)) == FP_ZERO,
	    "%s: an empty filter has no ones and rate 0", c->name);
	memset(f.bits, 0xff, 3 * SIZING_BLOCK_BYTES);
	c->census(&f, 0, 3, &full);
	OK(full.ones == 1536 && fabs(c->rate(&f.shape, &full) - 1) < 1e-15,
	    "%s: a full one has all and rate 1", c->name);
	free(f.bits);
}

enum { WORDS_MAX = 300 };

/* So that a bit is set in about one, two, four or six cases of eight. */
static void
some_words(uint64_t *state, uint64_t *words, size_t n)
{
	const uint64_t kind = random_below(state, 4);

	for (size_t i = 0; i < n; i++) {
		const uint64_t x = random_next(state), y = random_next(state);
		words[i] = kind == 0 ? x & y & random_next(state) :
		    kind == 1 ? x & y : kind == 2 ? x : x | y;
	}
}

/* Bit by bit. */
static void
merges(const struct code *c)
{
	static const size_t lengths[] = { 0, 1, 2, 3, 7, 8, 9, 64, 299 };
	uint64_t a[WORDS_MAX], b[WORDS_MAX], either[WORDS_MAX],
	    both[WORDS_MAX];
	struct tally united = { 0 }, crossed = { 0 }, counted = { 0 },
	    beyond = { 0 };
	uint64_t state = 7;

	for (unsigned i = 0; i < 50 * COUNT(lengths); i++) {
		const size_t n = lengths[i % COUNT(lengths)];
		size_t wrong_either = 0, wrong_both = 0, ones = 0;
		some_words(&state, a, WORDS_MAX);
		some_words(&state, b, WORDS_MAX);
		memcpy(either, a, sizeof(a));
		memcpy(both, a, sizeof(a));
		c->unite(either, b, n);
		c->intersect(both, b, n);
		for (size_t j = 0; j < n * 64; j++) {
			const unsigned in_a = a[j / 64] >> j % 64 & 1;
			const unsigned in_b = b[j / 64] >> j % 64 & 1;
			wrong_either += (either[j / 64] >> j % 64 & 1) !=
			    (in_a + in_b > 0);
			wrong_both += (both[j / 64] >> j % 64 & 1) !=
			    (in_a + in_b == 2);
			ones += in_a;
		}
		CASE(&united, wrong_either == 0, "%zu words: %zu bits", n,
		    wrong_either);
		CASE(&crossed, wrong_both == 0, "%zu words: %zu bits", n,
		    wrong_both);
		CASE(&counted, c->ones(a, n) == ones, "%zu words: %" PRIu64
		    " not %zu", n, c->ones(a, n), ones);
		CASE(&beyond, memcmp(either + n, a + n,
		    (WORDS_MAX - n) * 8) == 0 && memcmp(both + n, a + n,
		    (WORDS_MAX - n) * 8) == 0, "%zu words", n);
	}
	OK_ALL_OF(&united, c->name, "a union has the bits of either");
	OK_ALL_OF(&crossed, c->name, "an intersection those of both");
	OK_ALL_OF(&counted, c->name, "all ones of some words are counted");
	OK_ALL_OF(&beyond, c->name, "no word is changed beyond the last");
}

/* Keys added to one filter, or a part to each of three that are united. */
static void
union_of_parts(const struct code *c)
{
	const struct filter all = new_filter(500, 2, 7);
	const struct filter parts[] = { new_filter(500, 2, 7),
	    new_filter(500, 2, 7), new_filter(500, 2, 7) };
	const size_t words = 500 * FILTER_BLOCK_WORDS;
	static struct hash h[BATCH_MAX];
	bool fresh[BATCH_MAX];
	uint64_t state = 8, nfresh, nbits, bits = 0;

	for (int i = 0; i < 9; i++) {
		some_hashes(&state, h, BATCH_MAX);
		c->set(&all, h, BATCH_MAX, fresh, &nfresh, &nbits);
		bits += nbits;
		c->set(&parts[i % 3], h, BATCH_MAX, fresh, &nfresh, &nbits);
	}
	c->unite(parts[0].bits, parts[1].bits, words);
	c->unite(parts[0].bits, parts[2].bits, words);
	OK(memcmp(parts[0].bits, all.bits, words * 8) == 0 &&
	    c->ones(all.bits, words) == bits,
	    "%s: a union of parts is the filter of all keys", c->name);
	free(all.bits);
	for (size_t i = 0; i < COUNT(parts); i++)
		free(parts[i].bits);
}

/* Are these bits of these blocks set, and no others?  -1 ends the list. */
static bool
has_exactly(const struct filter *f, const int (*places)[2])
{
	uint8_t wanted[1000 * SIZING_BLOCK_BYTES] = { 0 };

	for (; (*places)[0] >= 0; places++)
		wanted[(*places)[0] * 64 + (*places)[1] / 8] |=
		    (uint8_t)(1 << (*places)[1] % 8);
	return memcmp(f->bits, wanted, sizeof(wanted)) == 0;
}

/* The key "hello" under seed 0, as bloomtool(5) works it out. */
static void
example_of_the_manual(const struct code *c)
{
	static const int one_group[][2] = { { 779, 14 }, { 779, 421 },
		{ 779, 223 }, { 779, 358 }, { 779, 486 }, { 779, 348 },
		{ -1, 0 } };
	static const int two_groups[][2] = { { 779, 14 }, { 779, 421 },
		{ 779, 223 }, { 779, 358 }, { 779, 486 }, { 779, 348 },
		{ 779, 499 }, { 779, 13 }, { 779, 96 }, { 982, 211 },
		{ 982, 384 }, { 982, 135 }, { 982, 63 }, { 982, 147 },
		{ 982, 438 }, { 982, 305 }, { 982, 393 }, { 982, 263 },
		{ -1, 0 } };
	const struct hash h = hash_key("hello", 5, 0);
	const struct filter one = new_filter(1000, 1, 6);
	const struct filter two = new_filter(1000, 2, 9);
	uint64_t nfresh, nbits;
	bool fresh;

	OK(h.lo == 0xc779cfaa5e523818 && h.hi == 0xb5e9c1ad071b3e7f,
	    "%s: 'hello' has the hash of the manual", c->name);
	c->set(&one, &h, 1, &fresh, &nfresh, &nbits);
	OK(nbits == 6 && has_exactly(&one, one_group),
	    "%s: it has these six bits in one group", c->name);
	c->set(&two, &h, 1, &fresh, &nfresh, &nbits);
	OK(nbits == 18 && has_exactly(&two, two_groups),
	    "%s: it has these eighteen bits in two groups", c->name);
	free(one.bits);
	free(two.bits);
}

/*
 * The hashes of the keys with these numbers.  Real hashes, since the rate also
 * depends on how well they spread.
 */
static void
hashes_of(uint64_t number, struct hash *h, size_t n)
{
	for (size_t i = 0; i < n; i++, number++)
		h[i] = hash_key(&number, sizeof(number), 2024);
}

/*
 * Full to what it was made for: no false negative; the false positives within
 * 3 % of the rate, which is what 32-bit steps within a block may cost, and
 * five standard deviations of the count.
 */
static void
promise(double rate, uint64_t nprobes)
{
	enum { KEYS = 1000000 };
	static struct hash h[BATCH_MAX];
	static bool answers[BATCH_MAX];
	struct plan p = { .keys = KEYS, .rate = rate };

	if (sizing_shape(&p, SIZING_SPEED) != SIZING_OK)
		abort();
	const struct filter f = new_filter(p.shape.blocks, p.shape.groups,
	    p.shape.probes / p.shape.groups);
	uint64_t keys = 0, bits = 0, found = 0, wrong = 0;
	for (uint64_t i = 0; i < KEYS; i += BATCH_MAX) {
		uint64_t nfresh, nbits;
		hashes_of(i, h, BATCH_MAX);
		filter_set(&f, h, BATCH_MAX, answers, &nfresh, &nbits);
		keys += nfresh;
		bits += nbits;
	}
	for (uint64_t i = 0; i < KEYS; i += BATCH_MAX) {
		hashes_of(i, h, BATCH_MAX);
		found += filter_test(&f, h, BATCH_MAX, answers);
	}
	OK(found == KEYS, "rate %g: no false negative", rate);

	for (uint64_t i = 0; i < nprobes; i += BATCH_MAX) {
		hashes_of(UINT64_C(1000000000000) + i, h, BATCH_MAX);
		wrong += filter_test(&f, h, BATCH_MAX, answers);
	}
	const double measured = (double)wrong / (double)nprobes;
	const double spread = 5 * sqrt(rate * (1 - rate) / (double)nprobes);
	printf("# rate %g: %" PRIu64 " of %" PRIu64 ", %.4f of it\n", rate,
	    wrong, nprobes, measured / rate);
	OK(fabs(measured - rate) <= 0.03 * rate + spread,
	    "rate %g: as many false positives as asked for", rate);

	struct census c = { 0 };
	filter_census(&f, 0, p.shape.blocks, &c);
	const double now = filter_rate(&f.shape, &c);
	OK(fabs(measured - now) <= 0.03 * rate + spread &&
	    fabs(now - rate) <= 0.01 * rate,
	    "rate %g: the rate from the bits is that rate", rate);
	OK(c.ones == bits && fabs(sizing_keys_in(&p.shape, bits) - KEYS) <=
	    0.005 * KEYS, "rate %g: the bits tell the number of keys", rate);
	/* Keys that met all their bits were wrongly taken for known ones. */
	OK(keys <= KEYS && (double)keys >= KEYS * (1 - rate),
	    "rate %g: the fresh keys are no fewer than the rate allows", rate);
	free(f.bits);
}

int
main(void)
{
	static const struct { double rate; uint64_t nprobes; } promises[] = {
		{ 0.1, 4000000 }, { 0.03, 4000000 }, { 0.01, 10000000 },
		{ 1e-3, 20000000 }, { 1e-4, 50000000 }, { 1e-5, 100000000 },
	};

	for (size_t i = 0; i < COUNT(codes); i++) {
		example_of_the_manual(&codes[i]);
		against_slow(&codes[i]);
		known_keys_write_nothing(&codes[i]);
		counts_of_all(&codes[i]);
		merges(&codes[i]);
		union_of_parts(&codes[i]);
	}
	for (size_t i = 0; i < cases(COUNT(promises), 0); i++)
		promise(promises[i].rate,
		    promises[i].nprobes / (SLOW ? 20 : 1));
	return done();
}
