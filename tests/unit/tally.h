/*
 * For tests that loop: many cases count as one OK, whose name tells the first
 * case that failed.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdio.h>

#include "unit.h"

struct tally {
	unsigned long cases, failed;
	char first[240];	/* case that failed */
};

/* One more case, described by a printf format with its arguments. */
#define CASE(tally, condition, ...) do {				\
	(tally)->cases++;						\
	if (!(condition) && (tally)->failed++ == 0)			\
		snprintf((tally)->first, sizeof((tally)->first),	\
		    __VA_ARGS__);					\
} while (0)

/*
 * One OK for all of them, by name or as "who: name".  A tally without a case
 * has tested nothing, and fails.
 */
#define OK_ALL(tally, name) OK_ALL_OF(tally, "", name)
#define OK_ALL_OF(tally, who, name)					\
	OK((tally)->failed == 0 && (tally)->cases > 0,			\
	    "%s%s%s (%lu cases)%s%s", who, *(who) == '\0' ? "" : ": ",	\
	    name, (tally)->cases,					\
	    (tally)->failed > 0 ? ", failed: " : "", (tally)->first)

#endif
