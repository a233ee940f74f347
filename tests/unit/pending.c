/*
 * Pending keys: what pending_add calls fresh has to be what setting them calls
 * fresh, one key at a time, wherever the batches end, by native and by other
 * rules.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "few.h"
#include "filter.h"
#include "foreign/foreign.h"
#include "pending.h"
#include "random.h"
#include "scheme.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BATCH_MAX = 512, WIDTH_MAX = 7 };

static struct filter
new_filter(const struct shape *s, const struct rule *rule)
{
	const size_t nbytes = (size_t)s->blocks * SIZING_BLOCK_BYTES;
	struct filter f = { aligned_alloc(64, nbytes), *s, rule };

	if (f.bits == NULL)
		abort();
	memset(f.bits, 0, nbytes);
	return f;
}

static bool
same_bits(const struct filter *a, const struct filter *b)
{
	return memcmp(a->bits, b->bits,
	    (size_t)a->shape.blocks * SIZING_BLOCK_BYTES) == 0;
}

/*
 * One of nkeys keys.  Some of them share their block, or all bits within
 * theirs, with another one.
 */
static struct hash
some_key(uint64_t *state, uint64_t nkeys)
{
	const uint64_t number = random_below(state, nkeys);
	uint64_t from = number;
	struct hash h;

	h.lo = random_next(&from);
	h.hi = random_next(&from);
	if (number % 5 == 1)
		h.lo = 77;
	if (number % 5 == 2)
		h.hi = 78;
	return h;
}

/* Its hashes, of which other schemes have more. */
static void
some_hashes(uint64_t *state, uint64_t nkeys, struct hash *h, unsigned width)
{
	uint64_t from;

	h[0] = some_key(state, nkeys);
	from = h[0].lo ^ h[0].hi;
	for (unsigned i = 1; i < width; i++)
		h[i] = some_key(&from, nkeys);
}

/* The answer for this key if all before it had been added one by one. */
static bool
slow_answer(const struct filter *f, const struct hash *h)
{
	uint64_t nfresh, nbits;
	bool fresh;

	f->rule->scheme->set(f, h, 1, &fresh, &nfresh, &nbits);
	return fresh;
}

static uint64_t
ones_of(const struct filter *f)
{
	return filter_ones(f->bits, (size_t)f->shape.blocks *
	    FILTER_BLOCK_WORDS);
}

struct tallies {
	struct tally fresh, untouched, bits;
};

/*
 * A batch as "add -v" has it: note all keys, then set those that were fresh,
 * and forget what was noted.
 */
static void
one_batch(struct pending *p, const struct filter *f, const struct filter *slow,
    const struct hash *h, size_t n, struct tallies *t, const char *what)
{
	static struct hash add[BATCH_MAX * WIDTH_MAX];
	const struct scheme *s = f->rule->scheme;
	const size_t width = f->rule->width;
	const uint64_t before = ones_of(f);
	bool fresh[BATCH_MAX];
	uint64_t nfresh, nbits;
	size_t nadd = 0;

	for (size_t i = 0; i < n; i++, h += width) {
		const bool wanted = slow_answer(slow, h);
		bool in;
		const bool got = s->test(f, h, 1, &in) == 0 &&
		    pending_add(p, f, h);
		CASE(&t->fresh, got == wanted, "%s, key %zu of %zu: %s", what,
		    i, n, got ? "fresh" : "known");
		if (got)
			memcpy(add + width * nadd++, h, width * sizeof(*h));
	}
	CASE(&t->untouched, ones_of(f) == before, "%s, batch of %zu", what, n);
	s->set(f, add, nadd, fresh, &nfresh, &nbits);
	pending_clear(p);
	CASE(&t->bits, nfresh == nadd && same_bits(f, slow),
	    "%s, batch of %zu", what, n);
}

/* Up to a few times what the filter is good for. */
static void
some_batches(const struct shape *s, const struct rule *rule, uint64_t nkeys,
    uint64_t *state, struct tallies *t, const char *what)
{
	static struct hash h[BATCH_MAX * WIDTH_MAX];
	const unsigned rounds = cases(40, 1);
	const size_t room = 1 + random_size(state, BATCH_MAX);
	const struct filter f = new_filter(s, rule), slow = new_filter(s, rule);
	struct pending *p = pending_new(s, room);

	if (p == NULL)
		abort();
	for (unsigned round = 0; round < rounds; round++) {
		const size_t n = round % 4 == 0 ? room :
		    random_size(state, room + 1);
		for (size_t i = 0; i < n; i++)
			some_hashes(state, nkeys, h + i * rule->width,
			    rule->width);
		one_batch(p, &f, &slow, h, n, t, what);
	}
	pending_free(p);
	free(f.bits);
	free(slow.bits);
}

static const uint64_t nkeys[] = { 30, 1000, UINT64_C(1) << 40 };

static void
as_one_by_one(void)
{
	static const uint64_t blocks[] = { 1, 2, 3, 50, 5000 };
	const struct rule rule = scheme_rule(&scheme_native, 1);
	struct tallies t = { 0 };
	uint64_t state = 10;
	char what[80];

	for (unsigned i = 0; i < COUNT(blocks) * 3 * 3 * COUNT(nkeys); i++) {
		const unsigned groups = 1 + i % 3;
		const unsigned depth = i / 3 % 3 == 0 ? 1 : i / 3 % 3 * 7;
		const struct shape s = { blocks[i / 9 % COUNT(blocks)],
		    groups * depth, groups, 0 };
		const uint64_t many = nkeys[i / 9 / COUNT(blocks)];
		snprintf(what, sizeof(what), "%" PRIu64 " blocks, depth %u, "
		    "groups %u, %" PRIu64 " keys", s.blocks, depth, groups,
		    many);
		some_batches(&s, &rule, many, &state, &t, what);
	}
	OK_ALL(&t.fresh, "a key is fresh as if added one by one");
	OK_ALL(&t.untouched, "noting keys leaves the filter alone");
	OK_ALL(&t.bits, "each of the noted keys sets a bit of its own");
}

/* Filters of any number of bits, whose keys have one or more hashes. */
static void
without_blocks(void)
{
	static const struct scheme *const schemes[] = { &scheme_guava,
		&scheme_bits_and_blooms, &scheme_go_zero };
	static const uint64_t bits[] = { 1, 7, 64, 511, 513, 1000, 100003 };
	static const unsigned probes[] = { 1, 3, 14 };
	struct tallies t = { 0 };
	uint64_t state = 15;
	char what[80];

	for (unsigned i = 0; i < COUNT(schemes) * COUNT(bits) * 3 * 3; i++) {
		const struct scheme *scheme = schemes[i % COUNT(schemes)];
		const unsigned k = probes[i / 3 % 3];
		const uint64_t m = bits[i / 9 % COUNT(bits)];
		const uint64_t many = nkeys[i / 9 / COUNT(bits)];
		const struct shape s = sizing_without_blocks(m, k);
		const struct rule rule = scheme_rule(scheme, k);
		snprintf(what, sizeof(what), "%s, %" PRIu64 " bits, %u probes, "
		    "%" PRIu64 " keys", scheme->name, m, k, many);
		some_batches(&s, &rule, many, &state, &t, what);
	}
	OK_ALL(&t.fresh, "without blocks a key is fresh as one by one");
	OK_ALL(&t.untouched, "and noting keys leaves the filter alone");
	OK_ALL(&t.bits, "and each of the noted keys sets a bit of its own");
}

/* Batches are as large as there is room for, and then cleared, and again. */
static void
room_for_all(void)
{
	const struct rule native = scheme_rule(&scheme_native, 1);
	const struct rule guava = scheme_rule(&scheme_guava, 14);
	struct tally noted = { 0 }, known = { 0 }, forgotten = { 0 };
	uint64_t state = 11;

	for (unsigned groups = 1; groups <= 4; groups++)
		for (size_t room = 1; room <= BATCH_MAX; room *= 2) {
			/* The last has a group for each probe. */
			const struct shape s = groups == 4 ?
			    sizing_without_blocks(512000007, 14) :
			    (struct shape){ 1000000, groups * 6, groups, 0 };
			const struct filter f = new_filter(&s, groups == 4 ?
			    &guava : &native);
			struct pending *p = pending_new(&s, room);
			struct hash h[BATCH_MAX];
			if (p == NULL)
				abort();
			/* Different keys, so each takes new blocks. */
			for (size_t i = 0; i < room; i++) {
				h[i].lo = random_next(&state);
				h[i].hi = random_next(&state);
				CASE(&noted, pending_add(p, &f, &h[i]),
				    "key %zu of %zu, %u groups", i, room,
				    groups);
			}
			for (size_t i = 0; i < room; i++)
				CASE(&known, !pending_add(p, &f, &h[i]),
				    "key %zu of %zu, %u groups", i, room,
				    groups);
			pending_clear(p);
			for (size_t i = room; i-- > 0;)
				CASE(&forgotten, pending_add(p, &f, &h[i]),
				    "key %zu of %zu, %u groups", i, room,
				    groups);
			pending_free(p);
			free(f.bits);
		}
	OK_ALL(&noted, "there is room for as many keys as were asked for");
	OK_ALL(&known, "noted keys are known");
	OK_ALL(&forgotten, "after pending_clear they are fresh again");
}

/* A key whose bits are there in part, some noted and some set, is known. */
static void
bits_from_both(void)
{
	const struct rule rule = scheme_rule(&scheme_native, 2);
	const struct shape s = { 1, 2, 1, 0 };
	const struct filter f = new_filter(&s, &rule);
	struct pending *p = pending_new(&s, 4);
	const struct hash h = { 0, 0x071b3e7f };	/* bits 14 and 421 */

	bool in;

	if (p == NULL)
		abort();
	OK(pending_add(p, &f, &h), "a key is fresh in an empty filter");
	OK(!pending_add(p, &f, &h), "and known when it comes again");
	pending_clear(p);
	uint8_t *bytes = f.bits;
	bytes[14 / 8] = 1 << 14 % 8;
	OK(pending_add(p, &f, &h), "with one of its bits set it is fresh");
	bytes[14 / 8] = 0;
	OK(!pending_add(p, &f, &h), "and both bits are noted then");
	pending_clear(p);
	bytes[14 / 8] = 1 << 14 % 8;
	bytes[421 / 8] = 1 << 421 % 8;
	OK(filter_test(&f, &h, 1, &in) == 1,
	    "with both of its bits set the filter knows it");
	/* Another key that notes bit 421 only: its word is golden times h's. */
	bytes[421 / 8] = 0;
	const struct hash other = { 0, 0xd28330c7 };	/* 421 and 223 */
	OK(pending_add(p, &f, &other) && !pending_add(p, &f, &h),
	    "with one bit set and the other noted it is known");
	pending_free(p);
	free(f.bits);
}

int
main(void)
{
	as_one_by_one();
	without_blocks();
	room_for_all();
	bits_from_both();
	return done();
}
