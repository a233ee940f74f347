/*
 * RLIMIT_NOFILE.  Its soft limit is low, often 1024, for the sake of programs
 * that use select(2).
 */
#include <sys/resource.h>

#include "nofile.h"

void
nofile_raise(void)
{
	struct rlimit limit;

	/* If it fails, the open that is one too many says so. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
