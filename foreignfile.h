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
 * Open and map a file that mapfile_open has refused, if it is a filter that
 * another program wrote; scan: to read it from front to back.  NULL otherwise:
 * why then stays what mapfile_open has said, unless it can be told better.
 */
struct foreignfile *foreignfile_open(const char *path, bool scan,
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
