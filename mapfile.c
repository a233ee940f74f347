/*
 * Filter files.  The order of the steps here is what keeps keys from being
 * lost; bloomtool(5) says what each state and lock means.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "boot.h"
#include "bus.h"
#include "le.h"
#include "locks.h"
#include "mapfile.h"
#include "network.h"
#include "newfile.h"
#include "samefile.h"

/*
 * For tests/torture/power.bats, which has to find both of these wrong orders:
 * 1, the mark "clean" goes out in the same sync as the data; 2, the mark
 * "dirty" is not synced before the first bit.
 */
#ifndef BLOOMTOOL_WRONG_ORDER
#define BLOOMTOOL_WRONG_ORDER 0
#endif

struct mapfile {
	int fd;
	struct mapfile_how how;
	bool marked;		/* we have seen the dirty mark synced */
	bool locked;		/* we hold the batch lock */
	bool unsynced;		/* something was added since the last sync */
	uint64_t boot[2];	/* the id of this boot */
	size_t size;
	uint8_t *base;
	struct format_live *live;
	struct header header;
	struct newfile *heir;	/* what we map instead of the file, to take its
				   place when it is whole; or NULL */
	int heir_of;		/* the file then, which we keep locked */
};

/* Refuses what is no regular file; O_NONBLOCK so that a FIFO does not hang. */
static int
open_regular(const char *path, bool add, struct stat *st, char why[WHY_SIZE])
{
	const int fd = open(path, (add ? O_RDWR : O_RDONLY) | O_CLOEXEC |
	    O_NOCTTY | O_NONBLOCK);

	if (fd == -1)
		return why_errno(why, NULL);
	if (fstat(fd, st) == -1)
		why_errno(why, NULL);
	else if (S_ISDIR(st->st_mode))
		snprintf(why, WHY_SIZE, "is a directory");
	else if (!S_ISREG(st->st_mode))
		snprintf(why, WHY_SIZE, "not a regular file");
	else
		return fd;
	close(fd);
	return -1;
}

/* The first bytes of the file, from a copy that nobody can change later. */
static ssize_t
read_head(int fd, uint8_t buf[FORMAT_HEADER])
{
	size_t have = 0;

	while (have < FORMAT_HEADER) {
		const ssize_t n = pread(fd, buf + have, FORMAT_HEADER - have,
		    (off_t)have);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int
check_header(int fd, off_t size, struct header *h, char why[WHY_SIZE])
{
	uint8_t buf[FORMAT_HEADER];
	const ssize_t n = read_head(fd, buf);
	char words[FORMAT_WORDS];

	if (n == -1)
		return why_errno(why, NULL);
	const struct format_fault f = format_decode(h, buf, (size_t)n,
	    (uint64_t)size);
	if (f.err == FORMAT_OK)
		return 0;
	snprintf(why, WHY_SIZE, "%s", format_strerror(&f, words));
	return -1;
}

int
mapfile_read_header(const char *path, struct header *h, char why[WHY_SIZE])
{
	struct stat st;
	const int fd = open_regular(path, false, &st, why);

	if (fd == -1)
		return -1;
	const int r = check_header(fd, st.st_size, h, why);
	close(fd);
	return r;
}

static bool
writes(const struct mapfile *m)
{
	return m->how.use == MAPFILE_ADD || m->how.use == MAPFILE_RECOVER;
}

static int
map(struct mapfile *m, off_t size, char why[WHY_SIZE])
{
	const bool here_and_there = m->how.use == MAPFILE_CHECK ||
	    m->how.use == MAPFILE_ADD;

	if ((uint64_t)size > SIZE_MAX) {
		errno = EFBIG;
		return why_errno(why, "does not fit into memory addresses");
	}
	m->size = (size_t)size;
	void *p = mmap(NULL, m->size, writes(m) ? PROT_READ | PROT_WRITE :
	    PROT_READ, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return why_errno(why, "map");
	m->base = p;
	m->live = (struct format_live *)(m->base + FORMAT_LIVE);
	/* Advice: no harm if it is not taken. */
	posix_madvise(p, m->size, here_and_there ? POSIX_MADV_RANDOM :
	    POSIX_MADV_SEQUENTIAL);
	return 0;
}

const struct header *
mapfile_header(const struct mapfile *m)
{
	return &m->header;
}

struct filter
mapfile_filter(const struct mapfile *m)
{
	return (struct filter){ (uint64_t *)(m->base + FORMAT_HEADER),
	    m->header.shape };
}

/* Which boot the file was made dirty in. */
enum boot {
	BOOT_UNKNOWN,		/* this system has no boot id */
	BOOT_THIS,
	BOOT_OTHER
};

static enum boot
boot_of(const struct mapfile *m)
{
	if ((m->boot[0] | m->boot[1]) == 0)
		return BOOT_UNKNOWN;
	return le64_word(m->live->boot_id[0]) == m->boot[0] &&
	    le64_word(m->live->boot_id[1]) == m->boot[1] ? BOOT_THIS :
	    BOOT_OTHER;
}

/*
 * What the state word says, leaving the marks aside.  The boot id speaks
 * before the lock does: a writer may be there that has not come to its first
 * key yet, and so has not marked what it found.
 */
static enum mapfile_state
unmarked_state(const struct mapfile *m)
{
	if (le64_word(m->live->state) == FORMAT_CLEAN)
		return MAPFILE_CLEAN;
	atomic_thread_fence(memory_order_acquire);
	const enum boot boot = boot_of(m);
	const bool writers = locks_held(m->fd, LOCKS_WRITERS);
	/* The last writer may have finished between the looks. */
	if (le64_word(m->live->state) == FORMAT_CLEAN)
		return MAPFILE_CLEAN;
	if (boot == BOOT_OTHER || (boot == BOOT_UNKNOWN && !writers))
		return MAPFILE_UNCLEAN;
	return writers ? MAPFILE_IN_USE : MAPFILE_LEFT;
}

/*
 * The marks come last: who makes an unclean file dirty anew sets the mark
 * before it changes what the state is judged by.
 */
static enum mapfile_state
state_of(const struct mapfile *m)
{
	const enum mapfile_state s = unmarked_state(m);

	atomic_thread_fence(memory_order_acquire);
	if (m->live->sync_failed != 0)
		return MAPFILE_SYNC_FAILED;
	return m->live->unclean != 0 ? MAPFILE_UNCLEAN : s;
}

/*
 * Take part in the writing, or have it alone.  Who finds a file that was left
 * dirty, and nobody there, has it alone for a moment and looks at it: without
 * a boot id only then can it be told that nobody is at it.
 */
static int
join_writers(struct mapfile *m, char why[WHY_SIZE])
{
	if (le64_word(m->live->state) != FORMAT_CLEAN &&
	    locks_try(m->fd, LOCKS_WRITERS) && state_of(m) == MAPFILE_UNCLEAN)
		m->live->unclean = le64_word(1);
	return locks_take(m->fd, LOCKS_WRITERS,
	    m->how.use == MAPFILE_RECOVER, m->how.wait, why);
}

/* Is this the file that the path leads to? */
static bool
is_named(const char *path, int fd)
{
	struct stat a, b;

	return stat(path, &a) == 0 && fstat(fd, &b) == 0 && same_file(&a, &b);
}

static bool
has_name(const struct mapfile *m)
{
	struct stat st;

	return fstat(m->fd, &st) == -1 || st.st_nlink > 0;
}

static int
finish(struct mapfile *m, int r)
{
	if (m->base != NULL)
		munmap(m->base, m->size);
	if (m->heir == NULL) {
		close(m->fd);		/* and with it go the locks */
	} else {
		newfile_close(m->heir);
		close(m->heir_of);
	}
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
renew(struct mapfile *m, const char *path, char why[WHY_SIZE])
{
	struct stat st;

	if (fstat(m->fd, &st) == -1)
		return why_errno(why, NULL);
	if (st.st_nlink > 1) {
		snprintf(why, WHY_SIZE, "has other names (hard links), which "
		    "would keep the damaged file; remove them");
		return -1;
	}
	char *real = realpath(path, NULL);
	if (real == NULL)
		return why_errno(why, NULL);
	/* It may have a name, and the old one may be private. */
	struct newfile *heir = newfile_open(real, S_IRUSR | S_IWUSR, m->size,
	    why);
	free(real);
	if (heir == NULL)
		return -1;
	m->heir = heir;
	m->heir_of = m->fd;
	m->fd = newfile_fd(heir);
	if (newfile_copy(heir, m->heir_of, m->size) == -1)
		return why_errno(why, "copy");
	munmap(m->base, m->size);
	m->base = NULL;
	m->marked = true;	/* nobody else sees it */
	return map(m, st.st_size, why);
}

/*
 * *again: another file has taken the place of this one while we waited for its
 * lock.
 */
static struct mapfile *
open_now(const char *path, struct mapfile_how how, bool *again,
    char why[WHY_SIZE])
{
	struct mapfile *m = calloc(1, sizeof(*m));
	struct stat st;

	*again = false;
	if (m == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	m->how = how;
	m->fd = open_regular(path, writes(m), &st, why);
	if (m->fd == -1) {
		free(m);
		return NULL;
	}
	if (check_header(m->fd, st.st_size, &m->header, why) == -1)
		goto failed;
	if (writes(m) && m->header.write_flags != 0) {
		snprintf(why, WHY_SIZE, "needs features that this build lacks "
		    "to write to it (flags 0x%" PRIx64 ")",
		    m->header.write_flags);
		goto failed;
	}
	if (boot_id(m->boot) == -1) {
		why_errno(why, "boot id");
		goto failed;
	}
	const char *network = network_name(m->fd);
	if (writes(m) && !m->how.network && network != NULL) {
		snprintf(why, WHY_SIZE, "on a network file system (%s), where "
		    "hosts lose each other's keys; --network adds all the same",
		    network);
		goto failed;
	}
	if (map(m, st.st_size, why) == -1)
		goto failed;
	bus_catch(path);
	if (writes(m)) {
		if (join_writers(m, why) == -1)
			goto failed;
		*again = !has_name(m) && !is_named(path, m->fd);
		if (*again)
			goto failed;
	}
	if (how.use == MAPFILE_RECOVER && state_of(m) != MAPFILE_UNCLEAN &&
	    renew(m, path, why) == -1)
		goto failed;
	return m;

failed:
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
mapfile_check_size(const struct mapfile *m, char why[WHY_SIZE])
{
	struct stat st;

	if (fstat(m->fd, &st) == -1)
		return why_errno(why, NULL);
	if ((uint64_t)st.st_size == m->size)
		return 0;
	snprintf(why, WHY_SIZE, "size changed while in use: %" PRId64
	    " bytes, wanted %zu", (int64_t)st.st_size, m->size);
	return -1;
}

bool
mapfile_sync_failed(const struct mapfile *m)
{
	return m->live->sync_failed != 0;
}

struct mapfile_live
mapfile_live(const struct mapfile *m)
{
	return (struct mapfile_live){
		.state = state_of(m),
		.keys_added = le64_word(m->live->keys_added),
		.bits_set = le64_word(m->live->bits_set),
		.synced_at = (int64_t)le64_word(m->live->synced_at),
	};
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
	m->live->sync_failed = le64_word(1);
	msync(m->base, FORMAT_HEADER, MS_SYNC);
	return -1;
}

static int
sync_header(struct mapfile *m, char why[WHY_SIZE])
{
	int r;

	do
		r = msync(m->base, FORMAT_HEADER, MS_SYNC);
	while (r == -1 && errno == EINTR);
	return r == -1 ? sync_failed(m, why) : 0;
}

/*
 * Before the first bit: say on stable storage that the file is being written,
 * and since which boot.  DIRTYING says that somebody may have died before
 * that sync, so that the next one does it again.
 */
static int
mark_dirty(struct mapfile *m, char why[WHY_SIZE])
{
	const uint64_t state = le64_word(m->live->state);
	const enum mapfile_state now = state_of(m);

	if (state == FORMAT_DIRTY && !mapfile_may_miss(now))
		return 0;
	/* Written when the machine went down: keys may be missing since. */
	if (now == MAPFILE_UNCLEAN)
		m->live->unclean = le64_word(1);
	atomic_thread_fence(memory_order_release);
	m->live->boot_id[0] = le64_word(m->boot[0]);
	m->live->boot_id[1] = le64_word(m->boot[1]);
	/* Readers look at the state first. */
	atomic_thread_fence(memory_order_release);
	m->live->state = le64_word(FORMAT_DIRTYING);
	if (BLOOMTOOL_WRONG_ORDER != 2 && sync_header(m, why) == -1)
		return -1;
	m->live->state = le64_word(FORMAT_DIRTY);
	return 0;
}

int
mapfile_lock(struct mapfile *m, char why[WHY_SIZE])
{
	if (locks_take(m->fd, LOCKS_BATCH, true, m->how.wait, why) == -1)
		return -1;
	if (!m->marked) {
		if (mark_dirty(m, why) == -1) {
			locks_drop(m->fd, LOCKS_BATCH);
			return -1;
		}
		m->marked = true;
	}
	m->locked = m->unsynced = true;
	return 0;
}

void
mapfile_unlock(struct mapfile *m)
{
	m->locked = false;
	locks_drop(m->fd, LOCKS_BATCH);
}

void
mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits)
{
	const uint64_t most = m->header.shape.blocks * SIZING_BLOCK_BITS;
	const uint64_t all = le64_word(m->live->bits_set) + bits;

	assert(m->locked);
	m->live->keys_added = le64_word(le64_word(m->live->keys_added) + keys);
	/*
	 * Bits that a power cut took are counted twice when they come back.
	 * With more than there are, nobody could open the file again.
	 */
	m->live->bits_set = le64_word(all < most ? all : most);
}

/* It has the size that it had, and a name. */
static int
check_file(const struct mapfile *m, char why[WHY_SIZE])
{
	if (mapfile_check_size(m, why) == -1)
		return -1;
	if (m->heir != NULL || has_name(m))
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
	int r;

	do
		r = fdatasync(m->fd);
	while (r == -1 && errno == EINTR);
	if (r == -1)
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
	    le64_word(m->live->keys_added) };
}

/*
 * Keep since when keys would be missing, should the machine go down.  If keys
 * are missing already, since when they are.
 */
static int
note_sync(struct mapfile *m, struct synced s, char why[WHY_SIZE])
{
	if (m->live->unclean == 0) {
		m->live->synced_at = le64_word((uint64_t)s.at);
		m->live->keys_synced = le64_word(s.keys);
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
	m->live->state = le64_word(FORMAT_CLEAN);
	return note_sync(m, s, why);
}

/*
 * Everybody lets go of the presence lock before trying to get it alone: of
 * two that leave at once, both would fail if they still held it.  The last one
 * cleans up, for those who were killed too; but an add that added nothing does not
 * call clean what another boot left.
 */
static int
leave(struct mapfile *m, char why[WHY_SIZE])
{
	if (m->how.no_sync)
		return m->unsynced ? check_file(m, why) : 0;
	if (BLOOMTOOL_WRONG_ORDER == 1)
		m->live->state = le64_word(FORMAT_CLEAN);
	if (m->unsynced &&
	    (sync_data(m, why) == -1 || check_marks(m, why) == -1))
		return -1;
	locks_drop(m->fd, LOCKS_WRITERS);
	if (!locks_try(m->fd, LOCKS_WRITERS))
		return 0;
	if (le64_word(m->live->state) == FORMAT_CLEAN ||
	    (!m->marked && mapfile_may_miss(state_of(m))))
		return 0;
	const struct synced s = synced_now(m);
	if (sync_data(m, why) == -1 || check_marks(m, why) == -1)
		return -1;
	return mark_clean(m, s, why);
}

int
mapfile_close(struct mapfile *m, char why[WHY_SIZE])
{
	return finish(m, m->how.use == MAPFILE_ADD ? leave(m, why) : 0);
}

/* ---- recovering ---- */

int
mapfile_recovered(struct mapfile *m, char why[WHY_SIZE])
{
	const struct filter filter = mapfile_filter(m);
	struct census c = { 0, 0, 0 };

	filter_census(&filter, 0, filter.shape.blocks, &c);
	m->live->bits_set = le64_word(c.ones);
	const struct synced s = synced_now(m);
	if (sync_data(m, why) == -1)
		return finish(m, -1);
	m->live->unclean = m->live->sync_failed = 0;
	int r = mark_clean(m, s, why);
	if (r == 0 && m->heir != NULL)
		r = newfile_replace(m->heir, m->heir_of, why);
	return finish(m, r);
}

bool
mapfile_is(const struct mapfile *m, int fd)
{
	struct stat a, b;

	return fstat(m->fd, &a) == 0 && fstat(fd, &b) == 0 && same_file(&a, &b);
}
