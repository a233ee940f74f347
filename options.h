/*
 * Options of a command, from one table: getopt's tables, the help text and
 * "did you mean" all come from it, and so do the tests and, by "make
 * completions", what shells complete.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

#include "encode.h"
#include "number.h"

struct option_spec {
	char letter;
	const char *name;	/* long form, without the dashes */
	const char *arg;	/* what it takes, NULL for nothing */
	const char *text;	/* one line of help */
};

/* A row that is no option: the help puts this above those that follow. */
#define OPTIONS_HEADING(text) { '\0', "", NULL, text }

/* Rows that have no letter: options_next deals with these two by itself. */
#define OPTIONS_PROGRESS \
	{ OPTIONS_LONG, "progress", NULL, \
	    "show how far it is, even if stderr is no terminal" }, \
	{ OPTIONS_LONG + 1, "no-progress", NULL, \
	    "never show it, unless SIGUSR1 asks" }
#define OPTIONS_LONG '\1'

/* A command's table ends with a row whose name is NULL. */
struct usage {
	const char *name;	/* "bloomtool check" */
	const char *synopsis;	/* what follows the name */
	const char *example;	/* lines to begin the help with */
	const char *text;	/* what it does; lines */
	const struct option_spec *options;
};

/*
 * The next option's letter, or -1 when there are no more and optind is the
 * first operand.  --help is answered here and ends the program with 0, a wrong
 * option with two lines and 2.  So is --progress, which is left to progress.c.
 */
int options_next(const struct usage *u, int argc, char **argv);

/* Two lines on stderr, what is wrong and the usage; exit status 2. */
_Noreturn void options_wrong(const struct usage *u, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* optarg as a number, for the option with this letter. */
uint64_t options_keys(const struct usage *u, int letter);
uint64_t options_size(const struct usage *u, int letter);
double options_rate(const struct usage *u, int letter);
uint64_t options_seed(const struct usage *u, int letter);
double options_seconds(const struct usage *u, int letter);
unsigned options_threads(const struct usage *u, int letter);
uint64_t options_count(const struct usage *u, int letter, uint64_t max);
uint64_t options_field(const struct usage *u, int letter);

/* optarg as N, N-, N-M or -M; without an end *to is the largest number. */
void options_range(const struct usage *u, int letter, uint64_t *from,
    uint64_t *to);

/* optarg as a note for a filter file. */
const char *options_note(const struct usage *u, int letter);

/* optarg as bytes, utf16le or int64. */
enum encoding options_encoding(const struct usage *u, int letter);

/* optarg as one byte, \t or \0. */
uint8_t options_byte(const struct usage *u, int letter);

/*
 * The name in names, count of them stride bytes apart, that is closest to
 * word; NULL if none is close.
 */
const char *options_nearest(const char *word, const char *const *names,
    size_t count, size_t stride);

#endif
