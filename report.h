/*
 * What more than one command says about a filter.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "mapfile.h"

/* How many keys it holds, as far as is known. */
uint64_t report_keys(const struct header *h, const struct live *live);

/*
 * Does it hold more keys than it was made for, or, united of filters that grew,
 * is it wrong more often than it should be?  If so, one line on stderr, with
 * the rate as it is now.
 */
bool report_overfull(const char *path, const struct mapfile *m);
bool report_overfull_live(const char *path, const struct header *h,
    const struct live *live);

/*
 * May keys be missing from it?  If so, two lines on stderr: since when and
 * why, and what to do.
 */
bool report_missing(const char *path, const struct mapfile *m);

#endif
