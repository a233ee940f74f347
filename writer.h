/*
 * The options of the commands that write to a filter.
 */
#ifndef WRITER_H
#define WRITER_H

#include <stdbool.h>

#include "mapfile.h"
#include "options.h"

/* Their rows, for a table of struct option_spec. */
#define WRITER_WAIT \
	{ 'w', "wait", "SECONDS", \
	    "how long to wait for other writers; default: no end" }
#define WRITER_OPTIONS \
	WRITER_WAIT, \
	{ 'W', "network", NULL, \
	    "write to a network file system; only this host may" }

/* Take the option if it is one of the rows above. */
bool writer_option(struct mapfile_how *how, const struct usage *u, int letter);

#endif
