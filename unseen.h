/*
 * add -v: print the lines of a batch that are new, and add them.
 *
 * Lines go out before their bits are set: killed in between, we print them
 * again the next time, while set first they would be seen by nobody.  And the
 * lock is never held while stdout waits for its reader, which may be running
 * an add on the same filter.
 */
#ifndef UNSEEN_H
#define UNSEEN_H

#include <stdint.h>

#include "feed.h"
#include "mapfile.h"
#include "why.h"

struct unseen;

enum unseen_end {
	UNSEEN_DONE,
	UNSEEN_CAUGHT,		/* a signal came; the rest is not added */
	UNSEEN_STDOUT,		/* stdout failed: errno */
	UNSEEN_FULL,		/* the filter takes no more new keys */
	UNSEEN_FILTER		/* the filter failed: why */
};

/* NULL if out of memory. */
struct unseen *unseen_new(struct mapfile *m);
void unseen_free(struct unseen *u);

/*
 * Print and add.  What was printed is added, whatever the end; but a line that
 * is longer than PIPE_BUF, and that the reader takes in parts, may be printed
 * by another process too, and is not added if the lock cannot be had then.
 */
enum unseen_end unseen_add(struct unseen *u, const struct batch *b,
    char why[WHY_SIZE]);

/* How many lines of that batch are in now, the first of them. */
size_t unseen_done(const struct unseen *u);

/*
 * Put the lines on stable storage if they went into a file: before the filter
 * is synced, or a power cut may take lines that it knows.  -1: errno.
 */
int unseen_store(const struct unseen *u);

#endif
