/*
 * What page 1 of a filter file says: can keys be missing, and how many are in
 * it.  Nothing is changed here.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "layers.h"

struct view;

enum live_state {
	LIVE_CLEAN,		/* everything added is on stable storage */
	LIVE_IN_USE,		/* somebody is adding to it now */
	LIVE_LEFT,		/* an add was killed; nothing is lost */
	LIVE_UNCLEAN,		/* the machine went down while it was written */
	LIVE_SYNC_FAILED	/* a sync failed */
};

/* In the last two of these, keys since the last sync may be missing. */
static inline bool
live_may_miss(enum live_state s)
{
	return s == LIVE_UNCLEAN || s == LIVE_SYNC_FAILED;
}

struct live_counts {
	uint64_t keys;
	uint64_t bits;
};

/* All of it, as it was at one moment. */
struct live {
	enum live_state state;
	bool counted;		/* if not, keys and bits are 0: not known */
	uint64_t keys_added;
	bool keys_estimated;	/* and not counted, at least in part */
	uint64_t bits_set;
	int64_t synced_at;	/* seconds since 1970, 0 if never */
	struct live_counts layer[LAYERS_MAX];	/* of them, these */
};

/* boot is the id of this boot. */
struct live live_read(const struct view *v, const uint64_t boot[2]);
enum live_state live_state(const struct view *v, const uint64_t boot[2]);

/* Has a sync failed?  Costs nothing. */
bool live_sync_failed(const struct view *v);

#endif
