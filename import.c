/*
 * bloomtool import: make a filter of a file that another program wrote, by the
 * rule of that program.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "build.h"
#include "bus.h"
#include "cmd.h"
#include "feed.h"
#include "foreign/foreign.h"
#include "le.h"
#include "make.h"
#include "options.h"
#include "parts.h"
#include "progress.h"
#include "regular.h"
#include "report.h"
#include "source.h"
#include "warn.h"
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
	const char *path, *from, *name, *verify, *note;
	const struct scheme *rule;	/* of a bitmap; or NULL */
	uint64_t bits, hashes;
	enum encoding encoding;
	bool quiet;
	struct source *source;
	struct foreign foreign;
	uint64_t at;			/* in the source */
	uint8_t last;			/* byte that was taken */
	uint8_t head[FOREIGN_HEAD];	/* its first bytes */
	size_t head_len;
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
	i->path = argv[optind];
	i->build.path = argv[optind + 1];
}

static const char *
name_of(const struct import *i)
{
	return strcmp(i->path, "-") == 0 ? "(standard input)" : i->path;
}

static _Noreturn void
give_up(struct import *i, const char *why)
{
	build_give_up(&i->build, name_of(i), why);
}

/* ---- what it is ---- */

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void
recognise(struct import *i)
{
	const struct foreign_format *format = i->from == NULL ? NULL :
	    foreign_of_name(i->from);
	char why[WHY_SIZE];
	enum foreign_match m;

	if (i->rule != NULL)
		m = foreign_bitmap(&i->foreign, i->rule, i->bits,
		    (unsigned)i->hashes, why);
	else if (source_header(i->source) > 0)
		m = foreign_recognise(&i->foreign, format != NULL ? format :
		    foreign_of_name("redisbloom"), i->head,
		    (size_t)least(i->head_len, source_header(i->source)),
		    FOREIGN_STREAM, why);
	else
		m = foreign_recognise(&i->foreign, format, i->head,
		    i->head_len, source_size(i->source), why);
	if (m == FOREIGN_OTHER && format != NULL)
		snprintf(why, WHY_SIZE, "not a %s filter", format->words);
	else if (m == FOREIGN_OTHER)
		snprintf(why, WHY_SIZE, "not a filter that bloomtool knows; a "
		    "bitmap of Redis needs --from redis-bitmap");
	if (m != FOREIGN_SAME)
		give_up(i, why);
}

static void
open_source(struct import *i)
{
	char why[WHY_SIZE];

	i->source = source_open(i->path, i->name, why);
	if (i->source == NULL)
		give_up(i, why);
	const ssize_t n = source_read(i->source, i->head, sizeof(i->head), why);
	if (n == -1)
		give_up(i, why);
	i->head_len = (size_t)n;
	if (n >= FORMAT_MAGIC_SIZE && format_has_magic(i->head))
		give_up(i, "is a bloomtool filter already");
	recognise(i);
}

/* The same filter, its layers where they lie in files of ours. */
static void
plan(struct import *i)
{
	struct header *h = &i->build.head;

	*h = i->foreign.head;
	h->nparts = 0;
	for (unsigned k = 0; k < i->foreign.head.nparts; k++)
		parts_append(h, &i->foreign.head.part[k].plan);
	h->rule.flip = 0;
	h->rule.encoding = i->encoding;
	h->created = (int64_t)time(NULL);
	if (i->note != NULL)
		format_note(h, i->note);
}

/* ---- its bits ---- */

/* The next n bytes, or what there is of them. */
static size_t
take(struct import *i, uint8_t *to, size_t n)
{
	char why[WHY_SIZE];
	size_t have = 0;

	if (i->at < i->head_len) {
		have = i->head_len - (size_t)i->at;
		have = have < n ? have : n;
		memcpy(to, i->head + i->at, have);
	}
	const ssize_t more = have == n ? 0 : source_read(i->source, to + have,
	    n - have, why);
	if (more == -1)
		give_up(i, why);
	const size_t all = have + (size_t)more;
	if (all > 0)
		i->last = to[all - 1];
	i->at += all;
	return all;
}

#define SPAN_BYTES ((size_t)1 << 18)

/* Bytes that may follow a filter, besides as many as it has. */
#define REST_MAX ((uint64_t)16 << 20)

static alignas(SIZING_BLOCK_BYTES) uint8_t span[SPAN_BYTES];

static void
skip_to(struct import *i, uint64_t offset)
{
	while (i->at < offset) {
		const uint64_t n = offset - i->at;
		if (take(i, span, n < SPAN_BYTES ? (size_t)n : SPAN_BYTES) == 0)
			give_up(i, "ends too early");
	}
}

/* Bits from this one on are none of the filter's, whatever they were. */
static void
clear_from(uint8_t *bytes, size_t n, uint64_t bit)
{
	size_t at = (size_t)least(bit / 8, n);

	if (at < n && bit % 8 > 0)
		bytes[at++] &= (uint8_t)((1 << bit % 8) - 1);
	memset(bytes + at, 0, n - at);
}

static void
import_part(struct import *i, unsigned k)
{
	const struct format_part *from = &i->foreign.head.part[k];
	const struct rule *r = &i->foreign.head.rule;
	const struct shape *s = &from->plan.shape;
	const uint64_t size = s->blocks * SIZING_BLOCK_BYTES;
	const uint64_t bits = sizing_bits(s), bytes = scheme_bytes(r, s);

	skip_to(i, from->offset);
	for (uint64_t n, at = 0; at < size; at += n) {
		n = least(size - at, SPAN_BYTES);
		const size_t wanted = at < bytes ?
		    (size_t)least(n, bytes - at) : 0;
		const size_t have = take(i, span, wanted);
		if (have < wanted && !i->foreign.open_end)
			give_up(i, "ends too early");
		memset(span + have, 0, (size_t)n - have);
		foreign_flip(r->flip, span, (size_t)n);
		clear_from(span, (size_t)n, bits - least(bits, at * 8));
		build_write(&i->build, k, (const uint64_t *)(const void *)span,
		    (size_t)n / 8, at);
	}
}

/*
 * What damages a compressed file shows only at its end.  That is not waited for
 * for ever.
 */
static void
skip_rest(struct import *i)
{
	const uint64_t end = i->at;

	while (take(i, span, SPAN_BYTES) > 0)
		if (i->at - end > REST_MAX && i->at / 2 > end)
			give_up(i, "goes on too far behind its end");
}

/* A wrong format, or a file cut and joined, would show here. */
static void
check_end(struct import *i)
{
	uint8_t more[2];

	if (i->foreign.size == 0) {
		skip_rest(i);
		return;
	}
	if (!i->foreign.open_end)
		skip_to(i, i->foreign.size);
	const size_t n = take(i, more, sizeof(more));
	/* redis-cli puts a newline behind what it prints. */
	if (n > 1 || (n == 1 && !(i->foreign.open_end && more[0] == '\n')))
		give_up(i, "goes on behind its end");
	if (n == 0 && i->at < i->foreign.size && i->last == '\n')
		warnx("%s: ends in a newline, which is taken for bits; if "
		    "redis-cli has put it there, take it away (head -c -1)",
		    name_of(i));
}

static void
count(struct import *i)
{
	const struct header *h = &i->build.head;
	bool known = i->foreign.counted;

	for (unsigned k = 0; known && k < h->nparts; k++)
		known = sizing_plausible(&h->part[k].plan.shape,
		    i->build.ones[k], i->foreign.keys_added[k]);
	if (known)
		memcpy(i->build.keys, i->foreign.keys_added,
		    sizeof(i->build.keys));
	else
		build_estimate(&i->build);
}

/* ---- known members ---- */

/* The new file as it will be mapped. */
static void
map(struct import *i, struct layers *l)
{
	struct build *b = &i->build;
	const uint64_t size = parts_end(&b->head);
	char why[WHY_SIZE];

	if (regular_fits(size, why) == -1)
		build_give_up(b, b->path, why);
	uint8_t *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED,
	    newfile_fd(b->new), 0);
	if (p == MAP_FAILED || bus_catch(b->path, p, (size_t)size) == -1) {
		why_errno(why, "map");
		build_give_up(b, b->path, why);
	}
	l->n = b->head.nparts;
	for (unsigned k = 0; k < b->head.nparts; k++)
		l->layer[k] = (struct filter){ p + b->head.part[k].offset,
		    b->head.part[k].plan.shape, &b->head.rule };
}

/* A wrong guess about keys never errs, it only answers "no". */
static void
verify(struct import *i)
{
	static bool in[FEED_BATCH];
	static struct layers layers;
	const struct batch *b;
	uint64_t keys = 0, found = 0;
	char why[WHY_SIZE];
	char *files[] = { (char *)(uintptr_t)i->verify, NULL };

	map(i, &layers);
	progress_begin("verifying", 0);
	struct feed *feed = feed_open(files, (struct feed_how){
	    .work = { .separator = '\n', .rule = &i->build.head.rule },
	    .quiet = i->quiet });
	while ((b = feed_next(feed, -1)) != NULL) {
		found += layers_test(&layers, b->hashes, b->n, in);
		keys += b->n;
	}
	if (feed_close(feed) != 0)
		build_give_up(&i->build, i->verify,
		    "not all keys could be read; nothing was made");
	if (keys == 0)
		build_give_up(&i->build, i->verify,
		    "no keys to verify with; nothing was made");
	progress_end();
	if (found == keys)
		return;
	snprintf(why, WHY_SIZE, "only %" PRIu64 " of %" PRIu64 " of these keys "
	    "are in %s; nothing was made (are they in its case, line ends and "
	    "--key?)", found, keys, i->path);
	build_give_up(&i->build, i->verify, why);
}

/* ---- */

static void
say_what_was_made(const struct import *i, uint64_t keys)
{
	const struct header *h = &i->build.head;

	fprintf(stderr, "%s: imported from %s: %s%" PRIu64 " keys",
	    i->build.path, i->foreign.format->words, i->build.estimated ?
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
	open_source(&i);
	plan(&i);
	/* What comes as a stream could take the whole disk with a few bytes. */
	i.build.promised = source_size(i.source) == UINT64_MAX;
	build_open(&i.build);
	for (unsigned k = 0; k < i.build.head.nparts; k++)
		import_part(&i, k);
	check_end(&i);
	source_close(i.source);
	count(&i);
	if (i.verify != NULL)
		verify(&i);
	build_publish(&i.build);
	report(&i);
	return EXIT_SELECTED;
}
