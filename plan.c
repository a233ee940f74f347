/*
 * Keys, rate and size as asked for -> a plan.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "number.h"
#include "plan.h"

bool
plan_option(struct request *r, const struct usage *u, int letter)
{
	switch (letter) {
	case 'P':
		r->has_prefer = true;
		if (strcmp(optarg, "space") == 0)
			r->prefer = SIZING_SPACE;
		else if (strcmp(optarg, "speed") == 0)
			r->prefer = SIZING_SPEED;
		else
			options_wrong(u, "-P, --prefer: \"%s\" is neither "
			    "speed nor space", optarg);
		return true;
	case 'n':
		r->plan.keys = options_keys(u, letter);
		r->has_keys = true;
		return true;
	case 'p':
		r->plan.rate = options_rate(u, letter);
		r->has_rate = true;
		return true;
	case 's':
		r->size = options_size(u, letter);
		r->has_size = true;
		return true;
	default:
		return false;
	}
}

void
plan_check(const struct request *r, const struct usage *u)
{
	if (r->has_keys && r->has_rate && r->has_size)
		options_wrong(u, "of --keys, --rate and --size two give the "
		    "third; give two");
	if (!r->has_keys && !r->has_size)
		options_wrong(u, "needs --keys (how many it shall hold) or "
		    "--size");
}

void
plan_make(struct request *r, const struct scheme *s, const struct usage *u)
{
	enum sizing_err e;

	plan_check(r, u);
	if (r->has_size)
		r->plan.shape.blocks = format_blocks(r->size);
	if (!r->has_rate && !(r->has_keys && r->has_size))
		r->plan.rate = PLAN_RATE;

	if (!r->has_size)
		e = s->size(&r->plan, r->prefer);
	else if (!r->has_keys)
		e = sizing_keys(&r->plan, r->prefer);
	else
		e = sizing_rate(&r->plan, r->prefer);

	if (e != SIZING_OK && !r->has_size)
		options_wrong(u, "%" PRIu64 " keys at rate %g: the scheme %s "
		    "has no such filter", r->plan.keys, r->plan.rate, s->name);
	if (e == SIZING_TOO_SMALL && r->has_keys)
		options_wrong(u, "%" PRIu64 " bytes are too few for %" PRIu64
		    " keys: the rate would be over %g", r->size, r->plan.keys,
		    SIZING_RATE_MAX);
	if (e == SIZING_TOO_SMALL)
		options_wrong(u, "%" PRIu64 " bytes hold no key at rate %g",
		    r->size, r->plan.rate);
	if (e == SIZING_TOO_LARGE)
		options_wrong(u, "%" PRIu64 " bytes at rate %g are for more "
		    "than %" PRIu64 " keys; give --keys", r->size,
		    r->plan.rate, SIZING_KEYS_MAX);
}

double
plan_bits_per_key(const struct plan *p)
{
	return (double)sizing_bits(&p->shape) / (double)p->keys;
}

const char *
plan_probes(const struct shape *s, char buf[PLAN_PROBES])
{
	const int n = snprintf(buf, PLAN_PROBES, "%u probe%s", s->probes,
	    s->probes == 1 ? "" : "s");

	if (s->groups < s->probes)
		snprintf(buf + n, PLAN_PROBES - (size_t)n, " in %u block%s",
		    s->groups, s->groups == 1 ? "" : "s");
	return buf;
}

const char *
plan_words(const struct plan *p, char buf[PLAN_WORDS])
{
	const uint64_t size = format_file_size(p->shape.blocks);
	char words[NUMBER_WORDS], probes[PLAN_PROBES];

	snprintf(buf, PLAN_WORDS, "%" PRIu64 " keys at rate %.4g: %.2f bits "
	    "a key, %s, %s (%" PRIu64 " bytes)", p->keys, p->rate,
	    plan_bits_per_key(p), plan_probes(&p->shape, probes),
	    number_bytes(size, words), size);
	return buf;
}
