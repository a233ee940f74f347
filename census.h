/*
 * Counting all bits of a filter, which may take minutes.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdint.h>

#include "filter.h"

/*
 * Of all of a layer.  *done grows by its bytes, and progress.c gets to know.
 */
struct census census_layer(const struct filter *layer, uint64_t *done);

#endif
