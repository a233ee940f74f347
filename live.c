/*
 * Reading page 1, which others may change meanwhile.  bloomtool(5), STATES.
 */
#include <stdatomic.h>

#include "le.h"
#include "live.h"
#include "locks.h"
#include "view.h"

/* Which boot the file was made dirty in. */
enum boot {
	BOOT_UNKNOWN,		/* this system has no boot id */
	BOOT_THIS,
	BOOT_OTHER
};

static enum boot
boot_of(const struct format_live *live, const uint64_t boot[2])
{
	if ((boot[0] | boot[1]) == 0)
		return BOOT_UNKNOWN;
	return le64_word(live->boot_id[0]) == boot[0] &&
	    le64_word(live->boot_id[1]) == boot[1] ? BOOT_THIS : BOOT_OTHER;
}

/*
 * What the state word says, leaving the marks aside.  The boot id speaks
 * before the lock does: a writer may be there that has not come to its first
 * key yet, and so has not marked what it found.
 */
static enum live_state
unmarked_state(const struct view *v, const uint64_t this_boot[2])
{
	if (le64_word(v->live->state) == FORMAT_CLEAN)
		return LIVE_CLEAN;
	atomic_thread_fence(memory_order_acquire);
	const enum boot boot = boot_of(v->live, this_boot);
	const bool writers = locks_held(v->fd, LOCKS_WRITERS);
	/* The last writer may have finished between the looks. */
	if (le64_word(v->live->state) == FORMAT_CLEAN)
		return LIVE_CLEAN;
	if (boot == BOOT_OTHER || (boot == BOOT_UNKNOWN && !writers))
		return LIVE_UNCLEAN;
	return writers ? LIVE_IN_USE : LIVE_LEFT;
}

/*
 * The marks come last: who makes an unclean file dirty anew sets the mark
 * before it changes what the state is judged by.
 */
enum live_state
live_state(const struct view *v, const uint64_t boot[2])
{
	const enum live_state s = unmarked_state(v, boot);

	atomic_thread_fence(memory_order_acquire);
	if (live_sync_failed(v))
		return LIVE_SYNC_FAILED;
	return v->live->unclean != 0 ? LIVE_UNCLEAN : s;
}

bool
live_sync_failed(const struct view *v)
{
	return v->live->sync_failed != 0;
}

/* Of another program's file: what that has counted, and no bits. */
static struct live
read_foreign(const struct view *v)
{
	struct live live = { .state = LIVE_CLEAN,
	    .counted = v->foreign->counted };

	for (unsigned i = 0; i < v->header.nparts; i++) {
		live.layer[i].keys = v->foreign->keys_added[i];
		live.keys_added += live.layer[i].keys;
	}
	return live;
}

struct live
live_read(const struct view *v, const uint64_t boot[2])
{
	if (v->foreign != NULL)
		return read_foreign(v);
	struct live live = {
		.state = live_state(v, boot),
		.counted = true,
		.keys_added = le64_word(v->live->keys_added),
		.keys_estimated = v->live->keys_estimated != 0,
		.bits_set = le64_word(v->live->bits_set),
		.synced_at = (int64_t)le64_word(v->live->synced_at),
	};

	live.layer[0] = (struct live_counts){ live.keys_added, live.bits_set };
	for (unsigned i = 1; i < v->layers.n; i++) {
		const struct format_layer *e = view_entry(v, i);
		const struct live_counts c = { le64_word(e->keys_added),
		    le64_word(e->bits_set) };
		live.layer[i] = c;
		/* The first layer has no counters but those of the whole. */
		live.layer[0].keys -= c.keys < live.layer[0].keys ? c.keys :
		    live.layer[0].keys;
		live.layer[0].bits -= c.bits < live.layer[0].bits ? c.bits :
		    live.layer[0].bits;
	}
	return live;
}
