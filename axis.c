/*
 * Ticks stand at powers of ten, or of two for bytes, and at some digits times
 * those.
 */
#include <math.h>
#include <stdio.h>

#include "axis.h"

double
axis_share(const struct axis *a, double at)
{
	if (a->measure == AXIS_BYTES)
		return (at - a->low) / (a->high - a->low);
	return log(at / a->low) / log(a->high / a->low);
}

/* 2e7 -> "20M", as number.c reads it. */
static void
label_keys(struct axis_tick *t)
{
	static const char suffixes[] = " kMGTPE";
	double x = t->at;
	const char *suffix = suffixes;

	for (; x >= 999.5 && suffix[1] != '\0'; x /= 1000)
		suffix++;
	snprintf(t->label, sizeof(t->label), "%.4g%.*s", x,
	    suffix > suffixes, suffix);
}

/* 0.01, but 1e-4 and not 0.0001 or 1e-04. */
static void
label_rate(struct axis_tick *t, unsigned digit, int exponent)
{
	if (exponent >= -3)
		snprintf(t->label, sizeof(t->label), "%.4g", t->at);
	else
		snprintf(t->label, sizeof(t->label), "%ue%d", digit, exponent);
}

/* From 0 up, a power of two apart: halves and quarters of MiB read well. */
static size_t
ticks_linear(double high, size_t most, struct axis_tick *ticks)
{
	const double step = exp2(fmax(0, ceil(log2(high / (double)most))));
	size_t n = 0;

	for (double x = 0; x <= high && n < AXIS_TICKS_MAX; x += step) {
		ticks[n].at = x;
		number_bytes((uint64_t)x, ticks[n].label);
		n++;
	}
	return n;
}

/* The digit times each power of ten whose exponent `every` divides. */
static size_t
ticks_of_decades(const struct axis *a, int every, const char *digits,
    size_t most, struct axis_tick *ticks)
{
	const int last = (int)floor(log10(a->high) + 1e-9);
	size_t n = 0;

	for (int e = (int)floor(log10(a->low) + 1e-9); e <= last; e++)
		for (const char *d = digits; e % every == 0 && *d; d++) {
			struct axis_tick t = { (*d - '0') * pow(10, e), "" };
			if (t.at < a->low * (1 - 1e-9) ||
			    t.at > a->high * (1 + 1e-9))
				continue;
			if (n == most)
				return most + 1;
			if (a->measure == AXIS_KEYS)
				label_keys(&t);
			else
				label_rate(&t, (unsigned)(*d - '0'), e);
			ticks[n++] = t;
		}
	return n;
}

size_t
axis_ticks(const struct axis *a, size_t most,
    struct axis_tick ticks[AXIS_TICKS_MAX])
{
	/* The last is enough for all that a double can hold. */
	static const int every[] = { 1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500 };

	if (most > AXIS_TICKS_MAX)
		most = AXIS_TICKS_MAX;
	if (a->measure == AXIS_BYTES)
		return ticks_linear(a->high, most, ticks);
	size_t n = ticks_of_decades(a, 1, "125", most, ticks);
	for (size_t i = 0; n > most && i < sizeof(every) / sizeof(*every); i++)
		n = ticks_of_decades(a, every[i], "1", most, ticks);
	return n <= most ? n : 0;
}
