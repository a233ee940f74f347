/*
 * Which layers of several filters become one layer of their union.  Pure.
 *
 * Filters that do not grow are one layer each, and all become one.  Of filters
 * that grow two layers become one only if they have one shape and it has room
 * for the keys of both; else they stand side by side, so that the rate of the
 * union is at most the sum of theirs.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

struct merge_source {
	size_t input;			/* whose layer it is */
	const struct format_part *part;
	uint64_t keys;			/* that it holds */
	unsigned target;		/* layer of the union: merge_plan */
};

/*
 * Say where each source goes, and put the layers of the union into *h, which
 * has all the rest of it: the layer for the most keys last, so that it grows
 * on from there.  Sorts s.  false: more layers than LAYERS_MAX.
 */
bool merge_plan(struct header *h, struct merge_source *s, size_t n);

#endif
