/*
 * The filter file on disk: made whole or not at all, opened with every check,
 * mapped, locked, synced.  The only user of open, mmap, locks, sync and link
 * on filters.
 *
 * Functions that can fail return -1 or NULL and put the reason in words, to
 * stand after the file's name, into why[MAPFILE_WHY].
 *
 * Any number of processes may have a file open, to read or to add.  Bits and
 * counters change only between mapfile_lock and mapfile_unlock; readers take
 * no lock.  What has been added is on stable storage once mapfile_close has
 * returned 0.
 */
#ifndef MAPFILE_H
#define MAPFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "format.h"

#define MAPFILE_WHY 256

enum mapfile_use {
	MAPFILE_CHECK,		/* read here and there */
	MAPFILE_SCAN,		/* read from front to back */
	MAPFILE_ADD		/* read and write here and there */
};

enum mapfile_state {
	MAPFILE_CLEAN,		/* everything added is on stable storage */
	MAPFILE_IN_USE,		/* somebody is adding to it now */
	MAPFILE_LEFT,		/* an add was killed; nothing it added is lost */
	MAPFILE_UNCLEAN,	/* the machine went down while it was written */
	MAPFILE_SYNC_FAILED	/* a sync failed: keys may be missing */
};

/* The words of page two, as they were at one moment. */
struct mapfile_live {
	enum mapfile_state state;
	uint64_t keys_added;
	uint64_t bits_set;
	int64_t synced_at;	/* seconds since 1970, 0 if never */
};

struct mapfile;

/*
 * Make a new, empty filter of h's shape under this name, its space reserved
 * and everything synced.  With replace it takes the place of what has the
 * name now, otherwise it is an error if anything has.  On failure nothing is
 * left behind and what had the name is untouched; *exists tells whether that
 * was the reason.
 */
int mapfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[MAPFILE_WHY]);

/*
 * Read, check and return the header of a filter, whatever its size; a file
 * larger than the address space too.
 */
int mapfile_read_header(const char *path, struct header *h,
    char why[MAPFILE_WHY]);

struct mapfile *mapfile_open(const char *path, enum mapfile_use use,
    char why[MAPFILE_WHY]);

const struct header *mapfile_header(const struct mapfile *m);
struct filter mapfile_filter(const struct mapfile *m);
struct mapfile_live mapfile_live(const struct mapfile *m);

/*
 * Wait for the right to change bits and counters (MAPFILE_ADD only).  Hold it
 * only for a batch, never while waiting for somebody else.
 */
int mapfile_lock(struct mapfile *m, char why[MAPFILE_WHY]);
void mapfile_unlock(struct mapfile *m);

/* Add to the counters; under the lock. */
void mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits);

/*
 * Sync what was added, mark the file clean if no other process is adding, and
 * close.  Frees m in any case.
 */
int mapfile_close(struct mapfile *m, char why[MAPFILE_WHY]);

#endif
