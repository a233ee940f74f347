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

struct make_how {
	bool replace;	/* what has the name now */
	bool keep;	/* it, and make nothing */
	bool quiet;	/* do not say what was made */
};

/*
 * Make the file and say on stderr what was made.  It is an error if it exists,
 * unless how->replace or how->keep; errors end the program.
 */
void make_filter(const char *path, const struct header *h,
    struct make_how how);

#endif
