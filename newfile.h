/*
 * New filter files, there whole or not at all.
 */
#ifndef NEWFILE_H
#define NEWFILE_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "format.h"
#include "why.h"

/*
 * Make a new, empty filter of h's shape under this name, its space reserved
 * and everything synced.  With replace it takes the place of a regular file
 * that has the name now, otherwise it is an error if anything has; *exists
 * tells whether that was the reason.  What replaces a file has its owner (if
 * the system lets us), group and permissions; not to get the group is an error.
 *
 * On failure (-1, and the reason) nothing is left behind and what had the name
 * is untouched, but for one: if the directory cannot be synced, a file that
 * somebody uses already stays, and so does one that replaced another.
 */
int newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE]);

/*
 * The name of a file that another process has just made, or is making, will
 * survive a power cut from now on.
 */
int newfile_keep(const char *path, char why[WHY_SIZE]);

/*
 * May a new file come under this name, as newfile_create would have it?  For
 * who has much to do before newfile_publish.
 */
int newfile_check(const char *path, bool replace, bool *exists,
    char why[WHY_SIZE]);

/*
 * newfile_create in steps, for a file with content: one of zeros, its space
 * reserved, or if size is 0 an empty one, without a name or with one that
 * nobody looks for; then, when it has been filled, newfile_publish.  mode is as
 * for open(2); what replaces a file gets the mode of that in the end.  NULL or
 * -1 and the reason.
 */
struct newfile *newfile_open(const char *path, mode_t mode, uint64_t size,
    char why[WHY_SIZE]);

/*
 * For an empty one: is there room for this size now?  Reserves nothing.  -1:
 * why.
 */
int newfile_room(const struct newfile *f, uint64_t size, char why[WHY_SIZE]);

/* Open to read and write until newfile_close. */
int newfile_fd(const struct newfile *f);

/*
 * Write n bytes at this offset; best from front to back, so that the disk can
 * begin.  -1: errno.
 */
int newfile_write(struct newfile *f, const void *buf, size_t n, uint64_t at);

/* Fill it with the first size bytes of this file.  -1: errno. */
int newfile_copy(struct newfile *f, int from, uint64_t size);

/* Sync it and give it its name, as newfile_create does. */
int newfile_publish(struct newfile *f, bool replace, bool *exists,
    char why[WHY_SIZE]);

/*
 * The same, in place of the file that fd has open: an error if the name belongs
 * to another one by now.
 */
int newfile_replace(struct newfile *f, int fd, char why[WHY_SIZE]);

/* What was not published is gone.  f may be NULL. */
void newfile_close(struct newfile *f);

#endif
