/*
 * Are two names, or descriptors, those of one file?
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

#endif
