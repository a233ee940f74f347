/*
 * The header of a file, read and checked before anything is mapped.
 */
#ifndef HEADER_H
#define HEADER_H

#include "foreign/foreign.h"
#include "format.h"
#include "why.h"

/*
 * Of a copy of the first bytes, which nobody can change later.  The size is
 * asked for last: a layer that comes in between makes the file larger than the
 * header says, and never shorter.
 *
 * If another program wrote the file, *foreign is what it is, to be freed, and
 * *h its head; foreign may be NULL if that will not do.  -1: why.
 */
int header_check(int fd, struct header *h, struct foreign **foreign,
    char why[WHY_SIZE]);

/* Of a filter, whatever its size; a file larger than the address space too. */
int header_read(const char *path, struct header *h, char why[WHY_SIZE]);

#endif
