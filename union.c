/*
 * bloomtool union and intersect: one filter made of several.  It is made in one
 * pass over all of them, a span at a time, so that memory stays small.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build.h"
#include "cmd.h"
#include "make.h"
#include "mapfile.h"
#include "merge.h"
#include "nofile.h"
#include "options.h"
#include "report.h"
#include "warn.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'o', "output", "OUT", "the filter to make" },
	{ 'f', "force", NULL, "replace OUT if it exists" },
	{ 'q', "quiet", NULL, "do not say what was made" },
	WRITER_WAIT,
	OPTIONS_PROGRESS,
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
	bool quiet;
	struct build build;
	struct input *inputs;
	size_t ninputs;
	struct merge_source *sources;	/* all layers of all inputs */
	size_t nsources;
};

static void
parse(struct job *j, int argc, char **argv)
{
	const struct usage *u = j->kind->usage;
	int letter;

	while ((letter = options_next(u, argc, argv)) != -1) {
		switch (letter) {
		case 'f':
			j->build.force = true;
			break;
		case 'o':
			j->build.path = optarg;
			break;
		case 'q':
			j->quiet = true;
			break;
		case 'w':
			j->build.wait = options_seconds(u, letter);
			break;
		}
	}
	if (j->build.path == NULL)
		options_wrong(u, "no -o, --output OUT given");
	if (optind == argc)
		options_wrong(u, "no FILTER given");
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
		refuse(in, first, "another variant of its scheme, other seeds "
		    "or another --key");
}

static void
open_input(struct job *j, struct input *in)
{
	char why[WHY_SIZE];

	in->m = mapfile_open(in->path,
	    (struct mapfile_how){ .use = MAPFILE_SCAN }, why);
	if (in->m == NULL)
		build_give_up(&j->build, in->path, why);
	/* What is made of it would lack what they stand for. */
	if (mapfile_header(in->m)->write_flags != 0)
		build_give_up(&j->build, in->path, "needs features that this build lacks to "
		    "make a filter of it");
	/* A key may be in another layer of each. */
	if (j->kind->one_layer && mapfile_header(in->m)->nparts > 1)
		build_give_up(&j->build, in->path, "has grown to several layers, wanted one; "
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
	j->build.head = *model;
	j->build.head.note_len = first->note_len;
	memcpy(j->build.head.note, first->note, sizeof(first->note));
	j->build.head.created = (int64_t)time(NULL);
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
		const struct live live = mapfile_live(j->inputs[i].m);
		for (unsigned k = 0; k < h->nparts; k++)
			*s++ = (struct merge_source){ .input = i,
			    .part = &h->part[k], .keys = live.layer[k].keys };
	}
	choose_model(j);
	if (!merge_plan(&j->build.head, j->sources, j->nsources))
		build_give_up(&j->build, j->build.path, "would have more "
		    "layers than fit; unite fewer filters");
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
			build_give_up(&j->build, in->path, why);
		if (!first)
			j->kind->merge(to, from, n / 8);
		first = false;
	}
	build_write(&j->build, target, to, n / 8, at);
}

static void
merge_layer(struct job *j, unsigned target)
{
	const struct format_part *p = &j->build.head.part[target];
	const uint64_t size = p->plan.shape.blocks * SIZING_BLOCK_BYTES;

	for (uint64_t n, at = 0; at < size; at += n) {
		n = size - at < SPAN_BYTES ? size - at : SPAN_BYTES;
		merge_span(j, target, at, (size_t)n);
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
			build_give_up(&j->build, in->path, why);
		if (live_may_miss(mapfile_live(in->m).state)) {
			report_missing(in->path, in->m);
			newfile_close(j->build.new);
			exit(EXIT_TROUBLE);
		}
	}
}

static void
close_inputs(struct job *j)
{
	char why[WHY_SIZE];

	for (size_t i = 0; i < j->ninputs; i++)
		mapfile_close(j->inputs[i].m, why);	/* cannot fail */
	free(j->inputs);
	free(j->sources);
}

static void
say_what_was_made(const struct job *j, uint64_t keys)
{
	fprintf(stderr, "%s: %s of %zu filter%s, about %" PRIu64 " keys",
	    j->build.path, j->kind->name, j->ninputs, j->ninputs == 1 ? "" : "s",
	    keys);
	if (j->build.head.nparts > 1) {
		fprintf(stderr, ", in %u layers\n", j->build.head.nparts);
	} else {
		fprintf(stderr, "; ");
		make_say(&j->build.head);
	}
}

static void
report(const struct job *j)
{
	const struct live live = build_live(&j->build);

	if (!j->quiet)
		say_what_was_made(j, live.keys_added);
	report_overfull_live(j->build.path, &j->build.head, &live);
}

static int
run(const struct kind *kind, int argc, char **argv)
{
	static struct job j;

	j = (struct job){ .kind = kind, .build.wait = INFINITY };
	parse(&j, argc, argv);
	build_begin(&j.build, kind->name);
	open_inputs(&j, argv + optind, (size_t)(argc - optind));
	plan_layers(&j);
	build_open(&j.build);
	for (unsigned i = 0; i < j.build.head.nparts; i++)
		merge_layer(&j, i);
	check_inputs(&j);
	build_estimate(&j.build);
	build_publish(&j.build);
	close_inputs(&j);
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
