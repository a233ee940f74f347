/*
 * Filter files.  The order of the steps here is what keeps keys from being
 * lost; bloomtool(5) says what each state and lock means.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot.h"
#include "census.h"
#include "heir.h"
#include "le.h"
#include "locks.h"
#include "mapfile.h"
#include "network.h"
#include "progress.h"
#include "regular.h"
#include "samefile.h"
#include "stable.h"
#include "view.h"

/*
 * For tests/torture/power.bats, which has to find both of these wrong orders:
 * 1, the mark "clean" goes out in the same sync as the data; 2, the mark
 * "dirty" is not synced before the first bit.
 */
#ifndef BLOOMTOOL_WRONG_ORDER
#define BLOOMTOOL_WRONG_ORDER 0
#endif

struct mapfile {
	struct view view;
	struct mapfile_how how;
	bool marked;		/* we have seen the dirty mark synced */
	bool locked;		/* we hold the batch lock */
	bool unsynced;		/* something was added since the last sync */
	uint64_t boot[2];	/* the id of this boot */
	struct heir *heir;	/* what we map instead of the file, to take its
				   place when it is whole; or NULL */
};

static bool
writes(const struct mapfile *m)
{
	return m->how.use == MAPFILE_ADD || m->how.use == MAPFILE_RECOVER;
}

const struct header *
mapfile_header(const struct mapfile *m)
{
	return &m->view.header;
}

const struct foreign_format *
mapfile_foreign(const struct mapfile *m)
{
	return m->view.foreign == NULL ? NULL : m->view.foreign->format;
}

uint64_t
mapfile_size(const struct mapfile *m)
{
	return view_size(&m->view);
}

const struct layers *
mapfile_layers(struct mapfile *m)
{
	return view_layers(&m->view);
}

int
mapfile_check_layers(const struct mapfile *m, char why[WHY_SIZE])
{
	return view_check_layers(&m->view, why);
}

/*
 * Take part in the writing, or have it alone.  Who finds a file that was left
 * dirty, and nobody there, has it alone for a moment and looks at it: without
 * a boot id only then can it be told that nobody is at it.
 */
static int
join_writers(struct mapfile *m, char why[WHY_SIZE])
{
	if (le64_word(m->view.live->state) != FORMAT_CLEAN &&
	    locks_try(m->view.fd, LOCKS_WRITERS) &&
	    live_state(&m->view, m->boot) == LIVE_UNCLEAN)
		m->view.live->unclean = le64_word(1);
	return locks_take(m->view.fd, LOCKS_WRITERS,
	    m->how.use == MAPFILE_RECOVER, m->how.wait, why);
}

static int
finish(struct mapfile *m, int r)
{
	const int fd = m->view.fd;

	view_close(&m->view);
	if (m->heir == NULL)
		close(fd);		/* and with it go the locks */
	else
		heir_close(m->heir);
	free(m);
	return r;
}

/*
 * Where the system may have failed to write, the file cannot be trusted even
 * when its pages look right: they may be taken for written, and what is written
 * later need not come back either (ext4 leaves the blocks marked as never
 * written to).  So the copy in memory, which is whole, goes into a new file,
 * which takes the old one's place when all is done.
 */
static int
renew(struct mapfile *m, char why[WHY_SIZE])
{
	m->heir = heir_copy(m->view.path, m->view.fd,
	    view_size(&m->view), why);
	if (m->heir == NULL)
		return -1;
	m->marked = true;	/* nobody else sees it */
	return view_move(&m->view, heir_fd(m->heir), why);
}

/* May this build, and this host, write to it? */
static int
check_writable(const struct mapfile *m, char why[WHY_SIZE])
{
	if (m->view.header.write_flags != 0) {
		snprintf(why, WHY_SIZE, "needs features that this build lacks "
		    "to write to it (flags 0x%" PRIx64 ")",
		    m->view.header.write_flags);
		return -1;
	}
	if (m->how.network)
		return 0;
	const char *network = network_name(m->view.fd);
	if (network == NULL)
		return 0;
	snprintf(why, WHY_SIZE, "on a network file system (%s), where hosts "
	    "lose each other's keys; --network adds all the same", network);
	return -1;
}

/* All that a reader needs. */
static int
begin(struct mapfile *m, int fd, const char *path, char why[WHY_SIZE])
{
	const struct view_how how = { .write = writes(m),
	    .random = m->how.use == MAPFILE_CHECK || m->how.use == MAPFILE_ADD,
	    .foreign = m->how.foreign, .encoding = m->how.encoding };

	if (view_open(&m->view, fd, path, how, why) == -1 ||
	    (writes(m) && check_writable(m, why) == -1))
		return -1;
	if (boot_id(m->boot) == -1)
		return why_errno(why, "boot id");
	return view_map(&m->view, why);
}

/*
 * And a writer.  *again: another file has taken the place of this one while we
 * waited for its lock.
 */
static int
begin_to_write(struct mapfile *m, bool *again, char why[WHY_SIZE])
{
	if (join_writers(m, why) == -1)
		return -1;
	*again = !samefile_named(m->view.fd) &&
	    !samefile_path(m->view.path, m->view.fd);
	if (*again)
		return -1;
	mapfile_layers(m);	/* some may have come meanwhile */
	if (mapfile_check_layers(m, why) == -1)
		return -1;
	return m->how.use == MAPFILE_RECOVER &&
	    live_state(&m->view, m->boot) != LIVE_UNCLEAN ? renew(m, why) : 0;
}

static struct mapfile *
open_now(const char *path, struct mapfile_how how, bool *again,
    char why[WHY_SIZE])
{
	struct mapfile *m = calloc(1, sizeof(*m));

	*again = false;
	if (m == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	m->how = how;
	const int fd = regular_open(path, writes(m), why);
	if (fd == -1) {
		free(m);
		return NULL;
	}
	if (begin(m, fd, path, why) == 0 &&
	    (!writes(m) || begin_to_write(m, again, why) == 0))
		return m;
	finish(m, -1);
	return NULL;
}

struct mapfile *
mapfile_open(const char *path, struct mapfile_how how, char why[WHY_SIZE])
{
	struct mapfile *m;
	bool again;

	do
		m = open_now(path, how, &again, why);
	while (again);
	return m;
}

int
mapfile_read(const struct mapfile *m, void *buf, size_t n, uint64_t at,
    char why[WHY_SIZE])
{
	return view_read(&m->view, buf, n, at, why);
}

int
mapfile_check_size(const struct mapfile *m, char why[WHY_SIZE])
{
	return view_check_size(&m->view, why);
}

bool
mapfile_sync_failed(const struct mapfile *m)
{
	return live_sync_failed(&m->view);
}

struct live
mapfile_live(const struct mapfile *m)
{
	return live_read(&m->view, m->boot);
}

/* ---- adding ---- */

/*
 * A failed sync is final: the kernel takes the pages for written, and a second
 * sync reports success while the data are gone.  The mark tells everybody.  If
 * it cannot be stored either, the file is still dirty on disk, which comes to
 * the same once this boot is over.
 */
static int
sync_failed(struct mapfile *m, char why[WHY_SIZE])
{
	why_errno(why, "sync");
	m->view.live->sync_failed = le64_word(1);
	view_sync_header(&m->view);
	return -1;
}

static int
sync_header(struct mapfile *m, char why[WHY_SIZE])
{
	return view_sync_header(&m->view) == -1 ? sync_failed(m, why) : 0;
}

/*
 * Before the first bit: say on stable storage that the file is being written,
 * and since which boot.  DIRTYING says that somebody may have died before
 * that sync, so that the next one does it again.
 */
static int
mark_dirty(struct mapfile *m, char why[WHY_SIZE])
{
	const uint64_t state = le64_word(m->view.live->state);
	const enum live_state now = live_state(&m->view, m->boot);

	if (state == FORMAT_DIRTY && !live_may_miss(now))
		return 0;
	/* Written when the machine went down: keys may be missing since. */
	if (now == LIVE_UNCLEAN)
		m->view.live->unclean = le64_word(1);
	atomic_thread_fence(memory_order_release);
	m->view.live->boot_id[0] = le64_word(m->boot[0]);
	m->view.live->boot_id[1] = le64_word(m->boot[1]);
	/* Readers look at the state first. */
	atomic_thread_fence(memory_order_release);
	m->view.live->state = le64_word(FORMAT_DIRTYING);
	if (BLOOMTOOL_WRONG_ORDER != 2 && sync_header(m, why) == -1)
		return -1;
	m->view.live->state = le64_word(FORMAT_DIRTY);
	return 0;
}

int
mapfile_lock(struct mapfile *m, char why[WHY_SIZE])
{
	if (locks_take(m->view.fd, LOCKS_BATCH, true, m->how.wait, why) == -1)
		return -1;
	mapfile_layers(m);	/* somebody else may have put one on top */
	if (mapfile_check_layers(m, why) == -1 ||
	    (!m->marked && mark_dirty(m, why) == -1)) {
		locks_drop(m->view.fd, LOCKS_BATCH);
		return -1;
	}
	m->marked = true;
	m->locked = m->unsynced = true;
	return 0;
}

void
mapfile_unlock(struct mapfile *m)
{
	m->locked = false;
	locks_drop(m->view.fd, LOCKS_BATCH);
}

static void
raise_count(uint64_t *word, uint64_t by, uint64_t most)
{
	const uint64_t old = le64_word(*word);

	*word = le64_word(old < most && by < most - old ? old + by : most);
}

/*
 * Bits that a power cut took are counted twice when they come back.  With more
 * than there are, nobody could open the file again.
 */
void
mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits)
{
	const unsigned last = m->view.layers.n - 1;
	uint64_t most = 0;

	assert(m->locked);
	for (unsigned i = 0; i <= last; i++)
		most += sizing_bits(&m->view.layers.layer[i].shape);
	raise_count(&m->view.live->keys_added, keys, UINT64_MAX);
	raise_count(&m->view.live->bits_set, bits, most);
	if (last > 0) {
		struct format_layer *e = view_entry(&m->view, last);
		raise_count(&e->keys_added, keys, UINT64_MAX);
		raise_count(&e->bits_set, bits,
		    sizing_bits(&m->view.layers.layer[last].shape));
	}
}

uint64_t
mapfile_room(const struct mapfile *m)
{
	const unsigned last = m->view.layers.n - 1;
	const uint64_t keys = m->view.header.part[last].plan.keys;
	const uint64_t added = le64_word(last == 0 ? m->view.live->keys_added :
	    view_entry(&m->view, last)->keys_added);

	/* What is recovered was counted before. */
	if (m->view.header.full == FORMAT_FULL_WARN ||
	    (m->view.header.full == FORMAT_FULL_STOP &&
	    m->how.use == MAPFILE_RECOVER))
		return UINT64_MAX;
	return added < keys ? keys - added : 0;
}

double
mapfile_full(const struct mapfile *m)
{
	double keys = 0;

	for (unsigned i = 0; i < m->view.layers.n; i++)
		keys += (double)m->view.header.part[i].plan.keys;
	return keys > 0 ?
	    (double)le64_word(m->view.live->keys_added) / keys : 0;
}

int
mapfile_grow(struct mapfile *m, char why[WHY_SIZE])
{
	const unsigned number = m->view.layers.n;
	struct format_part next;

	assert(m->locked);
	if (format_next_part(&m->view.header, &next) != SIZING_OK) {
		snprintf(why, WHY_SIZE, "full: cannot grow beyond %u layers",
		    number);
		return -1;
	}
	if (view_make_space(&m->view, next.offset + next.plan.shape.blocks *
	    SIZING_BLOCK_BYTES, why) == -1)
		return -1;
	if (stable_file(m->view.fd) == -1)
		return sync_failed(m, why);
	format_layer_encode(&m->view.header, &next, number,
	    view_entry(&m->view, number));
	if (sync_header(m, why) == -1)
		return -1;
	atomic_thread_fence(memory_order_release);
	m->view.live->more_layers = le64_word(number);
	if (sync_header(m, why) == -1)
		return -1;
	return view_add(&m->view, &next, why);
}

/* It has the size that it had, and a name. */
static int
check_file(const struct mapfile *m, char why[WHY_SIZE])
{
	if (mapfile_check_size(m, why) == -1)
		return -1;
	if (m->heir != NULL || samefile_named(m->view.fd))
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
sync_data(struct mapfile *m, char why[WHY_SIZE])
{
	if (view_sync(&m->view) == -1)
		return sync_failed(m, why);
	if (check_file(m, why) == -1)
		return -1;
	m->unsynced = false;
	return 0;
}

/* Somebody else's sync may have failed on what we added. */
static int
check_marks(const struct mapfile *m, char why[WHY_SIZE])
{
	if (!mapfile_sync_failed(m))
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
synced_now(const struct mapfile *m)
{
	return (struct synced){ (int64_t)time(NULL),
	    le64_word(m->view.live->keys_added) };
}

/*
 * Keep since when keys would be missing, should the machine go down.  If keys
 * are missing already, since when they are.
 */
static int
note_sync(struct mapfile *m, struct synced s, char why[WHY_SIZE])
{
	if (m->view.live->unclean == 0) {
		m->view.live->synced_at = le64_word((uint64_t)s.at);
		m->view.live->keys_synced = le64_word(s.keys);
	}
	return sync_header(m, why);
}

int
mapfile_sync(struct mapfile *m, char why[WHY_SIZE])
{
	const struct synced s = synced_now(m);

	if (!m->unsynced || m->how.no_sync)
		return 0;
	if (sync_data(m, why) == -1 || check_marks(m, why) == -1)
		return -1;
	return note_sync(m, s, why);
}

bool
mapfile_unsynced(const struct mapfile *m)
{
	return m->unsynced && !m->how.no_sync;
}

static int
mark_clean(struct mapfile *m, struct synced s, char why[WHY_SIZE])
{
	m->view.live->state = le64_word(FORMAT_CLEAN);
	return note_sync(m, s, why);
}

/*
 * Everybody lets go of the presence lock before trying to get it alone: of
 * two that leave at once, both would fail if they still held it.  The last one
 * cleans up, for those who were killed too; but an add that added nothing does
 * not call clean what another boot left.
 */
static int
leave(struct mapfile *m, char why[WHY_SIZE])
{
	if (m->how.no_sync)
		return m->unsynced ? check_file(m, why) : 0;
	if (BLOOMTOOL_WRONG_ORDER == 1)
		m->view.live->state = le64_word(FORMAT_CLEAN);
	if (m->unsynced &&
	    (sync_data(m, why) == -1 || check_marks(m, why) == -1))
		return -1;
	/* Also if all was synced before: it may have been replaced since. */
	if (m->marked && check_file(m, why) == -1)
		return -1;
	locks_drop(m->view.fd, LOCKS_WRITERS);
	/* A recover or union may have come in between, and has all of it. */
	if (!locks_try(m->view.fd, LOCKS_WRITERS) ||
	    !samefile_named(m->view.fd))
		return 0;
	if (le64_word(m->view.live->state) == FORMAT_CLEAN ||
	    (!m->marked && live_may_miss(live_state(&m->view, m->boot))))
		return 0;
	const struct synced s = synced_now(m);
	if (sync_data(m, why) == -1 || check_marks(m, why) == -1)
		return -1;
	return mark_clean(m, s, why);
}

int
mapfile_close(struct mapfile *m, char why[WHY_SIZE])
{
	int r = 0;

	if (m->how.use == MAPFILE_ADD) {
		progress_begin("syncing", 0);
		r = leave(m, why);
		progress_end();
	}
	return finish(m, r);
}

/* ---- recovering ---- */

/* The counts of bits may be off. */
static void
count_bits_anew(struct mapfile *m)
{
	uint64_t ones = 0, done = 0;

	progress_begin("counting bits", mapfile_size(m));
	for (unsigned i = 0; i < m->view.layers.n; i++) {
		const struct census c = census_layer(
		    &m->view.layers.layer[i], &done);
		ones += c.ones;
		if (i > 0)
			view_entry(&m->view, i)->bits_set = le64_word(c.ones);
	}
	m->view.live->bits_set = le64_word(ones);
	progress_end();
}

int
mapfile_recovered(struct mapfile *m, char why[WHY_SIZE])
{
	count_bits_anew(m);
	const struct synced s = synced_now(m);
	progress_begin("syncing", 0);
	const int synced = sync_data(m, why);
	progress_end();
	if (synced == -1)
		return finish(m, -1);
	m->view.live->unclean = m->view.live->sync_failed = 0;
	int r = mark_clean(m, s, why);
	if (r == 0 && m->heir != NULL)
		r = heir_succeed(m->heir, why);
	return finish(m, r);
}

bool
mapfile_is(const struct mapfile *m, int fd)
{
	return samefile_open(m->view.fd, fd);
}
