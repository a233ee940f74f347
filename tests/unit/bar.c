/*
 * Bars: what they cover, and how wide they are.
 */
#include <string.h>

#include "bar.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	double share, mark;
	unsigned width;
	bool unicode;
	const char *wanted;
} bars[] = {
	{ 0, -1, 10, false, "[..........]" },
	{ 0.5, -1, 10, false, "[#####.....]" },
	{ 0.549, -1, 10, false, "[#####.....]" },
	{ 0.551, -1, 10, false, "[######....]" },
	{ 1, -1, 10, false, "[##########]" },
	{ 7, -1, 10, false, "[##########]" },
	{ 1e300, -1, 10, false, "[##########]" },
	{ 0.3, 0.5, 10, false, "[###..|....]" },
	{ 0.8, 0.5, 10, false, "[#####|##..]" },
	{ 0.3, 0, 10, false, "[|##.......]" },
	{ 0.3, 1, 10, false, "[###......|]" },
	{ 0.3, 5, 10, false, "[###......|]" },
	{ 0, -1, 4, true, "[    ]" },
	{ 0.01, -1, 4, true, "[    ]" },
	{ 0.125, -1, 4, true, "[▌   ]" },
	{ 0.25, -1, 4, true, "[█   ]" },
	{ 0.28125, -1, 4, true, "[█▏  ]" },
	{ 0.46875, -1, 4, true, "[█▉  ]" },
	{ 1, -1, 4, true, "[████]" },
	{ 1e300, 1e300, 4, true, "[███│]" },
	{ 0.25, 0.5, 4, true, "[█ │ ]" },
	{ 0.5, -1, 0, false, "[]" },
	{ 0.5, -1, 1000, false,
	    "[########################################]" },
};

static void
how_they_look(void)
{
	char text[BAR_TEXT];

	for (size_t i = 0; i < COUNT(bars); i++) {
		bar_text(bars[i].share, bars[i].mark, bars[i].width,
		    (struct screen){ 80, bars[i].unicode }, text);
		OK(strcmp(text, bars[i].wanted) == 0,
		    "a bar of %g with a mark at %g: %s", bars[i].share,
		    bars[i].mark, text);
	}
}

static const struct {
	unsigned columns, bars, used, wanted;
} widths[] = {
	{ 80, 1, 14, 40 },
	{ 56, 1, 14, 40 },
	{ 55, 1, 14, 39 },
	{ 22, 1, 14, 6 },
	{ 21, 1, 14, 5 },
	{ 20, 1, 14, 5 },
	{ 1, 1, 14, 5 },
	{ 70, 2, 26, 20 },
	{ 69, 2, 26, 19 },
	{ 68, 2, 26, 19 },
	{ 40, 2, 26, 5 },
	{ 39, 2, 26, 5 },
	{ 10000, 2, 0, 20 },
};

static void
how_wide_they_are(void)
{
	for (size_t i = 0; i < COUNT(widths); i++)
		OK(bar_width((struct screen){ widths[i].columns, false },
		    widths[i].bars, widths[i].used) == widths[i].wanted,
		    "%u beside %u of %u columns have %u each", widths[i].bars,
		    widths[i].used, widths[i].columns, widths[i].wanted);
}

int
main(void)
{
	how_they_look();
	how_wide_they_are();
	return done();
}
