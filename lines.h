/*
 * Lines out of a descriptor: cut in large chunks, any bytes, any length up to
 * LINES_MAX.  The only reader of keys.
 *
 * Use: take lines with lines_cut until it gives none, then lines_read, which
 * may wait; at LINES_END, lines_cut gives what is left.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_MAX (UINT64_C(1) << 30)	/* bytes of a line */

struct line {
	const uint8_t *bytes;	/* valid until the next lines_read, _start or
				   _continue */
	size_t len;		/* without the separator */
	size_t whole;		/* with it; the last line may have none */
};

struct lines;

/* Lines of fd that end in separator.  NULL if out of memory. */
struct lines *lines_new(uint8_t separator);
void lines_free(struct lines *l);	/* NULL is no error */

/*
 * Begin with another descriptor.  terminate: a last line that has no separator
 * gets one, so that what follows it in the output does not join it.
 */
void lines_start(struct lines *l, int fd, bool terminate);

/* Up to max of the lines that are there already. */
size_t lines_cut(struct lines *l, struct line *out, size_t max);

enum lines_read {
	LINES_FAILED = -1,	/* errno; EMSGSIZE for a line over LINES_MAX,
				   EINTR if a signal was caught */
	LINES_END,
	LINES_MORE,
	LINES_IDLE		/* nothing has come in all this time */
};

/*
 * Read once more; waits for timeout_ms, without end if that is negative, also
 * where the descriptor is non-blocking.
 */
enum lines_read lines_read(struct lines *l, int timeout_ms);

/* Is there a whole line that has not been cut?  Cheap just after a read. */
bool lines_any(struct lines *l);

/* Did the last read give all that there was room for, so that more is there? */
bool lines_full(const struct lines *l);

/* Bytes that have not been cut. */
size_t lines_left(const struct lines *l);

/*
 * l goes on with the input of `from`, after the last whole line that `from` has
 * read.  `from` keeps its lines; it may still be cut, but not read.  -1: errno.
 */
int lines_continue(struct lines *l, const struct lines *from);

#endif
