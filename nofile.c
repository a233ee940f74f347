/*
 * RLIMIT_NOFILE.  Its soft limit is low, often 1024, for the sake of programs
 * that use select(2).
 */
#include <sys/resource.h>


#include "cmd.h"
#include "nofile.h"
#include "warn.h"

/*
 * Descriptors besides those of the filters: at least the three that everybody
 * has and one for the input or output at hand; some more that we may have been
 * started with.
 */
#define FEWEST_OTHERS 4
#define OTHERS 32

void
nofile_allow(size_t filters)
{
	const rlim_t fewest = (rlim_t)filters + FEWEST_OTHERS;
	const rlim_t wanted = (rlim_t)filters + OTHERS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1 ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
		return;
	const rlim_t most = limit.rlim_max;
	if (most != RLIM_INFINITY && most < fewest)
		errx(EXIT_TROUBLE, "%zu filters need %llu open files, the "
		    "limit is %llu (ulimit -n)", filters,
		    (unsigned long long)fewest, (unsigned long long)most);
	limit.rlim_cur = most == RLIM_INFINITY || most > wanted ? wanted : most;
	/* If that fails, opening a filter will. */
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}
