/*
 * How far long work has come: a line on stderr, if that is a terminal and we
 * are in its foreground, after a second, redrawn and in the end erased; and
 * one such line whenever a signal asks for it, wherever stderr goes to.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_unit {
	PROGRESS_BYTES,
	PROGRESS_KEYS
};

struct progress {
	const char *what;	/* is being done */
	enum progress_unit unit;
	uint64_t total;		/* 0: nobody knows */
	double began, drawn;	/* when */
	size_t width;		/* of the line that stands there, or 0 */
	bool terminal;
};

/*
 * The work begins.  That a signal can ask for it is for signals_catch_asking
 * to see to, before.
 */
void progress_begin(struct progress *p, const char *what,
    enum progress_unit unit, uint64_t total);

/* So much is done.  Costs a look at the clock: for each batch, not each key. */
void progress_at(struct progress *p, uint64_t done);

/* It is over, or something else has to be said: no line stands there now. */
void progress_end(struct progress *p);

#endif
