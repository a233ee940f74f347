/*
 * Charts are drawn on a canvas of characters, the curve in dots: Braille has
 * eight to a character, ASCII one.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/* As code points, all below U+10000. */
struct pen {
	unsigned across, down;		/* dots to a character */
	uint16_t horizontal, vertical, corner;
	uint16_t x_tick, y_tick;
	uint16_t x_lead, y_lead;	/* from the wanted point to the axes */
	uint16_t wanted;
};

static const struct pen ascii = {
	1, 1, '-', '|', '+', '+', '+', ':', '.', 'O'
};

static const struct pen unicode = {
	2, 4, 0x2500, 0x2502, 0x2514, 0x252c, 0x2524, 0x250a, 0x2508, 0x25cf
};

#define BRAILLE 0x2800

/* Rows are counted from the top. */
struct canvas {
	const struct pen *pen;
	unsigned columns;
	unsigned left;		/* the column of the y axis */
	uint16_t cell[PLOT_ROWS][PLOT_COLUMNS_MAX];
};

#define AXIS_ROW (1 + PLOT_CURVE_ROWS)
#define LABEL_ROW (AXIS_ROW + 1)

static size_t
put_utf8(char *s, uint16_t c)
{
	if (c < 0x80) {
		s[0] = (char)c;
		return 1;
	}
	s[0] = (char)(0xe0 | c >> 12);
	s[1] = (char)(0x80 | (c >> 6 & 0x3f));
	s[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

static const char *
text_of(const struct canvas *c, char text[PLOT_TEXT])
{
	size_t n = 0;

	for (unsigned row = 0; row < PLOT_ROWS; row++) {
		unsigned used = c->columns;
		while (used > 0 && c->cell[row][used - 1] == ' ')
			used--;
		for (unsigned i = 0; i < used; i++)
			n += put_utf8(text + n, c->cell[row][i]);
		text[n++] = '\n';
	}
	text[n] = '\0';
	return text;
}

static void
put_text(struct canvas *c, unsigned row, unsigned column, const char *s)
{
	for (; *s != '\0' && column < c->columns; s++)
		c->cell[row][column++] = (unsigned char)*s;
}

/* In dots from the lower left; those far outside come nearer. */
static long
dot_of(double share, long dots)
{
	return lround(fmin(fmax(share, -9), 9) * (double)(dots - 1));
}

static long
dots_across(const struct canvas *c)
{
	return (long)((c->columns - c->left - 1) * c->pen->across);
}

static long
dots_up(const struct canvas *c)
{
	return (long)(PLOT_CURVE_ROWS * c->pen->down);
}

static long
dot_x(const struct canvas *c, const struct plot *p, double x)
{
	return dot_of(axis_share(&p->x, x), dots_across(c));
}

static long
dot_y(const struct canvas *c, const struct plot *p, double y)
{
	return dot_of(axis_share(&p->y, y), dots_up(c));
}

static unsigned
column_of(const struct canvas *c, long x)
{
	return c->left + 1 + (unsigned)x / c->pen->across;
}

static unsigned
row_of(const struct canvas *c, long y)
{
	return PLOT_CURVE_ROWS - (unsigned)y / c->pen->down;
}

static void
put_dot(struct canvas *c, long x, long y)
{
	/* The dots of a character have these bits, from the lower left. */
	static const unsigned char bits[4][2] = {
		{ 0x40, 0x80 }, { 0x04, 0x20 }, { 0x02, 0x10 }, { 0x01, 0x08 }
	};

	if (x < 0 || y < 0 || x >= dots_across(c) || y >= dots_up(c))
		return;
	uint16_t *cell = &c->cell[row_of(c, y)][column_of(c, x)];
	if (c->pen == &ascii)
		*cell = '*';
	else if (*cell < BRAILLE)
		*cell = BRAILLE | bits[y % 4][x % 2];
	else
		*cell |= bits[y % 4][x % 2];
}

/* Each dot that the line comes nearest to, on its longer side. */
static void
put_line(struct canvas *c, long x1, long y1, long x2, long y2)
{
	const long dx = x2 - x1, dy = y2 - y1;
	const long n = labs(dx) > labs(dy) ? labs(dx) : labs(dy);

	for (long i = 0; i <= n; i++) {
		const double t = n > 0 ? (double)i / (double)n : 0;
		put_dot(c, x1 + lround(t * (double)dx),
		    y1 + lround(t * (double)dy));
	}
}

static void
draw_curve(struct canvas *c, const struct plot *p)
{
	bool joined = false;
	long x = 0, y = 0;

	for (size_t i = 0; i < p->npoints; i++) {
		const struct plot_point at = p->points[i];
		/* A rate that is too low for a double has no logarithm. */
		if (!isfinite(axis_share(&p->y, at.y)))
			continue;
		const long x2 = dot_x(c, p, at.x), y2 = dot_y(c, p, at.y);
		put_line(c, joined ? x : x2, joined ? y : y2, x2, y2);
		x = x2;
		y = y2;
		joined = true;
	}
}

static long
inside(long dot, long dots)
{
	return dot < 0 ? 0 : dot >= dots ? dots - 1 : dot;
}

/* Leads stop before the curve and go under it. */
static void
draw_wanted(struct canvas *c, const struct plot *p)
{
	const unsigned column = column_of(c,
	    inside(dot_x(c, p, p->wanted.x), dots_across(c)));
	const unsigned row = row_of(c,
	    inside(dot_y(c, p, p->wanted.y), dots_up(c)));

	for (unsigned i = c->left + 1; i < column; i++)
		if (c->cell[row][i] == ' ')
			c->cell[row][i] = c->pen->y_lead;
	for (unsigned i = row + 1; i < AXIS_ROW; i++)
		if (c->cell[i][column] == ' ')
			c->cell[i][column] = c->pen->x_lead;
	c->cell[row][column] = c->pen->wanted;
}

/* Sets where the axis stands: to the right of all that its ticks say. */
static void
draw_y_axis(struct canvas *c, const struct plot *p)
{
	struct axis_tick ticks[AXIS_TICKS_MAX];
	const size_t n = axis_ticks(&p->y, PLOT_CURVE_ROWS / 2, ticks);
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		if (strlen(ticks[i].label) > width)
			width = strlen(ticks[i].label);
	c->left = (unsigned)width + 1;
	for (unsigned row = 1; row < AXIS_ROW; row++)
		c->cell[row][c->left] = c->pen->vertical;
	for (size_t i = 0; i < n; i++) {
		const unsigned row = row_of(c, dot_y(c, p, ticks[i].at));
		c->cell[row][c->left] = c->pen->y_tick;
		put_text(c, row, (unsigned)(width - strlen(ticks[i].label)),
		    ticks[i].label);
	}
}

/* Ticks that have no room to say what they are for do not. */
static void
draw_x_axis(struct canvas *c, const struct plot *p)
{
	enum { LABEL_WIDTH = 10 };	/* 1e-12 or 768 MiB, and room between */
	struct axis_tick ticks[AXIS_TICKS_MAX];
	const size_t n = axis_ticks(&p->x,
	    (c->columns - c->left) / LABEL_WIDTH, ticks);
	unsigned taken = 0;

	for (unsigned i = c->left + 1; i < c->columns; i++)
		c->cell[AXIS_ROW][i] = c->pen->horizontal;
	c->cell[AXIS_ROW][c->left] = c->pen->corner;
	for (size_t i = 0; i < n; i++) {
		const unsigned width = (unsigned)strlen(ticks[i].label);
		const unsigned column = column_of(c,
		    dot_x(c, p, ticks[i].at));
		unsigned from = column - width / 2;
		c->cell[AXIS_ROW][column] = c->pen->x_tick;
		if (from + width > c->columns)
			from = c->columns - width;
		if (from < taken)
			continue;
		put_text(c, LABEL_ROW, from, ticks[i].label);
		taken = from + width + 1;
	}
}

static unsigned
within(unsigned low, unsigned x, unsigned high)
{
	return x < low ? low : x > high ? high : x;
}

const char *
plot_chart(const struct plot *p, struct screen s, char text[PLOT_TEXT])
{
	struct canvas c = { .pen = s.unicode ? &unicode : &ascii,
	    .columns = within(PLOT_COLUMNS_MIN, s.columns, PLOT_COLUMNS_MAX) };

	for (unsigned row = 0; row < PLOT_ROWS; row++)
		for (unsigned i = 0; i < c.columns; i++)
			c.cell[row][i] = ' ';
	put_text(&c, 0, 0, p->title);
	draw_y_axis(&c, p);
	draw_x_axis(&c, p);
	draw_curve(&c, p);
	draw_wanted(&c, p);
	return text_of(&c, text);
}
