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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
 * btrfs would look for new space at each write, and on a full disk kill the
 * writer; that costs the file its data checksums.  Only empty files can have
 * it, others do not know it: not an error.
 */
static void
forbid_copy_on_write(int fd)
{
#if defined(FS_IOC_SETFLAGS) && defined(FS_NOCOW_FL)
	struct statfs fs;
	int flags;

	if (fstatfs(fd, &fs) == 0 && fs.f_type == BTRFS_SUPER_MAGIC &&
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
	if (fstatvfs(fd, &fs) == 0 && fs.f_frsize > 0 &&
	    size / fs.f_frsize > fs.f_bfree) {
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

/* A name beside path that is not in use, probably; to be freed. */
static char *
beside(const char *path)
{
	struct timespec now;
	const size_t size = strlen(path) + 32;
	char *name = malloc(size);

	if (name == NULL)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, size, "%s.%08lx.tmp", path,
	    ((unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 12) &
	    0xfffffffful);
	return name;
}

/*
 * A file being made.  Without a name where the system can do that, so that
 * nothing is left behind even by kill -9; else with one of its own.
 */
struct draft {
	int fd;
	char *directory;
	char *name;		/* NULL while it has none */
};

static int
draft_open(struct draft *d, const char *path)
{
	*d = (struct draft){ -1, directory_of(path), NULL };
	if (d->directory == NULL)
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
	d->name = beside(path);
	if (d->name == NULL)
		return -1;
	d->fd = open(d->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (d->fd == -1) {
		free(d->name);
		d->name = NULL;
	}
	return d->fd == -1 ? -1 : 0;
}

static int
draft_link(const struct draft *d, const char *path)
{
	char proc[64];

	if (d->name != NULL)
		return link(d->name, path);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", d->fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int
draft_replace(struct draft *d, const char *path)
{
	if (d->name == NULL) {
		char *name = beside(path);
		if (name == NULL || draft_link(d, name) == -1) {
			free(name);
			return -1;
		}
		d->name = name;
	}
	if (rename(d->name, path) == -1)
		return -1;
	free(d->name);
	d->name = NULL;
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
	free(d->name);
	d->name = NULL;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

static void
draft_close(struct draft *d)
{
	if (d->name != NULL)
		unlink(d->name);
	if (d->fd != -1)
		close(d->fd);
	free(d->name);
	free(d->directory);
}

static int
sync_directory(const char *directory)
{
	const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return -1;
	const int r = fsync(fd);
	const int saved = errno;
	close(fd);
	/* Some file systems cannot sync a directory and need not. */
	if (r == -1 && saved != EINVAL) {
		errno = saved;
		return -1;
	}
	return 0;
}

static int
draft_fill(const struct draft *d, const struct header *h,
    char why[WHY_SIZE])
{
	uint8_t buf[FORMAT_HEADER];
	const uint64_t size = format_file_size(h->shape.blocks);
	char words[NUMBER_WORDS], what[64];

	format_encode(h, buf);
	forbid_copy_on_write(d->fd);
	if (reserve(d->fd, size) == -1) {
		snprintf(what, sizeof(what), "cannot reserve %s",
		    number_bytes(size, words));
		return why_errno(why, what);
	}
	if (write_all(d->fd, buf, sizeof(buf), 0) == -1)
		return why_errno(why, "write");
	if (fsync(d->fd) == -1)
		return why_errno(why, "sync");
	if (signals_caught()) {
		errno = EINTR;
		return why_errno(why, NULL);
	}
	return 0;
}

int
newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE])
{
	struct draft d = { -1, NULL, NULL };
	struct stat st;
	int r = -1;

	*exists = false;
	if (!replace && lstat(path, &st) == 0) {
		*exists = true;
		errno = EEXIST;
		return why_errno(why, NULL);
	}
	if (draft_open(&d, path) == -1) {
		why_errno(why, NULL);
	} else if (draft_fill(&d, h, why) == -1) {
		;
	} else if (draft_publish(&d, path, replace) == -1) {
		*exists = errno == EEXIST;
		why_errno(why, NULL);
	} else if (sync_directory(d.directory) == -1) {
		why_errno(why, "sync of its directory");
		if (!replace)
			unlink(path);
	} else {
		r = 0;
	}
	draft_close(&d);
	return r;
}
