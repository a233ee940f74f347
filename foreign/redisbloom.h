/*
 * The header of RedisBloom's filters, as BF.SCANDUMP gives it: some bytes for
 * the whole, then as many for each sub-filter.  All is little-endian and
 * packed, and nothing but sums tells one layout from another.
 */
#ifndef REDISBLOOM_H
#define REDISBLOOM_H

#include <stddef.h>
#include <stdint.h>

#include "../le.h"

struct redisbloom_layout {
	size_t head;		/* bytes before the first sub-filter's */
	size_t each;		/* bytes of each */
	size_t capacity;	/* bytes of that, at 44 of a sub-filter's */
};

/* Since 2.2.1, in 2.2.0 and before that. */
#define REDISBLOOM_NOW { 20, 53, 8 }
#define REDISBLOOM_2_2_0 { 20, 49, 4 }
#define REDISBLOOM_BEFORE_2_2 { 16, 49, 4 }

/* More sub-filters than anybody has. */
#define REDISBLOOM_SUBS_MAX 4096

/* The bytes of the longest header. */
#define REDISBLOOM_HEADER_MAX ((size_t)20 + 53 * REDISBLOOM_SUBS_MAX)

/* How many a header of any layout has; 12 bytes of it are enough. */
static inline uint32_t
redisbloom_subs(const uint8_t *head)
{
	return le32_get(head + 8);
}

#endif
