/*
 * Sentences for stderr.
 */
#include <err.h>
#include <inttypes.h>

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
