/*
 * The line that tells how far we are.
 */
#include <sys/ioctl.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "number.h"
#include "progress.h"
#include "signals.h"

/* Seconds until the line appears, and from one time it is drawn to the next. */
#define PATIENCE 1.0
#define REDRAW 0.25

#define LINE_SIZE 200

/* "5 s", "2 min 5 s", "3 h 20 min". */
static const char *
time_words(double seconds, char buf[NUMBER_WORDS])
{
	const double s = fmin(floor(seconds + 0.5), 3.6e9);

	if (s < 60)
		snprintf(buf, NUMBER_WORDS, "%.0f s", s);
	else if (s < 3600)
		snprintf(buf, NUMBER_WORDS, "%.0f min %.0f s", floor(s / 60),
		    fmod(s, 60));
	else
		snprintf(buf, NUMBER_WORDS, "%.0f h %.0f min",
		    floor(s / 3600), floor(fmod(s, 3600) / 60));
	return buf;
}

static const char *
amount_words(const struct progress *p, uint64_t x, char buf[NUMBER_WORDS])
{
	if (p->unit == PROGRESS_BYTES)
		return number_bytes(x, buf);
	snprintf(buf, NUMBER_WORDS, "%" PRIu64, x);
	return buf;
}

static void
make_line(const struct progress *p, uint64_t done, double now,
    char line[LINE_SIZE])
{
	const double spent = now - p->began;
	const double share = p->total > 0 ?
	    fmin((double)done / (double)p->total, 1) : 0;
	const char *keys = p->unit == PROGRESS_KEYS ? " keys" : "";
	char a[NUMBER_WORDS], b[NUMBER_WORDS], c[NUMBER_WORDS];

	amount_words(p, done, a);
	if (p->total == 0)
		snprintf(line, LINE_SIZE, "%s: %s%s in %s", p->what, a, keys,
		    time_words(spent, c));
	else if (done == 0)
		snprintf(line, LINE_SIZE, "%s: %s of %s%s, 0 %%", p->what, a,
		    amount_words(p, p->total, b), keys);
	else
		snprintf(line, LINE_SIZE, "%s: %s of %s%s, %.0f %%, %s left",
		    p->what, a, amount_words(p, p->total, b), keys,
		    floor(100 * share),
		    time_words(spent * (1 - share) / share, c));
}

void
progress_begin(struct progress *p, const char *what, enum progress_unit unit,
    uint64_t total)
{
	*p = (struct progress){ .what = what, .unit = unit, .total = total,
	    .began = clock_seconds(), .terminal = isatty(STDERR_FILENO) };
}

/* In the background the terminal is somebody else's. */
static bool
may_draw(const struct progress *p)
{
	return p->terminal && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* As much of it as fits: what wraps cannot be erased. */
static void
draw(struct progress *p, const char *line)
{
	struct winsize size;
	size_t n = strlen(line);

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
	    n >= size.ws_col)
		n = size.ws_col - 1U;
	fprintf(stderr, "\r%.*s%*s", (int)n, line,
	    p->width > n ? (int)(p->width - n) : 0, "");
	p->width = n;
}

void
progress_at(struct progress *p, uint64_t done)
{
	const bool asked = signals_asked();
	const double now = clock_seconds();
	char line[LINE_SIZE];

	if (asked) {
		make_line(p, done, now, line);
		progress_end(p);
		fprintf(stderr, "%s\n", line);
	}
	if (now - p->began < PATIENCE || now - p->drawn < REDRAW)
		return;
	p->drawn = now;
	if (may_draw(p)) {
		make_line(p, done, now, line);
		draw(p, line);
	}
}

void
progress_end(struct progress *p)
{
	if (p->width > 0 && may_draw(p))
		fprintf(stderr, "\r%*s\r", (int)p->width, "");
	p->width = 0;
}
