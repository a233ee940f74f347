/*
 * Points in even steps of the logarithm.
 */
#include <math.h>

#include "curve.h"
#include "format.h"

/* From 10^-decades in the first point of n over 1 to 10^decades in the last. */
static double
factor(int i, int n, int decades)
{
	const int middle = n / 2;

	return pow(10, (double)decades * (i - middle) / middle);
}

size_t
curve_rates(const struct plan *p, struct plot_point out[CURVE_RATES])
{
	size_t n = 0;
	double before = 0;

	for (int i = 0; i < CURVE_RATES; i++) {
		const double keys = round((double)p->keys * factor(i,
		    CURVE_RATES, 1));
		/* Few keys: several factors come to the same. */
		if (keys <= before)
			continue;
		out[n++] = (struct plot_point){ keys,
		    sizing_rate_at(&p->shape, keys) };
		before = keys;
	}
	return n;
}

size_t
curve_sizes(const struct plan *p, enum sizing_prefer prefer,
    struct plot_point out[CURVE_SIZES])
{
	size_t n = 0;

	for (int i = 0; i < CURVE_SIZES; i++) {
		struct plan other = { .keys = p->keys,
		    .rate = p->rate * factor(i, CURVE_SIZES, 3) };
		if (other.rate < SIZING_RATE_MIN ||
		    other.rate > SIZING_RATE_MAX ||
		    sizing_shape(&other, prefer) != SIZING_OK)
			continue;
		out[n++] = (struct plot_point){ other.rate,
		    (double)format_file_size(other.shape.blocks) };
	}
	return n;
}
