/*
 * bloomtool add: remember keys, and print or count those that are new.
 */
#include <sys/uio.h>

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "feed.h"
#include "make.h"
#include "mapfile.h"
#include "output.h"
#include "pending.h"
#include "plan.h"
#include "report.h"
#include "signals.h"
#include "writer.h"

static const struct option_spec options[] = {
	{ 'v', "unseen", NULL, "print the lines that were not in it before" },
	{ 'c', "count", NULL, "print how many those were, not the lines" },
	{ 'z', "null-data", NULL, "keys end in NUL instead of newline" },
	{ 'q', "quiet", NULL, "no notes; errors and warnings stay" },
	{ 'C', "create", NULL, "make the filter if it is not there, from:" },
	PLAN_OPTIONS,
	{ 'y', "no-sync", NULL,
	    "let the kernel choose when keys reach the disk" },
	WRITER_OPTIONS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool add",
	"[-cqvWyz] [-w SECONDS] [--create [-n KEYS] [-p RATE]] FILTER [FILE...]",
	"  cat urls | bloomtool add crawl.bf\n"
	"  bloomtool add -v crawl.bf < urls        # print only new lines",
	"Adds each line of the files, or of standard input, to the filter.",
	options
};

struct add {
	bool unseen, count, null_data, quiet, create;
	struct request request;
	struct mapfile_how how;
	const char *path;
	struct mapfile *m;
	struct filter filter;
	bool locked;			/* between batches of one read */
	time_t synced;			/* when, as far as we know */
	uint64_t nfresh;
	struct pending *pending;	/* with --unseen */
	bool pipe_kills;		/* SIGPIPE was not ignored */
	bool in[FEED_BATCH];
	size_t fresh[FEED_BATCH];	/* indexes of lines to print */
	struct hash hashes[FEED_BATCH];	/* of those that went out */
};

static void
parse(struct add *a, int argc, char **argv)
{
	int letter;
	bool planned = false;

	a->how = (struct mapfile_how){ .use = MAPFILE_ADD, .wait = INFINITY };
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'C':
			a->create = true;
			break;
		case 'c':
			a->count = true;
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
			if (!writer_option(&a->how, &usage, letter))
				planned |= plan_option(&a->request, &usage,
				    letter);
		}
	}
	if (planned && !a->create)
		options_wrong(&usage, "--keys, --rate, --size and --prefer go "
		    "with --create");
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (a->count)
		a->unseen = false;	/* not the lines */
	a->path = argv[optind++];
}

static _Noreturn void
trouble(const struct add *a, const char *why)
{
	errx(EXIT_TROUBLE, "%s: %s", a->path, why);
}

static void
lock(struct add *a)
{
	char why[WHY_SIZE], ignored[WHY_SIZE];

	if (mapfile_lock(a->m, why) == 0)
		return;
	/* What was added so far stays added. */
	mapfile_close(a->m, ignored);
	signals_die();
	trouble(a, why);
}

static void
add_hashes(struct add *a, const struct hash *h, size_t n)
{
	uint64_t nfresh, nbits;

	filter_set(&a->filter, h, n, a->in, &nfresh, &nbits);
	mapfile_count(a->m, nfresh, nbits);
	a->nfresh += nfresh;
}

/* One lock for all that has been read; given back before a read may wait. */
static void
add_batch(struct add *a, const struct batch *b)
{
	if (b->n > 0 && !a->locked) {
		lock(a);
		a->locked = true;
	}
	add_hashes(a, b->hashes, b->n);
	if (b->drained && a->locked) {
		mapfile_unlock(a->m);
		a->locked = false;
	}
}

/* ---- add -v: print, then set ---- */

/* How far a batch has come. */
struct progress {
	size_t next;		/* the first line not dealt with yet */
	size_t nfresh;		/* lines to print, in a->fresh */
	size_t written;		/* how many of them went out whole */
	const uint8_t *rest;	/* of the next one, if it went out in part */
	size_t rest_len;
	int error;		/* errno of stdout, or 0 */
};

/* Find the lines from p->next on that are new. */
static void
find_fresh(struct add *a, const struct batch *b, struct progress *p)
{
	const size_t from = p->next;

	filter_test(&a->filter, b->hashes + from, b->n - from, a->in + from);
	pending_clear(a->pending);
	p->nfresh = 0;
	for (size_t i = from; i < b->n; i++)
		if (!a->in[i] &&
		    pending_add(a->pending, &a->filter, &b->hashes[i]))
			a->fresh[p->nfresh++] = i;
}

/*
 * The next lines to print, as many as go into a pipe whole or not at all, or
 * a longer one by itself.  Copied to buf unless that one; returns how many.
 */
static size_t
next_piece(const struct add *a, const struct batch *b,
    const struct progress *p, uint8_t buf[PIPE_BUF], struct iovec *piece)
{
	const struct line *l = &b->lines[a->fresh[p->written]];
	size_t used = 0, i = p->written;

	if (l->whole > PIPE_BUF) {
		*piece = (struct iovec){ (void *)(uintptr_t)l->bytes,
		    l->whole };
		return 1;
	}
	for (; i < p->nfresh; i++) {
		l = &b->lines[a->fresh[i]];
		if (l->whole > PIPE_BUF - used)
			break;
		memcpy(buf + used, l->bytes, l->whole);
		used += l->whole;
	}
	*piece = (struct iovec){ buf, used };
	return i - p->written;
}

/* n bytes of the lines from p->written on went out, and no more. */
static void
wrote_part(const struct add *a, const struct batch *b, struct progress *p,
    size_t n)
{
	const struct line *l = &b->lines[a->fresh[p->written]];

	for (; n >= l->whole; l = &b->lines[a->fresh[p->written]]) {
		n -= l->whole;
		p->written++;
	}
	if (n > 0) {
		p->rest = l->bytes + n;
		p->rest_len = l->whole - n;
	}
}

/* Print fresh lines for as long as stdout takes them without waiting. */
static void
write_fresh(const struct add *a, const struct batch *b, struct progress *p)
{
	uint8_t buf[PIPE_BUF];
	struct iovec piece;

	p->written = p->rest_len = 0;
	while (p->written < p->nfresh) {
		const size_t lines = next_piece(a, b, p, buf, &piece);
		const ssize_t n = output_some(piece.iov_base, piece.iov_len);
		if (n == -1)
			p->error = errno;
		else if ((size_t)n == piece.iov_len)
			p->written += lines;
		else
			wrote_part(a, b, p, (size_t)n);
		if (n == -1 || (size_t)n < piece.iov_len)
			return;
	}
}

/* Set the bits of the lines that went out. */
static void
add_written(struct add *a, const struct batch *b, struct progress *p)
{
	for (size_t i = 0; i < p->written; i++)
		a->hashes[i] = b->hashes[a->fresh[i]];
	add_hashes(a, a->hashes, p->written);
	p->next = p->written < p->nfresh ? a->fresh[p->written] : b->n;
}

/*
 * stdout takes no more.  What went out is kept, and the file is left clean;
 * then a closed pipe ends us the way it would have at once.
 */
static _Noreturn void
output_failed(struct add *a, int error)
{
	char why[WHY_SIZE];

	if (mapfile_close(a->m, why) == -1)
		trouble(a, why);
	if (error == EPIPE && a->pipe_kills) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	errno = error;
	err(EXIT_TROUBLE, "stdout");
}

/* -1 if a signal was caught: then the rest is left for another time. */
static int
wait_for_stdout(struct add *a)
{
	if (output_wait() == 0)
		return 0;
	if (errno != EINTR)
		output_failed(a, errno);
	return -1;
}

/*
 * A line longer than PIPE_BUF that the reader took only a part of: the rest
 * is waited for without the lock, so another add may print the line too.  The
 * bits come last all the same: a line is rather printed twice than never.
 */
static void
finish_line(struct add *a, const struct batch *b, struct progress *p)
{
	while (p->rest_len > 0) {
		if (wait_for_stdout(a) == -1)
			return;
		const ssize_t n = output_some(p->rest, p->rest_len);
		if (n == -1)
			output_failed(a, errno);
		p->rest += n;
		p->rest_len -= (size_t)n;
	}
	lock(a);
	add_hashes(a, &b->hashes[p->next], 1);
	mapfile_unlock(a->m);
	p->next++;
}

/*
 * Lines go out before their bits are set: killed in between, we print them
 * again the next time, while set first they would be seen by nobody.  And
 * never wait for the reader of stdout under the lock: it may be running an
 * add on the same filter.
 */
static void
print_then_add(struct add *a, const struct batch *b)
{
	struct progress p = { 0 };

	while (p.next < b->n && wait_for_stdout(a) == 0) {
		lock(a);
		find_fresh(a, b, &p);
		write_fresh(a, b, &p);
		add_written(a, b, &p);
		mapfile_unlock(a->m);
		if (p.error != 0)
			output_failed(a, p.error);
		if (p.rest_len > 0)
			finish_line(a, b, &p);
	}
}

static void
prepare(struct add *a)
{
	char why[WHY_SIZE];

	signals_catch();
	if (a->create && access(a->path, F_OK) == -1 && errno == ENOENT) {
		plan_make(&a->request, &usage);
		const struct header h = make_header(&a->request.plan);
		make_filter(a->path, &h, (struct make_how){ .keep = true,
		    .quiet = a->quiet });
	}
	a->m = mapfile_open(a->path, a->how, why);
	if (a->m == NULL) {
		signals_die();
		trouble(a, why);
	}
	/* What is new cannot be told if keys are missing. */
	if (report_missing(a->path, a->m) && (a->unseen || a->count))
		exit(EXIT_TROUBLE);
	a->filter = mapfile_filter(a->m);
	if (!a->unseen)
		return;
	a->pending = pending_new(&a->filter.shape, FEED_BATCH);
	if (a->pending == NULL)
		err(EXIT_TROUBLE, NULL);
	a->pipe_kills = signal(SIGPIPE, SIG_IGN) != SIG_IGN;
}

/*
 * An endless run syncs every five seconds, and when nothing has come for one,
 * so that a power cut takes little.
 */
#define SYNC_SECONDS 5
#define IDLE_MS 1000

static void
sync_now_and_then(struct add *a, const struct batch *b)
{
	char why[WHY_SIZE];
	const time_t now = time(NULL);

	if (!b->drained || !mapfile_unsynced(a->m))
		return;
	if (a->synced == 0)
		a->synced = now;	/* the first keys came just now */
	const bool idle = b->n == 0 && !b->last;
	if (!idle && now - a->synced < SYNC_SECONDS)
		return;
	if (mapfile_sync(a->m, why) == -1)
		trouble(a, why);
	a->synced = now;
}

int
cmd_add(int argc, char **argv)
{
	static struct add a;
	char why[WHY_SIZE];
	const struct batch *b;

	parse(&a, argc, argv);
	prepare(&a);
	struct feed *feed = feed_open(argv + optind, a.null_data ? '\0' : '\n',
	    mapfile_header(a.m)->seed, a.quiet);
	while ((b = feed_next(feed, mapfile_unsynced(a.m) ? IDLE_MS : -1)) !=
	    NULL) {
		if (a.unseen)
			print_then_add(&a, b);
		else
			add_batch(&a, b);
		sync_now_and_then(&a, b);
	}
	const int status = feed_close(feed);
	report_overfull(a.path, a.m);
	if (mapfile_close(a.m, why) == -1)
		trouble(&a, why);
	signals_die();
	if (a.count)
		printf("%" PRIu64 "\n", a.nfresh);
	return status;
}
