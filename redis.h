/*
 * The Redis protocol, as far as commands need it: read out of a stream that is
 * not trusted, and written.
 */
#ifndef REDIS_H
#define REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"
#include "why.h"

#define REDIS_LINE 22	/* the longest line with a number, and a byte more */

/* Says where a stream makes no sense.  Returns -1. */
int redis_damaged(const struct stream *s, char why[WHY_SIZE]);

/* At least n bytes to come, as stream_look has them; NULL: why. */
const uint8_t *redis_need(struct stream *s, size_t n, char why[WHY_SIZE]);

/* Go on behind these bytes, which must come next.  -1: why. */
int redis_expect(struct stream *s, const char *bytes, char why[WHY_SIZE]);

/*
 * Does p[0..n) begin with a number of up to 19 digits, and `end` behind it?
 * The length of both, or 0.
 */
size_t redis_number(const uint8_t *p, size_t n, const char *end, uint64_t *x);

/*
 * Go on behind a number that stands between these, as in "*4\r\n", and must
 * come next.  -1: why.
 */
int redis_line(struct stream *s, const char *before, const char *end,
    uint64_t *x, char why[WHY_SIZE]);

/* Does p[0..n) begin like commands? */
bool redis_commands(const uint8_t *p, size_t n);

/*
 * The next command: it has *nargs arguments, its name among them.  1; 0 at the
 * end; -1: why.
 */
int redis_next(struct stream *s, uint64_t *nargs, char why[WHY_SIZE]);

/*
 * An argument, of *len bytes, which come next and are the caller's to take;
 * then its end.  -1: why.
 */
int redis_argument(struct stream *s, uint64_t *len, char why[WHY_SIZE]);
int redis_argument_end(struct stream *s, char why[WHY_SIZE]);

/* These bytes and the end of the argument; n arguments.  -1: why. */
int redis_skip_argument(struct stream *s, uint64_t len, char why[WHY_SIZE]);
int redis_skip(struct stream *s, uint64_t n, char why[WHY_SIZE]);

/* An argument that is a number.  -1: why. */
int redis_argument_number(struct stream *s, uint64_t *x, char why[WHY_SIZE]);

/*
 * The beginning of a command, up to the bytes of its last argument, of which
 * there are `last`; after them comes "\r\n".  args has those before.  Written
 * to out as snprintf does; returns its length.
 */
size_t redis_command(char *out, size_t room, const char *const *args,
    size_t nargs, uint64_t last);

#endif
