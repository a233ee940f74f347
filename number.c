/*
 * Reads and writes the numbers of the command line.  Nothing here depends on
 * the locale: the program never sets one.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* digits * 10^exponent, and what follows it in the text. */
struct decimal {
	uint64_t digits;
	int exponent;
	bool rounded;		/* there were more than 19 digits */
	const char *rest;
};

/* Exponents past this are out of every range; the cap keeps sums small. */
#define EXPONENT_MAX 9999

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Append a digit.  Zeros are held back in the exponent until a digit other
 * than zero needs them, so that "1.50000000000000000000" still fits.
 */
static bool
push_digit(struct decimal *d, int *zeros, char c)
{
	if (c == '0') {
		(*zeros)++;
		return *zeros < EXPONENT_MAX;
	}
	uint64_t x = d->digits;
	for (int i = 0; i <= *zeros && x != 0; i++) {
		if (x > UINT64_MAX / 10)
			return false;
		x *= 10;
	}
	if (x > UINT64_MAX - (uint64_t)(c - '0'))
		return false;
	d->digits = x + (uint64_t)(c - '0');
	*zeros = 0;
	return true;
}

static const char *
parse_exponent(const char *s, int *exponent)
{
	const bool negative = s[1] == '-';
	const char *p = s + 1 + (s[1] == '-' || s[1] == '+');

	if (!is_digit(*p))
		return s;	/* not an exponent: a suffix, or rubbish */
	int e = 0;
	for (; is_digit(*p); p++)
		if (e < EXPONENT_MAX)
			e = e * 10 + (*p - '0');
	*exponent += negative ? -e : e;
	return p;
}

static enum number_err
parse_decimal(const char *s, struct decimal *d)
{
	bool any = false, point = false;
	int zeros = 0, places = 0;

	*d = (struct decimal){ 0, 0, false, s };
	for (; is_digit(*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		any = true;
		if (d->rounded || !push_digit(d, &zeros, *s)) {
			d->rounded = true;
			places -= !point;	/* a digit less, ten times more */
		} else {
			places += point;
		}
	}
	if (!any)
		return NUMBER_SYNTAX;
	d->exponent = zeros - places;
	if (*s == 'e' || *s == 'E')
		s = parse_exponent(s, &d->exponent);
	d->rest = s;
	return NUMBER_OK;
}

/* The factor that a suffix stands for, 1 for none; moves *s behind it. */
static uint64_t
parse_suffix(const char **s)
{
	static const char letters[] = "kMGTPE";
	const char *at = **s == 'K' ? letters :
	    **s != '\0' ? strchr(letters, **s) : NULL;

	if (at == NULL)
		return 1;
	(*s)++;
	uint64_t base = 1000;
	if (**s == 'i') {
		(*s)++;
		base = 1024;
	}
	uint64_t factor = base;
	for (; at > letters; at--)
		factor *= base;
	return factor;
}

static enum number_err
whole(const struct decimal *d, uint64_t factor, uint64_t *out)
{
	uint64_t x = d->digits;

	if (d->rounded)
		return NUMBER_RANGE;
	if (x == 0) {
		*out = 0;
		return NUMBER_OK;
	}
	/* Shorten 10^-exponent against the factor first: 1.5Gi is whole. */
	int down = d->exponent < 0 ? -d->exponent : 0;
	for (; down > 0; down--) {
		if (factor % 10 == 0) {
			factor /= 10;
		} else if (x % 5 == 0 && factor % 2 == 0) {
			x /= 5;
			factor /= 2;
		} else {
			return NUMBER_INEXACT;
		}
	}
	if (x > UINT64_MAX / factor)
		return NUMBER_RANGE;
	x *= factor;
	for (int up = d->exponent; up > 0; up--) {
		if (x > UINT64_MAX / 10)
			return NUMBER_RANGE;
		x *= 10;
	}
	*out = x;
	return NUMBER_OK;
}

static enum number_err
integer(const char *s, bool bytes, uint64_t min, uint64_t max, uint64_t *out)
{
	struct decimal d;
	enum number_err e = parse_decimal(s, &d);

	if (e == NUMBER_SYNTAX)
		return e;
	if (e == NUMBER_OK) {
		const uint64_t factor = parse_suffix(&d.rest);
		if (bytes && *d.rest == 'B')
			d.rest++;
		if (*d.rest != '\0')
			return NUMBER_SYNTAX;
		e = whole(&d, factor, out);
	}
	if (e == NUMBER_OK && (*out < min || *out > max))
		return NUMBER_RANGE;
	return e;
}

enum number_err
number_count(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	return integer(s, false, min, max, out);
}

enum number_err
number_size(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	return integer(s, true, min, max, out);
}

/* Through strtod, so that 0.1% and 1e-3 are the same double. */
static enum number_err
real(const struct decimal *d, double min, double max, double *out)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 "e%d", d->digits, d->exponent);
	*out = strtod(text, NULL);
	return *out >= min && *out <= max ? NUMBER_OK : NUMBER_RANGE;
}

enum number_err
number_rate(const char *s, double min, double max, double *out)
{
	struct decimal d;
	const enum number_err e = parse_decimal(s, &d);

	if (e != NUMBER_OK)
		return e;
	if (*d.rest == '%') {
		d.rest++;
		d.exponent -= 2;
	}
	return *d.rest != '\0' ? NUMBER_SYNTAX : real(&d, min, max, out);
}

enum number_err
number_seconds(const char *s, double max, double *out)
{
	struct decimal d;
	const enum number_err e = parse_decimal(s, &d);

	if (e != NUMBER_OK)
		return e;
	return *d.rest != '\0' ? NUMBER_SYNTAX : real(&d, 0, max, out);
}

enum number_err
number_seed(const char *s, uint64_t *out)
{
	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return number_count(s, 0, UINT64_MAX, out);
	s += 2;
	const size_t n = strspn(s, "0123456789abcdefABCDEF");
	if (n == 0 || s[n] != '\0')
		return NUMBER_SYNTAX;
	if (n > 16)
		return NUMBER_RANGE;
	*out = strtoull(s, NULL, 16);
	return NUMBER_OK;
}

const char *
number_strerror(enum number_err e)
{
	switch (e) {
	case NUMBER_OK:
		break;
	case NUMBER_SYNTAX:
		return "is not a number";
	case NUMBER_INEXACT:
		return "is not a whole number";
	case NUMBER_RANGE:
		return "is out of range";
	}
	return "is fine";
}

/* Three digits of x and its unit; 1023.5 would be printed as "1024". */
static const char *
rounded(double x, double base, const char *const *units, size_t nunits,
    char buf[NUMBER_WORDS])
{
	size_t i = 0;

	while (x >= base - 0.5 && i + 1 < nunits) {
		x /= base;
		i++;
	}
	const int places = i == 0 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
	snprintf(buf, NUMBER_WORDS, "%.*f%s", places, x, units[i]);
	return buf;
}

const char *
number_bytes(uint64_t nbytes, char buf[NUMBER_WORDS])
{
	static const char *const units[] = { " bytes", " KiB", " MiB", " GiB",
	    " TiB", " PiB", " EiB" };

	return rounded((double)nbytes, 1024, units,
	    sizeof(units) / sizeof(units[0]), buf);
}

const char *
number_short(uint64_t x, char buf[NUMBER_WORDS])
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };

	return rounded((double)x, 1000, units,
	    sizeof(units) / sizeof(units[0]), buf);
}
