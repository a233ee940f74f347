/*
 * Threads that read an input ahead and make pieces of it, which the caller gets
 * in the order of the input, whole lines each.  The caller works too while it
 * waits.
 *
 * They read only what is there: who has to wait for more does that without
 * them, so that signals end the wait, and what has come is dealt with first.
 */
#ifndef CREW_H
#define CREW_H

#include "piece.h"

/* Bytes of a line that the crew does not read to its end. */
#define CREW_LONG ((size_t)128 * 1024)

struct crew;

/* With so many threads besides the caller's, at least one; NULL and errno. */
struct crew *crew_new(unsigned threads, const struct work *w);
void crew_free(struct crew *c);

/*
 * Go on with the input that `from` reads, all of whose lines were cut and which
 * has at most CREW_LONG bytes of the next one.
 */
void crew_begin(struct crew *c, const struct lines *from);

/*
 * The next piece, valid until the next call.  Its lines may be the first of
 * many: deal with them, then piece_fill it until it gives none, before the next
 * call.  NULL when there are no more for now; *why is then LINES_END,
 * LINES_IDLE if the next read is yours, or LINES_FAILED and errno, EINTR if a
 * signal was caught.
 */
struct piece *crew_next(struct crew *c, enum lines_read *why);

/* Give the input back, after NULL.  -1: errno. */
int crew_end(struct crew *c, struct lines *to);

#endif
