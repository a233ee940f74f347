/*
 * Where export writes to: a file, there whole or not at all, or stdout; through
 * gzip, if that is wanted.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "why.h"

struct target;

struct target_how {
	const char *path;	/* NULL: stdout */
	bool force;		/* replace what has the name now, unless it is
				   a filter of ours, which may be in use */
	bool gzip;
};

/* NULL: why. */
struct target *target_open(const struct target_how *how, char why[WHY_SIZE]);

/* Its name, for messages. */
const char *target_name(const struct target *t);

/* n bytes more.  -1: why. */
int target_put(struct target *t, const void *bytes, size_t n,
    char why[WHY_SIZE]);

/* That was all: sync the file and give it its name.  -1: why. */
int target_finish(struct target *t, char why[WHY_SIZE]);

/* What was not finished is gone.  t may be NULL. */
void target_close(struct target *t);

#endif
