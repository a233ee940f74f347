/*
 * Lines to stdout, in large writes.  Nothing is held over a read of input:
 * the commands flush before one that may wait.
 *
 * Functions that can fail return -1 and set errno.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

struct output;

/* NULL if out of memory. */
struct output *output_new(void);
void output_free(struct output *o);

/*
 * Print bytes.  They are not copied if they are many: they must stay as they
 * are until output_flush, which output_put may call by itself.
 */
int output_put(struct output *o, const void *bytes, size_t n);
int output_flush(struct output *o);

/*
 * Wait until stdout takes bytes without blocking; EINTR if a signal was
 * caught.
 */
int output_wait(void);

/*
 * Write without waiting for the reader of stdout; nothing may be buffered.
 * Returns how many bytes went out, 0 if it takes none now.  To a pipe, up to
 * PIPE_BUF bytes go out whole or not at all.  Call output_wait before.
 */
ssize_t output_some(const void *bytes, size_t n);

#endif
