/*
 * Room on disk, and bytes into it.
 */
#ifndef SPACE_H
#define SPACE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

/* All of it; -1: errno. */
int space_write(int fd, const void *buf, size_t n, off_t at);

/* Is there room for so many bytes more?  -1: errno, ENOSPC if there is not. */
int space_room(int fd, uint64_t nbytes);

/*
 * Write this file, which is empty, in place from now on, where a file system
 * that does not can be told so: then what is reserved is enough for ever.
 */
void space_in_place(int fd);

/*
 * Reserve the space of the bytes from..to, which lie past all that was written
 * to the file and read as zeros then, so that a full disk is found out now and
 * not as a SIGBUS in the middle of an add.  -1: errno, EINTR if a signal was
 * caught.
 */
int space_reserve(int fd, uint64_t from, uint64_t to);

#endif
