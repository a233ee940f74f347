/*
 * New files that take the place of a filter, while nobody writes to that.
 *
 * What fails puts the reason into why.
 */
#ifndef HEIR_H
#define HEIR_H

#include <stdint.h>

#include "why.h"

/*
 * Wait, for so many seconds, until nobody writes to the file that is to be
 * replaced, and keep it so until *fd is closed; who then writes opens the new
 * file.  *fd is -1 if there is no file.
 */
int heir_hold(const char *path, double wait, int *fd, char why[WHY_SIZE]);

/*
 * A copy of a file that fd has open and that we have the presence lock of,
 * alone: what the system has of its first size bytes, in memory too.  NULL:
 * why.
 */
struct heir *heir_copy(const char *path, int fd, uint64_t size,
    char why[WHY_SIZE]);

/* Open to read and write until heir_close. */
int heir_fd(const struct heir *heir);

/*
 * The copy takes the place of the file, unless the name belongs to another one
 * by now.
 */
int heir_succeed(struct heir *heir, char why[WHY_SIZE]);

/* Closes the file too, and without heir_succeed the copy is gone. */
void heir_close(struct heir *heir);

#endif
