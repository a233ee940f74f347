/*
 * Filters of one rule stand side by side, so that lines are hashed once for all
 * of them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "mapfile.h"
#include "nofile.h"
#include "query.h"
#include "report.h"
#include "simd.h"
#include "warn.h"

struct member {
	const char *path;
	struct mapfile *m;
	const struct rule *rule;
	size_t place;		/* in the order that the user gave */
	size_t leader;		/* the first place of a filter of this rule */
};

struct query {
	enum query_want want;
	size_t n;
	struct member members[];	/* by leader, then by place */
};

/* ---- opening ---- */

static void
open_member(struct member *e, const char *path, size_t place,
    const enum encoding *encoding)
{
	char why[WHY_SIZE];

	e->path = path;
	e->place = e->leader = place;
	e->m = mapfile_open(path, (struct mapfile_how){ .use = MAPFILE_CHECK,
	    .foreign = true, .encoding = encoding != NULL ? *encoding :
	    ENCODING_BYTES }, why);
	if (e->m == NULL)
		errx(EXIT_TROUBLE, "%s: %s", path, why);
	e->rule = &mapfile_header(e->m)->rule;
	if (encoding != NULL && *encoding != e->rule->encoding)
		errx(EXIT_TROUBLE, "%s: its keys are hashed as %s; --key %s is "
		    "for files of other programs", path,
		    encode_name(e->rule->encoding), encode_name(*encoding));
	if (mapfile_is(e->m, STDOUT_FILENO))
		errx(EXIT_TROUBLE, "%s: is the output too", path);
	/* "Not in" would be a guess. */
	if (report_missing(path, e->m))
		exit(EXIT_TROUBLE);
}

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* In any order but that of places, as long as equal rules come together. */
static int
by_rule(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int c = compare(x->rule->scheme->id, y->rule->scheme->id);

	if (c == 0)
		c = compare(x->rule->seed, y->rule->seed);
	if (c == 0)
		c = compare(x->rule->variant, y->rule->variant);
	if (c == 0)
		c = compare(x->rule->encoding, y->rule->encoding);
	if (c == 0)
		c = compare(x->rule->width, y->rule->width);
	if (c == 0)
		c = memcmp(x->rule->seeds, y->rule->seeds,
		    sizeof(x->rule->seeds));
	return c != 0 ? c : compare(x->place, y->place);
}

static int
by_leader(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	const int c = compare(x->leader, y->leader);

	return c != 0 ? c : compare(x->place, y->place);
}

/* Is the filter the first of its rule, of those that stand side by side? */
static bool
is_first(const struct query *q, size_t i)
{
	return i == 0 || !scheme_same_rule(q->members[i].rule,
	    q->members[i - 1].rule);
}

/* By rule, but the user's order otherwise: likely filters may come first. */
static void
arrange(struct query *q)
{
	qsort(q->members, q->n, sizeof(q->members[0]), by_rule);
	for (size_t i = 0; i < q->n; i++)
		if (!is_first(q, i))
			q->members[i].leader = q->members[i - 1].leader;
	qsort(q->members, q->n, sizeof(q->members[0]), by_leader);
}

struct query *
query_open(char *const *paths, size_t n, const enum encoding *encoding,
    enum query_want want)
{
	struct query *q = calloc(1, sizeof(*q) + n * sizeof(q->members[0]));

	if (q == NULL)
		err(EXIT_TROUBLE, NULL);
	q->want = want;
	q->n = n;
	nofile_allow(n);
	for (size_t i = 0; i < n; i++)
		open_member(&q->members[i], paths[i], i, encoding);
	arrange(q);
	return q;
}

/* ---- testing ---- */

/* Those keys of a batch that the filters so far have not decided about. */
struct rest {
	size_t n;
	uint16_t at[LAYERS_BATCH];		/* places in the batch */
	struct line keys[LAYERS_BATCH];
	bool in[LAYERS_BATCH];			/* what one filter says */
};

/* The same keys in other letters; in[] is what is known so far. */
static size_t
test_letters(const struct member *e, enum encode_case letters,
    const struct line *keys, size_t n, bool *in)
{
	const size_t width = e->rule->width;
	struct hash *hashes = malloc(n * width * sizeof(*hashes) + 1);
	bool also[LAYERS_BATCH];
	size_t found = 0;

	if (hashes == NULL)
		err(EXIT_TROUBLE, NULL);
	keys_hash_in(e->rule, letters, keys, n, hashes);
	layers_test(mapfile_layers(e->m), hashes, n, also);
	for (size_t i = 0; i < n; i++) {
		in[i] |= also[i];
		found += in[i];
	}
	free(hashes);
	return found;
}

/* As they are, and as whoever made the filter may have had them. */
static NOINLINE size_t
test_any_case(const struct member *e, const struct line *keys, size_t n,
    bool *in)
{
	test_letters(e, ENCODE_UPPER, keys, n, in);
	return test_letters(e, ENCODE_AS_IS, keys, n, in);
}

static size_t
test(const struct member *e, const struct key_spec *spec,
    const struct line *keys, const struct hash *hashes, size_t n, bool *in)
{
	const size_t found = layers_test(mapfile_layers(e->m), hashes, n, in);

	return spec->fold && e->rule->scheme->foreign ?
	    test_any_case(e, keys, n, in) : found;
}

/* Decide about keys, and take them and their hashes away. */
static void
settle(struct rest *r, struct hash *hashes, size_t width, bool decisive,
    bool *in)
{
	size_t left = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->in[i] == decisive) {
			in[r->at[i]] = decisive;
		} else {
			r->at[left] = r->at[i];
			r->keys[left] = r->keys[i];
			memmove(hashes + left++ * width, hashes + i * width,
			    width * sizeof(*hashes));
		}
	}
	r->n = left;
}

/* Any or all of several. */
static void
test_several(const struct query *q, const struct key_spec *spec,
    const struct line *keys, size_t n, struct hash *hashes, bool *in)
{
	const bool decisive = q->want == QUERY_ANY;
	struct rest r = { .n = n };

	for (size_t i = 0; i < n; i++) {
		r.at[i] = (uint16_t)i;
		r.keys[i] = keys[i];
		in[i] = !decisive;
	}
	for (size_t k = 0; k < q->n && r.n > 0; k++) {
		const struct member *e = &q->members[k];
		if (is_first(q, k))
			keys_hash(spec, e->rule, r.keys, r.n, hashes);
		const size_t found = test(e, spec, r.keys, hashes, r.n, r.in);
		if ((decisive ? found : r.n - found) > 0)
			settle(&r, hashes, e->rule->width, decisive,
			    in);
	}
}

/* All keys in each filter, of which there may be one; the hits to which. */
static void
test_each(const struct query *q, const struct key_spec *spec,
    const struct line *keys, size_t n, struct hash *hashes, bool *in,
    uint64_t *which)
{
	const size_t words = query_words(q);

	memset(which, 0, n * words * sizeof(*which));
	for (size_t k = 0; k < q->n; k++) {
		const struct member *e = &q->members[k];
		if (is_first(q, k))
			keys_hash(spec, e->rule, keys, n, hashes);
		if (test(e, spec, keys, hashes, n, in) == 0)
			continue;
		uint64_t *word = which + e->place / 64;
		for (size_t i = 0; i < n; i++, word += words)
			*word |= (uint64_t)in[i] << e->place % 64;
	}
}

void
query_test(const struct query *q, const struct key_spec *spec,
    const struct line *keys, size_t n, struct hash *hashes, bool *in,
    uint64_t *which)
{
	if (q->want == QUERY_WHICH) {
		test_each(q, spec, keys, n, hashes, in, which);
	} else if (q->n > 1) {
		test_several(q, spec, keys, n, hashes, in);
	} else {
		keys_hash(spec, q->members[0].rule, keys, n, hashes);
		test(&q->members[0], spec, keys, hashes, n, in);
	}
}

uint64_t
query_seed(const struct query *q)
{
	return q->members[0].rule->seed;
}

size_t
query_width(const struct query *q)
{
	size_t width = 1;

	for (size_t i = 0; i < q->n; i++)
		if (q->members[i].rule->width > width)
			width = q->members[i].rule->width;
	return width;
}

size_t
query_words(const struct query *q)
{
	return q->want == QUERY_WHICH ? (q->n + 63) / 64 : 0;
}

size_t
query_next(const struct query *q, const uint64_t *which, bool has, size_t from)
{
	for (size_t i = from; i < q->n; i++) {
		const uint64_t w = has ? which[i / 64] : ~which[i / 64];
		if (w >> i % 64 & 1)
			return i;
		if (w >> i % 64 == 0)
			i |= 63;	/* none in this word */
	}
	return q->n;
}

/* ---- now and then, and in the end ---- */

void
query_check_layers(const struct query *q)
{
	char why[WHY_SIZE];

	for (size_t i = 0; i < q->n; i++)
		if (mapfile_check_layers(q->members[i].m, why) == -1)
			errx(EXIT_TROUBLE, "%s: %s", q->members[i].path, why);
}

bool
query_sync_failed(const struct query *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct member *e = &q->members[i];
		if (mapfile_sync_failed(e->m))
			return report_missing(e->path, e->m);
	}
	return false;
}

bool
query_close(struct query *q)
{
	char why[WHY_SIZE];
	bool whole = true;

	while (q->n > 0) {
		const struct member *e = &q->members[--q->n];
		/* Cut in its last page, it gave wrong answers, no signal. */
		if (mapfile_check_size(e->m, why) == -1) {
			warnx("%s: %s", e->path, why);
			whole = false;
		}
		mapfile_close(e->m, why);	/* was not written */
	}
	free(q);
	return whole;
}
