/*
 * The bytes of another program's filter, from front to back, whatever they are
 * wrapped in: gzip, or a dump out of Redis, which gives the filter's header and
 * then the bits of its sub-filters, without anything between.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "why.h"

struct source;

/*
 * path may be "-", standard input.  key: which one is meant of the filters that
 * a stream of Redis commands has, or NULL.  NULL: why.
 */
struct source *source_open(const char *path, const char *key,
    char why[WHY_SIZE]);
void source_close(struct source *s);	/* NULL is no error */

/* How many bytes there are in all; UINT64_MAX: only the end will tell. */
uint64_t source_size(const struct source *s);

/* Bytes of the header of RedisBloom, if it is a dump of that; or else 0. */
size_t source_header(const struct source *s);

/*
 * Up to n bytes, fewer only at the end, 0 then.  -1: why, which is
 * "interrupted" if a signal was caught.  Some damage shows at the end only: the
 * bytes are good once 0 has been returned.
 */
ssize_t source_read(struct source *s, void *buf, size_t n, char why[WHY_SIZE]);

#endif
