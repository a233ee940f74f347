/*
 * A new filter file from a plan, for create and for add --create.
 */
#ifndef MAKE_H
#define MAKE_H

#include <stdbool.h>

#include "format.h"
#include "sizing.h"

/* The header of such a filter: made now, with a random seed, no note. */
struct header make_header(const struct plan *p);

/*
 * Make the file and, unless quiet, say on stderr what was made.  An existing
 * file is replaced if `replace`, left as it is if `keep`, else an error; errors
 * end the program.
 */
struct make_how {
	bool replace, keep, quiet;
};
void make_filter(const char *path, const struct header *h,
    struct make_how how);

#endif
