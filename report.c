/*
 * Sentences for stderr.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "report.h"
#include "sizing.h"
#include "warn.h"

/*
 * The count leaves out keys that were false positives when they were added:
 * few up to the keys that the filter was made for, many beyond.  The estimate
 * counts them, and is right to about a third of the root of the keys.  Where
 * the count is such an estimate itself, a few too many are not taken for
 * certain.
 */
uint64_t
report_keys(const struct header *h, const struct live *live)
{
	const double estimate = sizing_keys_in(&h->shape, live->bits_set);
	const double surely = estimate - 3 * sqrt((double)h->keys);
	const bool counted = live->counted && !live->keys_estimated;

	if (surely <= (double)h->keys)
		return !counted && live->keys_added > h->keys ?
		    h->keys : live->keys_added;
	if (live->keys_added > h->keys && counted)
		return live->keys_added;
	if (estimate < 1e18)
		return (uint64_t)llround(estimate);
	return live->keys_added > h->keys ? live->keys_added : h->keys + 1;
}

/* From the count of bits: looking at all blocks could take minutes. */
static double
rate_of_layer(const struct shape *s, uint64_t bits)
{
	return sizing_rate_at(s, sizing_keys_in(s, bits));
}

/* Only a union of filters that grew is wrong more often than it should be. */
static bool
is_too_wrong(const char *path, const struct header *h, const struct live *live)
{
	double right = 1;

	for (unsigned i = 0; i < h->nparts; i++)
		right *= 1 - rate_of_layer(&h->part[i].plan.shape,
		    live->layer[i].bits);
	/* What a count of bits tells is right to a few percent. */
	if (1 - right < 1.05 * h->rate)
		return false;
	warnx("%s: rate now %.2g, wanted %g: it is united of filters that grew",
	    path, 1 - right, h->rate);
	return true;
}

bool
report_overfull(const char *path, const struct mapfile *m)
{
	const struct live live = mapfile_live(m);

	return report_overfull_live(path, mapfile_header(m), &live);
}

bool
report_overfull_live(const char *path, const struct header *h,
    const struct live *live)
{
	/* Nobody may know what it was made for. */
	if (h->keys == 0)
		return false;
	/* One that grows stays below its rate, however many come. */
	if (h->full == FORMAT_FULL_GROW)
		return live->keys_estimated && is_too_wrong(path, h, live);
	const uint64_t keys = report_keys(h, live);
	if (keys <= h->keys)
		return false;
	const double rate = rate_of_layer(&h->shape, live->bits_set);
	warnx("%s: overfull: holds %" PRIu64 " keys, was made for %" PRIu64
	    "; rate now %.2g, wanted %g", path, keys, h->keys, rate, h->rate);
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
	const struct live live = mapfile_live(m);
	char since[64];

	if (!live_may_miss(live.state))
		return false;
	warnx("%s: keys added since %s may be missing: %s", path,
	    time_words(live.synced_at, since),
	    live.state == LIVE_UNCLEAN ?
	    "the machine went down while it was written" :
	    "writing it to disk failed");
	fprintf(stderr, "add them again with \"bloomtool recover %s < keys\", "
	    "or accept the loss with --accept\n", path);
	return true;
}
