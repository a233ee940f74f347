/*
 * What all formats share: who is asked first, and what a filter must be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../join.h"
#include "../le.h"
#include "foreign.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The more there is to tell one by, the earlier. */
static const struct foreign_format *const formats[] = {
	&foreign_libbloom, &foreign_pybloom, &foreign_redisbloom,
	&foreign_dcso, &foreign_bits_and_blooms, &foreign_guava,
	&foreign_dcso_old
};

static const struct foreign_format *const named[] = {
	&foreign_redisbloom_2_0, &foreign_redisbloom_1_1, &foreign_redis_bitmap
};

static const struct foreign_format *
find(const char *name, const struct foreign_format *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}

const struct foreign_format *
foreign_of_name(const char *name)
{
	const struct foreign_format *f = find(name, formats, COUNT(formats));

	return f != NULL ? f : find(name, named, COUNT(named));
}

static enum foreign_match
match(struct foreign *f, const struct foreign_format *format,
    const uint8_t *head, size_t len, uint64_t size, char why[WHY_SIZE])
{
	*f = (struct foreign){ .format = format, .file_size = size };
	return format->match(f, head, len, size, why);
}

enum foreign_match
foreign_recognise(struct foreign *f, const struct foreign_format *only,
    const uint8_t *head, size_t len, uint64_t size, char why[WHY_SIZE])
{
	enum foreign_match m = FOREIGN_OTHER;

	if (only != NULL)
		return match(f, only, head, len, size, why);
	for (size_t i = 0; m == FOREIGN_OTHER && i < COUNT(formats); i++)
		m = match(f, formats[i], head, len, size, why);
	return m != FOREIGN_OTHER ? m : foreign_unread(head, len, size, why);
}

const char *
foreign_names(char *buf, size_t size, bool written)
{
	buf[0] = '\0';
	for (size_t i = 0; i < COUNT(formats) + COUNT(named); i++) {
		const struct foreign_format *f = i < COUNT(formats) ?
		    formats[i] : named[i - COUNT(formats)];
		if (!written || f->encode != NULL)
			join_name(buf, size, f->name);
	}
	return buf;
}

int
foreign_has(const struct header *h, const struct scheme *s,
    char why[WHY_SIZE])
{
	if (h->rule.scheme == s)
		return 0;
	snprintf(why, WHY_SIZE, "its bits follow the %s rule; add its keys to "
	    "a filter made with \"create --scheme %s\" and export that",
	    h->rule.scheme->words, s->name);
	return -1;
}

int
foreign_has_one(const struct header *h, char why[WHY_SIZE])
{
	if (h->nparts == 1)
		return 0;
	snprintf(why, WHY_SIZE, "has grown to %u layers, and such a file has "
	    "one; add its keys to a filter made with --keys and export that",
	    h->nparts);
	return -1;
}

/* The bits of a byte in the other order. */
static uint8_t
reversed(uint8_t x)
{
	x = (uint8_t)(x >> 4 | x << 4);
	x = (uint8_t)((x & 0xcc) >> 2 | (x & 0x33) << 2);
	return (uint8_t)((x & 0xaa) >> 1 | (x & 0x55) << 1);
}

void
foreign_flip(uint64_t flip, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; flip == 7 && i < n; i++)
		bytes[i] = reversed(bytes[i]);
	for (size_t i = 0; flip == 56 && i < n; i += 8)
		be64_put(bytes + i, le64_get(bytes + i));
}

enum foreign_match
foreign_part(struct foreign *f, const struct scheme *s, uint64_t flip,
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
	struct rule rule = scheme_rule(s, (unsigned)probes);
	const struct shape shape = sizing_without_blocks(bits,
	    (unsigned)probes);
	rule.flip = flip;
	if (bits < 1 || bits > SIZING_BLOCKS_MAX * SIZING_BLOCK_BITS -
	    FORMAT_HEADER * 8 || scheme_bytes(&rule, &shape) > room) {
		const int n = snprintf(why, WHY_SIZE, "%s filter, damaged: %"
		    PRIu64 " bits", f->format->words, bits);
		if (f->file_size != FOREIGN_STREAM)
			snprintf(why + n, WHY_SIZE - (size_t)n, " in a file of "
			    "%" PRIu64 " bytes", f->file_size);
		return FOREIGN_BAD;
	}
	if (f->head.nparts == 0) {
		f->head.rule = rule;
		f->head.shape = shape;
	}
	f->head.part[f->head.nparts++] = (struct format_part){ offset,
	    { .shape = shape } };
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
