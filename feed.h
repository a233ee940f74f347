/*
 * The keys that a command was given, file by file, in batches: lines and
 * their hashes.  Complains about inputs that cannot be read and goes on with
 * the next.
 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "lines.h"

/* Few enough for lines and hashes to stay in the nearest caches. */
#define FEED_BATCH 1024

struct batch {
	const char *name;	/* of the input; "(standard input)" */
	size_t n;		/* may be 0 */
	bool drained;		/* the next batch may have to be waited for */
	bool last;		/* of this input */
	bool regular;		/* the input is a regular file */
	bool idle;		/* empty, since nothing came for idle_ms */
	struct line lines[FEED_BATCH];
	struct hash hashes[FEED_BATCH];
};

struct feed;

/*
 * Files, or stdin if there are none or for "-".  Lines end in separator, keys
 * are hashed with seed.  quiet: no note when stdin is a terminal.
 */
struct feed *feed_open(char **files, uint8_t separator, uint64_t seed,
    bool quiet);

/*
 * The next batch; some are empty.  NULL after the last of the last input, or
 * once a signal was caught.  idle_ms negative: never idle.
 */
const struct batch *feed_next(struct feed *f, int idle_ms);

/* Frees; EXIT_TROUBLE if any input could not be read whole, else 0. */
int feed_close(struct feed *f);

#endif
