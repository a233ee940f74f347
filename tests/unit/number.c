/*
 * Numbers of the command line: what is read as what, what is refused and why,
 * and how sizes are written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "random.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct integer_case {
	const char *text;
	uint64_t wanted;
};

struct refusal {
	const char *text;
	enum number_err wanted;
};

static const struct integer_case counts[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "2e9", 2000000000 },
	{ "10M", 10000000 },
	{ "1.5k", 1500 },
	{ "1.5K", 1500 },
	{ "1k", 1000 },
	{ "1K", 1000 },
	{ "1M", 1000000 },
	{ "1G", 1000000000 },
	{ "1T", UINT64_C(1000000000000) },
	{ "1P", UINT64_C(1000000000000000) },
	{ "1E", UINT64_C(1000000000000000000) },
	{ "18E", UINT64_C(18000000000000000000) },
	{ "1ki", UINT64_C(1) << 10 },
	{ "1Ki", UINT64_C(1) << 10 },
	{ "1Mi", UINT64_C(1) << 20 },
	{ "1Gi", UINT64_C(1) << 30 },
	{ "1Ti", UINT64_C(1) << 40 },
	{ "1Pi", UINT64_C(1) << 50 },
	{ "1Ei", UINT64_C(1) << 60 },
	{ "15Ei", UINT64_C(15) << 60 },
	/* An E with digits behind it is an exponent, alone it is exa. */
	{ "1E5", 100000 },
	{ "1e5", 100000 },
	{ "1e+5", 100000 },
	{ "1e05", 100000 },
	{ "1E0", 1 },
	{ "1e1E", UINT64_C(10000000000000000000) },
	{ "2e3k", 2000000 },
	{ "1e3Ki", 1024000 },
	{ "1e19", UINT64_C(10000000000000000000) },
	{ "007", 7 },
	{ "0010k", 10000 },
	{ "000000000000000000000000000000000042", 42 },
	{ "18446744073709551615", UINT64_MAX },
	{ "0018446744073709551615", UINT64_MAX },
	{ "18446744073709551615.000", UINT64_MAX },
	{ "184467440737095516150e-1", UINT64_MAX },
	{ "1844674407370955161.5e1", UINT64_MAX },
	{ "18.446744073709551615E", UINT64_MAX },
	{ "1.152921504606846976E", UINT64_C(1) << 60 },
	{ "1.0", 1 },
	{ "1.", 1 },
	{ ".5k", 500 },
	{ "0.001k", 1 },
	{ "1.50000000000000000000k", 1500 },
	{ "1.0000000000000000000000000000000000000000", 1 },
	{ "0.00000000000000000000000000000000000001e38", 1 },
	{ "1000e-3", 1 },
	{ "123000e-3", 123 },
	{ "1e-3k", 1 },
	{ "2.5e1", 25 },
	{ "1.5Gi", 1610612736 },
	{ "0.25Ki", 256 },
	{ "0.0009765625Ki", 1 },
	{ "0.0", 0 },
	{ "0e99999999999", 0 },
	{ "0e-99999999999", 0 },
	{ "0E", 0 },
};

static const struct refusal bad_counts[] = {
	{ "", NUMBER_SYNTAX },
	{ "-1", NUMBER_SYNTAX },
	{ "-0", NUMBER_SYNTAX },
	{ "+1", NUMBER_SYNTAX },
	{ " 1", NUMBER_SYNTAX },
	{ "1 ", NUMBER_SYNTAX },
	{ "1 k", NUMBER_SYNTAX },
	{ "1\n", NUMBER_SYNTAX },
	{ "1,5", NUMBER_SYNTAX },
	{ "1,000", NUMBER_SYNTAX },
	{ "1_000", NUMBER_SYNTAX },
	{ "nan", NUMBER_SYNTAX },
	{ "inf", NUMBER_SYNTAX },
	{ "INFINITY", NUMBER_SYNTAX },
	{ "0x10", NUMBER_SYNTAX },
	{ "0x", NUMBER_SYNTAX },
	{ "1e", NUMBER_SYNTAX },
	{ "1e+", NUMBER_SYNTAX },
	{ "1e-", NUMBER_SYNTAX },
	{ "1E+", NUMBER_SYNTAX },
	{ "1e 5", NUMBER_SYNTAX },
	{ "1e--5", NUMBER_SYNTAX },
	{ "1e1.5", NUMBER_SYNTAX },
	{ "1e2e3", NUMBER_SYNTAX },
	{ "e5", NUMBER_SYNTAX },
	{ "E", NUMBER_SYNTAX },
	{ "k", NUMBER_SYNTAX },
	{ "Ki", NUMBER_SYNTAX },
	{ ".", NUMBER_SYNTAX },
	{ ".k", NUMBER_SYNTAX },
	{ ".e5", NUMBER_SYNTAX },
	{ "1..2", NUMBER_SYNTAX },
	{ "1.2.3", NUMBER_SYNTAX },
	{ "1kk", NUMBER_SYNTAX },
	{ "1kM", NUMBER_SYNTAX },
	{ "1i", NUMBER_SYNTAX },
	{ "1Kii", NUMBER_SYNTAX },
	{ "1KI", NUMBER_SYNTAX },
	{ "1m", NUMBER_SYNTAX },
	{ "1g", NUMBER_SYNTAX },
	{ "1Z", NUMBER_SYNTAX },
	{ "10B", NUMBER_SYNTAX },
	{ "10MB", NUMBER_SYNTAX },
	{ "10MiB", NUMBER_SYNTAX },
	{ "1%", NUMBER_SYNTAX },
	{ "%", NUMBER_SYNTAX },
	{ "1x", NUMBER_SYNTAX },
	{ "\xd9\xa1", NUMBER_SYNTAX },		/* an Arabic-Indic one */
	{ "1.5", NUMBER_INEXACT },
	{ "0.5", NUMBER_INEXACT },
	{ "1.0005k", NUMBER_INEXACT },
	{ "0.1Ki", NUMBER_INEXACT },
	{ "0.00048828125Ki", NUMBER_INEXACT },	/* one half */
	{ "1e-5", NUMBER_INEXACT },
	{ "15e-1", NUMBER_INEXACT },
	{ "1e-99999999999", NUMBER_INEXACT },
	{ "1e20", NUMBER_RANGE },
	{ "1e99999999999", NUMBER_RANGE },
	{ "1e18446744073709551616", NUMBER_RANGE },
	{ "18446744073709551616", NUMBER_RANGE },
	{ "18446744073709551620", NUMBER_RANGE },
	{ "99999999999999999999", NUMBER_RANGE },
	{ "18.446744073709551616E", NUMBER_RANGE },
	{ "16Ei", NUMBER_RANGE },
	{ "19E", NUMBER_RANGE },
	{ "1e3E", NUMBER_RANGE },
};

static const struct integer_case sizes[] = {
	{ "0B", 0 },
	{ "1", 1 },
	{ "10B", 10 },
	{ "1kB", 1000 },
	{ "1KB", 1000 },
	{ "500MB", 500000000 },
	{ "500M", 500000000 },
	{ "4GB", UINT64_C(4000000000) },
	{ "4GiB", UINT64_C(4) << 30 },
	{ "4Gi", UINT64_C(4) << 30 },
	{ "1.5GiB", 1610612736 },
	{ "1EB", UINT64_C(1000000000000000000) },
	{ "1EiB", UINT64_C(1) << 60 },
	{ "1E5B", 100000 },
	{ "2e9B", 2000000000 },
	{ "18446744073709551615B", UINT64_MAX },
};

static const struct refusal bad_sizes[] = {
	{ "", NUMBER_SYNTAX },
	{ "B", NUMBER_SYNTAX },
	{ "MB", NUMBER_SYNTAX },
	{ "10BB", NUMBER_SYNTAX },
	{ "10b", NUMBER_SYNTAX },
	{ "10iB", NUMBER_SYNTAX },
	{ "10Bi", NUMBER_SYNTAX },
	{ "10MBi", NUMBER_SYNTAX },
	{ "10Mib", NUMBER_SYNTAX },
	{ "10 MB", NUMBER_SYNTAX },
	{ "10B ", NUMBER_SYNTAX },
	{ "-10B", NUMBER_SYNTAX },
	{ "0x10B", NUMBER_SYNTAX },
	{ "1%", NUMBER_SYNTAX },
	{ "1.5B", NUMBER_INEXACT },
	{ "0.1KiB", NUMBER_INEXACT },
	{ "16EiB", NUMBER_RANGE },
	{ "1e20B", NUMBER_RANGE },
};

/* Between 1e-12 and 0.5, both included. */
static const struct { const char *text; double wanted; } rates[] = {
	{ "1e-4", 1e-4 },
	{ "0.01%", 1e-4 },
	{ "0.1%", 1e-3 },
	{ "1%", 1e-2 },
	{ "0.01", 1e-2 },
	{ ".01", 1e-2 },
	{ "3%", 3e-2 },
	{ "0.7%", 7e-3 },
	{ "50%", 0.5 },
	{ "0.5", 0.5 },
	{ "5e-1", 0.5 },
	{ "5E-1", 0.5 },
	{ "1e-10%", 1e-12 },
	{ "1e-12", 1e-12 },
	{ "0.000000000001", 1e-12 },
	{ "1e+1%", 0.1 },
	{ "0.1000000000000000000000000000000", 0.1 },
	{ "0.3333333333333333", 0.3333333333333333 },
	{ "3.7e-5", 3.7e-5 },
};

static const struct refusal bad_rates[] = {
	{ "", NUMBER_SYNTAX },
	{ "%", NUMBER_SYNTAX },
	{ ".%", NUMBER_SYNTAX },
	{ "1%%", NUMBER_SYNTAX },
	{ "1 %", NUMBER_SYNTAX },
	{ "1%k", NUMBER_SYNTAX },
	{ "1k", NUMBER_SYNTAX },
	{ "0.1B", NUMBER_SYNTAX },
	{ "-0.1", NUMBER_SYNTAX },
	{ "+0.1", NUMBER_SYNTAX },
	{ " 0.1", NUMBER_SYNTAX },
	{ "0.1 ", NUMBER_SYNTAX },
	{ "0,1", NUMBER_SYNTAX },
	{ "1/1000", NUMBER_SYNTAX },
	{ "nan", NUMBER_SYNTAX },
	{ "NAN", NUMBER_SYNTAX },
	{ "inf", NUMBER_SYNTAX },
	{ "0x1p-4", NUMBER_SYNTAX },
	{ "0x.1", NUMBER_SYNTAX },
	{ "1e", NUMBER_SYNTAX },
	{ "e-4", NUMBER_SYNTAX },
	{ "1e-4e", NUMBER_SYNTAX },
	{ "1e-", NUMBER_SYNTAX },
	{ "0", NUMBER_RANGE },
	{ "0%", NUMBER_RANGE },
	{ "0.6", NUMBER_RANGE },
	{ "51%", NUMBER_RANGE },
	{ "1", NUMBER_RANGE },
	{ "100%", NUMBER_RANGE },
	{ "2", NUMBER_RANGE },
	{ "0.50000000000000011", NUMBER_RANGE },	/* the next double */
	{ "9.9e-13", NUMBER_RANGE },
	{ "1e-12%", NUMBER_RANGE },
	{ "1e-300", NUMBER_RANGE },
	{ "1e-99999999999", NUMBER_RANGE },
	{ "1e400", NUMBER_RANGE },
	{ "1e99999999999", NUMBER_RANGE },
};

static const struct integer_case seeds[] = {
	{ "0", 0 },
	{ "42", 42 },
	{ "1k", 1000 },
	{ "18446744073709551615", UINT64_MAX },
	{ "0x0", 0 },
	{ "0xff", 255 },
	{ "0XfF", 255 },
	{ "0xdeadbeef", UINT64_C(0xdeadbeef) },
	{ "0x0123456789abcdef", UINT64_C(0x0123456789abcdef) },
	{ "0xFFFFFFFFFFFFFFFF", UINT64_MAX },
};

static const struct refusal bad_seeds[] = {
	{ "", NUMBER_SYNTAX },
	{ "-1", NUMBER_SYNTAX },
	{ "ff", NUMBER_SYNTAX },
	{ "0x", NUMBER_SYNTAX },
	{ "0xg", NUMBER_SYNTAX },
	{ "0x-1", NUMBER_SYNTAX },
	{ "0x+1", NUMBER_SYNTAX },
	{ "0x 1", NUMBER_SYNTAX },
	{ "0x1 ", NUMBER_SYNTAX },
	{ "0x0x1", NUMBER_SYNTAX },
	{ "0x1.8", NUMBER_SYNTAX },
	{ "x1", NUMBER_SYNTAX },
	{ "1.5", NUMBER_INEXACT },
	{ "18446744073709551616", NUMBER_RANGE },
	{ "0x10000000000000000", NUMBER_RANGE },
	{ "0x00000000000000001", NUMBER_RANGE },	/* 17 digits */
};

static const struct { uint64_t nbytes; const char *wanted; } words[] = {
	{ 0, "0 bytes" },
	{ 1, "1 bytes" },
	{ 999, "999 bytes" },
	{ 1000, "1000 bytes" },
	{ 1023, "1023 bytes" },
	{ 1024, "1.00 KiB" },
	{ 1029, "1.00 KiB" },
	{ 1030, "1.01 KiB" },
	{ 10234, "9.99 KiB" },
	{ 10235, "10.0 KiB" },			/* 9.9951 */
	{ 102348, "99.9 KiB" },			/* 99.949 */
	{ 102349, "100 KiB" },			/* 99.950 */
	{ 1023 * 1024, "1023 KiB" },
	{ 1048063, "1023 KiB" },		/* 1023.499 */
	{ 1048064, "1.00 MiB" },		/* 1023.5 */
	{ 1048473, "1.00 MiB" },		/* 1023.9 */
	{ 1048575, "1.00 MiB" },
	{ 1048576, "1.00 MiB" },
	{ 123731968, "118 MiB" },
	{ 1073217535, "1023 MiB" },
	{ 1073217536, "1.00 GiB" },
	{ UINT64_C(5479000000), "5.10 GiB" },
	{ UINT64_C(1) << 40, "1.00 TiB" },
	{ UINT64_C(1) << 50, "1.00 PiB" },
	{ (UINT64_C(1) << 60) - 1, "1.00 EiB" },
	{ UINT64_C(1) << 60, "1.00 EiB" },
	{ UINT64_C(1) << 63, "8.00 EiB" },
	{ UINT64_MAX, "16.0 EiB" },
};

static enum number_err
any_count(const char *s, uint64_t *out)
{
	return number_count(s, 0, UINT64_MAX, out);
}

static enum number_err
any_size(const char *s, uint64_t *out)
{
	return number_size(s, 0, UINT64_MAX, out);
}

static void
integers(const char *kind, enum number_err (*read)(const char *, uint64_t *),
    const struct integer_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x = UINT64_C(0xdead);
		const enum number_err e = read(cases[i].text, &x);
		OK(e == NUMBER_OK && x == cases[i].wanted,
		    "%s %s is %" PRIu64, kind, cases[i].text, cases[i].wanted);
		if (e != NUMBER_OK || x != cases[i].wanted)
			printf("# got error %d, %" PRIu64 "\n", e, x);
	}
}

/* The texts as shown have no line end and no byte that TAP would not like. */
static const char *
shown(const char *text, char buf[64])
{
	size_t n = 0;

	for (; *text != '\0' && n < 60; text++)
		buf[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
	buf[n] = '\0';
	return buf;
}

static void
refused(const char *kind, enum number_err (*read)(const char *, uint64_t *),
    const struct refusal *cases, size_t n)
{
	char buf[64];

	for (size_t i = 0; i < n; i++) {
		uint64_t x;
		const enum number_err e = read(cases[i].text, &x);
		OK(e == cases[i].wanted, "%s '%s' %s", kind,
		    shown(cases[i].text, buf),
		    number_strerror(cases[i].wanted));
		if (e != cases[i].wanted)
			printf("# got error %d\n", e);
	}
}

static void
read_rates(void)
{
	char buf[64];
	double x;

	for (size_t i = 0; i < COUNT(rates); i++) {
		x = -1;
		const enum number_err e = number_rate(rates[i].text, 1e-12,
		    0.5, &x);
		/* Not nearly: the same double. */
		OK(e == NUMBER_OK && x >= rates[i].wanted &&
		    x <= rates[i].wanted, "rate %s is %g", rates[i].text,
		    rates[i].wanted);
	}
	for (size_t i = 0; i < COUNT(bad_rates); i++)
		OK(number_rate(bad_rates[i].text, 1e-12, 0.5, &x) ==
		    bad_rates[i].wanted, "rate '%s' %s",
		    shown(bad_rates[i].text, buf),
		    number_strerror(bad_rates[i].wanted));
}

static void
ranges(void)
{
	uint64_t x;
	double rate;

	OK(number_count("10", 10, 20, &x) == NUMBER_OK && x == 10,
	    "the least count is accepted");
	OK(number_count("20", 10, 20, &x) == NUMBER_OK && x == 20,
	    "the largest count is accepted");
	OK(number_count("9", 10, 20, &x) == NUMBER_RANGE,
	    "one below the least count is out of range");
	OK(number_count("21", 10, 20, &x) == NUMBER_RANGE,
	    "one above the largest count is out of range");
	OK(number_count("10.5", 10, 20, &x) == NUMBER_INEXACT,
	    "a fraction within the range is no whole number");
	OK(number_count("0", 1, UINT64_MAX, &x) == NUMBER_RANGE,
	    "zero is out of a range that begins at one");
	OK(number_size("1KiB", 1024, 1024, &x) == NUMBER_OK && x == 1024,
	    "a size at both ends of its range is accepted");
	OK(number_size("1kB", 1024, 2048, &x) == NUMBER_RANGE,
	    "a size below its range is refused");
	OK(number_size("2049B", 1024, 2048, &x) == NUMBER_RANGE,
	    "a size above its range is refused");
	OK(number_rate("0.25", 0.25, 0.5, &rate) == NUMBER_OK &&
	    number_rate("50%", 0.25, 0.5, &rate) == NUMBER_OK,
	    "a rate may lie at either end of its range");
	OK(number_rate("0.2499999999999999", 0.25, 0.5, &rate) == NUMBER_RANGE,
	    "a rate just below its range is refused");
}

static void
seconds(void)
{
	static const struct { const char *text; double wanted; } good[] = {
		{ "0", 0 }, { "5", 5 }, { "0.5", 0.5 }, { "1e3", 1000 },
		{ "2.5e-1", 0.25 }, { "86400", 86400 },
	};
	static const struct refusal bad[] = {
		{ "", NUMBER_SYNTAX }, { "-1", NUMBER_SYNTAX },
		{ "+1", NUMBER_SYNTAX }, { "1s", NUMBER_SYNTAX },
		{ "1m", NUMBER_SYNTAX }, { "1k", NUMBER_SYNTAX },
		{ "1%", NUMBER_SYNTAX }, { " 1", NUMBER_SYNTAX },
		{ "nan", NUMBER_SYNTAX }, { "inf", NUMBER_SYNTAX },
		{ "86400.5", NUMBER_RANGE }, { "1e99999", NUMBER_RANGE },
	};
	double x;

	for (size_t i = 0; i < COUNT(good); i++) {
		x = -1;
		OK(number_seconds(good[i].text, 86400, &x) == NUMBER_OK &&
		    x >= good[i].wanted && x <= good[i].wanted,
		    "%s seconds are %g", good[i].text, good[i].wanted);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		OK(number_seconds(bad[i].text, 86400, &x) == bad[i].wanted,
		    "seconds '%s' %s", bad[i].text,
		    number_strerror(bad[i].wanted));
}

/*
 * x with a decimal point before its last `places` digits, zeros added in
 * front if there are too few, and the exponent that makes up for it.
 */
static void
write_shifted(uint64_t x, int places, char buf[64])
{
	char digits[48];

	const int len = snprintf(digits, sizeof(digits), "%0*" PRIu64,
	    places + 1, x);
	snprintf(buf, 64, "%.*s.%se%d", len - places, digits,
	    digits + len - places, places);
}

static void
round_trips(void)
{
	struct tally t = { 0 };
	uint64_t state = 1;
	char text[64];

	for (int i = 0; i < 20000; i++) {
		const uint64_t x =
		    random_next(&state) >> random_below(&state, 64);
		uint64_t back = ~x;
		write_shifted(x, (int)random_below(&state, 25), text);
		const enum number_err e = any_count(text, &back);
		CASE(&t, e == NUMBER_OK && back == x, "%s is not %" PRIu64,
		    text, x);
	}
	OK_ALL(&t, "a count is read wherever its point stands");
}

/* Number, blank, unit; at most four digits, and right to half of the last. */
static void
words_are_near(void)
{
	static const char units[][6] =
	    { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct tally t = { 0 };
	uint64_t state = 2;
	char buf[NUMBER_WORDS];

	for (int i = 0; i < 20000; i++) {
		const uint64_t x =
		    random_next(&state) >> random_below(&state, 64);
		const char *text = number_bytes(x, buf);
		char *unit;
		double value = strtod(text, &unit);
		const double mantissa = value;
		size_t u = 0;
		while (u < COUNT(units) && strcmp(unit + 1, units[u]) != 0)
			u++;
		for (size_t j = 0; j < u; j++)
			value *= 1024;
		const double off = value - (double)x;
		CASE(&t, text == buf && u < COUNT(units) && *unit == ' ' &&
		    mantissa < 1024 && (u == 0 || mantissa >= 1) &&
		    off <= 0.00501 * (double)x && off >= -0.00501 * (double)x,
		    "%" PRIu64 " as '%s'", x, text);
	}
	OK_ALL(&t, "sizes in words are right to three digits");
}

static const struct {
	uint64_t x;
	const char *wanted;
} shorts[] = {
	{ 0, "0" }, { 1, "1" }, { 999, "999" }, { 1000, "1.00k" },
	{ 9994, "9.99k" }, { 9995, "10.0k" }, { 99949, "99.9k" },
	{ 99950, "100k" }, { 999499, "999k" }, { 999500, "1.00M" },
	{ 12345678, "12.3M" }, { 2000000000, "2.00G" },
	{ UINT64_MAX, "18.4E" },
};

static void
write_words(void)
{
	char buf[NUMBER_WORDS];

	for (size_t i = 0; i < COUNT(shorts); i++)
		OK(strcmp(number_short(shorts[i].x, buf), shorts[i].wanted) ==
		    0, "%" PRIu64 " is '%s' in short", shorts[i].x,
		    shorts[i].wanted);

	for (size_t i = 0; i < COUNT(words); i++) {
		const char *text = number_bytes(words[i].nbytes, buf);
		OK(strcmp(text, words[i].wanted) == 0, "%" PRIu64
		    " bytes are written as '%s'", words[i].nbytes,
		    words[i].wanted);
	}
	words_are_near();
}

static void
errors_in_words(void)
{
	const char *syntax = number_strerror(NUMBER_SYNTAX);
	const char *inexact = number_strerror(NUMBER_INEXACT);
	const char *range = number_strerror(NUMBER_RANGE);

	OK(strcmp(syntax, inexact) != 0 && strcmp(syntax, range) != 0 &&
	    strcmp(inexact, range) != 0, "each error has words of its own");
	OK(strstr(inexact, "whole number") != NULL,
	    "a fraction is said to be no whole number");
	OK(strstr(range, "range") != NULL,
	    "too small and too large are said to be out of range");
}

int
main(void)
{
	integers("count", any_count, counts, COUNT(counts));
	refused("count", any_count, bad_counts, COUNT(bad_counts));
	integers("size", any_size, sizes, COUNT(sizes));
	refused("size", any_size, bad_sizes, COUNT(bad_sizes));
	integers("seed", number_seed, seeds, COUNT(seeds));
	refused("seed", number_seed, bad_seeds, COUNT(bad_seeds));
	read_rates();
	ranges();
	seconds();
	round_trips();
	write_words();
	errors_in_words();
	return done();
}
