/*
 * Everything that goes to stdout: lines of the input and text.
 *
 * It is collected and written in large pieces.  Nothing is held over a read of
 * input: commands flush before one that may wait.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>

/*
 * Print bytes.  They are not copied if they are many: they must stay as they
 * are until output_flush, which this may call by itself.  -1: errno.
 */
int output_put(const void *bytes, size_t n);

/* Write what has been collected, waiting as long as it takes.  -1: errno. */
int output_flush(void);

/* Print text.  What fails shows in output_end. */
void output_printf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The same for bytes that will not stay. */
void output_text(const char *bytes, size_t n);

/*
 * The last thing before exit: flush, and return the status, unless something
 * did not reach stdout, which is trouble.
 */
int output_end(int status);

#endif
