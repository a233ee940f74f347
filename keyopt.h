/*
 * The options that say which bytes of a line are its key, shared by the
 * commands that read keys.
 */
#ifndef KEYOPT_H
#define KEYOPT_H

#include <stdbool.h>

#include "keys.h"
#include "options.h"

/* Their rows, for a table of struct option_spec. */
#define KEY_OPTIONS \
	OPTIONS_HEADING("the key of a line"), \
	{ 'k', "field", "N", "the key is field N of the line, from 1" }, \
	{ 't', "delimiter", "CHAR", \
	    "fields end at this byte; default: blanks, as in awk" }, \
	{ 'b', "bytes", "RANGE", \
	    "the key is these bytes of the line (1-40, 9-, -16)" }, \
	{ 'i', "ignore-case", NULL, "A to Z in keys are as a to z" }, \
	{ 'r', "strip-cr", NULL, \
	    "a carriage return that ends a line is not in its key" }

/* Take the option if it is one of the rows above. */
bool keyopt_take(struct key_spec *s, const struct usage *u, int letter);

/*
 * After the last option: those that cannot stand together end the program as
 * options_wrong does.
 */
void keyopt_end(const struct key_spec *s, const struct usage *u);

#endif
