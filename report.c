/*
 * Sentences for stderr.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "report.h"
#include "sizing.h"

bool
report_overfull(const char *path, const struct mapfile *m)
{
	const struct header *h = mapfile_header(m);
	const struct mapfile_live live = mapfile_live(m);

	if (live.keys_added <= h->keys)
		return false;
	/* From the count of bits: looking at all blocks could take minutes. */
	const double keys = sizing_keys_in(&h->shape, live.bits_set);
	warnx("%s: overfull: holds %" PRIu64 " keys, was made for %" PRIu64
	    "; rate now %.2g, wanted %g", path, live.keys_added, h->keys,
	    sizing_rate_at(&h->shape, keys), h->rate);
	return true;
}

/* "2026-11-30 10:15:00 UTC"; times come from the file and may be anything. */
static const char *
time_words(int64_t seconds, char buf[64])
{
	const time_t t = (time_t)seconds;
	const struct tm *tm = gmtime(&t);

	if (seconds == 0 || tm == NULL ||
	    strftime(buf, 64, "%Y-%m-%d %H:%M:%S UTC", tm) == 0)
		snprintf(buf, 64, "it was made");
	return buf;
}

bool
report_missing(const char *path, const struct mapfile *m)
{
	const struct mapfile_live live = mapfile_live(m);
	char since[64];

	if (!mapfile_may_miss(live.state))
		return false;
	warnx("%s: keys added since %s may be missing: %s", path,
	    time_words(live.synced_at, since),
	    live.state == MAPFILE_UNCLEAN ?
	    "the machine went down while it was written" :
	    "writing it to disk failed");
	fprintf(stderr, "add them again with \"bloomtool recover %s < keys\", "
	    "or accept the loss with --accept\n", path);
	return true;
}
