/*
 * Writing to a filter file: locks, marks, bits and syncs, in the one order that
 * loses no key silently, whoever dies and when.  All of what bloomtool(5) says
 * under ORDER OF WRITING, but for how new files are made, is in writing.c.
 *
 * Functions that can fail return -1 and put the reason into why.
 */
#ifndef WRITING_H
#define WRITING_H

#include <stdbool.h>
#include <stdint.h>

#include "view.h"
#include "why.h"

/* Fill in the first four, the rest with zeros. */
struct writing {
	struct view *view;	/* of the file, mapped to be written to */
	const uint64_t *boot;	/* the id of this boot */
	double wait;		/* seconds for locks, INFINITY for no end */
	bool no_sync;		/* leave syncing to the kernel */
	bool hidden;		/* it is a copy, which nobody else sees */
	bool marked;		/* we have seen the dirty mark synced */
	bool locked;		/* we hold the batch lock */
	bool unsynced;		/* something was added since the last sync */
};

/*
 * Take part, or have the file alone.  Who finds that it was left by another
 * boot may mark it so.
 */
int writing_begin(struct writing *w, bool alone, char why[WHY_SIZE]);

/* From now on it is of a copy, which nobody else sees. */
void writing_move(struct writing *w);

/* Bits and counters change only in between. */
int writing_lock(struct writing *w, char why[WHY_SIZE]);
int writing_grow(struct writing *w, char why[WHY_SIZE]);
void writing_unlock(struct writing *w);

/* Now and then, if that has something to do.  A failure is final. */
int writing_sync(struct writing *w, char why[WHY_SIZE]);
bool writing_unsynced(const struct writing *w);

/*
 * The last sync, after which all is on stable storage; and if nobody else
 * writes to the file, it is clean.
 */
int writing_end(struct writing *w, char why[WHY_SIZE]);

/*
 * All that may have been missing is in again: count the bits anew, sync, take
 * the marks away.
 */
int writing_recovered(struct writing *w, char why[WHY_SIZE]);

#endif
