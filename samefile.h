/*
 * Names and descriptors: are they those of one file?
 */
#ifndef SAMEFILE_H
#define SAMEFILE_H

#include <sys/stat.h>

#include <stdbool.h>

static inline bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Do both have the same file open? */
bool samefile_open(int a, int b);

/* Does the path lead to the file that fd has open? */
bool samefile_path(const char *path, int fd);

/* Has that file any name still?  If the question fails, yes. */
bool samefile_named(int fd);

#endif
