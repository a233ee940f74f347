/*
 * Filters of other programs, without blocks, against slow ones: an array of
 * bool, whose places are worked out key by key as those programs say it.  What
 * they have answered is for tests/foreign.bats.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "few.h"
#include "foreign/foreign.h"
#include "foreign/hashes.h"
#include "foreign/places.h"
#include "random.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { KEY_MOST = 40, BATCH_MAX = 1027, GUARD = 64 };

/* ---- the slow filter ---- */

struct slow {
	const struct rule *rule;
	uint64_t m;
	unsigned k;
	bool *bits;
};

static struct hash
murmur3(const struct line *key, uint32_t seed)
{
	return hashes_murmur3(key->bytes, key->len, -1, seed);
}

/* Of the key with these bytes behind it. */
static struct line
longer(const struct line *key, const void *more, size_t n, uint8_t *room)
{
	memcpy(room, key->bytes, key->len);
	memcpy(room + key->len, more, n);
	return (struct line){ room, key->len + n, key->len + n };
}

/* Two numbers, of which the one is added to the other again and again. */
static struct hash
two_hashes(const struct rule *r, const struct line *key)
{
	const uint64_t c = UINT64_C(0xc6a4a7935bd1e995);
	uint8_t room[KEY_MOST + 16];
	uint64_t a, b;

	switch (r->scheme->id * 10 + r->variant) {
	case 30: {
		const struct line l = longer(key, "this-is-magical", 15, room);
		a = hashes_fnv1(HASHES_FNV1_START, key->bytes, key->len);
		b = hashes_fnv1(HASHES_FNV1_START, l.bytes, l.len);
		break;
	}
	case 40:
	case 70:
		a = hashes_murmur2(key->bytes, key->len, 0x9747b28c);
		b = hashes_murmur2(key->bytes, key->len, (uint32_t)a);
		break;
	case 41:
		a = hashes_murmur64a(key->bytes, key->len, c);
		b = hashes_murmur64a(key->bytes, key->len, a);
		break;
	case 42:
		a = hashes_murmur64a(key->bytes, key->len, c & 0xffffffff);
		b = hashes_murmur64a(key->bytes, key->len, a & 0xffffffff);
		break;
	default:
		abort();
	}
	return (struct hash){ a, b };
}

static void
places_dcso(const struct slow *s, const struct line *key, uint64_t *at)
{
	const uint64_t prime = UINT64_C(18446744073709551557);
	uint64_t h = hashes_fnv1(HASHES_FNV1_START, key->bytes, key->len) %
	    prime;

	for (unsigned i = 0; i < s->k; i++) {
		h = h * UINT64_C(18446744073709550147) % prime;
		at[i] = h % s->m;
	}
}

/* In 32 bits, of which the topmost is a sign; i begins at 1. */
static void
places_guava_32(const struct slow *s, const struct line *key, uint64_t *at)
{
	const struct hash h = murmur3(key, 0);
	const int64_t span = INT64_C(1) << 32;
	const int64_t a = (int64_t)(h.lo % (uint64_t)span);
	const int64_t b = (int64_t)(h.lo / (uint64_t)span);

	for (int64_t i = 1; i <= s->k; i++) {
		int64_t x = (a + i * b) % span;
		if (x >= span / 2)
			x -= span;
		at[i - 1] = (uint64_t)(x < 0 ? -x - 1 : x) % s->m;
	}
}

static void
places_guava(const struct slow *s, const struct line *key, uint64_t *at)
{
	const struct hash h = murmur3(key, 0);

	for (unsigned i = 0; i < s->k; i++)
		at[i] = (h.lo + i * h.hi) % (UINT64_C(1) << 63) % s->m;
}

static void
places_bits_and_blooms(const struct slow *s, const struct line *key,
    uint64_t *at)
{
	uint8_t room[KEY_MOST + 1];
	const struct line l = longer(key, "\1", 1, room);
	const struct hash a = murmur3(key, 0), b = murmur3(&l, 0);
	const uint64_t by[] = { b.lo, b.hi, b.hi, b.lo };

	for (unsigned i = 0; i < s->k; i++)
		at[i] = ((i % 2 == 0 ? a.lo : a.hi) + i * by[i % 4]) % s->m;
}

static void
places_pybloom(const struct slow *s, const struct line *key, uint64_t *at)
{
	for (unsigned i = 0; i < s->k; i++) {
		const struct hash h = murmur3(key, s->rule->seeds[i]);
		at[i] = (h.lo ^ h.hi) % s->m;
	}
}

static void
places_go_zero(const struct slow *s, const struct line *key, uint64_t *at)
{
	uint8_t room[KEY_MOST + 1];

	for (unsigned i = 0; i < s->k; i++) {
		const uint8_t number = (uint8_t)i;
		const struct line l = longer(key, &number, 1, room);
		at[i] = murmur3(&l, 0).lo % s->m;
	}
}

static void
slow_places(const struct slow *s, const struct line *key, uint64_t *at)
{
	const struct rule *r = s->rule;

	switch (r->scheme->id) {
	case 2:
		places_dcso(s, key, at);
		return;
	case 5:
		if (r->variant == 0)
			places_guava_32(s, key, at);
		else
			places_guava(s, key, at);
		return;
	case 6:
		places_bits_and_blooms(s, key, at);
		return;
	case 8:
		places_pybloom(s, key, at);
		return;
	case 9:
		places_go_zero(s, key, at);
		return;
	case 10:
		places_guava_32(s, key, at);
		return;
	}
	const struct hash h = two_hashes(r, key);
	const unsigned first = r->scheme->id == 3;
	for (unsigned i = 0; i < s->k; i++)
		at[i] = (h.lo + (i + first) * h.hi) % s->m;
}

static bool
slow_test(const struct slow *s, const struct line *key)
{
	uint64_t at[256];
	bool in = true;

	slow_places(s, key, at);
	for (unsigned i = 0; i < s->k; i++)
		in = in && s->bits[at[i]];
	return in;
}

/* How many bits change. */
static unsigned
slow_set(const struct slow *s, const struct line *key)
{
	uint64_t at[256];
	unsigned changed = 0;

	slow_places(s, key, at);
	for (unsigned i = 0; i < s->k; i++) {
		changed += !s->bits[at[i]];
		s->bits[at[i]] = true;
	}
	return changed;
}

/* ---- the filter, with guards around it ---- */

struct guarded {
	struct filter f;
	uint8_t *room;
	size_t nbytes;		/* of the filter in it */
};

/* What a file has: whole words where they are turned round. */
static size_t
bytes_for(uint64_t m, uint64_t flip)
{
	return (size_t)(flip == 56 ? (m + 63) / 64 * 8 : (m + 7) / 8);
}

/* At an odd address. */
static struct guarded
new_guarded(uint64_t m, unsigned k, const struct rule *rule)
{
	struct guarded g = { .nbytes = bytes_for(m, rule->flip) };

	g.room = malloc(g.nbytes + 2 * GUARD + 1);
	if (g.room == NULL)
		abort();
	memset(g.room, 0xa5, g.nbytes + 2 * GUARD + 1);
	g.f = (struct filter){ g.room + GUARD + 1, sizing_without_blocks(m, k),
	    rule };
	memset(g.f.bits, 0, g.nbytes);
	return g;
}

static bool
guards_stand(const struct guarded *g)
{
	const uint8_t *p = g->room, *end = p + g->nbytes + 2 * GUARD + 1;
	const uint8_t *bits = g->f.bits;

	for (; p < end; p++)
		if ((p < bits || p >= bits + g->nbytes) && *p != 0xa5)
			return false;
	return true;
}

/* Each bit where the file has it, and no other one. */
static bool
same_bits(const struct guarded *g, const struct slow *s)
{
	const uint8_t *bytes = g->f.bits;
	uint64_t wanted = 0, ones = 0;

	for (uint64_t i = 0; i < s->m; i++) {
		const uint64_t at = i ^ s->rule->flip;
		wanted += s->bits[i];
		if ((bytes[at / 8] >> at % 8 & 1) != s->bits[i])
			return false;
	}
	for (size_t i = 0; i < g->nbytes * 8; i++)
		ones += bytes[i / 8] >> i % 8 & 1;
	return ones == wanted;
}

/* ---- one against the other ---- */

struct tallies {
	struct tally in, fresh, counts, again, bits, guards, ones, rates;
};

/* Of some 3000 keys, so that many come again. */
static void
some_keys(uint64_t *state, struct line *keys, size_t n,
    uint8_t bytes[][KEY_MOST])
{
	for (size_t i = 0; i < n; i++) {
		uint64_t from = random_below(state, 3000);
		const size_t len = random_size(&from, KEY_MOST + 1);
		for (size_t j = 0; j < len; j++)
			bytes[i][j] = (uint8_t)random_next(&from);
		keys[i] = (struct line){ bytes[i], len, len };
	}
}

/* Asked in memory that ends where the filter does. */
static size_t
test_copy(const struct guarded *g, const struct hash *h, size_t n, bool *in)
{
	struct filter f = g->f;

	f.bits = malloc(g->nbytes);
	if (f.bits == NULL)
		abort();
	memcpy(f.bits, g->f.bits, g->nbytes);
	const size_t found = f.rule->scheme->test(&f, h, n, in);
	free(f.bits);
	return found;
}

static void
one_batch(const struct guarded *g, const struct slow *s, size_t n,
    uint64_t *state, struct tallies *t, const char *what)
{
	static uint8_t bytes[BATCH_MAX][KEY_MOST];
	static struct line keys[BATCH_MAX];
	static bool got[BATCH_MAX + 1], wanted[BATCH_MAX];
	const struct rule *r = g->f.rule;
	uint64_t nfresh = 999, nbits = 999, fresh_wanted = 0, bits_wanted = 0;
	size_t found = 0;

	/* Of exactly that size, too. */
	struct hash *h = malloc((n * r->width + (n == 0)) * sizeof(*h));
	if (h == NULL)
		abort();
	some_keys(state, keys, n, bytes);
	r->scheme->hash(r, keys, n, h);
	for (size_t i = 0; i < n; i++)
		found += wanted[i] = slow_test(s, &keys[i]);
	got[n] = true;
	CASE(&t->in, test_copy(g, h, n, got) == found && got[n] &&
	    memcmp(got, wanted, n) == 0, "%s, batch of %zu", what, n);

	for (size_t i = 0; i < n; i++) {
		const unsigned changed = slow_set(s, &keys[i]);
		wanted[i] = changed > 0;
		fresh_wanted += changed > 0;
		bits_wanted += changed;
	}
	r->scheme->set(&g->f, h, n, got, &nfresh, &nbits);
	CASE(&t->fresh, got[n] && memcmp(got, wanted, n) == 0,
	    "%s, batch of %zu", what, n);
	CASE(&t->counts, nfresh == fresh_wanted && nbits == bits_wanted,
	    "%s, batch of %zu: %" PRIu64 " keys, %" PRIu64 " bits, not %"
	    PRIu64 ", %" PRIu64, what, n, nfresh, nbits, fresh_wanted,
	    bits_wanted);

	CASE(&t->in, test_copy(g, h, n, got) == n, "%s, batch of %zu again",
	    what, n);
	r->scheme->set(&g->f, h, n, got, &nfresh, &nbits);
	found = 0;
	for (size_t i = 0; i < n; i++)
		found += got[i];
	CASE(&t->again, nfresh == 0 && nbits == 0 && found == 0,
	    "%s, batch of %zu", what, n);
	free(h);
}

/* All at once, and from the first block, one, and what is left. */
static void
counts(const struct guarded *g, const struct slow *s, struct tallies *t,
    const char *what)
{
	void (*const census)(const struct filter *, uint64_t, uint64_t,
	    struct census *) = g->f.rule->scheme->census;
	const uint64_t blocks = g->f.shape.blocks;
	struct census all = { 0 }, part = { 0 };
	uint64_t ones = 0;

	for (uint64_t i = 0; i < s->m; i++)
		ones += s->bits[i];
	census(&g->f, 0, blocks, &all);
	census(&g->f, 0, 1, &part);
	census(&g->f, 1, 0, &part);
	census(&g->f, 1, blocks - 1, &part);
	CASE(&t->ones, all.ones == ones && all.blocks == blocks &&
	    part.ones == ones && part.blocks == blocks, "%s: %" PRIu64
	    " and %" PRIu64 ", not %" PRIu64, what, all.ones, part.ones, ones);
	const double rate = pow((double)ones / (double)s->m, s->k);
	const double got = filter_rate(&g->f.shape, &all);
	CASE(&t->rates, fabs(got - rate) <= 1e-9 * rate, "%s: %g not %g", what,
	    got, rate);
	/* Bits behind the last one do not count. */
	memset(g->f.bits, 0xff, g->nbytes);
	struct census full = { 0 };
	census(&g->f, 0, blocks, &full);
	CASE(&t->ones, full.ones == s->m, "%s, full: %" PRIu64, what,
	    full.ones);
	CASE(&t->rates, fabs(filter_rate(&g->f.shape, &full) - 1) < 1e-12,
	    "%s, full", what);
}

static void
one_shape(const struct rule *rule, uint64_t m, unsigned k, uint64_t *state,
    struct tallies *t)
{
	/* places.c works out at most 1024 places at a time. */
	const size_t at_once = 1024 / k;
	const size_t batches[] = { 0, 1, 2, at_once, at_once + 3 };
	struct guarded g = new_guarded(m, k, rule);
	struct slow s = { rule, m, k, calloc((size_t)m, sizeof(bool)) };
	char what[80];

	if (s.bits == NULL)
		abort();
	snprintf(what, sizeof(what), "variant %u, flip %" PRIu64 ", %" PRIu64
	    " bits, %u probes", rule->variant, rule->flip, m, k);
	for (size_t i = 0; i < COUNT(batches); i++)
		one_batch(&g, &s, batches[i], state, t, what);
	CASE(&t->bits, same_bits(&g, &s), "%s", what);
	counts(&g, &s, t, what);
	CASE(&t->guards, guards_stand(&g), "%s", what);
	free(g.room);
	free(s.bits);
}

static void
shapes_of(const struct scheme *s, unsigned variant, uint64_t flip,
    uint64_t *state, struct tallies *t)
{
	static const uint64_t bits[] = { 1, 7, 511, 512, 513, 1000, 100003 };
	const unsigned most = s->seeds ? 64 : 255, step = cases(1, 6);

	for (size_t i = 0; i < COUNT(bits); i++)
		for (unsigned k = 1; k <= most; k = k < 20 ? k + step :
		    k < most ? most : most + 1) {
			struct rule rule = scheme_rule(s, k);
			rule.variant = variant;
			rule.flip = flip;
			for (unsigned j = 0; s->seeds && j < k; j++)
				rule.seeds[j] = (uint32_t)random_next(state);
			one_shape(&rule, bits[i], k, state, t);
		}
}

static void
one_scheme(const struct scheme *s)
{
	static const uint64_t flips[] = { 0, 7, 56 };
	struct tallies t = { 0 };
	uint64_t state = s->id;

	for (unsigned variant = 0; variant < s->variants; variant++)
		for (size_t i = 0; i < COUNT(flips); i++)
			shapes_of(s, variant, flips[i], &state, &t);
	OK_ALL_OF(&t.in, s->name, "keys are in as the rule says");
	OK_ALL_OF(&t.fresh, s->name, "it is told which keys are fresh");
	OK_ALL_OF(&t.counts, s->name, "fresh keys and new bits are counted");
	OK_ALL_OF(&t.again, s->name, "adding keys again changes nothing");
	OK_ALL_OF(&t.bits, s->name, "each bit is where the file wants it");
	OK_ALL_OF(&t.guards, s->name, "nothing is written around the bits");
	OK_ALL_OF(&t.ones, s->name, "the census counts all ones");
	OK_ALL_OF(&t.rates, s->name, "the rate is the share of ones, to the "
	    "probes");
}

/* Of small and large numbers, and of those around multiples. */
static void
remainders(void)
{
	struct tally t = { 0 };
	uint64_t state = 11;

	for (unsigned i = 0; i < cases(2000000, 100000); i++) {
		const uint64_t bits = 1 + (random_next(&state) >> 1 >>
		    random_below(&state, 63));
		const struct filter f = { NULL, sizing_without_blocks(bits, 1),
		    NULL };
		const uint64_t r = random_next(&state) >>
		    random_below(&state, 64);
		const uint64_t xs[] = { r, r / bits * bits,
		    r / bits * bits - 1, UINT64_MAX - r, UINT64_MAX, 0 };
		for (size_t j = 0; j < COUNT(xs); j++)
			CASE(&t, places_reduce(places_modulus(&f), xs[j]) ==
			    xs[j] % bits, "%" PRIu64 " modulo %" PRIu64,
			    xs[j], bits);
	}
	OK_ALL(&t, "remainders are those of a division");
}

int
main(void)
{
	remainders();
	for (uint64_t id = 2; id <= SCHEME_LAST; id++)
		one_scheme(scheme_of_id(id));
	return done();
}
