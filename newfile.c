/*
 * A draft, filled and synced, then entered under its name, and that synced.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* sync_file_range */
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "draft.h"
#include "entry.h"
#include "le.h"
#include "locks.h"
#include "newfile.h"
#include "number.h"
#include "owner.h"
#include "progress.h"
#include "regular.h"
#include "signals.h"
#include "space.h"
#include "stable.h"

struct newfile {
	struct draft draft;
	uint64_t keys;		/* added to it when it got its name */
};

int
newfile_check(const char *path, bool replace, bool *exists,
    char why[WHY_SIZE])
{
	struct stat st;

	*exists = false;
	if (lstat(path, &st) == -1)
		return 0;	/* what is wrong, if not ENOENT, shows later */
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return why_errno(why, NULL);
	}
	if (!replace) {
		*exists = true;
		errno = EEXIST;
		return why_errno(why, NULL);
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, WHY_SIZE, "not a regular file, will not "
		    "replace it");
		return -1;
	}
	return 0;
}

/* Its count of keys; what export writes may be too short to have one. */
static int
read_keys(const struct newfile *f, uint64_t *keys)
{
	uint8_t bytes[8] = { 0 };
	ssize_t n;

	do
		n = pread(f->draft.fd, bytes, sizeof(bytes), FORMAT_LIVE +
		    (off_t)offsetof(struct format_live, keys_added));
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return -1;
	*keys = le64_get(bytes);
	return 0;
}

/*
 * Has nobody begun to use the new file?  Whoever is about to gets the lock only
 * when we are gone, and then notices that the file has no name.
 */
static bool
unused(const struct newfile *f)
{
	uint64_t keys;

	return locks_try(f->draft.fd, LOCKS_WRITERS) && read_keys(f, &keys) == 0 &&
	    keys == f->keys;
}

static int
cannot_reserve(uint64_t size, char why[WHY_SIZE])
{
	char words[NUMBER_WORDS], what[64];

	snprintf(what, sizeof(what), "cannot reserve %s",
	    number_bytes(size, words));
	return why_errno(why, what);
}

struct newfile *
newfile_open(const char *path, mode_t mode, uint64_t size,
    char why[WHY_SIZE])
{
	struct newfile *f = calloc(1, sizeof(*f));

	if (f == NULL || draft_begin(&f->draft, path) == -1 ||
	    draft_open(&f->draft, mode) == -1) {
		why_errno(why, NULL);
		goto failed;
	}
	space_in_place(f->draft.fd);
	if (size > 0 && space_reserve(f->draft.fd, 0, size) == -1) {
		cannot_reserve(size, why);
		goto failed;
	}
	return f;

failed:
	newfile_close(f);
	return NULL;
}

int
newfile_room(const struct newfile *f, uint64_t size, char why[WHY_SIZE])
{
	return space_room(f->draft.fd, size) == -1 ?
	    cannot_reserve(size, why) : 0;
}

int
newfile_fd(const struct newfile *f)
{
	return f->draft.fd;
}

/*
 * Let the disk begin with the pieces that are complete now, while we make the
 * next: otherwise most of its work waits for the sync at the end.  An error
 * shows there.
 */
static void
start_writing(const struct newfile *f, uint64_t from, uint64_t to)
{
#if defined(SYNC_FILE_RANGE_WRITE)
	const uint64_t piece = UINT64_C(1) << 23;
	const uint64_t begin = from - from % piece, end = to - to % piece;

	if (begin < end)
		sync_file_range(f->draft.fd, (off_t)begin, (off_t)(end - begin),
		    SYNC_FILE_RANGE_WRITE);
#else
	(void)f, (void)from, (void)to;
#endif
}

int
newfile_write(struct newfile *f, const void *buf, size_t n, uint64_t at)
{
	if (space_write(f->draft.fd, buf, n, (off_t)at) == -1)
		return -1;
	start_writing(f, at, at + n);
	return 0;
}

int
newfile_copy(struct newfile *f, int from, uint64_t size)
{
	static uint8_t buf[1 << 18];

	for (uint64_t at = 0; at < size; ) {
		progress_at(at, 0);
		const ssize_t n = pread(from, buf, sizeof(buf), (off_t)at);
		if (n == -1 && errno == EINTR && !signals_caught())
			continue;
		if (n == 0)		/* it was cut short */
			errno = EIO;
		if (n > 0 && signals_caught()) {
			errno = EINTR;
			return -1;
		}
		if (n <= 0 || space_write(f->draft.fd, buf, (size_t)n,
		    (off_t)at) == -1)
			return -1;
		at += (uint64_t)n;
	}
	return 0;
}

static int
publish(struct newfile *f, bool replace, int old_fd, bool *exists,
    char why[WHY_SIZE])
{
	*exists = false;
	if (replace && owner_keep(f->draft.fd, f->draft.path) == -1)
		return why_errno(why, "cannot keep its owner");
	progress_begin("syncing", 0);
	const int r = stable_file(f->draft.fd);
	progress_end();
	if (r == -1)
		return why_errno(why, "sync");
	if (signals_caught()) {
		errno = EINTR;
		return why_errno(why, NULL);
	}
	if (read_keys(f, &f->keys) == -1)
		return why_errno(why, "read");
	/*
	 * What was written in large pieces stands in large pages, and each of
	 * them would later be written whole for one bit.
	 */
#if defined(POSIX_FADV_DONTNEED)
	posix_fadvise(f->draft.fd, 0, 0, POSIX_FADV_DONTNEED);
#endif
	if (entry_make(&f->draft, replace, old_fd) == -1) {
		*exists = !replace && errno == EEXIST;
		return why_errno(why, NULL);
	}
	if (entry_sync(&f->draft) == 0)
		return 0;
	why_errno(why, "sync of its directory");
	if (!replace && unused(f))
		unlink(f->draft.path);
	return -1;
}

int
newfile_publish(struct newfile *f, bool replace, bool *exists,
    char why[WHY_SIZE])
{
	return publish(f, replace, -1, exists, why);
}

int
newfile_replace(struct newfile *f, int fd, char why[WHY_SIZE])
{
	bool exists;
	const int r = publish(f, true, fd, &exists, why);

	/* No name there at all comes to the same. */
	if (r == -1 && (errno == ESTALE || errno == ENOENT))
		snprintf(why, WHY_SIZE, "replaced or removed in the "
		    "meantime");
	return r;
}

void
newfile_close(struct newfile *f)
{
	if (f == NULL)
		return;
	draft_close(&f->draft);
	free(f);
}

int
newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE])
{
	uint8_t head[FORMAT_HEADER];
	const uint64_t size = format_file_size(h->shape.blocks);

	if (newfile_check(path, replace, exists, why) == -1 ||
	    regular_fits(size, why) == -1)
		return -1;
	format_encode(h, head);
	struct newfile *f = newfile_open(path, 0666, size, why);
	if (f == NULL)
		return -1;
	const int r = space_write(f->draft.fd, head, sizeof(head), 0) == -1 ?
	    why_errno(why, "write") :
	    newfile_publish(f, replace, exists, why);
	newfile_close(f);
	return r;
}

int
newfile_keep(const char *path, char why[WHY_SIZE])
{
	struct draft d;
	int r = -1;

	if (draft_begin(&d, path) == 0) {
		if (d.directory_fd == -1)
			d.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
			    O_NONBLOCK);
		if (d.directory_fd != -1 || d.fd != -1)
			r = entry_sync(&d);
	}
	if (r == -1)
		why_errno(why, "sync of its directory");
	draft_close(&d);
	return r;
}
