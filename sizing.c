/*
 * Sizes and rates.  Only libm: nothing here knows of files or of hashes.
 *
 * In what follows, `load` is the number of key parts that fall into a block
 * on average (keys * groups / blocks), and `depth` how many bits each part
 * sets there (probes / groups).
 */
#include <math.h>
#include <stdbool.h>

#include "sizing.h"

/* Beyond either the gain is far below what rounding the load costs. */
#define DEPTH_MAX 32
#define CHOICE_MAX 64	/* probes */

/* SIZING_SPEED: a group more costs a cache miss a key; up to this, bits do. */
#define OVER_TEXTBOOK 1.15

/* From here on every block is as full as the average one. */
#define LOAD_MAX 1e6

/* 1 - (1 - 1/512)^n: the chance that n throws hit a given bit. */
static double
hit(double n)
{
	return -expm1(n * log1p(-1.0 / SIZING_BLOCK_BITS));
}

/*
 * The chance that `depth` further throws all hit set bits of a block into
 * which `parts` keys have set `depth` bits each: E[(ones/512)^depth].  The
 * first factor takes the expected number of ones for the number itself; the
 * second corrects that to second order with the variance of the occupancy
 * (Feller, An Introduction to Probability Theory, vol. 1, chapter IV.2).
 * Without it the rate comes out 1 % too low at depth 6, 4 % at depth 12.
 */
static double
block_rate(double parts, double depth)
{
	const double b = SIZING_BLOCK_BITS;
	const double fill = hit(parts * depth);

	if (fill <= 0)
		return 0;
	const double one = exp(parts * depth * log1p(-1 / b));
	const double two = exp(parts * depth * log1p(-2 / b));
	const double variance = (1 - 1 / b) * two + one / b - one * one;
	const double spread = variance / (fill * fill);

	return pow(fill, depth) * fmax(1, 1 + depth * (depth - 1) / 2 * spread);
}

/*
 * The rate of one group: block_rate over the Poisson number of parts in a
 * block, summed from the middle outwards until the rest cannot matter.
 */
static double
group_rate(double load, double depth)
{
	if (load >= LOAD_MAX)
		return block_rate(load, depth);

	const double middle = floor(load);
	const double weight =
	    exp(middle * log(load) - load - lgamma(middle + 1));
	double sum = 0;
	double w = weight;
	for (double i = middle; i > 0; i--) {
		const double term = w * block_rate(i, depth);
		sum += term;
		if (term < sum * 1e-12)
			break;
		w *= i / load;
	}
	w = weight;
	for (double i = middle + 1;; i++) {
		w *= load / i;
		const double term = w * block_rate(i, depth);
		sum += term;
		/* Terms grow past the middle before the weights win. */
		if (w < sum * 1e-12 || w == 0)
			break;
	}
	return fmin(sum, 1);
}

double
sizing_rate_at(const struct shape *s, double nkeys)
{
	if (nkeys <= 0)
		return 0;
	const double load = nkeys * s->groups / sizing_blocks(s);
	return pow(group_rate(load, s->probes / s->groups), s->groups);
}

double
sizing_keys_in(const struct shape *s, uint64_t ones)
{
	const double blocks = sizing_blocks(s);
	const double bits = blocks * SIZING_BLOCK_BITS;
	const double depth = s->probes / s->groups;

	if ((double)ones >= bits)
		return INFINITY;
	return -blocks / s->groups * log1p(-(double)ones / bits) / hit(depth);
}

/* The estimate is right to about a third of the root of the keys. */
bool
sizing_plausible(const struct shape *s, uint64_t ones, uint64_t nkeys)
{
	const double estimate = sizing_keys_in(s, ones);

	return (double)nkeys <= estimate + 10 * sqrt(estimate) + 10;
}

double
sizing_fill_at(const struct shape *s, double nkeys)
{
	const double depth = s->probes / s->groups;

	return -expm1(-nkeys * s->groups / sizing_blocks(s) * hit(depth));
}

double
sizing_textbook_bits(double rate)
{
	return -log(rate) / (log(2) * log(2));
}

unsigned
sizing_textbook_probes(double rate)
{
	return (unsigned)fmax(1, round(-log(rate) / log(2)));
}

/* The highest load at which a group of this depth stays at or below `rate`. */
static double
highest_load(double rate, unsigned depth)
{
	double low = -30, high = log(LOAD_MAX);		/* log load */

	for (int i = 0; i < 60 && high - low > 1e-10; i++) {
		const double middle = (low + high) / 2;
		if (group_rate(exp(middle), depth) <= rate)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

/* A choice of probes, and how many keys a block then holds. */
struct choice {
	unsigned groups;
	unsigned depth;
	double density;		/* keys per block at the rate asked for */
};

/* The best depth for this number of groups. */
static struct choice
choose_depth(double rate, unsigned groups)
{
	const double each = pow(rate, 1.0 / groups);
	struct choice best = { groups, 0, 0 };

	for (unsigned d = 1; d <= DEPTH_MAX && d * groups <= CHOICE_MAX; d++) {
		const double density = highest_load(each, d) / groups;
		if (density > best.density)
			best = (struct choice){ groups, d, density };
		else
			break;		/* past the only maximum */
	}
	return best;
}

/* Is this many keys a block as good as SIZING_SPEED asks for? */
static bool
dense_enough(double density, double rate)
{
	return density * OVER_TEXTBOOK * sizing_textbook_bits(rate) >=
	    SIZING_BLOCK_BITS;
}

/* More groups than probes make no sense; one above the best may still win. */
static unsigned
groups_max(double rate)
{
	const unsigned most = sizing_textbook_probes(rate) + 1;

	return most < CHOICE_MAX ? most : CHOICE_MAX;
}

static struct choice
choose(double rate, enum sizing_prefer prefer)
{
	struct choice best = { 0, 0, 0 };

	for (unsigned g = 1; g <= groups_max(rate); g++) {
		const struct choice c = choose_depth(rate, g);
		if (c.density > best.density)
			best = c;
		if (prefer == SIZING_SPEED && dense_enough(c.density, rate))
			return c;
	}
	return best;
}

static void
set_probes(struct plan *p, const struct choice *c)
{
	p->shape.groups = c->groups;
	p->shape.probes = c->groups * c->depth;
	p->shape.spare = 0;
}

enum sizing_err
sizing_shape(struct plan *p, enum sizing_prefer prefer)
{
	const struct choice c = choose(p->rate, prefer);
	const double blocks = ceil((double)p->keys / c.density);

	if (blocks > (double)SIZING_BLOCKS_MAX)
		return SIZING_TOO_LARGE;
	set_probes(p, &c);
	p->shape.blocks = (uint64_t)fmax(1, blocks);
	return SIZING_OK;
}

enum sizing_err
sizing_keys(struct plan *p, enum sizing_prefer prefer)
{
	const struct choice c = choose(p->rate, prefer);
	const double keys = floor((double)p->shape.blocks * c.density);

	if (keys < 1)
		return SIZING_TOO_SMALL;
	if (keys > (double)SIZING_KEYS_MAX)
		return SIZING_TOO_LARGE;
	set_probes(p, &c);
	p->keys = (uint64_t)keys;
	return SIZING_OK;
}

/* The depth with the lowest rate for this number of groups; sets p->rate. */
static void
lowest_rate(struct plan *p, unsigned groups)
{
	struct shape s = { p->shape.blocks, groups, groups, 0 };

	p->rate = INFINITY;
	for (unsigned d = 1; d <= DEPTH_MAX && d * groups <= CHOICE_MAX; d++) {
		s.probes = d * groups;
		const double rate = sizing_rate_at(&s, (double)p->keys);
		if (rate >= p->rate)
			break;		/* past the only minimum */
		p->shape = s;
		p->rate = rate;
	}
}

/* The fewest blocks a key, then the fewest probes, that reach the floor. */
static bool
reach_floor(struct plan *p)
{
	struct shape s = p->shape;

	for (s.groups = 1; s.groups <= groups_max(SIZING_RATE_MIN); s.groups++)
		for (unsigned d = 1; d <= DEPTH_MAX &&
		    d * s.groups <= CHOICE_MAX; d++) {
			s.probes = d * s.groups;
			if (sizing_rate_at(&s, (double)p->keys) >
			    SIZING_RATE_MIN)
				continue;
			p->shape = s;
			p->rate = SIZING_RATE_MIN;
			return true;
		}
	return false;
}

enum sizing_err
sizing_rate(struct plan *p, enum sizing_prefer prefer)
{
	const double density = (double)p->keys / (double)p->shape.blocks;

	if (choose(SIZING_RATE_MIN, prefer).density >= density &&
	    reach_floor(p))
		return SIZING_OK;
	struct plan best = *p, other = *p;
	best.rate = INFINITY;
	for (unsigned g = 1; g <= groups_max(SIZING_RATE_MIN); g++) {
		lowest_rate(&other, g);
		if (other.rate < best.rate)
			best = other;
		if (prefer == SIZING_SPEED && dense_enough(density, other.rate))
			break;
	}
	*p = best;
	return p->rate <= SIZING_RATE_MAX ? SIZING_OK : SIZING_TOO_SMALL;
}
