/*
 * A file from front to back, inflated if gzip has compressed it, with a look
 * ahead.  Anything that can be read will do: a pipe, a FIFO, a terminal.
 */
#ifndef STREAM_H
#define STREAM_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "why.h"

/* The farthest look; a read asks for as much, too. */
#define STREAM_AHEAD ((size_t)256 * 1024)

struct stream;

/* path may be "-", standard input.  NULL: why. */
struct stream *stream_open(const char *path, char why[WHY_SIZE]);
void stream_close(struct stream *s);	/* NULL is no error */

/*
 * The bytes to come, at *p until the next look: n of them or more, fewer only
 * if there are no more; n is STREAM_AHEAD at most.  Returns how many; -1: why,
 * which is "interrupted" if a signal was caught.
 */
ssize_t stream_look(struct stream *s, size_t n, const uint8_t **p,
    char why[WHY_SIZE]);

/* Go on by n bytes, which have been seen by the last look. */
void stream_skip(struct stream *s, size_t n);

/* How many bytes there are in all; UINT64_MAX: only the end will tell. */
uint64_t stream_size(const struct stream *s);

/* How far we are. */
uint64_t stream_offset(const struct stream *s);

#endif
