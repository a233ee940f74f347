/*
 * bloomtool add: remember keys, and print or count those that are new.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adder.h"
#include "clock.h"
#include "cmd.h"
#include "feed.h"
#include "gather.h"
#include "keyopt.h"
#include "make.h"
#include "mapfile.h"
#include "newfile.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "unseen.h"
#include "warn.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'v', "unseen", NULL, "print the lines that were not in it before" },
	{ 'c', "count", NULL, "print how many those were, not the lines" },
	{ 'q', "quiet", NULL, "no notes; errors and warnings stay" },
	{ 'z', "null-data", NULL, "keys end in NUL instead of newline" },
	KEY_OPTIONS,
	OPTIONS_HEADING("if the filter is not there"),
	{ 'C', "create", NULL, "make it, as these say:" },
	MAKE_OPTIONS,
	OPTIONS_HEADING("how it is done"),
	{ 'y', "no-sync", NULL,
	    "let the kernel choose when keys reach the disk" },
	WRITER_OPTIONS,
	FEED_OPTIONS,
	OPTIONS_PROGRESS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool add",
	"[-cv] [-k N] [-C [-n KEYS]] [OPTION...] FILTER [FILE...]",
	"  cat urls | bloomtool add crawl.bf\n"
	"  bloomtool add -v crawl.bf < urls        # print only new lines",
	"Adds each line of the files, or of standard input, to the filter.",
	options
};

struct add {
	bool unseen, count, null_data, quiet, create;
	unsigned threads;
	struct key_spec key;
	struct order order;
	struct mapfile_how how;
	const char *path;
	struct mapfile *m;
	struct unseen *printer;		/* with --unseen */
	struct gather *gather;		/* NULL if that does not pay */
	bool pipe_kills;		/* SIGPIPE was not ignored */
	bool locked;			/* between batches of one read */
	double next_sync;		/* when, by clock_seconds */
	uint64_t recorded;		/* lines that are in now */
	uint64_t nfresh;		/* with --count */
	bool fresh[FEED_BATCH];
};

static void
parse(struct add *a, int argc, char **argv)
{
	int letter;
	bool ordered = false;

	a->how = (struct mapfile_how){ .use = MAPFILE_ADD, .wait = INFINITY };
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'C':
			a->create = true;
			break;
		case 'c':
			a->count = true;
			break;
		case 'j':
			a->threads = options_threads(&usage, letter);
			break;
		case 'q':
			a->quiet = true;
			break;
		case 'v':
			a->unseen = true;
			break;
		case 'y':
			a->how.no_sync = true;
			break;
		case 'z':
			a->null_data = true;
			break;
		default:
			if (!writer_option(&a->how, &usage, letter) &&
			    !keyopt_take(&a->key, &usage, letter))
				ordered |= make_option(&a->order, &usage,
				    letter);
		}
	}
	keyopt_end(&a->key, &usage);
	if (ordered && !a->create)
		options_wrong(&usage, "options of create, such as --keys and "
		    "--rate, go with --create");
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (a->create)
		make_check(&a->order, &usage);
	if (a->count)
		a->unseen = false;	/* not the lines */
	a->path = argv[optind++];
}

/*
 * Before the filter is synced: what knows a line must not outlive the line.
 * -1: errno.
 */
static int
store_output(const struct add *a)
{
	if (a->printer == NULL || !mapfile_unsynced(a->m))
		return 0;
	progress_begin("syncing", 0);
	const int r = unseen_store(a->printer);
	progress_end();
	return r;
}

/* The filter cannot go on; what was added so far stays added. */
static _Noreturn void
trouble(struct add *a, const char *why)
{
	char ignored[WHY_SIZE];

	if (a->m != NULL) {
		(void)store_output(a);
		mapfile_close(a->m, ignored);
	}
	signals_die();
	errx(EXIT_TROUBLE, "%s: %s", a->path, why);
}

/*
 * stdout takes no more.  What went out is kept, and the file is left clean;
 * then a closed pipe ends us the way it would have at once.
 */
static _Noreturn void
output_failed(struct add *a, int error)
{
	char why[WHY_SIZE];

	(void)store_output(a);
	if (mapfile_close(a->m, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s", a->path, why);
	if (error == EPIPE && a->pipe_kills) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	errno = error;
	err(EXIT_TROUBLE, "stdout");
}

/* The system could not write what went out to its disk. */
static _Noreturn void
output_lost(struct add *a)
{
	const int error = errno;
	char ignored[WHY_SIZE];

	mapfile_close(a->m, ignored);
	errx(EXIT_TROUBLE, "stdout: sync: %s; lines of this run may be lost, "
	    "and %s knows them", strerror(error), a->path);
}

/* The last of it. */
static void
close_filter(struct add *a)
{
	char why[WHY_SIZE];

	if (store_output(a) == -1)
		output_lost(a);
	if (mapfile_close(a->m, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s", a->path, why);
}

/* No new key goes in any more; what went in before the first one, stays. */
static _Noreturn void
full(struct add *a)
{
	const uint64_t keys = mapfile_header(a->m)->keys;

	close_filter(a);
	warnx("%s: full: made for %" PRIu64 " keys and to stop then; of all "
	    "lines the first %" PRIu64 " are recorded", a->path, keys,
	    a->recorded);
	fprintf(stderr, "add them all to a filter that is made for more, or "
	    "that grows\n");
	exit(EXIT_TROUBLE);
}

static void
print_then_add(struct add *a, const struct batch *b)
{
	char why[WHY_SIZE];
	const enum unseen_end end = unseen_add(a->printer, b, why);

	a->recorded += unseen_done(a->printer);
	switch (end) {
	case UNSEEN_FULL:
		full(a);
	case UNSEEN_STDOUT:
		output_failed(a, errno);
	case UNSEEN_FILTER:
		trouble(a, why);
	case UNSEEN_CAUGHT:	/* feed_next sees it too */
	case UNSEEN_DONE:
		break;
	}
}

static void
unlock(struct add *a)
{
	if (a->locked)
		mapfile_unlock(a->m);
	a->locked = false;
}

static void
set(struct add *a, const struct hash *h, size_t n)
{
	char why[WHY_SIZE];
	struct added added;

	if (!a->locked && mapfile_lock(a->m, why) == -1)
		trouble(a, why);
	a->locked = true;
	const enum adder_end end = adder_add(a->m, h, n, a->fresh, &added, why);
	a->nfresh += added.fresh;
	a->recorded += added.done;
	if (end != ADDER_DONE)
		unlock(a);
	if (end == ADDER_FULL)
		full(a);
	if (end == ADDER_FAILED)
		trouble(a, why);
}

static void
set_gathered(struct add *a)
{
	size_t n;
	const struct hash *h = gather_sorted(a->gather, &n);

	for (size_t i = 0; i < n; i += FEED_BATCH) {
		set(a, h + i, n - i < FEED_BATCH ? n - i : FEED_BATCH);
		unlock(a);
	}
}

/* What will not be waited for may be gathered first. */
static void
add_batch(struct add *a, const struct batch *b)
{
	if (a->gather != NULL && b->regular) {
		if (gather_room(a->gather) < b->n)
			set_gathered(a);
		gather_put(a->gather, b->hashes, b->n);
		if (b->last)
			set_gathered(a);
		return;
	}
	if (b->n > 0)
		set(a, b->hashes, b->n);
	/* One lock for all that has been read. */
	if (b->drained)
		unlock(a);
}

/*
 * An endless run syncs every five seconds, and when nothing has come for one,
 * so that a power cut takes little.  Where a sync takes long it is done less
 * often: all the pages that it has written are dirtied again one by one.  A
 * file that is read in one go can be fed again and is synced at its end.
 */
#define SYNC_SECONDS 5
#define IDLE_MS 1000
#define SYNC_SHARE 10	/* of the time, at most a tenth goes into syncs */

static void
sync_now_and_then(struct add *a, const struct batch *b)
{
	char why[WHY_SIZE];

	if (!b->drained || b->regular || !mapfile_unsynced(a->m))
		return;
	const double now = clock_seconds();
	if (a->next_sync == 0)
		a->next_sync = now + SYNC_SECONDS;	/* the first keys */
	if (!b->idle && now < a->next_sync)
		return;
	if (store_output(a) == -1)
		output_lost(a);
	if (mapfile_sync(a->m, why) == -1)
		trouble(a, why);
	const double then = clock_seconds();
	a->next_sync = then + fmax(SYNC_SECONDS, (then - now) * SYNC_SHARE);
}

static void
create_if_missing(struct add *a)
{
	char why[WHY_SIZE];

	if (access(a->path, F_OK) == 0) {
		/* Whoever made it just now may not have got so far. */
		if (newfile_keep(a->path, why) == -1)
			trouble(a, why);
		return;
	}
	if (errno != ENOENT)
		return;			/* what it is, open tells */
	const struct header h = make_header(&a->order, &usage);
	make_filter(a->path, &h, (struct make_how){ .keep = true,
	    .quiet = a->quiet });
}

static void
open_filter(struct add *a)
{
	char why[WHY_SIZE];

	a->m = mapfile_open(a->path, a->how, why);
	if (a->m == NULL && access(a->path, F_OK) == -1 && errno == ENOENT)
		trouble(a, "No such file or directory; --create makes it");
	if (a->m == NULL)
		trouble(a, why);
	if (mapfile_is(a->m, STDOUT_FILENO))
		trouble(a, "is the output too");
	/* What is new cannot be told if keys are missing. */
	if (report_missing(a->path, a->m) && (a->unseen || a->count))
		exit(EXIT_TROUBLE);
}

/* Is the filter another than --create would have made? */
static bool
is_other(const struct header *h, const struct order *o)
{
	const struct request *r = &o->request;
	const struct scheme *scheme = o->scheme;

	return (scheme != NULL && scheme != h->rule.scheme) ||
	    (o->has_encoding && o->encoding != h->rule.encoding) ||
	    (o->has_seed && o->seed != h->rule.seed) ||
	    (r->has_size && format_blocks(r->size) != h->shape.blocks) ||
	    (r->has_keys && r->plan.keys != h->keys) ||
	    (r->has_rate && r->plan.rate != h->rate) ||
	    (o->has_full && o->full != h->full) ||
	    (o->grow && h->full != FORMAT_FULL_GROW);
}

static void
note_other(const struct add *a)
{
	static const char *const then[] = {
		[FORMAT_FULL_WARN] = "goes on",
		[FORMAT_FULL_STOP] = "stops",
		[FORMAT_FULL_GROW] = "grows",
	};
	const struct header *h = mapfile_header(a->m);

	if (a->quiet || !is_other(h, &a->order))
		return;
	fprintf(stderr, "%s: is there, made for ", a->path);
	if (h->keys > 0)
		fprintf(stderr, "%" PRIu64 " keys at rate %g", h->keys,
		    h->rate);
	else
		fprintf(stderr, "an unknown number of keys");
	if (h->rule.scheme->foreign)
		fprintf(stderr, ", by the rule of %s", h->rule.scheme->words);
	fprintf(stderr, "; %s when full\n", then[h->full]);
}

/* Line by line to stdout, or gathered, or batch by batch as they come. */
static void
choose_way(struct add *a)
{
	/* Which keys come first matters only to a filter that may be full. */
	if (!a->unseen && mapfile_header(a->m)->full == FORMAT_FULL_WARN)
		a->gather = gather_new(&mapfile_layers(a->m)->layer[0]);
	if (!a->unseen)
		return;
	a->pipe_kills = signal(SIGPIPE, SIG_IGN) != SIG_IGN;
	a->printer = unseen_new(a->m);
	if (a->printer == NULL)
		err(EXIT_TROUBLE, NULL);
}

/* Every line of every input; EXIT_TROUBLE if any could not be read. */
static int
add_all(struct add *a, char **files)
{
	const struct batch *b;
	struct feed *feed = feed_open(files, (struct feed_how){
	    .work = { .separator = a->null_data ? '\0' : '\n',
	    .key = a->key, .rule = &mapfile_header(a->m)->rule },
	    .threads = a->threads, .quiet = a->quiet });

	while ((b = feed_next(feed, mapfile_unsynced(a->m) ? IDLE_MS : -1)) !=
	    NULL) {
		if (a->unseen)
			print_then_add(a, b);
		else
			add_batch(a, b);
		sync_now_and_then(a, b);
		progress_full(mapfile_full(a->m));
	}
	if (a->gather != NULL)
		set_gathered(a);	/* a signal came in between */
	unlock(a);
	return feed_close(feed);
}

int
cmd_add(int argc, char **argv)
{
	static struct add a;

	parse(&a, argc, argv);
	signals_catch();
	if (a.create)
		create_if_missing(&a);
	progress_begin("add", 0);
	if (a.unseen)
		progress_prints();
	open_filter(&a);
	note_other(&a);
	choose_way(&a);
	const int status = add_all(&a, argv + optind);
	gather_free(a.gather);
	report_overfull(a.path, a.m);
	close_filter(&a);
	if (a.unseen)
		unseen_free(a.printer);
	progress_end();
	signals_die();
	if (a.count)
		output_printf("%" PRIu64 "\n", a.nfresh);
	return status;
}
