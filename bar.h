/*
 * Bars of characters: "[####|...]".  Pure: numbers -> text.
 */
#ifndef BAR_H
#define BAR_H

#include "screen.h"

/* Characters between the brackets at most. */
#define BAR_MAX 40

/* A character takes up to 3 bytes, in UTF-8. */
#define BAR_TEXT (3 * BAR_MAX + 3)

/*
 * How many characters so many bars, beside each other and `used` columns of
 * something else, have between their brackets: BAR_MAX together where there is
 * room for that, 5 each where there is none.
 */
unsigned bar_width(struct screen s, unsigned bars, unsigned used);

/*
 * A bar with `width` characters, up to BAR_MAX, between the brackets: so full
 * is a share, 0 to 1 and beyond, and the mark, if it is not negative, stands
 * for another one.
 */
const char *bar_text(double share, double mark, unsigned width,
    struct screen s, char text[BAR_TEXT]);

#endif
