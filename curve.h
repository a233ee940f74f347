/*
 * What becomes of a plan with more keys or fewer, and what it would take at
 * other rates: the points that estimate draws and prints.  Pure.
 */
#ifndef CURVE_H
#define CURVE_H

#include <stddef.h>

#include "plot.h"
#include "sizing.h"

/* Odd: the plan itself is the middle one.  A size takes longer to find. */
#define CURVE_RATES 121
#define CURVE_SIZES 61

/*
 * The rate of the planned filter when it holds a tenth to ten times its keys,
 * which are whole numbers.  Returns how many points there are.
 */
size_t curve_rates(const struct plan *p, struct plot_point out[CURVE_RATES]);

/*
 * The bytes of a filter file for the plan's keys, at rates from a thousandth
 * of the plan's to a thousand times that, as far as sizing.h has them.
 */
size_t curve_sizes(const struct plan *p, enum sizing_prefer prefer,
    struct plot_point out[CURVE_SIZES]);

#endif
