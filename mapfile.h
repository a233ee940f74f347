/*
 * A filter file in use: opened with every check, mapped, locked, synced.
 *
 * Functions that can fail return -1 or NULL and put the reason in words, to
 * stand after the file's name, into why[WHY_SIZE].
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

#include "format.h"
#include "layers.h"
#include "live.h"
#include "why.h"

enum mapfile_use {
	MAPFILE_CHECK,		/* read here and there */
	MAPFILE_SCAN,		/* read from front to back */
	MAPFILE_ADD,		/* read and write here and there */
	MAPFILE_RECOVER		/* write with nobody else there; a new file, if
				   the system may have failed to write it */
};

struct mapfile_how {
	enum mapfile_use use;
	double wait;		/* seconds for locks, INFINITY for no end */
	bool no_sync;		/* leave syncing to the kernel */
	bool network;		/* add even on a network file system */
	bool foreign;		/* to check and scan: also a file that another
				   program wrote, as it lies there */
	enum encoding encoding;	/* of the keys in such a file */
};

struct mapfile;

/*
 * Open, check, map and, to write, wait for the presence lock.  Who finds that a
 * file was left by another boot may mark it so.  MAPFILE_RECOVER may make a
 * copy of the file, which mapfile_recovered puts in its place.  The path has to
 * stay.
 */
struct mapfile *mapfile_open(const char *path, struct mapfile_how how,
    char why[WHY_SIZE]);

/*
 * Its parts become more with mapfile_layers and mapfile_grow, and with
 * mapfile_lock, which looks too; all else stays as it was read.
 */
const struct header *mapfile_header(const struct mapfile *m);

/* The program that wrote it, if that is another. */
const struct foreign_format *mapfile_foreign(const struct mapfile *m);

/* Bytes of it that are in use. */
uint64_t mapfile_size(const struct mapfile *m);

/*
 * Its layers, those too that another process has put on top by now: ask before
 * each batch, from any thread.  If one cannot be had, mapfile_check_layers
 * tells, and what was answered in the meantime is worth nothing.
 */
const struct layers *mapfile_layers(struct mapfile *m);
int mapfile_check_layers(const struct mapfile *m, char why[WHY_SIZE]);

struct live mapfile_live(const struct mapfile *m);

/*
 * Copy n bytes of blocks from this offset of the file.  Unlike a touch of the
 * map, it can fail where the file was cut short, and needs no room.
 */
int mapfile_read(const struct mapfile *m, void *buf, size_t n, uint64_t at,
    char why[WHY_SIZE]);

/* Is it the file that fd has open? */
bool mapfile_is(const struct mapfile *m, int fd);

/* Has it still the size it had?  -1 and the reason if not. */
int mapfile_check_size(const struct mapfile *m, char why[WHY_SIZE]);

/* Has a sync failed, here or elsewhere?  Costs nothing: ask now and then. */
bool mapfile_sync_failed(const struct mapfile *m);

/*
 * Wait for the right to change bits and counters.  Hold it only for a batch,
 * never while waiting for somebody else.
 */
int mapfile_lock(struct mapfile *m, char why[WHY_SIZE]);
void mapfile_unlock(struct mapfile *m);

/* Add to the counters what went into the last layer; under the lock. */
void mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits);

/*
 * How many new keys go into the last layer; no end of them if the filter goes
 * on when full, or stops then but is being recovered.  Under the lock.
 */
uint64_t mapfile_room(const struct mapfile *m);

/*
 * Put a layer on top of the last one, for a filter that grows; under the lock.
 * It counts only once its space is there and its zeros are synced, so that
 * dying in between leaves the filter as it was.
 */
int mapfile_grow(struct mapfile *m, char why[WHY_SIZE]);

/*
 * Sync what was added so far, unless there is nothing, or no_sync.  Without
 * the lock.  A failure is final: the file is marked, and what was added by
 * anybody since the last sync may be lost.
 */
int mapfile_sync(struct mapfile *m, char why[WHY_SIZE]);

/*
 * Which share of the keys that it was made for, all layers together, it holds;
 * 0 if that is not known.  Cheap.
 */
double mapfile_full(const struct mapfile *m);

/* Would mapfile_sync have anything to do? */
bool mapfile_unsynced(const struct mapfile *m);

/*
 * MAPFILE_RECOVER: count the bits anew, sync, take the marks away and close,
 * clean.  Frees m in any case.
 */
int mapfile_recovered(struct mapfile *m, char why[WHY_SIZE]);

/*
 * Sync, mark the file clean if no other process is adding to it, and close.
 * MAPFILE_RECOVER: give up, the marks stay.  Frees m in any case.
 */
int mapfile_close(struct mapfile *m, char why[WHY_SIZE]);

#endif
