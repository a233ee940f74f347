/*
 * Sizes and rates: the figures of the design, the formula against an exact
 * count, and that keys, rate and size lead to one another.  Without blocks, the
 * formulas of the textbook, and sizes as other programs choose them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/foreign.h"
#include "sizing.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Planning for space takes some 30 ms: it gets fewer cases. */
static const char *const prefer_names[] = { "speed", "space" };
static const enum sizing_prefer prefers[] = { SIZING_SPEED, SIZING_SPACE };

/*
 * Bits a key, from the first-order formula: it takes the expected number of
 * ones in a block for the number itself, which is up to 1 % too few bits.
 */
static const struct known {
	double rate;
	double textbook;
	unsigned textbook_probes;
	unsigned groups, probes;
	double bits;
} table[] = {
	{ 0.1, 4.793, 3, 1, 3, 4.832 },
	{ 0.03, 7.298, 5, 1, 5, 7.415 },
	{ 0.01, 9.585, 7, 1, 6, 9.896 },
	{ 1e-3, 14.378, 10, 1, 9, 15.488 },
	{ 1e-4, 19.170, 13, 1, 12, 21.914 },
	{ 1e-5, 23.963, 17, 2, 16, 25.194 },
	{ 1e-6, 28.755, 20, 2, 18, 30.977 },
	{ 1e-8, 38.340, 27, 2, 24, 43.828 },
	{ 1e-9, 43.133, 30, 3, 27, 46.465 },
};

static bool
near(double x, double wanted, double part)
{
	return fabs(x - wanted) <= part * fabs(wanted);
}

static double
bits_a_key(const struct plan *p)
{
	return (double)p->shape.blocks * SIZING_BLOCK_BITS / (double)p->keys;
}

static struct plan
wish(uint64_t keys, double rate)
{
	return (struct plan){ .keys = keys, .rate = rate };
}

static void
figures_of_the_design(void)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct known *k = &table[i];
		struct plan p = wish(100000000, k->rate);
		const enum sizing_err e = sizing_shape(&p, SIZING_SPEED);
		OK(e == SIZING_OK && p.shape.groups == k->groups &&
		    p.shape.probes == k->probes, "rate %g takes %u probes in "
		    "%u blocks a key", k->rate, k->probes, k->groups);
		const double bits = bits_a_key(&p);
		OK(bits > k->bits - 0.0005 && bits < k->bits * 1.01,
		    "rate %g takes %g bits a key, or up to 1 %% more",
		    k->rate, k->bits);
		OK(fabs(sizing_textbook_bits(k->rate) - k->textbook) < 6e-4 &&
		    sizing_textbook_probes(k->rate) == k->textbook_probes,
		    "the textbook's filter has %g bits a key and %u probes at "
		    "rate %g", k->textbook, k->textbook_probes, k->rate);
	}
	struct plan p = wish(2000000000, 1e-4);
	OK(sizing_shape(&p, SIZING_SPEED) == SIZING_OK &&
	    near((double)p.shape.blocks * SIZING_BLOCK_BYTES, 5.479e9, 0.01),
	    "2e9 keys at 1e-4 take 5.479 GB");
	OK(sizing_textbook_probes(0.5) == 1 && sizing_textbook_probes(0.9) == 1,
	    "the textbook's filter has at least one probe");
}

/*
 * The rate without approximation: the distribution of the number of ones in a
 * block as parts fall into it, one bit at a time.
 */
static double
exact_rate(const struct shape *s, double nkeys)
{
	enum { BITS = SIZING_BLOCK_BITS };
	const double load = nkeys * s->groups / (double)s->blocks;
	const unsigned depth = s->probes / s->groups;
	const int most = (int)(load + 12 * sqrt(load)) + 40;
	double chance[BITS + 1] = { 1 }, all_hit[BITS + 1], sum = 0;

	for (int j = 0; j <= BITS; j++)
		all_hit[j] = pow((double)j / BITS, depth);
	for (int i = 0; i <= most; i++) {
		double hit = 0;
		for (int j = 0; j <= BITS; j++)
			hit += chance[j] * all_hit[j];
		sum += exp(i * log(load) - load - lgamma(i + 1)) * hit;
		for (unsigned t = 0; t < depth; t++) {
			for (int j = BITS; j > 0; j--) {
				chance[j] = (chance[j] * j +
				    chance[j - 1] * (BITS + 1 - j)) / BITS;
				/* Subnormal numbers are slow. */
				if (chance[j] < 1e-200)
					chance[j] = 0;
			}
			chance[0] = 0;
		}
	}
	return pow(sum, s->groups);
}

static void
rates_against_exact_ones(void)
{
	static const double loads[] = { 0.001, 0.03, 0.5, 2, 8, 25, 60, 150 };
	struct tally t = { 0 };

	for (unsigned depth = 1; depth <= 20; depth++)
		for (size_t i = 0; i < COUNT(loads); i++) {
			const unsigned groups = 1 + depth % 3;
			const struct shape s = { 1000, depth * groups,
			    groups, 0 };
			const double nkeys = loads[i] * 1000 / groups;
			const double exact = exact_rate(&s, nkeys);
			const double rate = sizing_rate_at(&s, nkeys);
			/* Better than promised, up to the usual depths. */
			const double off = depth <= 16 ? 0.0025 : 0.01;
			CASE(&t, exact < SIZING_RATE_MIN ||
			    near(rate, exact, off),
			    "depth %u, %u groups, load %g: %g, exactly %g",
			    depth, groups, loads[i], rate, exact);
		}
	OK_ALL(&t, "the rate is within 1 % of the exact one");

	for (size_t i = 0; i < COUNT(table); i++) {
		struct plan p = wish(100000000, table[i].rate);
		sizing_shape(&p, SIZING_SPEED);
		const double rate = exact_rate(&p.shape, 1e8);
		OK(near(rate, p.rate, 0.01),
		    "a filter made for rate %g has it when full", p.rate);
		if (!near(rate, p.rate, 0.01))
			printf("# exactly %g\n", rate);
	}
}

static void
limits_of_the_rate(void)
{
	const struct shape s = { 1000, 8, 1, 0 };
	struct tally t = { 0 };

	OK(fpclassify(sizing_rate_at(&s, 0)) == FP_ZERO,
	    "an empty filter is never wrong");
	double before = 0;
	for (double n = 1e-3; n < 1e18; n *= 1.5) {
		const double rate = sizing_rate_at(&s, n);
		/* Near 1 the last digits are rounding errors. */
		CASE(&t, rate >= before * (1 - 1e-8) && rate <= 1,
		    "%g keys: %g after %g", n, rate, before);
		before = rate;
	}
	OK_ALL(&t, "the rate only grows with the keys, up to 1");
	OK(near(before, 1, 1e-9), "a filter full of ones is always wrong");
}

/* All combinations of few to many keys and high to low rates. */
static const uint64_t some_keys[] = { 1, 2, 3, 7, 10, 100, 12345, 1000000,
	100000000, UINT64_C(3000000000), UINT64_C(1000000000000),
	SIZING_KEYS_MAX };

static void
whole_range(enum sizing_prefer prefer)
{
	const char *name = prefer_names[prefer];
	struct tally t = { 0 }, full = { 0 };

	const double step = prefer == SIZING_SPEED ? 0.2 : 0.01;
	const size_t keys_step = prefer == SIZING_SPEED ? 1 : 5;

	for (double rate = SIZING_RATE_MAX; rate >= SIZING_RATE_MIN;
	    rate *= step) {
		uint64_t before = 0;
		for (size_t i = 0; i < COUNT(some_keys); i += keys_step) {
			struct plan p = wish(some_keys[i], rate);
			const enum sizing_err e = sizing_shape(&p, prefer);
			const struct shape *s = &p.shape;
			CASE(&t, e == SIZING_OK && s->blocks >= 1 &&
			    s->blocks <= SIZING_BLOCKS_MAX && s->groups >= 1 &&
			    s->probes >= s->groups && s->probes <= 255 &&
			    s->probes % s->groups == 0 && s->blocks >= before,
			    "%" PRIu64 " keys at %g: error %d, %" PRIu64
			    " blocks after %" PRIu64 ", %u in %u", p.keys, rate,
			    e, s->blocks, before, s->probes, s->groups);
			before = s->blocks;
			/* A block is the least step, so few keys have room. */
			const double at = sizing_rate_at(s, (double)p.keys);
			CASE(&full, at <= rate * 1.000001 &&
			    (p.keys < 100000000 || at >= rate * 0.99),
			    "%" PRIu64 " keys at %g: %g", p.keys, rate, at);
		}
	}
	OK_ALL_OF(&t, name, "any keys and rate give a shape, "
	    "and more keys no fewer blocks");
	OK_ALL_OF(&full, name, "no filter is worse than asked for, "
	    "and no large one better by 1 %");
}

/* The lowest rate that this many blocks can give with this many groups. */
static double
best_rate(uint64_t blocks, unsigned groups, double nkeys)
{
	double best = 1;

	for (unsigned depth = 1; depth <= 32; depth++) {
		const struct shape s = { blocks, depth * groups, groups,
		    0 };
		best = fmin(best, sizing_rate_at(&s, nkeys));
	}
	return best;
}

/*
 * SIZING_SPEED takes the fewest groups that stay within 15 % of the textbook's
 * size; where the groups change, a lower rate takes fewer blocks, but each
 * number of groups by itself is monotone.
 */
static void
fewest_groups(void)
{
	const double nkeys = 1e8;
	struct tally within = { 0 }, fewest = { 0 }, monotone = { 0 };
	struct plan before = { 0 };

	for (double rate = SIZING_RATE_MAX; rate >= SIZING_RATE_MIN;
	    rate *= 0.85) {
		struct plan p = wish((uint64_t)nkeys, rate);
		sizing_shape(&p, SIZING_SPEED);
		const double most = 1.15 * sizing_textbook_bits(rate);
		CASE(&within, bits_a_key(&p) <= most * 1.000001,
		    "rate %g: %g bits a key of %g", rate, bits_a_key(&p), most);
		const unsigned fewer = p.shape.groups - 1;
		const uint64_t blocks =
		    (uint64_t)(most * nkeys / SIZING_BLOCK_BITS);
		CASE(&fewest, fewer == 0 ||
		    best_rate(blocks, fewer, nkeys) > rate,
		    "rate %g: %u groups would do", rate, fewer);
		CASE(&monotone, p.shape.blocks >= before.shape.blocks ||
		    p.shape.groups > before.shape.groups,
		    "rate %g: %" PRIu64 " blocks after %" PRIu64, rate,
		    p.shape.blocks, before.shape.blocks);
		before = p;
	}
	OK_ALL(&within, "speed: never over 15 % above the textbook's size");
	OK_ALL(&fewest, "speed: the fewest groups that do");
	OK_ALL(&monotone, "speed: a lower rate takes no fewer blocks, "
	    "but where groups are added");
}

static void
space_is_smallest(void)
{
	struct tally smaller = { 0 }, monotone = { 0 };
	uint64_t before = 0;

	for (double rate = SIZING_RATE_MAX; rate >= SIZING_RATE_MIN;
	    rate *= 0.5) {
		struct plan speed = wish(100000000, rate), space = speed;
		sizing_shape(&speed, SIZING_SPEED);
		sizing_shape(&space, SIZING_SPACE);
		/* Rounding probes to a whole number shows with few of them. */
		const double most = sizing_textbook_bits(rate) *
		    (rate > 0.1 ? 1.2 : 1.01);
		CASE(&smaller, space.shape.blocks <= speed.shape.blocks &&
		    bits_a_key(&space) < most,
		    "rate %g: %" PRIu64 " blocks for space, %" PRIu64
		    " for speed", rate, space.shape.blocks, speed.shape.blocks);
		CASE(&monotone, space.shape.blocks >= before,
		    "rate %g: %" PRIu64 " blocks after %" PRIu64, rate,
		    space.shape.blocks, before);
		before = space.shape.blocks;
	}
	OK_ALL(&smaller, "space: never larger than for speed, "
	    "and within 1 % of the textbook's");
	OK_ALL(&monotone, "space: a lower rate takes no fewer blocks");
}

/* keys, rate -> blocks; blocks, rate -> keys; blocks, keys -> rate. */
static void
round_trip(enum sizing_prefer prefer)
{
	const char *name = prefer_names[prefer];
	struct tally keys = { 0 }, rates = { 0 };

	const size_t step = prefer == SIZING_SPEED ? 2 : 8;

	for (size_t i = 0; i < COUNT(table); i++)
		for (size_t j = i % step; j < COUNT(some_keys); j += step) {
			struct plan p = wish(some_keys[j], table[i].rate);
			sizing_shape(&p, prefer);
			struct plan back = { .shape = { .blocks = p.shape.blocks },
			    .rate = p.rate };
			enum sizing_err e = sizing_keys(&back, prefer);
			/* What fits in addition fills less than a block. */
			const double a_block =
			    SIZING_BLOCK_BITS / sizing_textbook_bits(p.rate);
			/* At 10^15 the block more leads over the limit. */
			CASE(&keys, (e == SIZING_TOO_LARGE &&
			    p.keys == SIZING_KEYS_MAX) || (e == SIZING_OK &&
			    back.keys >= p.keys &&
			    (double)(back.keys - p.keys) < a_block &&
			    back.shape.probes == p.shape.probes &&
			    back.shape.groups == p.shape.groups),
			    "%" PRIu64 " keys at %g: error %d, %" PRIu64,
			    p.keys, p.rate, e, back.keys);
			back = (struct plan){ .shape = { .blocks = p.shape.blocks },
			    .keys = p.keys };
			e = sizing_rate(&back, prefer);
			CASE(&rates, e == SIZING_OK &&
			    back.rate <= p.rate * 1.000001 &&
			    (p.keys < 100000000 || back.rate >= p.rate * 0.99),
			    "%" PRIu64 " keys at %g: error %d, %g", p.keys,
			    p.rate, e, back.rate);
		}
	OK_ALL_OF(&keys, name, "the blocks for some keys hold them");
	OK_ALL_OF(&rates, name, "the blocks for a rate give it");
}

/* The plan that comes back is consistent in itself. */
static void
rates_are_those_of_the_shape(enum sizing_prefer prefer)
{
	struct tally t = { 0 };

	const double step = prefer == SIZING_SPEED ? 1.5 : 7;

	for (uint64_t blocks = 1; blocks <= 1000000; blocks *= 1000)
		for (double density = 0.01; density < 300; density *= step) {
			const double nkeys =
			    ceil(density * (double)blocks);
			struct plan p = { .shape = { .blocks = blocks },
			    .keys = (uint64_t)nkeys };
			const enum sizing_err e = sizing_rate(&p, prefer);
			const double at = sizing_rate_at(&p.shape, nkeys);
			CASE(&t, e == SIZING_OK && p.shape.blocks == blocks &&
			    p.shape.probes % p.shape.groups == 0 &&
			    (near(p.rate, at, 1e-6) ||
			    (near(p.rate, SIZING_RATE_MIN, 1e-6) &&
			    at <= p.rate)),
			    "%g keys in %" PRIu64 " blocks: error %d, %g "
			    "where %u in %u give %g", nkeys, blocks, e, p.rate,
			    p.shape.probes, p.shape.groups, at);
		}
	OK_ALL_OF(&t, prefer_names[prefer],
	    "the rate is what the shape gives");
}

/*
 * With more room than the lowest rate needs: no fewer groups would do, and of
 * these no fewer probes.
 */
static void
room_to_spare(enum sizing_prefer prefer)
{
	struct tally t = { 0 };

	for (uint64_t blocks = 1000; blocks < UINT64_C(1000000000000);
	    blocks *= 10) {
		struct plan p = { .shape = { .blocks = blocks }, .keys = 1000 };
		const enum sizing_err e = sizing_rate(&p, prefer);
		struct shape fewer = p.shape;
		fewer.probes -= fewer.groups;
		CASE(&t, e == SIZING_OK &&
		    near(p.rate, SIZING_RATE_MIN, 1e-9) &&
		    sizing_rate_at(&p.shape, 1000) <= SIZING_RATE_MIN &&
		    (fewer.probes == 0 ||
		    sizing_rate_at(&fewer, 1000) > SIZING_RATE_MIN) &&
		    (fewer.groups == 1 || best_rate(blocks, fewer.groups - 1,
		    1000) > SIZING_RATE_MIN),
		    "%" PRIu64 " blocks: error %d, %g with %u in %u", blocks, e,
		    p.rate, p.shape.probes, p.shape.groups);
	}
	OK_ALL_OF(&t, prefer_names[prefer],
	    "with room to spare the fewest blocks and probes are taken");
}

static void
refusals(enum sizing_prefer prefer)
{
	const char *name = prefer_names[prefer];
	struct plan p = { .rate = 0.01 };

	OK(sizing_keys(&p, prefer) == SIZING_TOO_SMALL,
	    "%s: no block holds no key", name);
	p = (struct plan){ .shape = { .blocks = 1 }, .rate = SIZING_RATE_MIN };
	OK(sizing_keys(&p, prefer) == SIZING_OK && p.keys >= 1,
	    "%s: one block holds a key at the lowest rate", name);
	p = (struct plan){ .shape = { .blocks = SIZING_BLOCKS_MAX }, .rate = 0.5 };
	OK(sizing_keys(&p, prefer) == SIZING_TOO_LARGE,
	    "%s: the most blocks would hold too many keys", name);
	p = (struct plan){ .shape = { .blocks = 1 }, .keys = 350 };
	OK(sizing_rate(&p, prefer) == SIZING_OK && p.rate < 0.5 &&
	    p.rate > 0.49, "%s: 350 keys in a block have a rate just below "
	    "one half", name);
	p = (struct plan){ .shape = { .blocks = 1 }, .keys = 360 };
	OK(sizing_rate(&p, prefer) == SIZING_TOO_SMALL,
	    "%s: one block is too small for 360 keys", name);
	p = (struct plan){ .shape = { .blocks = 1 }, .keys = SIZING_KEYS_MAX };
	OK(sizing_rate(&p, prefer) == SIZING_TOO_SMALL,
	    "%s: one block is too small for 1e15 keys", name);
	p = (struct plan){ .shape = { .blocks = SIZING_BLOCKS_MAX }, .keys = 1 };
	OK(sizing_rate(&p, prefer) == SIZING_OK &&
	    near(p.rate, SIZING_RATE_MIN, 1e-9),
	    "%s: no rate below 1e-12 is promised", name);
}

/*
 * Keys hit a given bit with chance groups/blocks * (1 - (1 - 1/512)^depth)
 * each, so this many ones are expected; keys_in has to lead back.
 */
static void
keys_from_ones(void)
{
	static const double fills[] = { 1e-4, 0.01, 0.3, 1, 2, 5 };
	const double blocks = 1e6, bits = blocks * SIZING_BLOCK_BITS;
	struct tally t = { 0 }, fill = { 0 };

	for (unsigned groups = 1; groups <= 4; groups++)
		for (unsigned depth = 1; depth <= 20; depth++)
			for (size_t i = 0; i < COUNT(fills); i++) {
				const struct shape s = { 1000000,
				    depth * groups, groups, 0 };
				const double n = floor(fills[i] * bits /
				    s.probes);
				const double hit = groups / blocks *
				    (1 - pow(1 - 1.0 / SIZING_BLOCK_BITS,
				    depth));
				const double ones = bits *
				    (1 - pow(1 - hit, n));
				const double back = sizing_keys_in(&s,
				    (uint64_t)round(ones));
				CASE(&t, near(back, n, 1e-4),
				    "%u in %u, %g keys: %g", s.probes, groups,
				    n, back);
				CASE(&fill, near(sizing_fill_at(&s, n),
				    ones / bits, 1e-5), "%u in %u, %g keys: %g",
				    s.probes, groups, n, sizing_fill_at(&s, n));
			}
	OK_ALL(&t, "the number of ones leads back to the keys");
	OK_ALL(&fill, "the keys lead to the share of ones");

	const struct shape s = { 1000, 6, 2, 0 };
	OK(fpclassify(sizing_keys_in(&s, 0)) == FP_ZERO, "no ones, no keys");
	OK(near(sizing_keys_in(&s, 6), 1, 0.01), "six ones are one key");
	OK(isinf(sizing_keys_in(&s, 512000)) &&
	    isinf(sizing_keys_in(&s, 512001)), "all ones are infinitely many");
	OK(isfinite(sizing_keys_in(&s, 511999)), "all ones but one are not");
	const struct shape huge = { SIZING_BLOCKS_MAX, 12, 1, 0 };
	OK(near(sizing_keys_in(&huge, UINT64_C(12) << 40),
	    (double)(UINT64_C(1) << 40), 0.02),
	    "the keys of the largest filter can be counted");
}

/* ---- filters without blocks ---- */

static const uint64_t some_bits[] = { 1, 7, 511, 512, 513, 100003, 1000000007,
	(UINT64_C(1) << 40) + 1, UINT64_C(1) << 60 };
static const unsigned some_probes[] = { 1, 2, 7, 14, 64, 255 };

/* As many keys as would set so many bits for each that there is. */
static const double densities[] = { 0.001, 0.05, 0.3, 0.69, 1, 3 };

static void
textbook_rates(void)
{
	struct tally rates = { 0 }, keys = { 0 }, bits = { 0 };

	for (size_t i = 0; i < COUNT(some_bits) * COUNT(some_probes); i++) {
		const unsigned k = some_probes[i % COUNT(some_probes)];
		const uint64_t ms = some_bits[i / COUNT(some_probes)];
		const double m = (double)ms;
		const struct shape s = sizing_without_blocks(ms, k);
		CASE(&bits, sizing_bits(&s) == ms && s.spare < 512 &&
		    s.probes == k && s.groups == k && near(sizing_blocks(&s),
		    m / 512, 1e-12), "%" PRIu64 " bits", ms);
		for (size_t j = 0; j < COUNT(densities); j++) {
			const double n = densities[j] * m / k;
			const double rate = pow(-expm1(-k * n / m), k);
			CASE(&rates, rate < SIZING_RATE_MIN ||
			    near(sizing_rate_at(&s, n), rate, 1e-3),
			    "%g bits, %u probes, %g keys: %g not %g", m, k, n,
			    sizing_rate_at(&s, n), rate);
			const uint64_t ones = (uint64_t)(-expm1(-densities[j]) *
			    m);
			const double wanted = -m / k *
			    log1p(-(double)ones / m);
			CASE(&keys, near(sizing_keys_in(&s, ones), wanted,
			    1e-3), "%g bits, %u probes, %" PRIu64 " ones: %g "
			    "not %g", m, k, ones, sizing_keys_in(&s, ones),
			    wanted);
		}
		CASE(&keys, isinf(sizing_keys_in(&s, ms)), "%g bits", m);
	}
	OK_ALL(&bits, "a filter without blocks has any number of bits");
	OK_ALL(&rates, "its rate is that of the textbook");
	OK_ALL(&keys, "its keys too");
}

/* Bits and probes for keys at a rate are those, as its program has them. */
static void
has_size(struct tally *t, const struct scheme *s, uint64_t keys, double rate,
    uint64_t bits, unsigned probes)
{
	struct plan p = wish(keys, rate);
	const enum sizing_err e = s->size(&p, SIZING_SPEED);

	CASE(t, e == SIZING_OK && sizing_bits(&p.shape) == bits &&
	    p.shape.probes == probes && p.shape.groups == probes &&
	    p.keys == keys && !(p.rate < rate) && !(p.rate > rate),
	    "%" PRIu64 " keys at %g: error %d, %" PRIu64 " bits, %u probes, "
	    "not %" PRIu64 ", %u", keys, rate, e, sizing_bits(&p.shape),
	    p.shape.probes, bits, probes);
}

/* Keys, rate, bits and probes, a line each; bits become whole words. */
static void
sizes_of_file(const char *path, const struct scheme *s, uint64_t word)
{
	FILE *in = fopen(path, "r");
	struct tally t = { 0 };
	uint64_t keys, bits;
	unsigned probes;
	double rate;

	if (in == NULL)
		abort();
	while (fscanf(in, "%" SCNu64 " %lf %" SCNu64 " %u", &keys, &rate, &bits,
	    &probes) == 4)
		has_size(&t, s, keys, rate, (bits + word - 1) / word * word,
		    probes);
	if (!feof(in))
		abort();
	fclose(in);
	OK_ALL_OF(&t, s->name, "sizes are those that its program chooses");
}

/* Of filters that they have made. */
static const struct {
	const struct scheme *scheme;
	uint64_t keys;
	double rate;
	uint64_t bits;
	unsigned probes;
} made[] = {
	{ &scheme_dcso, 60, 0.1, 287, 4 },
	{ &scheme_dcso, 250, 0.02, 2035, 6 },
	{ &scheme_dcso, 500, 0.01, 4792, 7 },
	{ &scheme_dcso, 418299668, 1e-4, UINT64_C(8018853474), 14 },
	{ &scheme_redisbloom, 100, 0.005, 1152, 8 },
	{ &scheme_redisbloom, 200, 0.0025, 2496, 9 },
	{ &scheme_redisbloom, 400, 0.00125, 5568, 10 },
	{ &scheme_redisbloom, 800, 0.000625, 12288, 11 },
	{ &scheme_redisbloom, 300, 0.05, 1920, 5 },
	{ &scheme_redisbloom, 10000, 0.0005, 158208, 11 },
	{ &scheme_guava_bitmap, 500, 0.03, 3649, 5 },
};

/* As their programs say it, for other keys and rates. */
static void
formulas(void)
{
	struct tally dcso = { 0 }, redisbloom = { 0 };

	for (double rate = 0.5; rate > 1e-10; rate *= 0.37)
		for (double n = 1; n < 1e12; n = floor(n * 3.7) + 1) {
			const double ln2 = log(2);
			double m = floor(n * fabs(log(rate)) / (ln2 * ln2));
			if (m >= 1)
				has_size(&dcso, &scheme_dcso, (uint64_t)n,
				    rate, (uint64_t)m,
				    (unsigned)ceil(ln2 * m / n));
			const double bits = -log(rate) / 0.480453013918201;
			m = fmax(1, floor(n * bits));
			has_size(&redisbloom, &scheme_redisbloom, (uint64_t)n,
			    rate, (uint64_t)ceil(m / 64) * 64,
			    (unsigned)ceil(0.693147180559945 * bits));
		}
	OK_ALL(&dcso, "DCSO bloom: bits and probes by its formula");
	OK_ALL(&redisbloom, "RedisBloom: bits and probes by its formula");
}

/* Its program has always 14 probes: the fewest bits that give the rate. */
static void
sizes_of_go_zero(void)
{
	struct tally t = { 0 };

	for (double rate = 0.5; rate > 1e-10; rate *= 0.37)
		for (double n = 100; n < 1e12; n = floor(n * 3.7)) {
			struct plan p = wish((uint64_t)n, rate);
			const enum sizing_err e = scheme_go_zero.size(&p,
			    SIZING_SPEED);
			const double m = (double)sizing_bits(&p.shape);
			/* Whole bits matter more the fewer there are. */
			CASE(&t, e == SIZING_OK && p.shape.probes == 14 &&
			    pow(-expm1(-14 * n / m), 14) < rate * 1.0001 &&
			    pow(-expm1(-14 * n / (m - 1)), 14) > rate * 0.9999,
			    "%g keys at %g: error %d, %g bits", n, rate, e, m);
		}
	OK_ALL(&t, "go-zero: the fewest bits for 14 probes");
}

/* What no file, or no number of its program, has room for. */
static void
limits_of_schemes(void)
{
	struct tally large = { 0 }, small = { 0 };
	struct plan p;

	for (uint64_t id = 2; id <= SCHEME_LAST; id++) {
		const struct scheme *s = scheme_of_id(id);
		if (s->size == NULL)
			continue;
		p = wish(SIZING_KEYS_MAX, SIZING_RATE_MIN);
		const enum sizing_err e = s->size(&p, SIZING_SPEED);
		CASE(&large, e == SIZING_TOO_LARGE || (e == SIZING_OK &&
		    p.shape.blocks <= SIZING_BLOCKS_MAX &&
		    p.shape.probes <= 255), "%s: error %d", s->name, e);
		p = wish(1, 0.999);
		const enum sizing_err f = s->size(&p, SIZING_SPEED);
		CASE(&small, f == SIZING_TOO_SMALL || (f == SIZING_OK &&
		    sizing_bits(&p.shape) >= 1 && p.shape.probes >= 1),
		    "%s: error %d, %u probes", s->name, f, p.shape.probes);
	}
	OK_ALL(&large, "the most keys at the lowest rate fit, or are too many");
	OK_ALL(&small, "a key at a rate near 1 has a bit, or is too few");
	p = wish(1000000000, 1e-12);
	OK(scheme_guava_bitmap.size(&p, SIZING_SPEED) == SIZING_TOO_LARGE,
	    "guava-bitmap has as many bits as an int of Java");
	p = wish(9000000000, 1e-3);
	OK(scheme_guava.size(&p, SIZING_SPEED) == SIZING_OK &&
	    sizing_bits(&p.shape) > UINT64_C(1) << 36,
	    "guava has as many words");
	p = wish(10000000000, 1e-3);
	OK(scheme_guava.size(&p, SIZING_SPEED) == SIZING_TOO_LARGE,
	    "and no more");
}

static void
sizes_of_schemes(void)
{
	struct tally t = { 0 };

	sizes_of_file("tests/interop/guava-sizes.tsv", &scheme_guava, 64);
	sizes_of_file("tests/interop/bits-and-blooms-sizes.tsv",
	    &scheme_bits_and_blooms, 1);
	for (size_t i = 0; i < COUNT(made); i++)
		has_size(&t, made[i].scheme, made[i].keys, made[i].rate,
		    made[i].bits, made[i].probes);
	OK_ALL(&t, "filters that other programs have made have these sizes");
	formulas();
	sizes_of_go_zero();
	limits_of_schemes();
}

int
main(void)
{
	figures_of_the_design();
	rates_against_exact_ones();
	limits_of_the_rate();
	fewest_groups();
	space_is_smallest();
	for (size_t i = 0; i < COUNT(prefers); i++) {
		whole_range(prefers[i]);
		round_trip(prefers[i]);
		rates_are_those_of_the_shape(prefers[i]);
		room_to_spare(prefers[i]);
		refusals(prefers[i]);
	}
	keys_from_ones();
	textbook_rates();
	sizes_of_schemes();
	return done();
}
