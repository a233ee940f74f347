/*
 * The entry in a directory by which a draft gets the name that it is made for.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <stdbool.h>

#include "draft.h"

/*
 * Give it the name d->path, and no other, whatever signal comes.  With replace
 * in place of what has the name; if old_fd is not -1, only of the file that it
 * has open: ESTALE if that is another one by now.  Without, nothing may have
 * the name: EEXIST.  -1: errno, and it has no name at all.
 */
int entry_make(struct draft *d, bool replace, int old_fd);

/* That the name will survive a power cut.  -1: errno. */
int entry_sync(const struct draft *d);

#endif
