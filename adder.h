/*
 * Batches of keys into an open filter, which goes on, stops or grows when it is
 * full.
 */
#ifndef ADDER_H
#define ADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "mapfile.h"

enum adder_end {
	ADDER_DONE,
	ADDER_FULL,		/* it takes no more new keys */
	ADDER_FAILED		/* why */
};

struct added {
	size_t done;		/* keys that are in now, the first of them */
	uint64_t fresh;		/* of them, that were not in before */
};

/*
 * Add up to LAYERS_BATCH keys, in order, and count them; under the lock.  A key
 * has as many hashes as the rule of the filter is wide.
 * fresh[i] = key i was not in when its turn came.
 */
enum adder_end adder_add(struct mapfile *m, const struct hash *h, size_t n,
    bool *fresh, struct added *a, char why[WHY_SIZE]);

/*
 * See to room for one new key at least, if need be by mapfile_grow; under the
 * lock.
 */
enum adder_end adder_make_room(struct mapfile *m, char why[WHY_SIZE]);

#endif
