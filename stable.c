/*
 * fsync(2) and its kin, as systems differ in them.  What is not for Linux was
 * never run.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* syncfs */
#endif
#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "stable.h"

static bool
again(int r)
{
	return r == -1 && errno == EINTR;
}

#if defined(F_FULLFSYNC)
/*
 * macOS: fsync(2) leaves it in the cache of the disk.  File systems of others
 * know no better, and say so.
 */
static int
sync_once(int fd)
{
	const int r = fcntl(fd, F_FULLFSYNC);

	return r == -1 && errno != EINTR && errno != EIO ? fsync(fd) : r;
}
#else
static int
sync_once(int fd)
{
	return fsync(fd);
}
#endif

int
stable_file(int fd)
{
	int r;

	do
		r = sync_once(fd);
	while (again(r));
	return r;
}

int
stable_data(int fd)
{
#if defined(__linux__)
	int r;

	do
		r = fdatasync(fd);
	while (again(r));
	return r;
#else
	return stable_file(fd);
#endif
}

int
stable_file_system(int fd)
{
#if defined(__linux__)
	int r;

	do
		r = syncfs(fd);
	while (again(r));
	return r;
#else
	(void)fd;
	return 0;
#endif
}

int
stable_pages(int fd, void *p, size_t n)
{
	int r;

	do
		r = msync(p, n, MS_SYNC);
	while (again(r));
#if defined(F_FULLFSYNC)
	return r == -1 ? -1 : stable_file(fd);
#else
	(void)fd;
	return r;
#endif
}
