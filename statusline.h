/*
 * The words of the line that tells how far work is.  Pure: progress.h has when
 * and where it is shown.
 */
#ifndef STATUSLINE_H
#define STATUSLINE_H

#include <stddef.h>
#include <stdint.h>

struct statusline {
	const char *what;	/* is being done */
	const char *step;	/* of it, or NULL */
	double seconds;		/* since then */
	uint64_t total;		/* bytes; 0: nobody knows */
	uint64_t bytes, keys;	/* done so far; keys 0: it has none */
	double full;		/* share of what the filter was made for, that
				   is in it; 0: is not said */
};

/* "add: 1.00 GiB of 4.00 GiB, 25 %, 0:00:30 left": ASCII, without a newline. */
#define STATUSLINE_SIZE 200
const char *statusline_words(const struct statusline *s,
    char line[STATUSLINE_SIZE]);

/*
 * How much of a line is shown where there are so many columns, at least 1: less
 * than those, and up to the end of a part.
 */
size_t statusline_fit(const char *line, size_t columns);

#endif
