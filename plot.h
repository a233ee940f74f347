/*
 * Charts, drawn with characters.  Pure: numbers -> lines of text.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stddef.h>

#include "axis.h"
#include "screen.h"

struct plot_point {
	double x, y;
};

struct plot {
	const char *title;
	struct axis x, y;
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
