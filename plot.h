/*
 * Charts, drawn with characters.  Pure: numbers -> lines of text.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stddef.h>

#include "screen.h"

/* What an axis measures, and so how it is divided and what its ticks say. */
enum plot_axis {
	PLOT_KEYS,	/* logarithmic, 20M */
	PLOT_RATE,	/* logarithmic, 0.01 or 1e-4 */
	PLOT_BYTES	/* linear, 16.0 MiB */
};

struct plot_point {
	double x, y;
};

struct plot {
	const char *title;
	enum plot_axis x_axis, y_axis;
	struct plot_point low, high;	/* low corner, high corner; low < high,
					   and above 0 where logarithmic */
	const struct plot_point *points;	/* of a curve, from left to
						   right, joined by lines */
	size_t npoints;
	struct plot_point wanted;	/* is marked, and led to both axes;
					   where it lies outside, at the edge */
};

/* However wide the screen is, a chart has so many columns. */
#define PLOT_COLUMNS_MIN 40
#define PLOT_COLUMNS_MAX 160

/* A title, the curve, the axis, what its ticks say. */
#define PLOT_CURVE_ROWS 15
#define PLOT_ROWS (1 + PLOT_CURVE_ROWS + 2)

/* A character takes up to 3 bytes, in UTF-8. */
#define PLOT_TEXT (PLOT_ROWS * (3 * PLOT_COLUMNS_MAX + 1) + 1)

/* Lines that end in newlines, without blanks before them. */
const char *plot_chart(const struct plot *p, struct screen s,
    char text[PLOT_TEXT]);

#endif
