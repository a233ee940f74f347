/*
 * Only Linux can do that.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* F_SETPIPE_SZ */
#endif
#include <fcntl.h>

#include "wide.h"

#define ROOM (256 * 1024)

void
wide_pipe(int fd)
{
#if defined(F_SETPIPE_SZ)
	const int size = fcntl(fd, F_GETPIPE_SZ);

	if (size != -1 && size < ROOM)
		(void)fcntl(fd, F_SETPIPE_SZ, ROOM);
#else
	(void)fd;
#endif
}
