/*
 * DCSO bloom (github.com/DCSO/bloom, Go) since 0.2.2, flor (Python), fleur (C);
 * and the layout of DCSO bloom before that, which has other hashes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"

/* 2^64 - 59, a prime, and the generator. */
#define PRIME UINT64_C(18446744073709551557)
#define GENERATOR UINT64_C(18446744073709550147)

static double
double_at(const uint8_t *p)
{
	const uint64_t bits = le64_get(p);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 48 || le64_get(head) != 1)
		return FOREIGN_OTHER;
	const uint64_t probes = le64_get(head + 24);
	f->keys = le64_get(head + 8);
	f->rate = double_at(head + 16);
	f->bits = le64_get(head + 32);
	f->keys_added = le64_get(head + 40);
	f->counted = true;
	f->offset = 48;
	if (probes < 1 || probes > FOREIGN_PROBES_MAX) {
		snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu64
		    " probes, wanted 1 to %d", f->format->words, probes,
		    FOREIGN_PROBES_MAX);
		return FOREIGN_BAD;
	}
	f->probes = (unsigned)probes;
	return foreign_fits(f, (size - 48) / 8 * 8 + 48, why);
}

/* x modulo PRIME, of which there is at most one in a number. */
static uint64_t
reduce(uint64_t x)
{
	return x >= PRIME ? x - PRIME : x;
}

/* The product wraps before the modulus: this is no multiplication modulo it. */
static void
places(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	/* At the end, where no place comes before its hash has been taken. */
	uint64_t *const hashes = at + n * (f->probes - 1);

	hashes_fnv1_many(keys, n, hashes);
	for (size_t j = 0; j < n; j++) {
		uint64_t h = reduce(hashes[j]);
		for (unsigned i = 0; i < f->probes; i++) {
			h = reduce(h * GENERATOR);
			*at++ = h % f->bits;
		}
	}
}

const struct foreign_format foreign_dcso = {
	"dcso", "DCSO bloom", match, places
};

/* ---- 0.1.0 and 0.2.0 ---- */

/*
 * It has no mark, so all of it has to be as that program computed it: m and k
 * from n and p.
 */
static enum foreign_match
match_old(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	if (len < 24)
		return FOREIGN_OTHER;
	const double n = le32_get(head), p = double_at(head + 4);
	const double m = le32_get(head + 16), k = le32_get(head + 12);
	if (!(n >= 1 && p > 0 && p < 1) || k > FOREIGN_PROBES_MAX || k < 1 ||
	    fabs(m - floor(n * fabs(log(p)) / (M_LN2 * M_LN2))) > 1 ||
	    fabs(k - ceil(M_LN2 * m / n)) > 1)
		return FOREIGN_OTHER;
	f->keys = (uint64_t)n;
	f->rate = p;
	f->bits = (uint64_t)m;
	f->probes = (unsigned)k;
	f->keys_added = le32_get(head + 20);
	f->counted = true;
	f->offset = 24;
	return foreign_fits(f, size, why);
}

static void
places_old(const struct foreign *f, const struct line *keys, size_t n,
    uint64_t *at)
{
	static const char more[] = "this-is-magical";

	for (size_t j = 0; j < n; j++) {
		const uint64_t h1 = hashes_fnv1(HASHES_FNV1_START,
		    keys[j].bytes, keys[j].len);
		const uint64_t h2 = hashes_fnv1(h1, (const uint8_t *)more,
		    sizeof(more) - 1);
		for (unsigned i = 1; i <= f->probes; i++)
			*at++ = (h1 + i * h2) % f->bits;
	}
}

const struct foreign_format foreign_dcso_old = {
	"dcso-0.1", "DCSO bloom 0.1", match_old, places_old
};
