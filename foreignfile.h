/*
 * A file of another program in use: recognised, mapped, only read.
 */
#ifndef FOREIGNFILE_H
#define FOREIGNFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "foreign/foreign.h"
#include "why.h"

struct foreignfile;

/*
 * Open and map the file if it is a filter that another program wrote; scan: to
 * read it from front to back.  NULL: with *is and the reason if it cannot be
 * opened, or is one, or something known, but cannot be used; without *is,
 * mapfile_open tells what it is.
 */
struct foreignfile *foreignfile_open(const char *path, bool scan, bool *is,
    char why[WHY_SIZE]);

const struct foreign *foreignfile_facts(const struct foreignfile *f);

/* Its bits: foreign_test's. */
const uint8_t *foreignfile_bits(const struct foreignfile *f);

/* Bytes of the whole file. */
uint64_t foreignfile_size(const struct foreignfile *f);

/* Is it the file that fd has open? */
bool foreignfile_is(const struct foreignfile *f, int fd);

/* Has it still the size it had?  -1 and the reason if not. */
int foreignfile_check_size(const struct foreignfile *f, char why[WHY_SIZE]);

void foreignfile_close(struct foreignfile *f);

#endif
