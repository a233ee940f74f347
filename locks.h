/*
 * The two locks of a filter file, each on a byte of its own far past the end
 * of any file.
 *
 * They go when the process ends, however it ends, or closes fd.
 */
#ifndef LOCKS_H
#define LOCKS_H

#include <stdbool.h>

#include "why.h"

enum locks_name {
	LOCKS_WRITERS,	/* shared by all who add, for as long as they do; alone
			   to mark the file clean, and to recover it */
	LOCKS_BATCH	/* alone, to change bits and counters */
};

/*
 * Take a lock, shared or alone, waiting for up to `wait` seconds, INFINITY for
 * no end.  -1 and the reason if that failed or a signal was caught.
 */
int locks_take(int fd, enum locks_name name, bool alone, double wait,
    char why[WHY_SIZE]);

/* Take it alone if it is free now; was it? */
bool locks_try(int fd, enum locks_name name);

void locks_drop(int fd, enum locks_name name);

/* Does another process hold it?  fd may be read-only. */
bool locks_held(int fd, enum locks_name name);

#endif
