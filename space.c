/*
 * Space of files, reserved before it is needed.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* fallocate */
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#endif
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "progress.h"
#include "signals.h"
#include "space.h"

int
space_write(int fd, const void *buf, size_t n, off_t at)
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
write_zeros(int fd, uint64_t from, uint64_t to)
{
	static uint8_t zeros[1 << 20];	/* never written to */

	for (uint64_t at = from; at < to; at += sizeof(zeros)) {
		const uint64_t left = to - at;
		progress_at(at - from, 0);
		const size_t n = left < sizeof(zeros) ? (size_t)left :
		    sizeof(zeros);
		if (space_write(fd, zeros, n, (off_t)at) == -1)
			return -1;
		if (signals_caught()) {
			errno = EINTR;
			return -1;
		}
	}
	return 0;
}

/* Where that is not told, writing will tell. */
int
space_room(int fd, uint64_t nbytes)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) == -1 || fs.f_blocks == 0 || fs.f_frsize == 0 ||
	    nbytes / fs.f_frsize <= (uint64_t)fs.f_bfree)
		return 0;
	errno = ENOSPC;
	return -1;
}

/*
 * btrfs looks for new space at each write to a page, and if the disk is full
 * then kills the writer.  Without copy-on-write it does not, at the price of
 * its data checksums.
 */
void
space_in_place(int fd)
{
#if defined(FS_IOC_SETFLAGS) && defined(FS_NOCOW_FL)
#if defined(__GLIBC__)
	const unsigned long get = FS_IOC_GETFLAGS, set = FS_IOC_SETFLAGS;
#else
	const int get = (int)FS_IOC_GETFLAGS, set = (int)FS_IOC_SETFLAGS;
#endif
	struct statfs fs;
	int flags;

	if (fstatfs(fd, &fs) == 0 &&
	    (unsigned long)fs.f_type == BTRFS_SUPER_MAGIC &&
	    ioctl(fd, get, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, set, &flags);
	}
#else
	(void)fd;
#endif
}

/*
 * Not posix_fallocate: where the file system cannot reserve, its substitute
 * writes a byte a page.
 */
int
space_reserve(int fd, uint64_t from, uint64_t to)
{
	/* Do not fill a disk to the brim only to find that it is too small. */
	if (space_room(fd, to - from) == -1)
		return -1;
#if defined(__linux__)
	int r;
	do
		r = fallocate(fd, 0, (off_t)from, (off_t)(to - from));
	while (r == -1 && errno == EINTR);
	if (r == 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
		return r;
#endif
	progress_begin("reserving space", to - from);
	const int written = write_zeros(fd, from, to);
	progress_end();
	return written;
}
