/*
 * Makes filter files.
 */
#include <sys/random.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "header.h"
#include "make.h"
#include "newfile.h"
#include "progress.h"
#include "signals.h"
#include "warn.h"

static void
take_full(struct order *o, const struct usage *u)
{
	o->has_full = true;
	if (strcmp(optarg, "stop") == 0)
		o->full = FORMAT_FULL_STOP;
	else if (strcmp(optarg, "warn") == 0)
		o->full = FORMAT_FULL_WARN;
	else
		options_wrong(u, "-F, --full: \"%s\" is neither warn nor stop",
		    optarg);
}

static void
take_scheme(struct order *o, const struct usage *u)
{
	char names[128];

	o->scheme = scheme_of_name(optarg);
	if (o->scheme == NULL || o->scheme->size == NULL)
		options_wrong(u, "-R, --scheme: \"%s\" is none of %s", optarg,
		    scheme_names(names, sizeof(names)));
}

/* The native one if none was given. */
static const struct scheme *
scheme_ordered(const struct order *o)
{
	return o->scheme != NULL ? o->scheme : &scheme_native;
}

bool
make_option(struct order *o, const struct usage *u, int letter)
{
	switch (letter) {
	case 'F':
		take_full(o, u);
		return true;
	case 'L':
		o->like = optarg;
		return true;
	case 'N':
		o->note = options_note(u, letter);
		return true;
	case 'K':
		o->encoding = options_encoding(u, letter);
		o->has_encoding = true;
		return true;
	case 'R':
		take_scheme(o, u);
		return true;
	case 'S':
		o->seed = options_seed(u, letter);
		o->has_seed = true;
		return true;
	case 'g':
		o->grow = true;
		return true;
	default:
		return plan_option(&o->request, u, letter);
	}
}

static bool
grows(const struct order *o)
{
	return o->grow || (!o->request.has_keys && !o->request.has_size &&
	    !o->has_full && scheme_ordered(o)->layers);
}

/* Other programs know but keys and rate. */
static void
check_scheme(const struct order *o, const struct usage *u)
{
	const struct request *r = &o->request;
	const struct scheme *s = scheme_ordered(o);

	if (!s->foreign) {
		if (o->has_encoding)
			options_wrong(u, "--key goes with a --scheme of "
			    "another program");
		return;
	}
	if (r->has_size || r->has_prefer || o->has_seed)
		options_wrong(u, "a filter of the scheme %s takes --keys and "
		    "--rate, no --size, --prefer or --seed", s->name);
	if (o->grow && !s->layers)
		options_wrong(u, "a filter of the scheme %s cannot grow",
		    s->name);
	if (!r->has_keys && !grows(o))
		options_wrong(u, "a filter of the scheme %s needs --keys (how "
		    "many it shall hold)", s->name);
}

void
make_check(const struct order *o, const struct usage *u)
{
	const struct request *r = &o->request;

	if (o->like != NULL && (r->has_keys || r->has_rate || r->has_size ||
	    r->has_prefer || o->has_seed || o->has_full || o->has_encoding ||
	    o->scheme != NULL || o->grow))
		options_wrong(u, "--like takes all but the note from %s; only "
		    "--note goes with it", o->like);
	check_scheme(o, u);
	if (o->grow && o->has_full)
		options_wrong(u, "--full is for filters that do not --grow");
	if (!grows(o))
		plan_check(r, u);
	else if (r->has_size)
		options_wrong(u, "a filter that grows has no --size");
	else if (r->has_rate && r->plan.rate < MAKE_GROW_RATE_MIN)
		options_wrong(u, "a filter that grows has a rate of %g or "
		    "more, not %g", MAKE_GROW_RATE_MIN, r->plan.rate);
}

static struct header
new_header(const struct plan *p, const struct rule *rule)
{
	return (struct header){
		.rule = *rule,
		.growth = FORMAT_GROWTH,
		.shape = p->shape,
		.keys = p->keys,
		.rate = p->rate,
		.full = FORMAT_FULL_WARN,
		.created = (int64_t)time(NULL),
	};
}

/* Same shape, same seed: the two can be united. */
static struct header
header_like(const struct order *o)
{
	char why[WHY_SIZE];
	struct header other;

	if (header_read(o->like, &other, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s", o->like, why);
	const struct plan p = { other.shape, other.keys, other.rate };
	struct header h = new_header(&p, &other.rule);
	h.growth = other.growth;
	h.full = other.full;
	h.prefer = other.prefer;
	return h;
}

/* Size the first layer, by its scheme; a random seed if none was given. */
static struct header
header_of_size(const struct order *o, struct request *r, const struct usage *u)
{
	const struct scheme *s = scheme_ordered(o);

	plan_make(r, s, u);
	struct rule rule = scheme_rule(s, r->plan.shape.probes);
	rule.encoding = o->encoding;
	if (o->has_seed)
		rule.seed = o->seed;
	else if (s->seed && getentropy(&rule.seed, sizeof(rule.seed)) == -1)
		err(EXIT_TROUBLE, "random seed");
	return new_header(&r->plan, &rule);
}

/* The first layer takes half of the rate, those to come share the rest. */
static struct header
header_that_grows(const struct order *o, struct request r,
    const struct usage *u)
{
	const double rate = r.has_rate ? r.plan.rate : PLAN_RATE;

	if (!r.has_keys)
		r.plan.keys = MAKE_KEYS;
	r.plan.rate = rate / 2;
	r.has_keys = r.has_rate = true;
	struct header h = header_of_size(o, &r, u);
	h.rate = rate;
	h.full = FORMAT_FULL_GROW;
	h.prefer = r.prefer;
	return h;
}

static struct header
header_of(const struct order *o, const struct usage *u)
{
	struct request r = o->request;

	if (grows(o))
		return header_that_grows(o, r, u);
	struct header h = header_of_size(o, &r, u);
	h.full = o->full;
	return h;
}

struct header
make_header(const struct order *o, const struct usage *u)
{
	make_check(o, u);
	struct header h = o->like != NULL ? header_like(o) : header_of(o, u);

	if (o->note != NULL)
		format_note(&h, o->note);
	return h;
}

void
make_say(const struct header *h)
{
	const bool grows = h->full == FORMAT_FULL_GROW;
	const struct plan p = { h->shape, h->keys,
	    grows ? h->rate / 2 : h->rate };
	char words[PLAN_WORDS];

	if (h->keys == 0)
		fprintf(stderr, "%" PRIu64 " bits, made for an unknown number "
		    "of keys", sizing_bits(&h->shape));
	else
		fprintf(stderr, "made for %s", plan_words(&p, words));
	if (grows)
		fprintf(stderr, "; grows when full, at rate %.4g in all",
		    h->rate);
	else if (h->full == FORMAT_FULL_STOP)
		fprintf(stderr, "; stops when full");
	fprintf(stderr, "\n");
}

void
make_filter(const char *path, const struct header *h, struct make_how how)
{
	char why[WHY_SIZE];
	bool exists;

	signals_catch();
	progress_begin("create", 0);
	const int made = newfile_create(path, h, how.replace, &exists, why);
	progress_end();
	if (made == -1) {
		if (exists && how.keep) {
			exists = false;
			if (newfile_keep(path, why) == 0)
				return;
		}
		signals_die();
		errx(EXIT_TROUBLE, "%s: %s%s", path, why,
		    exists ? "; --force replaces it" : "");
	}
	signals_die();
	if (how.quiet)
		return;
	fprintf(stderr, "%s: ", path);
	make_say(h);
}
