/*
 * Keys that are about to be added but are not in the filter yet: what "add -v"
 * prints before it sets.  With it, keys of one batch see each other as if they
 * had been added one by one, so the answer does not depend on where batches
 * begin and end.
 */
#ifndef PENDING_H
#define PENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"
#include "hash.h"

struct pending;

/* Room for max_keys keys of filters of this shape; NULL if out of memory. */
struct pending *pending_new(const struct shape *shape, size_t max_keys);
void pending_free(struct pending *p);

/* Forget them all. */
void pending_clear(struct pending *p);

/*
 * Note a key that filter_test does not find, and return true; but false if the
 * keys noted so far set all the bits of it that the filter lacks.
 */
bool pending_add(struct pending *p, const struct filter *f,
    const struct hash *key);

#endif
