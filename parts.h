/*
 * Where the layers of a filter lie in its file, one behind the other, and what
 * the next one is made for.  Pure.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdint.h>

#include "format.h"

/* Where the last of the header's layers ends. */
uint64_t parts_end(const struct header *h);

/* Put a layer behind them, where there is none as well. */
void parts_append(struct header *h, const struct plan *p);

/*
 * The layer that comes next in a filter that grows: for growth times the keys
 * of the last one at half its rate.  SIZING_TOO_LARGE if there can be no more.
 */
enum sizing_err parts_next(const struct header *h,
    struct format_part *next);

/* At which byte of the file it begins. */
uint64_t parts_next_offset(const struct header *h);

/* How many blocks there may be from there on; 0 behind the largest filter. */
uint64_t parts_most_blocks(uint64_t offset);

#endif
