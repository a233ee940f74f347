/*
 * Reads a command's options with getopt_long and speaks about them.
 */
#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "format.h"
#include "least.h"
#include "lines.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sizing.h"

#define OPTIONS_MAX 32

/* "1Ei" in the message: SIZING_BLOCKS_MAX and a bit less. */
#define SIZE_MOST (UINT64_C(1) << 60)

/* Every command has it. */
static const struct option_spec help_option =
    { 'h', "help", NULL, "print this and exit" };

/* Row i of the command's table, then the help row, then NULL. */
static const struct option_spec *
row(const struct usage *u, size_t i)
{
	for (size_t j = 0; j <= i; j++)
		if (u->options[j].name == NULL)
			return j == i ? &help_option : NULL;
	return &u->options[i];
}

static const struct option_spec *
find(const struct usage *u, int letter)
{
	const struct option_spec *o;

	for (size_t i = 0; (o = row(u, i)) != NULL; i++)
		if (o->letter == letter && letter != '\0')
			return o;
	return NULL;
}

static bool
has_letter(const struct option_spec *o)
{
	return o->letter >= ' ';
}

static void
print_option(const struct option_spec *o)
{
	char left[48], letter[8] = "    ";

	if (has_letter(o))
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name,
	    o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
	output_printf("  %-24s  %s\n", left, o->text);
}

static void
print_help(const struct usage *u)
{
	const struct option_spec *o;
	bool grouped = false;

	output_printf("%s\n\nusage: %s %s\n\n%s\n\noptions:\n", u->example,
	    u->name, u->synopsis, u->text);
	for (size_t i = 0; (o = row(u, i)) != NULL; i++) {
		if (o->letter == '\0') {
			output_printf("\n%s:\n", o->text);
			grouped = true;
			continue;
		}
		if (o == &help_option && grouped)
			output_printf("\n");
		print_option(o);
	}
}

void
options_wrong(const struct usage *u, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "%s: ", u->name);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: %s %s\n", u->name, u->synopsis);
	exit(EXIT_TROUBLE);
}

/*
 * Edit distance with insertions, deletions, changes and swaps of neighbours
 * (the restricted form of Damerau and Levenshtein); words over 31 bytes are
 * taken as far from everything.
 */
static size_t
distance(const char *a, const char *b)
{
	enum { LONG = 32 };
	size_t d[LONG + 1][LONG + 1];
	const size_t n = strlen(a), m = strlen(b);

	if (n >= LONG || m >= LONG)
		return LONG;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			d[i][j] = least_size(
			    least_size(d[i - 1][j], d[i][j - 1]) + 1,
			    d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least_size(d[i][j],
				    d[i - 2][j - 2] + 1);
		}
	return d[n][m];
}

const char *
options_nearest(const char *word, const char *const *names, size_t count,
    size_t stride)
{
	const char *best = NULL;
	size_t best_distance = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = *(const char *const *)
		    ((const char *)names + i * stride);
		const size_t len = strlen(word);
		size_t d = distance(word, name);
		if (len > 0 && strncmp(word, name, len) == 0)
			d = 0;		/* an abbreviation */
		/* More than half of the word changed is another word. */
		if (d > strlen(name) / 2 || name[0] == '\0')
			continue;
		if (best == NULL || d < best_distance) {
			best = name;
			best_distance = d;
		}
	}
	return best;
}

/* The words of an unknown long option, "--colour=x", say "colour". */
static _Noreturn void
unknown_long(const struct usage *u, const char *word)
{
	char name[32];
	size_t rows = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	while (u->options[rows].name != NULL)
		rows++;
	const char *nearest = rows == 0 ? NULL : options_nearest(name,
	    &u->options[0].name, rows, sizeof(u->options[0]));
	if (nearest == NULL)
		nearest = help_option.name;
	options_wrong(u, "unknown option --%.*s; did you mean --%s?",
	    (int)strcspn(word, "="), word, nearest);
}

/* What somebody may mean who knows the letter from another program. */
static const struct option_spec *
near_letter(const struct usage *u, int letter)
{
	const struct option_spec *o = find(u, letter ^ 0x20);

	if (o != NULL && has_letter(o))
		return o;		/* of the other case */
	for (size_t i = 0; (o = row(u, i)) != NULL; i++)
		if (has_letter(o) && o->name[0] == letter)
			return o;	/* cut -d: --delimiter */
	return &help_option;
}

static _Noreturn void
unknown_letter(const struct usage *u, int letter)
{
	if (letter < 0x20 || letter > 0x7e)
		options_wrong(u, "unknown option (byte 0x%02x); "
		    "did you mean --help?", letter & 0xff);
	const struct option_spec *near = near_letter(u, letter);
	options_wrong(u, "unknown option -%c; did you mean -%c (--%s)?",
	    letter, near->letter, near->name);
}

/*
 * getopt_long takes any beginning of a long option for the whole; each such
 * beginning would be a promise about the names that may be added.
 */
static void
refuse_abbreviation(const struct usage *u, const struct option_spec *o,
    char *const *argv)
{
	const char *word = argv[optind - 1];

	/* --name value: the word before the value. */
	if (o->arg != NULL && optarg == word)
		word = argv[optind - 2];
	if (word[0] == '-' && word[1] == '-' &&
	    strcspn(word + 2, "=") != strlen(o->name))
		unknown_long(u, word + 2);
}

/* As options_next, but for --progress. */
static int
next(const struct usage *u, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX + 1] = { { NULL, 0, NULL, 0 } };
	char shorts[2 * OPTIONS_MAX + 2] = ":";
	const struct option_spec *o;
	size_t len = 1, n = 0;

	for (size_t i = 0; (o = row(u, i)) != NULL; i++) {
		if (o->letter == '\0')
			continue;
		assert(n < OPTIONS_MAX);
		longs[n++] = (struct option){ o->name, o->arg != NULL, NULL,
		    o->letter };
		if (!has_letter(o))
			continue;
		shorts[len++] = o->letter;
		if (o->arg != NULL)
			shorts[len++] = ':';
	}
	opterr = 0;
	optarg = NULL;
	const int letter = getopt_long(argc, argv, shorts, longs, NULL);
	if (letter == -1)
		return -1;
	if (letter == '?' && optopt == 0)
		unknown_long(u, argv[optind - 1] + 2);
	o = find(u, letter == '?' || letter == ':' ? optopt : letter);
	if (o == NULL)
		unknown_letter(u, optopt);
	refuse_abbreviation(u, o, argv);
	if (letter == ':')
		options_wrong(u, "-%c, --%s needs %s after it", o->letter,
		    o->name, o->arg);
	if (letter == '?')
		options_wrong(u, "--%s takes no value", o->name);
	if (letter == help_option.letter) {
		print_help(u);
		exit(output_end(EXIT_SELECTED));
	}
	return letter;
}

/* The last one counts. */
int
options_next(const struct usage *u, int argc, char **argv)
{
	int letter;

	while ((letter = next(u, argc, argv)) == OPTIONS_LONG ||
	    letter == OPTIONS_LONG + 1)
		progress_choose(letter == OPTIONS_LONG ? PROGRESS_ALWAYS :
		    PROGRESS_NEVER);
	return letter;
}

static _Noreturn void
wrong_number(const struct usage *u, int letter, enum number_err e,
    const char *range)
{
	const struct option_spec *o = find(u, letter);

	assert(o != NULL);	/* options_next has found it */
	options_wrong(u, "-%c, --%s: \"%s\" %s, wanted %s", o->letter, o->name,
	    optarg, number_strerror(e), range);
}

static uint64_t
count(const struct usage *u, int letter, uint64_t min, uint64_t max,
    const char *range)
{
	uint64_t x = 0;
	const enum number_err e = number_count(optarg, min, max, &x);

	if (e != NUMBER_OK)
		wrong_number(u, letter, e, range);
	return x;
}

/* More than any machine has use for. */
#define THREADS_MAX 64

unsigned
options_threads(const struct usage *u, int letter)
{
	return (unsigned)count(u, letter, 1, THREADS_MAX, "1 to 64 threads");
}

/* From 1. */
uint64_t
options_count(const struct usage *u, int letter, uint64_t max)
{
	char range[64];

	snprintf(range, sizeof(range), "1 to %" PRIu64, max);
	return count(u, letter, 1, max, range);
}

uint64_t
options_keys(const struct usage *u, int letter)
{
	return count(u, letter, SIZING_KEYS_MIN, SIZING_KEYS_MAX,
	    "1 to 1e15 keys (as 5000, 2e9, 10M)");
}

uint64_t
options_size(const struct usage *u, int letter)
{
	uint64_t x = 0;
	const enum number_err e = number_size(optarg, format_file_size(1),
	    SIZE_MOST, &x);

	if (e != NUMBER_OK)
		wrong_number(u, letter, e,
		    "8256 to 1Ei bytes (as 500MB, 4GiB)");
	return x;
}

double
options_rate(const struct usage *u, int letter)
{
	double x = 0;
	const enum number_err e = number_rate(optarg, SIZING_RATE_MIN,
	    SIZING_RATE_MAX, &x);

	if (e != NUMBER_OK)
		wrong_number(u, letter, e, "1e-12 to 0.5 (as 1e-4, 0.01%)");
	return x;
}

uint64_t
options_seed(const struct usage *u, int letter)
{
	uint64_t x = 0;
	const enum number_err e = number_seed(optarg, &x);

	if (e != NUMBER_OK)
		wrong_number(u, letter, e,
		    "0 to 18446744073709551615 (or 0x and 16 digits)");
	return x;
}

double
options_seconds(const struct usage *u, int letter)
{
	double x = 0;
	const enum number_err e = number_seconds(optarg, 1e9, &x);

	if (e != NUMBER_OK)
		wrong_number(u, letter, e, "0 to 1e9 seconds (as 10, 0.5)");
	return x;
}

/* Of bytes and fields: no line has more, but for one field. */
#define PLACE_MAX LINES_MAX

uint64_t
options_field(const struct usage *u, int letter)
{
	return count(u, letter, 1, PLACE_MAX, "one field, 1 to 1073741824");
}

void
options_range(const struct usage *u, int letter, uint64_t *from, uint64_t *to)
{
	static const char wanted[] = "bytes 1 to 1073741824, as 5, 5-, 5-8, -8";
	const char *dash = strchr(optarg, '-');
	enum number_err e = NUMBER_OK;
	char first[32];

	*from = 1;
	*to = UINT64_MAX;
	const size_t len = strcspn(optarg, "-");
	if (len >= sizeof(first))
		wrong_number(u, letter, NUMBER_SYNTAX, wanted);
	memcpy(first, optarg, len);
	first[len] = '\0';
	if (len > 0 || dash == NULL || dash[1] == '\0')
		e = number_count(first, 1, PLACE_MAX, from);
	if (e == NUMBER_OK && dash == NULL)
		*to = *from;
	else if (e == NUMBER_OK && dash[1] != '\0')
		e = number_count(dash + 1, *from, PLACE_MAX, to);
	if (e != NUMBER_OK)
		wrong_number(u, letter, e, wanted);
}

uint8_t
options_byte(const struct usage *u, int letter)
{
	const struct option_spec *o = find(u, letter);

	if (optarg[0] != '\0' && optarg[1] == '\0')
		return (uint8_t)optarg[0];
	if (strcmp(optarg, "\\t") == 0)
		return '\t';
	if (strcmp(optarg, "\\0") == 0)
		return '\0';
	assert(o != NULL);	/* options_next has found it */
	options_wrong(u, "-%c, --%s: \"%s\" is %zu bytes, wanted one, or "
	    "\\t or \\0", o->letter, o->name, optarg, strlen(optarg));
}

enum encoding
options_encoding(const struct usage *u, int letter)
{
	const struct option_spec *o = find(u, letter);
	const int encoding = encode_of_name(optarg);

	if (encoding != -1)
		return (enum encoding)encoding;
	assert(o != NULL);	/* options_next has found it */
	options_wrong(u, "-%c, --%s: \"%s\" is neither bytes, utf16le nor "
	    "int64", o->letter, o->name, optarg);
}

const char *
options_note(const struct usage *u, int letter)
{
	const struct option_spec *o = find(u, letter);

	assert(o != NULL);	/* options_next has found it */
	if (strlen(optarg) > FORMAT_NOTE)
		options_wrong(u, "-%c, --%s: %zu bytes long, at most %d",
		    o->letter, o->name, strlen(optarg), FORMAT_NOTE);
	return optarg;
}
