/*
 * Bitmaps in Redis (SETBIT): nothing but bits, by whatever rule a program has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "foreign.h"

/* The highest bit of a byte is the first. */
#define FLIP 7

const struct scheme *
foreign_bitmap_rule(const char *name)
{
	if (strcmp(name, "guava") == 0)
		return &scheme_guava_bitmap;
	return strcmp(name, "go-zero") == 0 ? &scheme_go_zero : NULL;
}

enum foreign_match
foreign_bitmap(struct foreign *f, const struct scheme *s, uint64_t bits,
    unsigned probes, char why[WHY_SIZE])
{
	*f = (struct foreign){ .format = &foreign_redis_bitmap,
	    .file_size = FOREIGN_STREAM,
	    .size = bits / 8 + (bits % 8 != 0), .open_end = true };
	return foreign_part(f, s, FLIP, bits, probes, 0, FOREIGN_STREAM, why);
}

static int
encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE])
{
	(void)keys;
	(void)head;
	*n = 0;
	if (!h->rule.scheme->foreign) {
		snprintf(why, WHY_SIZE, "its bits follow a rule that nothing "
		    "in Redis knows; add its keys to a filter made with "
		    "\"create --scheme guava-bitmap\" and export that");
		return -1;
	}
	if (sizing_bits(&h->shape) > FOREIGN_BITMAP_BITS) {
		snprintf(why, WHY_SIZE, "%" PRIu64 " bits, and a string in "
		    "Redis has at most %" PRIu64, sizing_bits(&h->shape),
		    FOREIGN_BITMAP_BITS);
		return -1;
	}
	return foreign_has_one(h, why);
}

const struct foreign_format foreign_redis_bitmap = {
	.name = "redis-bitmap",
	.words = "Redis bitmap",
	.encode = encode,
	.flip = FLIP,
	.unit = 1,
	.command = "SETRANGE",
};
