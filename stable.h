/*
 * Onto stable storage: past the kernel, and past the cache of the disk.
 */
#ifndef STABLE_H
#define STABLE_H

#include <stddef.h>

/*
 * All of these go on after a signal, and return -1 and errno if something is
 * not stored; a second try may then say that it is.
 */

/* A file with its size, times and permissions, or a directory. */
int stable_file(int fd);

/*
 * What is in a file, and what it takes to find it.  Whether that includes what
 * was changed where the file is mapped.
 */
int stable_data(int fd);
#if defined(__linux__)
#define STABLE_DATA_IS_ALL true
#else
#define STABLE_DATA_IS_ALL false
#endif

/* Everything on the file system that fd is on, where the system can do that. */
int stable_file_system(int fd);

/* n bytes from p on, where a file is mapped that fd has open. */
int stable_pages(int fd, void *p, size_t n);

#endif
