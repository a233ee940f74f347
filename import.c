/*
 * bloomtool import: make a filter of a file that another program wrote, by the
 * rule of that program.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build.h"
#include "cmd.h"
#include "foreign/foreign.h"
#include "intake.h"
#include "least.h"
#include "make.h"
#include "members.h"
#include "options.h"
#include "parts.h"
#include "report.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'F', "from", "FORMAT", "what FOREIGN is; default: what it looks like" },
	{ 'K', "key", "HOW",
	    "what that hashes of a key: bytes, utf16le or int64" },
	{ 'V', "verify", "KEYS",
	    "make nothing unless all lines of this file are in it" },
	{ 'N', "note", "TEXT", "keep this text in the file" },
	{ 'f', "force", NULL, "replace FILTER if it exists" },
	{ 'q', "quiet", NULL, "do not say what was made" },
	WRITER_WAIT,
	OPTIONS_PROGRESS,
	OPTIONS_HEADING("from Redis"),
	{ 'n', "name", "KEY", "the key, if there is more than one" },
	{ 'm', "bits", "M", "of a redis-bitmap: how many bits it has" },
	{ 'k', "hashes", "K", "how many of them a key has" },
	{ 'R', "rule", "RULE", "and which: guava or go-zero" },
	{ 0 }
};

static const struct usage usage = {
	"bloomtool import",
	"[-fq] [-K HOW] [-V KEYS] [OPTION...] FOREIGN FILTER",
	"  bloomtool import --verify some-keys service.bloom service.bf\n"
	"  bloomtool import -F redis-bitmap -m 3649 -k 5 -R guava bits seen.bf",
	"Makes FILTER of one that another program wrote (\"-\": standard "
	"input), with the\nrule of that program, which add, check and union "
	"follow from then on.  It may be\ncompressed by gzip.  With a wrong "
	"--key nothing fails, but nearly all keys are\n\"not in\": --verify "
	"finds that out.",
	options
};

struct import {
	const char *from, *name, *verify, *note;
	const struct scheme *rule;	/* of a bitmap; or NULL */
	uint64_t bits, hashes;
	enum encoding encoding;
	bool quiet;
	struct intake in;
	struct build build;
};

static void
take_rule(struct import *i)
{
	i->rule = foreign_bitmap_rule(optarg);
	if (i->rule == NULL)
		options_wrong(&usage, "-R, --rule: \"%s\" is neither guava nor "
		    "go-zero", optarg);
}

/* A bitmap says nothing of itself, other formats all. */
static void
check_bitmap(const struct import *i)
{
	const bool bitmap = i->from != NULL &&
	    strcmp(i->from, "redis-bitmap") == 0;
	const int given = (i->bits > 0) + (i->hashes > 0) + (i->rule != NULL);
	char names[256];

	if (bitmap && given < 3)
		options_wrong(&usage, "a redis-bitmap needs --bits, --hashes "
		    "and --rule");
	if (!bitmap && given > 0)
		options_wrong(&usage, "--bits, --hashes and --rule go with "
		    "--from redis-bitmap");
	if (bitmap || i->from == NULL)
		return;
	if (foreign_of_name(i->from) == NULL)
		options_wrong(&usage, "-F, --from: \"%s\" is none of %s",
		    i->from, foreign_names(names, sizeof(names), false));
}

static void
parse(struct import *i, int argc, char **argv)
{
	int letter;

	i->build.wait = INFINITY;
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'n':
			i->name = optarg;
			break;
		case 'F':
			i->from = optarg;
			break;
		case 'K':
			i->encoding = options_encoding(&usage, letter);
			break;
		case 'N':
			i->note = options_note(&usage, letter);
			break;
		case 'V':
			i->verify = optarg;
			break;
		case 'f':
			i->build.force = true;
			break;
		case 'k':
			i->hashes = options_count(&usage, letter,
			    SIZING_PROBES_MAX);
			break;
		case 'm':
			i->bits = options_count(&usage, letter, FOREIGN_BITMAP_BITS);
			break;
		case 'q':
			i->quiet = true;
			break;
		case 'R':
			take_rule(i);
			break;
		case 'w':
			i->build.wait = options_seconds(&usage, letter);
			break;
		}
	}
	check_bitmap(i);
	if (optind + 2 != argc)
		options_wrong(&usage, optind + 2 < argc ? "one FOREIGN and one "
		    "FILTER at a time" : "needs a FOREIGN and a FILTER");
	if (strcmp(argv[optind], "-") == 0 && i->verify != NULL &&
	    strcmp(i->verify, "-") == 0)
		options_wrong(&usage, "the standard input is either FOREIGN or "
		    "KEYS");
	i->in.path = argv[optind];
	i->in.build = &i->build;
	i->build.path = argv[optind + 1];
}

/* Whose filter is it? */
static void
recognise(struct import *i)
{
	struct intake *in = &i->in;
	const struct foreign_format *format = i->from == NULL ? NULL :
	    foreign_of_name(i->from);
	char why[WHY_SIZE];
	enum foreign_match m;

	if (in->head_len >= FORMAT_MAGIC_SIZE && format_has_magic(in->head))
		intake_give_up(in, "is a bloomtool filter already");
	if (i->rule != NULL)
		m = foreign_bitmap(&in->foreign, i->rule, i->bits,
		    (unsigned)i->hashes, why);
	else if (source_header(in->source) > 0)
		m = foreign_recognise(&in->foreign, format != NULL ? format :
		    foreign_of_name("redisbloom"), in->head,
		    least_size(in->head_len, source_header(in->source)),
		    FOREIGN_STREAM, why);
	else
		m = foreign_recognise(&in->foreign, format, in->head,
		    in->head_len, source_size(in->source), why);
	if (m == FOREIGN_OTHER && format != NULL)
		snprintf(why, WHY_SIZE, "not a %s filter", format->words);
	else if (m == FOREIGN_OTHER)
		snprintf(why, WHY_SIZE, "not a filter that bloomtool knows; a "
		    "bitmap of Redis needs --from redis-bitmap");
	if (m != FOREIGN_SAME)
		intake_give_up(in, why);
}

/* The same filter, its layers where they lie in files of ours. */
static void
plan(struct import *i)
{
	struct header *h = &i->build.head;

	*h = i->in.foreign.head;
	h->nparts = 0;
	for (unsigned k = 0; k < i->in.foreign.head.nparts; k++)
		parts_append(h, &i->in.foreign.head.part[k].plan);
	h->rule.flip = 0;
	h->rule.encoding = i->encoding;
	h->created = (int64_t)time(NULL);
	if (i->note != NULL)
		format_note(h, i->note);
}

/* As many as the file says, if its bits agree. */
static void
count(struct import *i)
{
	const struct header *h = &i->build.head;
	bool known = i->in.foreign.counted;

	for (unsigned k = 0; known && k < h->nparts; k++)
		known = sizing_plausible(&h->part[k].plan.shape,
		    i->build.ones[k], i->in.foreign.keys_added[k]);
	if (known)
		memcpy(i->build.keys, i->in.foreign.keys_added,
		    sizeof(i->build.keys));
	else
		build_estimate(&i->build);
}

static void
say_what_was_made(const struct import *i, uint64_t keys)
{
	const struct header *h = &i->build.head;

	fprintf(stderr, "%s: imported from %s: %s%" PRIu64 " keys",
	    i->build.path, i->in.foreign.format->words, i->build.estimated ?
	    "about " : "", keys);
	if (h->nparts > 1) {
		fprintf(stderr, ", in %u layers\n", h->nparts);
	} else {
		fprintf(stderr, "; ");
		make_say(h);
	}
}

static void
report(const struct import *i)
{
	const struct live live = build_live(&i->build);
	const struct header *h = &i->build.head;

	if (!i->quiet)
		say_what_was_made(i, live.keys_added);
	report_overfull_live(i->build.path, h, &live);
}

int
cmd_import(int argc, char **argv)
{
	static struct import i;

	parse(&i, argc, argv);
	build_begin(&i.build, "import");
	intake_open(&i.in, i.name);
	recognise(&i);
	plan(&i);
	/* What comes as a stream could take the whole disk with a few bytes. */
	i.build.promised = source_size(i.in.source) == UINT64_MAX;
	build_open(&i.build);
	for (unsigned k = 0; k < i.build.head.nparts; k++)
		intake_part(&i.in, k);
	intake_end(&i.in);
	count(&i);
	if (i.verify != NULL)
		members_verify(&i.build, i.verify, i.in.path, i.quiet);
	build_publish(&i.build);
	report(&i);
	return EXIT_SELECTED;
}
