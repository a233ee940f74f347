/*
 * Filter files in use.  What is in them comes in by view.c and live.c, and
 * changes by writing.c; here is who they are opened for, and what is left of
 * them at the end.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "boot.h"
#include "counters.h"
#include "heir.h"
#include "mapfile.h"
#include "network.h"
#include "progress.h"
#include "regular.h"
#include "samefile.h"
#include "view.h"
#include "writing.h"

struct mapfile {
	struct view view;
	struct writing writing;
	struct mapfile_how how;
	uint64_t boot[2];	/* the id of this boot */
	struct heir *heir;	/* what we map instead of the file, to take its
				   place when it is whole; or NULL */
};

/* ---- opening ---- */

static bool
writes(const struct mapfile *m)
{
	return m->how.use == MAPFILE_ADD || m->how.use == MAPFILE_RECOVER;
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
	m->heir = heir_copy(m->view.path, m->view.fd, view_size(&m->view),
	    why);
	if (m->heir == NULL)
		return -1;
	writing_move(&m->writing);
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
	const bool alone = m->how.use == MAPFILE_RECOVER;

	if (writing_begin(&m->writing, alone, why) == -1)
		return -1;
	*again = !samefile_named(m->view.fd) &&
	    !samefile_path(m->view.path, m->view.fd);
	if (*again)
		return -1;
	view_layers(&m->view);	/* some may have come meanwhile */
	if (view_check_layers(&m->view, why) == -1)
		return -1;
	return alone && live_state(&m->view, m->boot) != LIVE_UNCLEAN ?
	    renew(m, why) : 0;
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
	m->writing = (struct writing){ .view = &m->view, .boot = m->boot,
	    .wait = how.wait, .no_sync = how.no_sync };
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

/* ---- reading ---- */

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

struct live
mapfile_live(const struct mapfile *m)
{
	return live_read(&m->view, m->boot);
}

int
mapfile_read(const struct mapfile *m, void *buf, size_t n, uint64_t at,
    char why[WHY_SIZE])
{
	return view_read(&m->view, buf, n, at, why);
}

bool
mapfile_is(const struct mapfile *m, int fd)
{
	return samefile_open(m->view.fd, fd);
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

double
mapfile_full(const struct mapfile *m)
{
	return counters_full(&m->view);
}

/* ---- writing ---- */

int
mapfile_lock(struct mapfile *m, char why[WHY_SIZE])
{
	return writing_lock(&m->writing, why);
}

void
mapfile_unlock(struct mapfile *m)
{
	writing_unlock(&m->writing);
}

void
mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits)
{
	assert(m->writing.locked);
	counters_raise(&m->view, keys, bits);
}

uint64_t
mapfile_room(const struct mapfile *m)
{
	const enum format_full full = m->view.header.full;

	/* What is recovered was counted before. */
	if (full == FORMAT_FULL_WARN ||
	    (full == FORMAT_FULL_STOP && m->how.use == MAPFILE_RECOVER))
		return UINT64_MAX;
	return counters_room(&m->view);
}

int
mapfile_grow(struct mapfile *m, char why[WHY_SIZE])
{
	return writing_grow(&m->writing, why);
}

int
mapfile_sync(struct mapfile *m, char why[WHY_SIZE])
{
	return writing_sync(&m->writing, why);
}

bool
mapfile_unsynced(const struct mapfile *m)
{
	return writing_unsynced(&m->writing);
}

/* ---- closing ---- */

int
mapfile_recovered(struct mapfile *m, char why[WHY_SIZE])
{
	int r = writing_recovered(&m->writing, why);

	if (r == 0 && m->heir != NULL)
		r = heir_succeed(m->heir, why);
	return finish(m, r);
}

int
mapfile_close(struct mapfile *m, char why[WHY_SIZE])
{
	int r = 0;

	if (m->how.use == MAPFILE_ADD) {
		progress_begin("syncing", 0);
		r = writing_end(&m->writing, why);
		progress_end();
	}
	return finish(m, r);
}
