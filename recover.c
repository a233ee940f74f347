/*
 * bloomtool recover: make a filter whole again after a power cut or a failed
 * sync.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "adder.h"
#include "cmd.h"
#include "feed.h"
#include "keyopt.h"
#include "mapfile.h"
#include "options.h"
#include "progress.h"
#include "signals.h"
#include "warn.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'a', "accept", NULL, "read no keys: live with those that are lost" },
	{ 'q', "quiet", NULL, "do not say what was done" },
	{ 'z', "null-data", NULL, "keys end in NUL instead of newline" },
	WRITER_OPTIONS,
	OPTIONS_PROGRESS,
	KEY_OPTIONS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool recover",
	"[-a] [-k N] [OPTION...] FILTER [FILE...]",
	"  bloomtool recover crawl.bf < urls-of-today\n"
	"  bloomtool recover --accept crawl.bf",
	"Adds again the keys that may be missing since the last sync (adding "
	"twice is\nharmless) and marks the filter clean.  After a failed sync "
	"it makes a new file,\nwhich takes the old one's place.  Nobody else "
	"can add in the meantime.",
	options
};

struct recover {
	bool accept, null_data, quiet;
	struct key_spec key;
	struct mapfile_how how;
	const char *path;
	struct mapfile *m;
	uint64_t keys, fresh;
};

static void
parse(struct recover *r, int argc, char **argv)
{
	int letter;

	r->how = (struct mapfile_how){ .use = MAPFILE_RECOVER,
	    .wait = INFINITY };
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'a':
			r->accept = true;
			break;
		case 'q':
			r->quiet = true;
			break;
		case 'z':
			r->null_data = true;
			break;
		default:
			if (!writer_option(&r->how, &usage, letter))
				keyopt_take(&r->key, &usage, letter);
		}
	}
	keyopt_end(&r->key, &usage);
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	r->path = argv[optind++];
	if (r->accept && optind < argc)
		options_wrong(&usage, "--accept reads no keys, not \"%s\"",
		    argv[optind]);
}

/* NULL, or why the filter cannot be called whole. */
static const char *
add_keys(struct recover *r, char **files, char why[WHY_SIZE])
{
	bool in[FEED_BATCH];
	const struct batch *b;

	struct feed *feed = feed_open(files, (struct feed_how){
	    .work = { .separator = r->null_data ? '\0' : '\n',
	    .key = r->key, .rule = &mapfile_header(r->m)->rule },
	    .quiet = r->quiet });
	while ((b = feed_next(feed, -1)) != NULL) {
		struct added added;
		if (adder_add(r->m, b->hashes, b->n, in, &added, why) !=
		    ADDER_DONE)
			return why;
		r->keys += b->n;
		r->fresh += added.fresh;
	}
	if (feed_close(feed) != 0)
		return "not recovered: not all keys could be read";
	return r->keys > 0 ? NULL : "not recovered: no keys came; "
	    "--accept lives with the loss";
}

/* End, of the signal if one has come; the marks stay. */
static _Noreturn void
give_up(const struct recover *r, const char *fault)
{
	char why[WHY_SIZE];

	if (r->m != NULL)
		mapfile_close(r->m, why);
	signals_die();
	errx(EXIT_TROUBLE, "%s: %s", r->path, fault);
}

int
cmd_recover(int argc, char **argv)
{
	struct recover r = { 0 };
	char why[WHY_SIZE];
	const char *fault = NULL;

	parse(&r, argc, argv);
	signals_catch();
	progress_begin("recover", 0);
	r.m = mapfile_open(r.path, r.how, why);
	if (r.m == NULL || mapfile_lock(r.m, why) == -1)
		give_up(&r, why);
	if (!r.accept)
		fault = add_keys(&r, argv + optind, why);
	if (fault != NULL || signals_caught())
		give_up(&r, fault);
	if (mapfile_recovered(r.m, why) == -1) {
		r.m = NULL;
		give_up(&r, why);
	}
	progress_end();
	signals_die();
	if (!r.quiet)
		fprintf(stderr, "%s: clean; %" PRIu64 " keys read, %" PRIu64
		    " of them were missing\n", r.path, r.keys, r.fresh);
	return EXIT_SELECTED;
}
