/*
 * For LD_PRELOAD: fstatfs(2) says that the file is on a file system of the
 * kind NETFS, a number.
 */
#define _GNU_SOURCE
#include <sys/vfs.h>

#include <dlfcn.h>
#include <stdlib.h>

#define KIND() ((__fsword_t)strtoul(getenv("NETFS"), NULL, 0))

int
fstatfs(int fd, struct statfs *fs)
{
	int (*real)(int, struct statfs *);

	*(void **)&real = dlsym(RTLD_NEXT, "fstatfs");
	const int r = real(fd, fs);
	fs->f_type = KIND();
	return r;
}

int
fstatfs64(int fd, struct statfs64 *fs)
{
	int (*real)(int, struct statfs64 *);

	*(void **)&real = dlsym(RTLD_NEXT, "fstatfs64");
	const int r = real(fd, fs);
	fs->f_type = KIND();
	return r;
}
