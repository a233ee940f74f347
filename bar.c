/*
 * Unicode has characters that are covered by eighths; in ASCII half is enough.
 */
#include <math.h>
#include <string.h>

#include "bar.h"

unsigned
bar_width(struct screen s, unsigned bars, unsigned used)
{
	const unsigned least = 5, brackets = 2;

	used += bars * brackets;
	if (s.columns < used + bars * least)
		return least;
	const unsigned width = (s.columns - used) / bars;
	return width < BAR_MAX / bars ? width : BAR_MAX / bars;
}

/* A character of which so much, 0 to 1 and beyond, is covered. */
static const char *
cell(bool in_unicode, double covered)
{
	static const char *const eighths[] = {
		" ", u8"\u258f", u8"\u258e", u8"\u258d", u8"\u258c",
		u8"\u258b", u8"\u258a", u8"\u2589", u8"\u2588"
	};

	if (!in_unicode)
		return covered >= 0.5 ? "#" : ".";
	return eighths[(int)(fmin(fmax(covered, 0), 1) * 8 + 0.5)];
}

const char *
bar_text(double share, double mark, unsigned width, struct screen s,
    char text[BAR_TEXT])
{
	const int marked = mark < 0 ? -1 : (int)fmin(mark * width, width - 1);
	char *end = text;

	*end++ = '[';
	for (unsigned i = 0; i < width && i < BAR_MAX; i++) {
		const char *c = (int)i != marked ?
		    cell(s.unicode, share * width - i) :
		    s.unicode ? u8"\u2502" : "|";
		end = stpcpy(end, c);
	}
	*end++ = ']';
	*end = '\0';
	return text;
}
