/*
 * Layers against the same layers asked and filled one key at a time, by rules
 * whose keys have one hash or several.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "few.h"
#include "foreign/foreign.h"
#include "layers.h"
#include "random.h"
#include "tally.h"

enum { WIDTH_MAX = 7 };		/* of go-zero's 14 probes */

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

/* Small layers of all kinds, so that keys meet in them. */
static void
put_layer(struct layers *l, const struct rule *rule)
{
	const unsigned i = l->n;
	const struct shape s = rule->scheme->foreign ?
	    sizing_without_blocks(301 + 3581 * i, 1 + i % 14) :
	    (struct shape){ 1 + 7 * i, (1 + i % 3) * (1 + i % 5), 1 + i % 3,
		0 };

	l->layer[i] = new_filter(&s, rule);
	l->n++;
}

static void
free_layers(struct layers *l)
{
	for (unsigned i = 0; i < l->n; i++)
		free(l->layer[i].bits);
}

static bool
slow_in(const struct layers *l, const struct hash *h)
{
	bool in = false, any = false;

	for (unsigned i = 0; i < l->n; i++) {
		l->layer[i].rule->scheme->test(&l->layer[i], h, 1, &in);
		any |= in;
	}
	return any;
}

/* As layers_set says it. */
static size_t
slow_set(const struct layers *l, const struct hash *h, size_t n, uint64_t most,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	const struct filter *last = &l->layer[l->n - 1];

	*nfresh = *nbits = 0;
	for (size_t i = 0; i < n; i++, h += last->rule->width) {
		uint64_t keys, bits;
		bool one;
		fresh[i] = !slow_in(l, h);
		if (!fresh[i])
			continue;
		if (*nfresh == most)
			return i;
		last->rule->scheme->set(last, h, 1, &one, &keys, &bits);
		*nfresh += keys;
		*nbits += bits;
	}
	return n;
}

static bool
same_bits(const struct layers *a, const struct layers *b)
{
	for (unsigned i = 0; i < a->n; i++)
		if (memcmp(a->layer[i].bits, b->layer[i].bits,
		    (size_t)a->layer[i].shape.blocks *
		    SIZING_BLOCK_BYTES) != 0)
			return false;
	return true;
}

struct tallies {
	struct tally done, fresh, counts, bits, in;
};

static void
one_batch(const struct layers *l, const struct layers *slow, uint64_t *state,
    struct tallies *t)
{
	static struct hash h[LAYERS_BATCH * WIDTH_MAX];
	const size_t width = l->layer[0].rule->width;
	bool fresh[LAYERS_BATCH], wanted[LAYERS_BATCH], in[LAYERS_BATCH];
	const size_t n = random_below(state, 4) == 0 ? LAYERS_BATCH :
	    (size_t)random_below(state, 200);
	const uint64_t most = random_below(state, 3) == 0 ? UINT64_MAX :
	    random_below(state, 60);
	uint64_t keys, bits, keys_wanted, bits_wanted;
	size_t found = 0, found_wanted = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t from = random_below(state, 5000);
		for (size_t j = i * width; j < (i + 1) * width; j++) {
			h[j].lo = random_next(&from);
			h[j].hi = random_next(&from);
		}
	}
	for (size_t i = 0; i < n; i++)
		found_wanted += wanted[i] = slow_in(slow, h + i * width);
	found = layers_test(l, h, n, in);
	CASE(&t->in, found == found_wanted && memcmp(in, wanted, n) == 0,
	    "%u layers, %zu keys", l->n, n);

	const size_t done_wanted = slow_set(slow, h, n, most, wanted,
	    &keys_wanted, &bits_wanted);
	const size_t got = layers_set(l, h, n, most, fresh, &keys, &bits);
	CASE(&t->done, got == done_wanted, "%u layers, %zu keys: %zu, not %zu",
	    l->n, n, got, done_wanted);
	CASE(&t->fresh, memcmp(fresh, wanted, done_wanted) == 0,
	    "%u layers, %zu keys", l->n, n);
	CASE(&t->counts, keys == keys_wanted && bits == bits_wanted,
	    "%u layers, %zu keys", l->n, n);
	CASE(&t->bits, same_bits(l, slow), "%u layers, %zu keys", l->n, n);
}

static void
as_one_by_one(const struct rule *rule)
{
	const unsigned rounds = rule->scheme->foreign ? cases(6, 1) :
	    cases(30, 3);
	const char *name = rule->scheme->name;
	struct tallies t = { 0 };
	uint64_t state = 12;

	for (unsigned round = 0; round < rounds; round++) {
		struct layers l = { 0 }, slow = { 0 };
		for (unsigned i = 0; i < LAYERS_MAX; i++) {
			put_layer(&l, rule);
			put_layer(&slow, rule);
			one_batch(&l, &slow, &state, &t);
			one_batch(&l, &slow, &state, &t);
		}
		free_layers(&l);
		free_layers(&slow);
	}
	OK_ALL_OF(&t.in, name, "a key is in if any layer has it");
	OK_ALL_OF(&t.done, name, "keys go in up to the first that is too many");
	OK_ALL_OF(&t.fresh, name, "a key is fresh as if added one by one");
	OK_ALL_OF(&t.counts, name, "fresh keys and bits are counted");
	OK_ALL_OF(&t.bits, name, "only the last layer changes, by those keys");
}

int
main(void)
{
	const struct rule rules[] = {
		scheme_rule(&scheme_native, 1),
		scheme_rule(&scheme_redisbloom, 1),
		scheme_rule(&scheme_bits_and_blooms, 1),
		scheme_rule(&scheme_go_zero, 14),
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		as_one_by_one(&rules[i]);
	return done();
}
