/*
 * bloomtool export: write a filter as another program loads it.
 */
#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "dump.h"
#include "foreign/foreign.h"
#include "least.h"
#include "mapfile.h"
#include "options.h"
#include "progress.h"
#include "redis.h"
#include "report.h"
#include "signals.h"
#include "target.h"
#include "warn.h"

static const struct option_spec options[] = {
	{ 't', "to", "FORMAT", "what the other program loads" },
	{ 'n', "name", "KEY", "the key in Redis, which is replaced" },
	{ 'Z', "gzip", NULL, "compress it" },
	{ 'f', "force", NULL, "replace FILE if it exists" },
	OPTIONS_PROGRESS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool export",
	"[-fZ] [-n KEY] -t FORMAT FILTER [FILE]",
	"  bloomtool export --to guava seen.bf service.bloom\n"
	"  bloomtool export --to redisbloom -n seen seen.bf | redis-cli --pipe",
	"Writes a filter that \"create --scheme\" or import has made, for the "
	"program whose\nrule it has, to FILE or to standard output.  FORMAT is "
	"dcso, guava,\nbits-and-blooms, or redisbloom and redis-bitmap, which "
	"are commands for Redis.",
	options
};

struct export {
	const struct foreign_format *format;
	const char *name;
	const char *path;		/* of the filter */
	struct mapfile *m;
	struct target *target;
	uint64_t done;			/* bytes of bits */
};

static void
take_format(struct export *e)
{
	char names[128];

	e->format = foreign_of_name(optarg);
	if (e->format == NULL || e->format->encode == NULL)
		options_wrong(&usage, "-t, --to: \"%s\" is none of %s", optarg,
		    foreign_names(names, sizeof(names), true));
}

static void
parse(struct export *e, struct target_how *how, int argc, char **argv)
{
	int letter;

	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'Z':
			how->gzip = true;
			break;
		case 'f':
			how->force = true;
			break;
		case 'n':
			e->name = optarg;
			break;
		case 't':
			take_format(e);
			break;
		}
	}
	if (e->format == NULL)
		options_wrong(&usage, "no -t, --to FORMAT given");
	if (e->name != NULL && (e->name[0] == '\0' ||
	    strlen(e->name) > DUMP_NAME_MAX))
		options_wrong(&usage, "-n, --name: wanted 1 to %d bytes",
		    DUMP_NAME_MAX);
	if (e->format->command != NULL && e->name == NULL)
		options_wrong(&usage, "--to %s needs --name (the key in Redis)",
		    e->format->name);
	if (e->format->command == NULL && e->name != NULL)
		options_wrong(&usage, "--name, the key in Redis, goes with "
		    "--to redisbloom and redis-bitmap");
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (optind + 2 < argc)
		options_wrong(&usage, "one FILTER and one FILE at a time, not "
		    "\"%s\" too", argv[optind + 2]);
	e->path = argv[optind];
	how->path = argv[optind + 1];
	if (how->path != NULL && strcmp(how->path, "-") == 0)
		how->path = NULL;
}

/* End, of the signal if one has come; no part of a file stays. */
static _Noreturn void
give_up(struct export *e, const char *path, const char *why)
{
	target_close(e->target);
	signals_die();
	errx(EXIT_TROUBLE, "%s: %s", path, why);
}

static void
put(struct export *e, const void *bytes, size_t n)
{
	char why[WHY_SIZE];

	if (target_put(e->target, bytes, n, why) == -1)
		give_up(e, target_name(e->target), why);
}

/* The beginning of a command whose last argument is to come, with n bytes. */
static void
put_command(struct export *e, const char *const *args, size_t nargs,
    uint64_t n)
{
	char head[DUMP_NAME_MAX + 128];
	const size_t len = redis_command(head, sizeof(head), args, nargs, n);

	assert(len < sizeof(head));	/* parse has seen to it */
	put(e, head, len);
}

/* What was there before is no part of it. */
static void
put_delete(struct export *e)
{
	static const char *const args[] = { "DEL" };
	const size_t len = strlen(e->name);

	put_command(e, args, 1, len);
	put(e, e->name, len);
	put(e, "\r\n", 2);
}

static void
put_load(struct export *e, uint64_t number, uint64_t n)
{
	char digits[24];
	const char *args[] = { e->format->command, e->name, digits };

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	put_command(e, args, 3, n);
}

static void
put_head(struct export *e, const uint8_t *head, size_t n)
{
	const bool redis = e->format->command != NULL;

	if (redis)
		put_delete(e);
	if (n == 0)
		return;
	if (redis)
		put_load(e, 1, n);
	put(e, head, n);
	if (redis)
		put(e, "\r\n", 2);
}

/* Bytes of a command at most: far below what the module gives at once. */
#define PIECE ((uint64_t)1 << 20)

/* Bytes that are read at once; a piece is some of these. */
#define SPAN ((size_t)1 << 18)

static void
put_layer(struct export *e, unsigned layer)
{
	const struct format_part *p = &mapfile_header(e->m)->part[layer];
	const uint64_t unit = e->format->unit * 8;
	const uint64_t size = (sizing_bits(&p->plan.shape) + unit - 1) / unit *
	    e->format->unit;
	const bool redis = e->format->command != NULL;
	static uint8_t span[SPAN];
	char why[WHY_SIZE];

	for (uint64_t n, at = 0; at < size; at += n) {
		n = least(size - at, SPAN);
		if (redis && at % PIECE == 0) {
			const uint64_t piece = least(size - at, PIECE);
			put_load(e, e->format->by_end ? 1 + e->done + piece :
			    e->done, piece);
		}
		/* Blocks are whole behind the last bit. */
		const size_t whole = ((size_t)n + 7) / 8 * 8;
		if (mapfile_read(e->m, span, whole, p->offset + at, why) == -1)
			give_up(e, e->path, why);
		foreign_flip(e->format->flip, span, whole);
		put(e, span, (size_t)n);
		e->done += n;
		if (redis && ((at + n) % PIECE == 0 || at + n == size))
			put(e, "\r\n", 2);
		progress_at(e->done, 0);
		if (signals_caught())
			give_up(e, e->path, "interrupted");
	}
}

/* What was written while it was read may lack keys. */
static void
check_input(struct export *e)
{
	char why[WHY_SIZE];

	if (mapfile_check_size(e->m, why) == -1)
		give_up(e, e->path, why);
	if (live_may_miss(mapfile_live(e->m).state))
		give_up(e, e->path, "keys may be missing; \"bloomtool "
		    "recover\" adds them again");
}

static void
open_target(struct export *e, const struct target_how *how)
{
	char why[WHY_SIZE];

	e->target = target_open(how, why);
	if (e->target == NULL)
		give_up(e, how->path != NULL ? how->path : "stdout", why);
}

static void
export(struct export *e, const struct target_how *how)
{
	const struct header *h = mapfile_header(e->m);
	const struct live live = mapfile_live(e->m);
	const unsigned nparts = h->nparts;
	uint64_t keys[LAYERS_MAX] = { 0 }, total = 0;
	uint8_t head[FOREIGN_HEAD];
	char why[WHY_SIZE];
	size_t n;

	for (unsigned i = 0; i < nparts; i++) {
		keys[i] = live.layer[i].keys;
		total += sizing_bits(&h->part[i].plan.shape) / 8;
	}
	if (e->format->encode(h, keys, head, &n, why) == -1)
		give_up(e, e->path, why);
	open_target(e, how);
	progress_total(total);
	put_head(e, head, n);
	for (unsigned i = 0; i < nparts; i++)
		put_layer(e, i);
	check_input(e);
}

int
cmd_export(int argc, char **argv)
{
	struct export e = { 0 };
	struct target_how how = { 0 };
	char why[WHY_SIZE];

	parse(&e, &how, argc, argv);
	/* Of what is written to stdout nothing can be taken back. */
	if (how.path != NULL)
		signals_catch();
	progress_begin("export", 0);
	e.m = mapfile_open(e.path, (struct mapfile_how){ .use = MAPFILE_SCAN },
	    why);
	if (e.m == NULL)
		give_up(&e, e.path, why);
	if (report_missing(e.path, e.m))
		exit(EXIT_TROUBLE);
	export(&e, &how);
	if (target_finish(e.target, why) == -1)
		give_up(&e, target_name(e.target), why);
	target_close(e.target);
	mapfile_close(e.m, why);	/* was not written */
	progress_end();
	signals_die();
	return EXIT_SELECTED;
}
