/*
 * bloomtool union and intersect: one filter made of several.  It is made in one
 * pass over all of them, a span at a time, so that memory stays small.
 */
#include <sys/stat.h>

#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "make.h"
#include "mapfile.h"
#include "merge.h"
#include "newfile.h"
#include "nofile.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'o', "output", "OUT", "the filter to make" },
	{ 'f', "force", NULL, "replace OUT if it exists" },
	{ 'q', "quiet", NULL, "do not say what was made" },
	WRITER_WAIT,
	{ 0 }
};

static const struct usage union_usage = {
	"bloomtool union",
	"[-fq] [-w SECONDS] -o OUT FILTER...",
	"  bloomtool union -o all.bf part1.bf part2.bf\n"
	"  bloomtool union -f -o all.bf all.bf today.bf",
	"Makes a filter of the keys that are in any of the filters.  They must "
	"have been\nmade alike, with \"create --like\".  With --force, OUT may "
	"be one of them.",
	options
};

static const struct usage intersect_usage = {
	"bloomtool intersect",
	"[-fq] [-w SECONDS] -o OUT FILTER...",
	"  bloomtool intersect -o both.bf a.bf b.bf",
	"Makes a filter of the keys that are in all of the filters, and of some "
	"more than\none of those keys alone would be wrong about.  They must "
	"have been made alike,\nwith \"create --like\".  With --force, OUT may "
	"be one of them.",
	options
};

/* What the two commands differ in. */
struct kind {
	const struct usage *usage;
	const char *name;
	void (*merge)(uint64_t *to, const uint64_t *from, size_t n);
	bool one_layer;		/* it can be made only of filters of one */
};

struct input {
	const char *path;
	struct mapfile *m;
};

struct job {
	const struct kind *kind;
	bool force, quiet;
	double wait;
	const char *out;
	struct input *inputs;
	size_t ninputs;
	int old;		/* the file that OUT replaces, held; or -1 */
	struct newfile *new;
	struct header head;	/* of the new one */
	struct merge_source *sources;	/* all layers of all inputs */
	size_t nsources;
	struct progress progress;
	uint64_t ones[LAYERS_MAX];	/* written so far, and what that is */
	uint64_t keys[LAYERS_MAX];
};

static void
parse(struct job *j, int argc, char **argv)
{
	const struct usage *u = j->kind->usage;
	int letter;

	while ((letter = options_next(u, argc, argv)) != -1) {
		switch (letter) {
		case 'f':
			j->force = true;
			break;
		case 'o':
			j->out = optarg;
			break;
		case 'q':
			j->quiet = true;
			break;
		case 'w':
			j->wait = options_seconds(u, letter);
			break;
		}
	}
	if (j->out == NULL)
		options_wrong(u, "no -o, --output OUT given");
	if (optind == argc)
		options_wrong(u, "no FILTER given");
}

/* End, of the signal if one has come; nothing is left behind. */
static _Noreturn void
give_up(struct job *j, const char *path, const char *why)
{
	progress_end(&j->progress);
	newfile_close(j->new);
	signals_die();
	errx(EXIT_TROUBLE, "%s: %s", path, why);
}

/* What OUT replaces is held, so that no key gets into it that gets lost. */
static void
look_at_output(struct job *j)
{
	char why[WHY_SIZE];
	bool exists;

	if (newfile_check(j->out, j->force, &exists, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s%s", j->out, why,
		    exists ? "; --force replaces it" : "");
	if (j->force && mapfile_hold(j->out, j->wait, &j->old, why) == -1)
		give_up(j, j->out, why);
}

static _Noreturn void
refuse(const struct input *in, const struct input *first, const char *what)
{
	warnx("%s: %s, unlike %s", in->path, what, first->path);
	fprintf(stderr, "make it with \"bloomtool create --like %s\" and add "
	    "its keys again\n", first->path);
	exit(EXIT_TROUBLE);
}

/* Only if all that decides on the bits of a key is the same. */
static void
check_alike(const struct input *in, const struct input *first)
{
	const struct header *a = mapfile_header(in->m);
	const struct header *b = mapfile_header(first->m);
	char what[128], probes[PLAN_PROBES];

	if (a->rule.scheme != b->rule.scheme) {
		snprintf(what, sizeof(what), "of the scheme %s",
		    a->rule.scheme->name);
		refuse(in, first, what);
	}
	if (!sizing_same_shape(&a->shape, &b->shape)) {
		snprintf(what, sizeof(what), "%" PRIu64 " bits, %s",
		    sizing_bits(&a->shape), plan_probes(&a->shape, probes));
		refuse(in, first, what);
	}
	if (a->rule.seed != b->rule.seed) {
		snprintf(what, sizeof(what), "seed 0x%016" PRIx64,
		    a->rule.seed);
		refuse(in, first, what);
	}
	if (!scheme_same_rule(&a->rule, &b->rule))
		refuse(in, first, "another variant or other seeds of its "
		    "scheme");
}

static void
open_input(struct job *j, struct input *in)
{
	char why[WHY_SIZE];

	in->m = mapfile_open(in->path,
	    (struct mapfile_how){ .use = MAPFILE_SCAN }, why);
	if (in->m == NULL)
		give_up(j, in->path, why);
	/* What is made of it would lack what they stand for. */
	if (mapfile_header(in->m)->write_flags != 0)
		give_up(j, in->path, "needs features that this build lacks to "
		    "make a filter of it");
	/* A key may be in another layer of each. */
	if (j->kind->one_layer && mapfile_header(in->m)->nparts > 1)
		give_up(j, in->path, "has grown to several layers, wanted one; "
		    "\"check --all\" asks several filters");
	check_alike(in, j->inputs);
	if (report_missing(in->path, in->m))
		exit(EXIT_TROUBLE);
}

static void
open_inputs(struct job *j, char **paths, size_t n)
{
	nofile_allow(n);
	j->inputs = calloc(n, sizeof(*j->inputs));
	if (j->inputs == NULL)
		err(EXIT_TROUBLE, NULL);
	for (j->ninputs = 0; j->ninputs < n; j->ninputs++) {
		j->inputs[j->ninputs].path = paths[j->ninputs];
		open_input(j, &j->inputs[j->ninputs]);
	}
}

/*
 * What it was made for, and the note, are those of the first one; but if any
 * grows, so does what is made of it, as the first of those does.
 */
static void
choose_model(struct job *j)
{
	const struct header *first = mapfile_header(j->inputs[0].m);
	const struct header *model = first;

	for (size_t i = 1; i < j->ninputs; i++) {
		const struct header *h = mapfile_header(j->inputs[i].m);
		if (model->full != FORMAT_FULL_GROW &&
		    h->full == FORMAT_FULL_GROW)
			model = h;
	}
	j->head = *model;
	j->head.note_len = first->note_len;
	memcpy(j->head.note, first->note, sizeof(first->note));
	j->head.created = (int64_t)time(NULL);
}

/* Every layer of every input, and where it goes. */
static void
plan_layers(struct job *j)
{
	for (size_t i = 0; i < j->ninputs; i++)
		j->nsources += mapfile_header(j->inputs[i].m)->nparts;
	j->sources = calloc(j->nsources, sizeof(*j->sources));
	if (j->sources == NULL)
		err(EXIT_TROUBLE, NULL);
	struct merge_source *s = j->sources;
	for (size_t i = 0; i < j->ninputs; i++) {
		const struct header *h = mapfile_header(j->inputs[i].m);
		const struct mapfile_live live = mapfile_live(j->inputs[i].m);
		for (unsigned k = 0; k < h->nparts; k++)
			*s++ = (struct merge_source){ .input = i,
			    .part = &h->part[k], .keys = live.layer[k].keys };
	}
	choose_model(j);
	if (!merge_plan(&j->head, j->sources, j->nsources))
		give_up(j, j->out, "would have more layers than fit; unite "
		    "fewer filters");
}

/* Large enough for the disk, small enough for the caches. */
#define SPAN_BYTES (UINT64_C(1) << 18)

/* The same n bytes of all that go into a layer, from `at` in it on. */
static void
merge_span(struct job *j, unsigned target, uint64_t at, size_t n)
{
	static alignas(SIZING_BLOCK_BYTES) uint64_t to[SPAN_BYTES / 8];
	static alignas(SIZING_BLOCK_BYTES) uint64_t from[SPAN_BYTES / 8];
	char why[WHY_SIZE];
	bool first = true;

	for (size_t i = 0; i < j->nsources; i++) {
		const struct merge_source *s = &j->sources[i];
		const struct input *in = &j->inputs[s->input];
		if (s->target != target)
			continue;
		if (mapfile_read(in->m, first ? to : from, n,
		    s->part->offset + at, why) == -1)
			give_up(j, in->path, why);
		if (!first)
			j->kind->merge(to, from, n / 8);
		first = false;
	}
	j->ones[target] += filter_ones(to, n / 8);
	if (newfile_write(j->new, to, n, j->head.part[target].offset + at) ==
	    -1) {
		why_errno(why, "write");
		give_up(j, j->out, why);
	}
}

static void
merge_layer(struct job *j, unsigned target)
{
	const struct format_part *p = &j->head.part[target];
	const uint64_t size = p->plan.shape.blocks * SIZING_BLOCK_BYTES;

	for (uint64_t n, at = 0; at < size; at += n) {
		n = size - at < SPAN_BYTES ? size - at : SPAN_BYTES;
		merge_span(j, target, at, (size_t)n);
		progress_at(&j->progress, p->offset + at + n);
		if (signals_caught())
			give_up(j, j->out, "interrupted");
	}
}

/* Were they whole all the time?  If not, some of their bits may be missing. */
static void
check_inputs(struct job *j)
{
	char why[WHY_SIZE];

	for (size_t i = 0; i < j->ninputs; i++) {
		const struct input *in = &j->inputs[i];
		if (mapfile_check_size(in->m, why) == -1)
			give_up(j, in->path, why);
		if (mapfile_may_miss(mapfile_live(in->m).state)) {
			progress_end(&j->progress);
			report_missing(in->path, in->m);
			newfile_close(j->new);
			exit(EXIT_TROUBLE);
		}
	}
}

/* From the bits of each layer.  A full one may hold any number: so many. */
static void
estimate_keys(struct job *j)
{
	for (unsigned i = 0; i < j->head.nparts; i++) {
		const struct shape *s = &j->head.part[i].plan.shape;
		const uint64_t most = sizing_bits(s) - 1;
		j->keys[i] = (uint64_t)llround(sizing_keys_in(s,
		    j->ones[i] < most ? j->ones[i] : most));
	}
}

static void
publish(struct job *j)
{
	uint8_t head[FORMAT_HEADER];
	char why[WHY_SIZE];
	bool exists;

	format_encode(&j->head, head);
	format_put_estimates(&j->head, j->keys, j->ones, head);
	if (newfile_write(j->new, head, FORMAT_HEADER, 0) == -1) {
		why_errno(why, "write");
		give_up(j, j->out, why);
	}
	if ((j->old != -1 ? newfile_replace(j->new, j->old, why) :
	    newfile_publish(j->new, false, &exists, why)) == -1)
		give_up(j, j->out, why);
}

static void
close_all(struct job *j)
{
	char why[WHY_SIZE];

	newfile_close(j->new);
	for (size_t i = 0; i < j->ninputs; i++)
		mapfile_close(j->inputs[i].m, why);	/* cannot fail */
	free(j->inputs);
	free(j->sources);
	if (j->old != -1)
		close(j->old);
}

static void
say_what_was_made(const struct job *j, uint64_t keys)
{
	fprintf(stderr, "%s: %s of %zu filter%s, about %" PRIu64 " keys",
	    j->out, j->kind->name, j->ninputs, j->ninputs == 1 ? "" : "s",
	    keys);
	if (j->head.nparts > 1) {
		fprintf(stderr, ", in %u layers\n", j->head.nparts);
	} else {
		fprintf(stderr, "; ");
		make_say(&j->head);
	}
}

static void
report(const struct job *j)
{
	struct mapfile_live live = { .keys_estimated = true };

	for (unsigned i = 0; i < j->head.nparts; i++) {
		live.layer[i] = (struct mapfile_counts){ j->keys[i],
		    j->ones[i] };
		live.keys_added += j->keys[i];
		live.bits_set += j->ones[i];
	}
	if (!j->quiet)
		say_what_was_made(j, live.keys_added);
	report_overfull_live(j->out, &j->head, &live);
}

static int
run(const struct kind *kind, int argc, char **argv)
{
	static struct job j;
	char why[WHY_SIZE];

	j = (struct job){ .kind = kind, .wait = INFINITY, .old = -1 };
	parse(&j, argc, argv);
	signals_catch();
	signals_catch_asking();
	look_at_output(&j);
	open_inputs(&j, argv + optind, (size_t)(argc - optind));
	plan_layers(&j);
	const uint64_t size = format_end(&j.head);
	progress_begin(&j.progress, kind->name, PROGRESS_BYTES, size);
	/* Private until it has the permissions of what it replaces. */
	j.new = newfile_open(j.out, j.old != -1 ? S_IRUSR | S_IWUSR : 0666,
	    size, why);
	if (j.new == NULL)
		give_up(&j, j.out, why);
	for (unsigned i = 0; i < j.head.nparts; i++)
		merge_layer(&j, i);
	check_inputs(&j);
	estimate_keys(&j);
	publish(&j);
	close_all(&j);
	progress_end(&j.progress);
	signals_die();
	report(&j);
	return EXIT_SELECTED;
}

int
cmd_union(int argc, char **argv)
{
	static const struct kind kind = { &union_usage, "union",
	    filter_unite, false };

	return run(&kind, argc, argv);
}

int
cmd_intersect(int argc, char **argv)
{
	static const struct kind kind = { &intersect_usage, "intersection",
	    filter_intersect, true };

	return run(&kind, argc, argv);
}
