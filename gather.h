/*
 * Keys on their way into a large filter, put in the order of their blocks.
 * Taken as they come they dirty pages all over the file, which the system
 * writes back, and has to be told of once more, again and again; in order, a
 * page is dirtied once for all of its keys that are gathered.
 */
#ifndef GATHER_H
#define GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"
#include "hash.h"

struct gather;

/*
 * NULL if it does not pay for this filter, or out of memory.  It does for
 * large ones with one block a key; with more, the order of keys would matter
 * to which of them are new.
 */
struct gather *gather_new(const struct filter *f);

/* g may be NULL. */
void gather_free(struct gather *g);

/* Room for so many more keys. */
size_t gather_room(const struct gather *g);

/* Take keys, up to room. */
void gather_put(struct gather *g, const struct hash *h, size_t n);

/*
 * All of them, *n, by their blocks, those of one block in the order in which
 * they came; g is empty then.  Valid until the next gather_put.
 */
const struct hash *gather_sorted(struct gather *g, size_t *n);

#endif
