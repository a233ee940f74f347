/*
 * The options from which a filter's shape follows, shared by create, add and
 * estimate, so that what one foretells the others make, to the byte.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "scheme.h"
#include "sizing.h"

/* The rate when none is given. */
#define PLAN_RATE 0.01

/* The rows of these options, for a table of struct option_spec. */
#define PLAN_OPTIONS \
	{ 'n', "keys", "N", "how many keys it shall hold (2e9, 10M)" }, \
	{ 'p', "rate", "P", \
	    "how often it may be wrong (1e-4, 0.1%); default 0.01" }, \
	{ 's', "size", "SIZE", "how large the file may be (500MB, 4GiB)" }, \
	{ 'P', "prefer", "WHAT", \
	    "speed (a block a key if that costs little) or space" }

struct request {
	bool has_keys, has_rate, has_size, has_prefer;
	struct plan plan;		/* keys and rate, as far as given */
	uint64_t size;			/* bytes of the file */
	enum sizing_prefer prefer;
};

/* Take the option if it is one of the rows above. */
bool plan_option(struct request *r, const struct usage *u, int letter);

/* A request that says too little or too much ends the same way as below. */
void plan_check(const struct request *r, const struct usage *u);

/*
 * Fill in the rest of r->plan, by this scheme; a request that cannot be met, or
 * says too little or too much, ends the program as options_wrong does.  A size
 * is for the native scheme only.
 */
void plan_make(struct request *r, const struct scheme *s,
    const struct usage *u);

/* "6 probes in 1 block", or without blocks "7 probes"; fits in PLAN_PROBES. */
#define PLAN_PROBES 64
const char *plan_probes(const struct shape *s, char buf[PLAN_PROBES]);

/* "1000 keys at rate 0.01: ..." for people; fits in PLAN_WORDS. */
#define PLAN_WORDS 200
const char *plan_words(const struct plan *p, char buf[PLAN_WORDS]);

/* How many bits of the filter there are for each of its keys. */
double plan_bits_per_key(const struct plan *p);

#endif
