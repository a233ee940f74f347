/*
 * An axis of a chart: where a value lies on it, how it is divided, and what its
 * ticks say.  Pure.
 */
#ifndef AXIS_H
#define AXIS_H

#include <stddef.h>

#include "number.h"

enum axis_measure {
	AXIS_KEYS,		/* logarithmic, 20M */
	AXIS_RATE,		/* logarithmic, 0.01 or 1e-4 */
	AXIS_BYTES		/* linear, from 0, 16.0 MiB */
};

struct axis {
	enum axis_measure measure;
	double low, high;	/* low < high, above 0 where logarithmic */
};

/*
 * Where between low and high a value lies, 0 to 1 and beyond; not finite if it
 * has no logarithm.
 */
double axis_share(const struct axis *a, double at);

struct axis_tick {
	double at;
	char label[NUMBER_WORDS];
};

#define AXIS_TICKS_MAX 16

/*
 * From low to high, at the most values that are round, but at most so many, 0
 * bytes not counted.  Returns how many.
 */
size_t axis_ticks(const struct axis *a, size_t most,
    struct axis_tick ticks[AXIS_TICKS_MAX]);

#endif
