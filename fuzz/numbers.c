/*
 * Fuzzes the numbers of the command line.  A number is put together from its
 * parts, so that what it is worth is known without reading it; and any text
 * must be read within its range, or be refused.
 *
 * Input: 19 digits at most as a number, where the point is, an exponent, a
 * suffix, and text to append.
 */
#include <inttypes.h>

#include "../number.h"
#include "fuzz.h"

__extension__ typedef unsigned __int128 wide;

/* 10^n for 1000^i, 2^n for 1024^i. */
static const struct suffix {
	const char *text;
	int tens, twos;
} suffixes[] = {
	{ "", 0, 0 }, { "k", 3, 0 }, { "K", 3, 0 }, { "M", 6, 0 },
	{ "G", 9, 0 }, { "T", 12, 0 }, { "P", 15, 0 }, { "E", 18, 0 },
	{ "ki", 0, 10 }, { "Ki", 0, 10 }, { "Mi", 0, 20 }, { "Gi", 0, 30 },
	{ "Ti", 0, 40 }, { "Pi", 0, 50 }, { "Ei", 0, 60 }
};

/* digits * 10^tens * 2^twos, whole and below 2^64. */
static enum number_err
worth(uint64_t digits, int tens, int twos, uint64_t *out)
{
	wide x = (wide)digits << twos;

	for (; x != 0 && tens < 0; tens++, x /= 10)
		if (x % 10 != 0)
			return NUMBER_INEXACT;
	for (; tens > 0 && x <= UINT64_MAX; tens--)
		x *= 10;
	*out = (uint64_t)x;
	return x <= UINT64_MAX ? NUMBER_OK : NUMBER_RANGE;
}

static void
try_whole(const char *s, const char *b, enum number_err e, uint64_t wanted)
{
	const uint64_t min = 8256, max = UINT64_C(1) << 62;
	uint64_t got = 0;

	MUST(number_count(s, 0, UINT64_MAX, &got) == e);
	MUST(e != NUMBER_OK || got == wanted);
	MUST(number_seed(s, &got) == e && (e != NUMBER_OK || got == wanted));
	if (e == NUMBER_OK && (wanted < min || wanted > max))
		e = NUMBER_RANGE;
	MUST(number_count(s, min, max, &got) == e);
	MUST(number_size(s, min, max, &got) == e);
	MUST(number_size(b, min, max, &got) == e);
	MUST(e != NUMBER_OK || got == wanted);
	MUST(number_count(b, 0, UINT64_MAX, &got) == NUMBER_SYNTAX);
}

/* decimal * 10^exponent; strtod rounds to the nearest. */
static void
try_real(const char *decimal, int exponent)
{
	char s[80], same[80];
	double got;

	snprintf(same, sizeof(same), "%se%d", decimal, exponent);
	snprintf(s, sizeof(s), "%se%d%%", decimal, exponent + 2);
	const double x = strtod(same, NULL);
	enum number_err e = x >= 1e-12 && x <= 0.5 ? NUMBER_OK : NUMBER_RANGE;
	MUST(number_rate(s, 1e-12, 0.5, &got) == e);
	MUST(e != NUMBER_OK || (got >= x && got <= x));
	MUST(number_rate(same, 1e-12, 0.5, &got) == e);
	MUST(e != NUMBER_OK || (got >= x && got <= x));
	e = x <= 1e9 ? NUMBER_OK : NUMBER_RANGE;
	MUST(number_seconds(same, 1e9, &got) == e);
	MUST(e != NUMBER_OK || (got >= x && got <= x));
	MUST(number_seconds(s, 1e9, &got) == NUMBER_SYNTAX);
}

/* Nothing is known of it but that these bytes are in no number. */
static void
try_text(const char *s)
{
	uint64_t n;
	double x;
	const bool strange = s[strspn(s, "0123456789.eE+-kKMGTPEiB%xX"
	    "abcdfACDF")] != '\0';

	if (number_count(s, 5, 500000, &n) == NUMBER_OK)
		MUST(!strange && n >= 5 && n <= 500000);
	if (number_size(s, 5, 500000, &n) == NUMBER_OK)
		MUST(!strange && n >= 5 && n <= 500000);
	if (number_rate(s, 0.001, 0.5, &x) == NUMBER_OK)
		MUST(!strange && x >= 0.001 && x <= 0.5);
	if (number_seconds(s, 500, &x) == NUMBER_OK)
		MUST(!strange && x >= 0 && x <= 500);
	if (number_seed(s, &n) == NUMBER_OK)
		MUST(!strange);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	char digits[24], decimal[32], s[80], b[80], text[160];
	uint64_t wanted = 0;

	const uint64_t n = bytes_number(&in, 8) % UINT64_C(10000000000000000000);
	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	const size_t len = strlen(digits);
	const size_t whole = bytes_number(&in, 1) % (len + 1);
	const int exponent = (int)(bytes_number(&in, 1) % 64) - 32;
	const struct suffix *x = &suffixes[bytes_number(&in, 1) % 15];
	snprintf(decimal, sizeof(decimal), "%.*s.%s", (int)whole, digits,
	    digits + whole);
	snprintf(s, sizeof(s), "%se%d%s", decimal, exponent, x->text);
	snprintf(b, sizeof(b), "%sB", s);

	const enum number_err e = worth(n, exponent + x->tens -
	    (int)(len - whole), x->twos, &wanted);
	try_whole(s, b, e, wanted);
	try_real(decimal, exponent);
	snprintf(text, sizeof(text), "%.*s%.*s", (int)(exponent & 31), s,
	    in.n < 60 ? (int)in.n : 60, (const char *)in.p);
	try_text(text);
	return 0;
}
