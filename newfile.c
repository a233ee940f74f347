/*
 * Makes filter files: an unnamed one, filled and synced, then linked.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* O_TMPFILE, fallocate */
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#endif
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "le.h"
#include "locks.h"
#include "newfile.h"
#include "number.h"
#include "signals.h"

static int
write_all(int fd, const void *buf, size_t n, off_t at)
{
	const uint8_t *p = buf;

	while (n > 0) {
		const ssize_t w = pwrite(fd, p, n, at);
		if (w == -1 && errno == EINTR)
			continue;
		if (w == -1)
			return -1;
		p += w;
		at += w;
		n -= (size_t)w;
	}
	return 0;
}

static int
write_zeros(int fd, uint64_t size)
{
	static uint8_t zeros[1 << 20];	/* never written to */

	for (uint64_t at = 0; at < size; at += sizeof(zeros)) {
		const uint64_t left = size - at;
		const size_t n = left < sizeof(zeros) ? (size_t)left :
		    sizeof(zeros);
		if (write_all(fd, zeros, n, (off_t)at) == -1)
			return -1;
		if (signals_caught()) {
			errno = EINTR;
			return -1;
		}
	}
	return 0;
}

/*
 * btrfs looks for new space at each write to a page, and if the disk is full
 * then kills the writer.  Without copy-on-write it does not, at the price of
 * its data checksums.  Only an empty file can be told so; it is no error if
 * that fails.
 */
static void
forbid_copy_on_write(int fd)
{
#if defined(FS_IOC_SETFLAGS) && defined(FS_NOCOW_FL)
	struct statfs fs;
	int flags;

	if (fstatfs(fd, &fs) == 0 &&
	    (unsigned long)fs.f_type == BTRFS_SUPER_MAGIC &&
	    ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
#else
	(void)fd;
#endif
}

/*
 * Reserve the space, so that a full disk is found out now and not as a SIGBUS
 * in the middle of an add.  Not posix_fallocate: where the file system cannot
 * reserve, its substitute writes a byte a page.
 */
static int
reserve(int fd, uint64_t size)
{
	struct statvfs fs;

	/* Do not fill a disk to the brim only to find that it is too small. */
	if (fstatvfs(fd, &fs) == 0 && fs.f_blocks > 0 && fs.f_frsize > 0 &&
	    size / fs.f_frsize > (uint64_t)fs.f_bfree) {
		errno = ENOSPC;
		return -1;
	}
#if defined(__linux__)
	int r;
	do
		r = fallocate(fd, 0, 0, (off_t)size);
	while (r == -1 && errno == EINTR);
	if (r == 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
		return r;
#endif
	return write_zeros(fd, size);
}

/* The directory in which a path's last part lies, to be freed. */
static char *
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	if (slash == path)
		return strdup("/");
	return strndup(path, (size_t)(slash - path));
}

/*
 * A new file is a draft first.  Without a name where the system can do that,
 * so that nothing is left behind even by kill -9; else with one of its own, in
 * the directory where it will be.
 */
struct draft {
	int fd;
	char *directory;
	int directory_fd;	/* to sync it; -1 if it may not be read */
	char *name;		/* NULL while it has none */
};

/* A name for it that is not in use, probably.  Short: paths have limits. */
static int
choose_name(struct draft *d)
{
	struct timespec now;
	const size_t size = strlen(d->directory) + 32;

	free(d->name);
	d->name = malloc(size);
	if (d->name == NULL)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(d->name, size, "%s/.bloomtool.%08lx", d->directory,
	    ((unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 12) &
	    0xfffffffful);
	return 0;
}

static void
forget_name(struct draft *d)
{
	free(d->name);
	d->name = NULL;
}

static int
open_named(struct draft *d)
{
	for (int tries = 0; tries < 100; tries++) {
		if (choose_name(d) == -1)
			return -1;
		d->fd = open(d->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    0666);
		if (d->fd != -1)
			return 0;
		if (errno != EEXIST)
			break;
	}
	forget_name(d);
	return -1;
}

static int
draft_open(struct draft *d, const char *path)
{
	d->directory = directory_of(path);
	if (d->directory == NULL)
		return -1;
	d->directory_fd = open(d->directory, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	if (d->directory_fd == -1 && errno != EACCES)
		return -1;
#if defined(O_TMPFILE)
	/* It gets its name through /proc, which may not be mounted. */
	if (access("/proc/self/fd", F_OK) == 0) {
		d->fd = open(d->directory, O_TMPFILE | O_RDWR | O_CLOEXEC,
		    0666);
		if (d->fd != -1)
			return 0;
		if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOSYS)
			return -1;
	}
#endif
	return open_named(d);
}

/* The file gets this name, which nothing may have. */
static int
draft_link(struct draft *d, const char *path)
{
	char proc[64];

	if (d->name == NULL) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", d->fd);
		return linkat(AT_FDCWD, proc, AT_FDCWD, path,
		    AT_SYMLINK_FOLLOW);
	}
	if (link(d->name, path) == 0)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	/* A file system without links, such as FAT. */
#if defined(RENAME_NOREPLACE)
	if (renameat2(AT_FDCWD, d->name, AT_FDCWD, path,
	    RENAME_NOREPLACE) == -1)
		return -1;
	forget_name(d);
	return 0;
#else
	return -1;
#endif
}

static int
draft_replace(struct draft *d, const char *path)
{
	for (int tries = 0; d->name == NULL; tries++) {
		if (choose_name(d) == -1)
			return -1;
		char *name = d->name;
		d->name = NULL;
		if (draft_link(d, name) == 0) {
			d->name = name;
		} else {
			free(name);
			if (errno != EEXIST || tries == 100)
				return -1;
		}
	}
	if (rename(d->name, path) == -1)
		return -1;
	forget_name(d);
	return 0;
}

/* Give it its name; no signal may come between two names. */
static int
draft_publish(struct draft *d, const char *path, bool replace)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	const int r = replace ? draft_replace(d, path) : draft_link(d, path);
	const int saved = errno;
	if (d->name != NULL)
		unlink(d->name);
	forget_name(d);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

static void
draft_close(struct draft *d)
{
	if (d->name != NULL)
		unlink(d->name);
	forget_name(d);
	if (d->fd != -1)
		close(d->fd);
	if (d->directory_fd != -1)
		close(d->directory_fd);
	free(d->directory);
}

/* That the name will survive a power cut. */
static int
draft_sync_name(const struct draft *d)
{
	int r;

	do
		r = d->directory_fd != -1 ? fsync(d->directory_fd) :
#if defined(__linux__)
		    syncfs(d->fd);
#else
		    0;
#endif
	while (r == -1 && errno == EINTR);
	/* Some file systems cannot sync a directory and need not. */
	return r == -1 && errno == EINVAL ? 0 : r;
}

static int
draft_fill(const struct draft *d, const struct header *h, char why[WHY_SIZE])
{
	uint8_t buf[FORMAT_HEADER];
	const uint64_t size = format_file_size(h->shape.blocks);
	char words[NUMBER_WORDS], what[64];
	int r;

	format_encode(h, buf);
	forbid_copy_on_write(d->fd);
	if (reserve(d->fd, size) == -1) {
		snprintf(what, sizeof(what), "cannot reserve %s",
		    number_bytes(size, words));
		return why_errno(why, what);
	}
	if (write_all(d->fd, buf, sizeof(buf), 0) == -1)
		return why_errno(why, "write");
	do
		r = fsync(d->fd);
	while (r == -1 && errno == EINTR);
	if (r == -1)
		return why_errno(why, "sync");
	if (signals_caught()) {
		errno = EINTR;
		return why_errno(why, NULL);
	}
	return 0;
}

/* May a new file come under this name? */
static int
check_name(const char *path, bool replace, bool *exists, char why[WHY_SIZE])
{
	struct stat st;

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

/*
 * Has nobody begun to use the new file?  Whoever is about to gets the lock only
 * when we are gone, and then notices that the file has no name.
 */
static bool
unused(const struct draft *d)
{
	uint8_t keys[8];

	return locks_try(d->fd, LOCKS_WRITERS) &&
	    pread(d->fd, keys, sizeof(keys), FORMAT_LIVE +
	    (off_t)offsetof(struct format_live, keys_added)) ==
	    (ssize_t)sizeof(keys) && le64_get(keys) == 0;
}

static int
make_draft(struct draft *d, const char *path, const struct header *h,
    bool replace, bool *exists, char why[WHY_SIZE])
{
	if (draft_open(d, path) == -1)
		return why_errno(why, NULL);
	if (draft_fill(d, h, why) == -1)
		return -1;
	if (draft_publish(d, path, replace) == -1) {
		*exists = errno == EEXIST;
		return why_errno(why, NULL);
	}
	if (draft_sync_name(d) == 0)
		return 0;
	why_errno(why, "sync of its directory");
	if (!replace && unused(d))
		unlink(path);
	return -1;
}

int
newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE])
{
	struct draft d = { -1, NULL, -1, NULL };

	*exists = false;
	if (check_name(path, replace, exists, why) == -1)
		return -1;
	const int r = make_draft(&d, path, h, replace, exists, why);
	draft_close(&d);
	return r;
}
