/*
 * What all formats share: who is asked first, and what a filter must be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "foreign.h"

static const struct foreign_format *const formats[] = {
	&foreign_libbloom, &foreign_pybloom, &foreign_dcso,
	&foreign_bits_and_blooms, &foreign_guava, &foreign_redisbloom,
	&foreign_dcso_old
};

/* What is known by its first bytes, but not read. */
static const struct {
	const char *bytes;
	size_t n;
	const char *what;
} unread[] = {
	{ "\x1f\x8b", 2, "compressed by gzip; decompress it first" },
	{ "\xac\xed\x00\x05", 4, "a serialised Java object; a file that "
	    "Guava's writeTo has written can be read" },
	{ "\x02\0\0\0\0\0\0\0", 8, "a filter of Poppy 2, which cannot be "
	    "read" },
	{ "PAR1", 4, "a Parquet file, whose filters cannot be read" },
	{ "*4\r\n$", 5, "a stream of Redis commands" },
};

static enum foreign_match
match_unread(const uint8_t *head, size_t len, char why[WHY_SIZE])
{
	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++)
		if (len >= unread[i].n &&
		    memcmp(head, unread[i].bytes, unread[i].n) == 0) {
			snprintf(why, WHY_SIZE, "%s", unread[i].what);
			return FOREIGN_BAD;
		}
	return FOREIGN_OTHER;
}

enum foreign_match
foreign_recognise(struct foreign *f, const uint8_t *head, size_t len,
    uint64_t size, char why[WHY_SIZE])
{
	enum foreign_match m = match_unread(head, len, why);

	for (size_t i = 0; m == FOREIGN_OTHER &&
	    i < sizeof(formats) / sizeof(formats[0]); i++) {
		*f = (struct foreign){ .format = formats[i],
		    .file_size = size };
		m = formats[i]->match(f, head, len, size, why);
	}
	return m;
}

enum foreign_match
foreign_one(struct foreign *f, const struct scheme *s, uint64_t flip,
    uint64_t bits, uint64_t probes, uint64_t offset, uint64_t size,
    char why[WHY_SIZE])
{
	const uint64_t room = size < offset ? 0 : size - offset;

	if (probes < 1 || probes > SIZING_PROBES_MAX) {
		snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu64
		    " probes, wanted 1 to %d", f->format->words, probes,
		    SIZING_PROBES_MAX);
		return FOREIGN_BAD;
	}
	/* Whole words of 64 bits where they are turned round. */
	if (bits < 1 || bits > SIZING_BLOCKS_MAX * SIZING_BLOCK_BITS -
	    FORMAT_HEADER * 8 || (bits + 7) / 8 > room ||
	    (flip == 56 && (bits + 63) / 64 > room / 8)) {
		snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu64
		    " bits in a file of %" PRIu64 " bytes", f->format->words,
		    bits, size);
		return FOREIGN_BAD;
	}
	f->head.rule = scheme_rule(s, (unsigned)probes);
	f->head.rule.flip = flip;
	f->head.shape = sizing_without_blocks(bits, (unsigned)probes);
	f->head.nparts = 1;
	f->head.part[0] = (struct format_part){ offset,
	    { .shape = f->head.shape } };
	return FOREIGN_SAME;
}

void
foreign_made_for(struct foreign *f, uint64_t keys, double rate)
{
	if (keys < SIZING_KEYS_MIN || keys > SIZING_KEYS_MAX ||
	    !(rate > 0 && rate < 1))
		return;
	f->head.keys = f->head.part[0].plan.keys = keys;
	f->head.rate = f->head.part[0].plan.rate = rate;
}
