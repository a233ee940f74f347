/*
 * Lines to stdout, in large writes.  Nothing is held over a read of input:
 * the commands flush before one that may wait.
 *
 * Functions that can fail return -1 and set errno.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>

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
 * The last thing before exit, for stdio too: a status, unless what was printed
 * did not reach stdout, which is trouble.
 */
int output_end(int status);

#endif
