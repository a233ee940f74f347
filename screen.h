/*
 * What can be shown on a terminal, or on what stdout is instead.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>

/* What the terminal says now, or 80.  A signal handler may call it. */
unsigned screen_columns(int fd);

struct screen {
	unsigned columns;
	bool unicode;		/* or ASCII alone */
};

/*
 * Columns: what COLUMNS says, or the terminal, or 80.  Unicode where the locale
 * of the user has UTF-8, which is the only thing that a locale changes.
 */
struct screen screen_of(int fd);

/* The same of a terminal; what is none has no columns. */
struct screen screen_of_terminal(int fd);

#endif
