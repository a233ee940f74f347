/*
 * Charts, read back from their text: where the dots, the ticks and the wanted
 * point stand.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plot.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text as code points, as a terminal would show it. */
struct shown {
	unsigned rows;
	unsigned width[PLOT_ROWS + 1];
	uint32_t cell[PLOT_ROWS + 1][PLOT_COLUMNS_MAX + 1];
	bool fits;
};

static struct shown
show(const char *text)
{
	static struct shown s;
	const unsigned char *p = (const unsigned char *)text;

	s = (struct shown){ .fits = true };
	for (; *p != '\0'; p++) {
		if (*p == '\n') {
			s.rows++;
			continue;
		}
		uint32_t c = *p;
		if (c >= 0x80) {
			c = (c & 0xf) << 12 | (p[1] & 0x3fU) << 6 |
			    (p[2] & 0x3fU);
			p += 2;
		}
		if (s.rows == PLOT_ROWS ||
		    s.width[s.rows] == PLOT_COLUMNS_MAX) {
			s.fits = false;
			break;
		}
		s.cell[s.rows][s.width[s.rows]++] = c;
	}
	return s;
}

static const struct plot_point slope[] = {
	{ 1e6, 1e-4 }, { 1e7, 0.01 }, { 1e8, 1 }
};

static const struct plot plain = {
	"title", { AXIS_KEYS, 1e6, 1e8 }, { AXIS_RATE, 1e-4, 1 },
	slope, COUNT(slope), { 1e7, 0.01 }
};

static void
in_ascii(void)
{
	char text[PLOT_TEXT];
	static const char wanted[] =
	    "title\n"
	    "    1 +                               **\n"
	    "      |                             **\n"
	    "      |                           **\n"
	    "      |                        ***\n"
	    "  0.1 +                      **\n"
	    "      |                    **\n"
	    "      |                  **\n"
	    " 0.01 +...............*O*\n"
	    "      |             ** :\n"
	    "      |           **   :\n"
	    "0.001 +        ***     :\n"
	    "      |      **        :\n"
	    "      |    **          :\n"
	    "      |  **            :\n"
	    " 1e-4 +**              :\n"
	    "      ++---------------+---------------+\n"
	    "      1M              10M           100M\n";

	plot_chart(&plain, (struct screen){ 40, false }, text);
	OK(strcmp(text, wanted) == 0, "a chart in ASCII");
	if (strcmp(text, wanted) != 0)
		printf("# got\n%s", text);
}

/* Where a chart's curve begins: right of its axis. */
static unsigned
left_of(const struct shown *s)
{
	unsigned i = 0;

	while (s->cell[1][i] != 0x2502 && s->cell[1][i] != 0x2524)
		i++;
	return i + 1;
}

/*
 * Each dot of a straight line lies on it, as near as dots do, and each column
 * of dots has one; the wanted point hides a character.
 */
static void
in_braille(void)
{
	static const unsigned char bits[2][4] = {
		{ 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 }
	};
	struct tally dots = { 0 }, columns = { 0 };
	char text[PLOT_TEXT];

	plot_chart(&plain, (struct screen){ 80, true }, text);
	const struct shown s = show(text);
	const unsigned left = left_of(&s), across = 2 * (80 - left);
	for (unsigned x = 0; x < across; x++) {
		const double ideal = 59 - 59.0 * x / (across - 1);
		unsigned found = 0;
		for (unsigned y = 0; y < 60; y++) {
			const uint32_t c = s.cell[1 + y / 4][left + x / 2];
			if (c == 0x25cf)
				found++;
			if (c < 0x2800 || c > 0x28ff ||
			    (c & bits[x % 2][y % 4]) == 0)
				continue;
			found++;
			CASE(&dots, fabs(y - ideal) <= 1, "%u, %u", x, y);
		}
		CASE(&columns, found > 0, "%u", x);
	}
	OK_ALL(&dots, "a line in Braille is straight");
	OK_ALL(&columns, "a line in Braille has no gaps");
	const unsigned middle = left + across / 4;
	OK(s.cell[8][middle] == 0x25cf, "the wanted point is in the middle");
	OK(s.cell[8][left] == 0x2508 && s.cell[15][middle] == 0x250a,
	    "it is led to both axes");
}

static const struct {
	enum axis_measure measure;
	double low, high;
	unsigned columns;
	const char *x, *y;		/* what ticks say */
} scales[] = {
	{ AXIS_KEYS, 1, 10, 80, "1 2 5 10", "10 5 2 1" },
	{ AXIS_KEYS, 1e6, 1e8, 80, "1M 2M 5M 10M 20M 50M 100M",
	    "100M 50M 20M 10M 5M 2M 1M" },
	{ AXIS_KEYS, 1e6, 1e8, 40, "1M 10M 100M",
	    "100M 50M 20M 10M 5M 2M 1M" },
	{ AXIS_KEYS, 300, 30e3, 80, "500 1k 2k 5k 10k 20k",
	    "20k 10k 5k 2k 1k 500" },
	{ AXIS_KEYS, 1e14, 1e16, 80, "100T 200T 500T 1P 2P 5P 10P",
	    "10P 5P 2P 1P 500T 200T 100T" },
	{ AXIS_KEYS, 1, 1e18, 160,
	    "1 100 10k 1M 100M 10G 1T 100T 10P 1E",
	    "1E 1P 1T 1G 1M 1k 1" },
	{ AXIS_RATE, 1e-5, 1, 80, "1e-5 1e-4 0.001 0.01 0.1 1",
	    "1 0.1 0.01 0.001 1e-4 1e-5" },
	{ AXIS_RATE, 1e-5, 0.5, 80, "1e-5 1e-4 0.001 0.01 0.1",
	    "0.1 0.01 0.001 1e-4 1e-5" },
	{ AXIS_RATE, 1e-12, 1e-9, 160,
	    "1e-12 2e-12 5e-12 1e-11 2e-11 5e-11 1e-10 2e-10 5e-10 1e-9",
	    "1e-9 1e-10 1e-11 1e-12" },
	{ AXIS_RATE, 1e-15, 1, 80, "1e-15 1e-12 1e-9 1e-6 0.001 1",
	    "1 0.001 1e-6 1e-9 1e-12 1e-15" },
	{ AXIS_RATE, 1e-300, 1, 40, "1e-200 1", "1 1e-50 1e-100 1e-150 "
	    "1e-200 1e-250 1e-300" },
	{ AXIS_BYTES, 0, 1000, 80, "0 bytes 256 bytes 512 bytes 768 bytes",
	    "768 bytes 512 bytes 256 bytes 0 bytes" },
	{ AXIS_BYTES, 0, 12405696, 80, "0 bytes 2.00 MiB 4.00 MiB 6.00 MiB "
	    "8.00 MiB 10.0 MiB", "10.0 MiB 8.00 MiB 6.00 MiB 4.00 MiB "
	    "2.00 MiB 0 bytes" },
	{ AXIS_BYTES, 0, 0x1p60, 40, "0 bytes 512 PiB 1.00 EiB",
	    "1.00 EiB 768 PiB 512 PiB 256 PiB 0 bytes" },
};

/* Part of a row without the blanks around it, one blank for several. */
static void
words(const struct shown *s, unsigned row, unsigned from, unsigned to,
    char out[200])
{
	size_t n = strlen(out);

	for (unsigned i = from; i < to && i < s->width[row] && n < 198; i++) {
		const uint32_t c = s->cell[row][i];
		if (c != ' ')
			out[n++] = (char)c;
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

static void
what_ticks_say(void)
{
	char text[PLOT_TEXT];

	for (size_t i = 0; i < COUNT(scales); i++) {
		const double low = scales[i].low, high = scales[i].high;
		const struct axis a = { scales[i].measure, low, high };
		const struct plot p = { "", a, a, NULL, 0, { high, high } };
		plot_chart(&p, (struct screen){ scales[i].columns, true },
		    text);
		const struct shown s = show(text);
		char x[200] = "", y[200] = "";
		words(&s, PLOT_ROWS - 1, 0, s.width[PLOT_ROWS - 1], x);
		for (unsigned row = 1; row < 16; row++) {
			if (y[0] != '\0')
				strcat(y, " ");
			words(&s, row, 0, left_of(&s) - 1, y);
		}
		OK(strcmp(x, scales[i].x) == 0, "x from %g to %g: %s", low,
		    high, x);
		OK(strcmp(y, scales[i].y) == 0,
		    "y from %g to %g: %s", low, high, y);
	}
}

/* The most columns of any row; the title is as long as it may be, and more. */
static void
as_wide_as_the_screen(void)
{
	static const struct { unsigned columns, wanted; } widths[] = {
		{ 0, 40 }, { 1, 40 }, { 39, 40 }, { 40, 40 }, { 79, 79 },
		{ 80, 80 }, { 160, 160 }, { 161, 160 }, { 10000, 160 }
	};
	static const char longest[] = "a title that is longer than the widest "
	    "chart, which is cut off where the chart ends, as there is nothing "
	    "else that could be done about it, and nobody has such titles";
	char text[PLOT_TEXT];
	struct plot p = plain;

	p.title = longest;
	for (size_t i = 0; i < 2 * COUNT(widths); i++) {
		plot_chart(&p, (struct screen){ widths[i / 2].columns,
		    i % 2 == 1 }, text);
		const struct shown s = show(text);
		unsigned widest = 0;
		for (unsigned row = 0; row < s.rows; row++)
			widest = s.width[row] > widest ? s.width[row] : widest;
		OK(s.fits && s.rows == PLOT_ROWS &&
		    widest == widths[i / 2].wanted,
		    "%u columns, %s: %u rows of up to %u", widths[i / 2].columns,
		    i % 2 ? "Unicode" : "ASCII", s.rows, widest);
	}
}

static unsigned
count(const struct shown *s, uint32_t c)
{
	unsigned n = 0;

	for (unsigned row = 1; row < 16; row++)
		for (unsigned i = 0; i < s->width[row]; i++)
			n += s->cell[row][i] == c;
	return n;
}

/* What lies outside is not drawn; the wanted point is, at the edge. */
static void
outside(void)
{
	static const struct plot_point far[] = {
		{ 1e-3, 1e-300 }, { 1e5, 0 }, { 1e20, 1e20 }
	};
	static const struct plot_point edges[] = {
		{ 1, 1e-300 }, { 1, 1e300 }, { 1e300, 1e300 }, { 1e300, 0 }
	};
	struct plot p = plain;
	char text[PLOT_TEXT];

	p.points = far;
	p.npoints = COUNT(far);
	for (size_t i = 0; i < COUNT(edges); i++) {
		p.wanted = edges[i];
		plot_chart(&p, (struct screen){ 80, false }, text);
		const struct shown s = show(text);
		const unsigned row = edges[i].y > 1 ? 1 : 15;
		const unsigned column = edges[i].x > 1 ? 79 : 7;
		OK(s.fits && count(&s, 'O') == 1 &&
		    s.cell[row][column] == 'O',
		    "wanted at %g, %g stands in a corner", edges[i].x,
		    edges[i].y);
	}
	p.npoints = 0;
	p.wanted = (struct plot_point){ 1e7, 0.01 };
	plot_chart(&p, (struct screen){ 80, false }, text);
	const struct shown s = show(text);
	OK(count(&s, '*') == 0 && count(&s, 'O') == 1, "a chart of no points");
}

int
main(void)
{
	in_ascii();
	in_braille();
	what_ticks_say();
	as_wide_as_the_screen();
	outside();
	return done();
}
