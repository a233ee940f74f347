/*
 * The keys that a command was given, file by file, in batches: lines, and
 * their hashes or what filters say of them.  Complains about inputs that cannot
 * be read and goes on with the next.  Tells progress.c how far it is, in the
 * bytes of all inputs if they are regular files.
 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "lines.h"
#include "piece.h"

#define FEED_BATCH PIECE_BATCH

struct batch {
	const char *name;	/* of the input; "(standard input)" */
	size_t n;		/* may be 0 */
	bool drained;		/* the next batch may have to be waited for */
	bool last;		/* of this input */
	bool regular;		/* the input is a regular file */
	bool idle;		/* empty, since nothing came for idle_ms */
	const struct line *lines;
	const struct hash *hashes;	/* without a query; rule->width each */
	const bool *in;		/* the query's answers, less the exceptions, */
	const uint64_t *which;	/* or these */
};

struct feed;

/* The row of -j for a table of struct option_spec. */
#define FEED_OPTIONS \
	{ 'j', "threads", "N", \
	    "use N threads; default: one a processor, up to 8" }

struct feed_how {
	struct work work;
	unsigned threads;	/* 0: as many as are good */
	bool quiet;		/* no note when stdin is a terminal */
};

/* Files, or stdin if there are none or for "-". */
struct feed *feed_open(char **files, struct feed_how how);

/*
 * The next batch; some are empty.  NULL after the last of the last input, or
 * once a signal was caught.  idle_ms negative: never idle.
 */
const struct batch *feed_next(struct feed *f, int idle_ms);

/* Frees; EXIT_TROUBLE if any input could not be read whole, else 0. */
int feed_close(struct feed *f);

#endif
