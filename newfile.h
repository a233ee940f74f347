/*
 * New filter files, there whole or not at all.
 */
#ifndef NEWFILE_H
#define NEWFILE_H

#include <stdbool.h>

#include "format.h"
#include "why.h"

/*
 * Make a new, empty filter of h's shape under this name, its space reserved
 * and everything synced.  With replace it takes the place of a regular file
 * that has the name now, otherwise it is an error if anything has; *exists
 * tells whether that was the reason.
 *
 * On failure (-1, and the reason) nothing is left behind and what had the name
 * is untouched, but for one: if the directory cannot be synced, a file that
 * somebody uses already stays, and so does one that replaced another.
 */
int newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE]);

#endif
