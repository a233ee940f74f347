/*
 * Regular files, opened without waiting for whatever else has the name.
 */
#ifndef REGULAR_H
#define REGULAR_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why.h"

/* A descriptor; -1 and the reason, also if it is no regular file. */
int regular_open(const char *path, bool write, char why[WHY_SIZE]);

/* -1 and the reason if so many bytes cannot be mapped at once. */
int regular_fits(uint64_t nbytes, char why[WHY_SIZE]);

/* As many of n bytes as the file has there; -1: errno. */
ssize_t regular_read(int fd, void *buf, size_t n, uint64_t at);

#endif
