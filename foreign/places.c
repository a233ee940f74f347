/*
 * As in filter.c, what a key needs is on its way while those before it are
 * looked at.
 */
#include <math.h>
#include <string.h>

#include "../simd.h"
#include "places.h"

/* Places that are known before the first of them is looked at. */
#define AHEAD 1024

/* How many keys are dealt with at a time; *at gets their places. */
static size_t
find_places(const struct filter *f, const struct hash *h, size_t n,
    uint64_t at[AHEAD])
{
	const size_t most = AHEAD / f->shape.probes;
	const uint8_t *bits = f->bits;

	if (n > most)
		n = most;
	f->rule->scheme->places(f, h, n, at);
	for (size_t i = 0; i < n * f->shape.probes; i++) {
		at[i] ^= f->rule->flip;
		PREFETCH(bits + at[i] / 8);
	}
	return n;
}

static bool
all_set(const uint8_t *bits, const uint64_t *at, unsigned probes)
{
	for (unsigned i = 0; i < probes; i++)
		if (!(bits[at[i] / 8] >> at[i] % 8 & 1))
			return false;
	return true;
}

size_t
places_test(const struct filter *f, const struct hash *h, size_t n, bool *in)
{
	uint64_t at[AHEAD];
	size_t some, found = 0;

	for (size_t i = 0; i < n; i += some) {
		some = find_places(f, h + i * f->rule->width, n - i, at);
		for (size_t j = 0; j < some; j++)
			found += in[i + j] = all_set(f->bits,
			    at + j * f->shape.probes, f->shape.probes);
	}
	return found;
}

/* A byte that does not change is not written: that would dirty its page. */
static unsigned
set_bits(uint8_t *bits, const uint64_t *at, unsigned probes)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < probes; i++) {
		uint8_t *byte = bits + at[i] / 8;
		const uint8_t bit = (uint8_t)(1 << at[i] % 8);
		if (!(*byte & bit)) {
			*byte |= bit;
			changed++;
		}
	}
	return changed;
}

void
places_set(const struct filter *f, const struct hash *h, size_t n,
    bool *fresh, uint64_t *nfresh, uint64_t *nbits)
{
	uint64_t at[AHEAD];
	size_t some;

	*nfresh = *nbits = 0;
	for (size_t i = 0; i < n; i += some) {
		some = find_places(f, h + i * f->rule->width, n - i, at);
		for (size_t j = 0; j < some; j++) {
			const unsigned changed = set_bits(f->bits,
			    at + j * f->shape.probes, f->shape.probes);
			fresh[i + j] = changed > 0;
			*nfresh += changed > 0;
			*nbits += changed;
		}
	}
}

unsigned
places_parts(const struct filter *f, const struct hash *h,
    struct filter_part *parts)
{
	uint64_t at[SIZING_PROBES_MAX];

	f->rule->scheme->places(f, h, 1, at);
	for (unsigned i = 0; i < f->shape.probes; i++) {
		const unsigned bit = at[i] % SIZING_BLOCK_BITS;
		parts[i] = (struct filter_part){ .block =
		    at[i] / SIZING_BLOCK_BITS };
		parts[i].bits[bit / 64] = UINT64_C(1) << bit % 64;
	}
	return f->shape.probes;
}

static uint64_t
ones_in(const uint8_t *p, uint64_t n)
{
	uint64_t ones = 0, words[FILTER_BLOCK_WORDS];

	for (; n >= sizeof(words); n -= sizeof(words), p += sizeof(words)) {
		memcpy(words, p, sizeof(words));
		ones += filter_ones(words, FILTER_BLOCK_WORDS);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, p, (size_t)n);
	return ones + filter_ones(words, FILTER_BLOCK_WORDS);
}

/* Set in the last word or byte, of what others wrote, but no bits of it. */
static uint64_t
ones_behind(const struct filter *f)
{
	const uint8_t *bits = f->bits;
	const uint64_t unit = f->rule->flip == 56 ? 64 : 8;
	uint64_t ones = 0;

	for (uint64_t i = sizing_bits(&f->shape); i % unit != 0; i++) {
		const uint64_t at = i ^ f->rule->flip;
		ones += bits[at / 8] >> at % 8 & 1;
	}
	return ones;
}

/*
 * Where a block begins.  In a file of another program nothing lies behind the
 * last word or byte.
 */
static uint64_t
begin_of(const struct filter *f, uint64_t block)
{
	const uint64_t size = scheme_bytes(f->rule, &f->shape);

	return block * SIZING_BLOCK_BYTES < size ? block * SIZING_BLOCK_BYTES :
	    size;
}

void
places_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c)
{
	const uint64_t from = begin_of(f, first), to = begin_of(f, first + n);
	uint64_t ones = ones_in((const uint8_t *)f->bits + from, to - from);

	if (to == scheme_bytes(f->rule, &f->shape))
		ones -= ones_behind(f);
	c->blocks += n;
	c->ones += ones;
	c->part_rate += (double)ones / SIZING_BLOCK_BITS;
}

void
places_double(const struct filter *f, const struct hash *h, size_t n,
    uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < f->shape.probes; j++)
			*at++ = places_reduce(m, h[i].lo + j * h[i].hi);
}

void
places_hash_each(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out, places_hash_fn *one)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j < r->width; j++)
			*out++ = (struct hash){ one(r, &keys[i], 2 * j),
			    one(r, &keys[i], 2 * j + 1) };
}

void
places_one_by_one(const struct filter *f, const struct hash *h, size_t n,
    uint64_t *at)
{
	const struct modulus m = places_modulus(f);

	for (size_t i = 0; i < n; i++, h += f->rule->width)
		for (unsigned j = 0; j < f->shape.probes; j++)
			*at++ = places_reduce(m, j % 2 == 0 ? h[j / 2].lo :
			    h[j / 2].hi);
}

double
places_bits(const struct plan *p)
{
	return -(double)p->keys * log(p->rate) / (M_LN2 * M_LN2);
}

enum sizing_err
places_size(struct plan *p, double m, double k)
{
	if (m < 1)
		return SIZING_TOO_SMALL;
	if (m > (double)SIZING_BLOCKS_MAX * SIZING_BLOCK_BITS / 2 ||
	    k > SIZING_PROBES_MAX)
		return SIZING_TOO_LARGE;
	p->shape = sizing_without_blocks((uint64_t)m, (unsigned)k);
	return SIZING_OK;
}
