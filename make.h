/*
 * A new filter file as it is ordered, by create and by add --create.
 */
#ifndef MAKE_H
#define MAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"
#include "options.h"
#include "plan.h"

/* What a filter that grows is made for at first, if nothing is said. */
#define MAKE_KEYS 1000000

/*
 * The lowest rate of a filter that grows: its layers halve it again and again,
 * and sizing_shape has to be able to follow.
 */
#define MAKE_GROW_RATE_MIN 1e-9

/* The rows of these options, for a table of struct option_spec. */
#define MAKE_OPTIONS \
	PLAN_OPTIONS, \
	{ 'g', "grow", NULL, \
	    "add layers when it is full; default without -n, -s" }, \
	{ 'F', "full", "WHAT", "when it is full: warn and go on, or stop" }, \
	{ 'R', "scheme", "NAME", \
	    "by the rule of another program (dcso, guava ...)" }, \
	{ 'K', "key", "HOW", \
	    "what that hashes of a key: bytes, utf16le or int64" }, \
	{ 'S', "seed", "N", "hash with this seed instead of a random one" }, \
	{ 'L', "like", "FILTER", \
	    "take keys, rate, size and seed from FILTER" }, \
	{ 'N', "note", "TEXT", "keep this text in the file" }

struct order {
	struct request request;
	bool grow;
	bool has_full, has_seed, has_encoding;
	const struct scheme *scheme;	/* NULL if not given */
	enum encoding encoding;
	enum format_full full;
	uint64_t seed;
	const char *like, *note;	/* NULL if not given */
};

/* Take the option if it is one of the rows above. */
bool make_option(struct order *o, const struct usage *u, int letter);

/* An order that contradicts itself ends the program as options_wrong does. */
void make_check(const struct order *o, const struct usage *u);

/*
 * The header of what was ordered: made now, with a random seed if none was
 * given.  An order that cannot be met ends the program as options_wrong does.
 */
struct header make_header(const struct order *o, const struct usage *u);

struct make_how {
	bool replace;	/* what has the name now */
	bool keep;	/* it, and make nothing */
	bool quiet;	/* do not say what was made */
};

/*
 * Make the file and say on stderr what was made.  It is an error if it exists,
 * unless how->replace or how->keep; errors end the program.
 */
void make_filter(const char *path, const struct header *h,
    struct make_how how);

/*
 * Go on with a line on stderr, and end it: what a filter of one layer is made
 * for, and what it does when it is full.
 */
void make_say(const struct header *h);

#endif
