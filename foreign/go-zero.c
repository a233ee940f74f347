/*
 * The bloom filter of go-zero (github.com/zeromicro/go-zero, Go): a bitmap in
 * Redis.
 */
#include <math.h>

#include "foreign.h"
#include "hashes.h"
#include "places.h"

/* One hash a probe, of the key and, behind it, the probe's number. */
static uint64_t
hash_once(const struct rule *r, const struct line *key, unsigned probe)
{
	(void)r;
	return hashes_murmur3(key->bytes, key->len, (int)probe, 0).lo;
}

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	places_hash_each(r, keys, n, out, hash_once);
}

/* The program has always so many probes; how many bits, its user says. */
#define PROBES 14

static enum sizing_err
size(struct plan *p, enum sizing_prefer prefer)
{
	const double m = ceil(-PROBES * (double)p->keys /
	    log1p(-pow(p->rate, 1.0 / PROBES)));

	(void)prefer;
	return places_size(p, m, PROBES);
}

const struct scheme scheme_go_zero = {
	.id = 9,
	.name = "go-zero",
	.words = "go-zero",
	.variants = 1,
	.hash = hash,
	.places = places_one_by_one,
	.size = size,
	PLACES_SCHEME
};
