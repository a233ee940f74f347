/*
 * The order of writing.  The steps have the numbers that they have in
 * bloomtool(5), under "Adding"; each relies on those before it.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "counters.h"
#include "le.h"
#include "live.h"
#include "locks.h"
#include "page1.h"
#include "parts.h"
#include "progress.h"
#include "samefile.h"
#include "stable.h"
#include "writing.h"

/*
 * For tests/torture/power.bats, which has to find both of these wrong orders:
 * 1, the mark "clean" goes out in the same sync as the data; 2, the mark
 * "dirty" is not synced before the first bit.
 */
#ifndef BLOOMTOOL_WRONG_ORDER
#define BLOOMTOOL_WRONG_ORDER 0
#endif

static enum live_state
state_of(const struct writing *w)
{
	return live_state(w->view, w->boot);
}

/* ---- syncs ---- */

/*
 * A failed sync is final: the kernel takes the pages for written, and a second
 * sync reports success while the data are gone.  The mark tells everybody.  If
 * it cannot be stored either, the file is still dirty on disk, which comes to
 * the same once this boot is over.
 */
static int
sync_failed(struct writing *w, char why[WHY_SIZE])
{
	why_errno(why, "sync");
	w->view->live->sync_failed = le64_word(1);
	view_sync_header(w->view);
	return -1;
}

static int
sync_header(struct writing *w, char why[WHY_SIZE])
{
	return view_sync_header(w->view) == -1 ? sync_failed(w, why) : 0;
}

/* It has the size that it had, and a name. */
static int
check_file(const struct writing *w, char why[WHY_SIZE])
{
	if (view_check_size(w->view, why) == -1)
		return -1;
	if (w->hidden || samefile_named(w->view->fd))
		return 0;
	snprintf(why, WHY_SIZE, "replaced or removed while in use; what was "
	    "added is lost");
	return -1;
}

/*
 * The data first, and only when they are stored the word that they are: in
 * one sync the disk may store the second before the first.
 */
static int
sync_data(struct writing *w, char why[WHY_SIZE])
{
	if (view_sync(w->view) == -1)
		return sync_failed(w, why);
	if (check_file(w, why) == -1)
		return -1;
	w->unsynced = false;
	return 0;
}

/* Somebody else's sync may have failed on what we added. */
static int
check_marks(const struct writing *w, char why[WHY_SIZE])
{
	if (!live_sync_failed(w->view))
		return 0;
	snprintf(why, WHY_SIZE, "a sync has failed, keys may be missing");
	return -1;
}

/* What a sync will have stored: keys added until now. */
struct synced {
	int64_t at;
	uint64_t keys;
};

static struct synced
synced_now(const struct writing *w)
{
	return (struct synced){ (int64_t)time(NULL),
	    le64_word(w->view->live->keys_added) };
}

/*
 * Keep since when keys would be missing, should the machine go down.  If keys
 * are missing already, since when they are.
 */
static int
note_sync(struct writing *w, struct synced s, char why[WHY_SIZE])
{
	struct format_live *live = w->view->live;

	if (live->unclean == 0) {
		live->synced_at = le64_word((uint64_t)s.at);
		live->keys_synced = le64_word(s.keys);
	}
	return sync_header(w, why);
}

static int
mark_clean(struct writing *w, struct synced s, char why[WHY_SIZE])
{
	w->view->live->state = le64_word(FORMAT_CLEAN);
	return note_sync(w, s, why);
}

/* ---- adding ---- */

/*
 * Step 1.  Who finds a file that was left dirty, and nobody there, has it alone
 * for a moment and looks at it: without a boot id only then can it be told that
 * nobody is at it.
 */
int
writing_begin(struct writing *w, bool alone, char why[WHY_SIZE])
{
	const int fd = w->view->fd;

	if (le64_word(w->view->live->state) != FORMAT_CLEAN &&
	    locks_try(fd, LOCKS_WRITERS) && state_of(w) == LIVE_UNCLEAN)
		w->view->live->unclean = le64_word(1);
	return locks_take(fd, LOCKS_WRITERS, alone, w->wait, why);
}

/*
 * Step 3, before the first bit: say on stable storage that the file is being
 * written, and since which boot.  DIRTYING says that somebody may have died
 * before that sync, so that the next one does it again.
 */
static int
mark_dirty(struct writing *w, char why[WHY_SIZE])
{
	struct format_live *live = w->view->live;
	const uint64_t state = le64_word(live->state);
	const enum live_state now = state_of(w);

	if (state == FORMAT_DIRTY && !live_may_miss(now))
		return 0;
	/* Written when the machine went down: keys may be missing since. */
	if (now == LIVE_UNCLEAN)
		live->unclean = le64_word(1);
	atomic_thread_fence(memory_order_release);
	live->boot_id[0] = le64_word(w->boot[0]);
	live->boot_id[1] = le64_word(w->boot[1]);
	/* Readers look at the state first. */
	atomic_thread_fence(memory_order_release);
	live->state = le64_word(FORMAT_DIRTYING);
	if (BLOOMTOOL_WRONG_ORDER != 2 && sync_header(w, why) == -1)
		return -1;
	live->state = le64_word(FORMAT_DIRTY);
	return 0;
}

/* Steps 2 and 3. */
int
writing_lock(struct writing *w, char why[WHY_SIZE])
{
	const int fd = w->view->fd;

	if (locks_take(fd, LOCKS_BATCH, true, w->wait, why) == -1)
		return -1;
	view_layers(w->view);	/* somebody else may have put one on top */
	if (view_check_layers(w->view, why) == -1 ||
	    (!w->marked && mark_dirty(w, why) == -1)) {
		locks_drop(fd, LOCKS_BATCH);
		return -1;
	}
	w->marked = true;
	w->locked = w->unsynced = true;
	return 0;
}

/* Step 4: layers_set, mapfile_count and then this. */
void
writing_unlock(struct writing *w)
{
	w->locked = false;
	locks_drop(w->view->fd, LOCKS_BATCH);
}

/* Step 5. */
int
writing_sync(struct writing *w, char why[WHY_SIZE])
{
	const struct synced s = synced_now(w);

	if (!writing_unsynced(w))
		return 0;
	if (sync_data(w, why) == -1 || check_marks(w, why) == -1)
		return -1;
	return note_sync(w, s, why);
}

bool
writing_unsynced(const struct writing *w)
{
	return w->unsynced && !w->no_sync;
}

/*
 * Steps 6 and 7.  Everybody lets go of the presence lock before trying to get
 * it alone: of two that leave at once, both would fail if they still held it.
 * The last one cleans up, for those who were killed too; but an add that added
 * nothing does not call clean what another boot left.
 */
int
writing_end(struct writing *w, char why[WHY_SIZE])
{
	const struct view *v = w->view;

	if (w->no_sync)
		return w->unsynced ? check_file(w, why) : 0;
	if (BLOOMTOOL_WRONG_ORDER == 1)
		v->live->state = le64_word(FORMAT_CLEAN);
	if (w->unsynced &&
	    (sync_data(w, why) == -1 || check_marks(w, why) == -1))
		return -1;
	/* Also if all was synced before: it may have been replaced since. */
	if (w->marked && check_file(w, why) == -1)
		return -1;
	locks_drop(v->fd, LOCKS_WRITERS);
	/* A recover or union may have come in between, and has all of it. */
	if (!locks_try(v->fd, LOCKS_WRITERS) || !samefile_named(v->fd))
		return 0;
	if (le64_word(v->live->state) == FORMAT_CLEAN ||
	    (!w->marked && live_may_miss(state_of(w))))
		return 0;
	/* Step 7. */
	const struct synced s = synced_now(w);
	if (sync_data(w, why) == -1 || check_marks(w, why) == -1)
		return -1;
	return mark_clean(w, s, why);
}

/* ---- a new layer ---- */

/* Its zeros, then what it is, then that there is one. */
int
writing_grow(struct writing *w, char why[WHY_SIZE])
{
	struct view *v = w->view;
	const unsigned number = v->layers.n;
	struct format_part next;

	assert(w->locked);
	if (parts_next(&v->header, &next) != SIZING_OK) {
		snprintf(why, WHY_SIZE, "full: cannot grow beyond %u layers",
		    number);
		return -1;
	}
	if (view_make_space(v, next.offset + next.plan.shape.blocks *
	    SIZING_BLOCK_BYTES, why) == -1)
		return -1;
	if (stable_file(v->fd) == -1)
		return sync_failed(w, why);
	page1_layer(&v->header, &next, number, view_entry(v, number));
	if (sync_header(w, why) == -1)
		return -1;
	atomic_thread_fence(memory_order_release);
	v->live->more_layers = le64_word(number);
	if (sync_header(w, why) == -1)
		return -1;
	return view_add(v, &next, why);
}

/* ---- recovering ---- */

/* Where the system may have failed to write: all of it goes to the copy. */
void
writing_move(struct writing *w)
{
	w->hidden = true;
	w->marked = true;	/* nobody looks at the mark */
}

int
writing_recovered(struct writing *w, char why[WHY_SIZE])
{
	counters_anew(w->view);		/* those of bits may be off */
	const struct synced s = synced_now(w);
	progress_begin("syncing", 0);
	const int synced = sync_data(w, why);
	progress_end();
	if (synced == -1)
		return -1;
	w->view->live->unclean = w->view->live->sync_failed = 0;
	return mark_clean(w, s, why);
}
