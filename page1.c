/*
 * The words of page 1, and the gaps between them.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "hash.h"
#include "le.h"
#include "page1.h"
#include "parts.h"
#include "zeros.h"

#define GAP(name) { FORMAT_LIVE + offsetof(struct format_live, name), \
	FORMAT_LIVE + offsetof(struct format_live, name) + \
	sizeof(((struct format_live *)NULL)->name) }
static const struct gap { size_t from, to; } layer_table = GAP(layer);
static const struct gap reserved[] = {
	GAP(reserved1), GAP(reserved2), GAP(reserved3), GAP(reserved4)
};

static_assert(sizeof(struct format_live) == FORMAT_HEADER - FORMAT_LIVE,
    "page 1 has no padding");

/*
 * XXH3 of the entry up to here, with its number and the seed: an entry that was
 * moved, or comes from another filter, does not pass.
 */
static uint64_t
layer_checksum(const struct format_layer *e, unsigned number, uint64_t seed)
{
	uint64_t words[7];

	memcpy(words, e, offsetof(struct format_layer, checksum));
	words[5] = le64_word(number);
	words[6] = le64_word(seed);
	return hash_checksum(words, sizeof(words));
}

void
page1_layer(const struct header *h, const struct format_part *p,
    unsigned number, struct format_layer *entry)
{
	struct format_layer e = {
		.offset = le64_word(p->offset),
		.blocks = le64_word(p->plan.shape.blocks),
		.probes_groups = le64_word(p->plan.shape.probes |
		    (uint64_t)p->plan.shape.spare << 16 |
		    (uint64_t)p->plan.shape.groups << 32),
		.keys = le64_word(p->plan.keys),
		.rate = le64_word(le64_of_double(p->plan.rate)),
	};

	e.checksum = le64_word(layer_checksum(&e, number, h->rule.seed));
	*entry = e;
}

void
page1_encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    const uint64_t bits[LAYERS_MAX], bool estimated,
    uint8_t buf[FORMAT_HEADER])
{
	struct format_live live = {
		.keys_estimated = le64_word(estimated),
		.more_layers = le64_word(h->nparts - 1),
	};
	uint64_t all_keys = keys[0], all_bits = bits[0];

	for (unsigned i = 1; i < h->nparts; i++) {
		struct format_layer *e = &live.layer[i - 1];
		page1_layer(h, &h->part[i], i, e);
		e->keys_added = le64_word(keys[i]);
		e->bits_set = le64_word(bits[i]);
		all_keys += keys[i];
		all_bits += bits[i];
	}
	live.keys_added = le64_word(all_keys);
	live.bits_set = le64_word(all_bits);
	memcpy(buf + FORMAT_LIVE, &live, sizeof(live));
}

/* The entry of the next layer: can it be one, and where it has to be? */
static struct fault
take_layer(struct header *h, const struct format_layer *e)
{
	const uint64_t both = le64_word(e->probes_groups);
	const struct format_part p = {
		.offset = le64_word(e->offset),
		.plan = {
			.shape = {
				.blocks = le64_word(e->blocks),
				.probes = (unsigned)(both & UINT16_MAX),
				.spare = (unsigned)(both >> 16 & UINT16_MAX),
				.groups = (unsigned)(both >> 32),
			},
			.keys = le64_word(e->keys),
			.rate = le64_to_double(le64_word(e->rate)),
		},
	};
	const struct shape *s = &p.plan.shape;

	if (le64_word(e->checksum) != layer_checksum(e, h->nparts,
	    h->rule.seed) ||
	    p.offset != parts_next_offset(h) || s->blocks < 1 ||
	    s->blocks > parts_most_blocks(p.offset) ||
	    s->probes < 1 || s->probes > SIZING_PROBES_MAX || s->groups < 1 ||
	    s->groups > s->probes || s->probes % s->groups != 0 ||
	    (h->rule.scheme->foreign ? s->spare >= SIZING_BLOCK_BITS ||
	    s->groups != s->probes : s->spare != 0) ||
	    p.plan.keys < SIZING_KEYS_MIN || p.plan.keys > SIZING_KEYS_MAX ||
	    !(p.plan.rate > 0 && p.plan.rate < 1))
		return fault_of(FAULT_LAYER, h->nparts, 0);
	h->part[h->nparts++] = p;
	return fault_of(FAULT_NONE, 0, 0);
}

static struct fault
take_layers(struct header *h, const struct format_live *live)
{
	const uint64_t more = le64_word(live->more_layers);
	struct fault f = fault_field("further layers", more, 0,
	    h->full == FORMAT_FULL_GROW ? LAYERS_MAX - 1 : 0);

	for (uint64_t i = 0; f.kind == FAULT_NONE && i < more; i++)
		f = take_layer(h, &live->layer[i]);
	return f;
}

static uint64_t
bits_of(const struct header *h)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < h->nparts; i++)
		bits += sizing_bits(&h->part[i].plan.shape);
	return bits;
}

static struct fault
check_fields(const struct format_live *live, const struct header *h)
{
	const struct fault fields[] = {
		fault_field("state", le64_word(live->state), FORMAT_CLEAN,
		    FORMAT_DIRTY),
		fault_field("unclean mark", le64_word(live->unclean), 0, 1),
		fault_field("sync mark", le64_word(live->sync_failed), 0, 1),
		fault_field("estimate mark", le64_word(live->keys_estimated),
		    0, 1),
		fault_field("bits set", le64_word(live->bits_set), 0,
		    bits_of(h)),
	};

	return fault_first(fields, sizeof(fields) / sizeof(fields[0]));
}

static struct fault
check_reserved(const uint8_t *buf, const struct header *h)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!zeros_only(buf, reserved[i].from, reserved[i].to))
			return fault_of(FAULT_RESERVED, 0, 0);
	/* One that grows may have died over the entry of a layer. */
	if (h->full != FORMAT_FULL_GROW && !zeros_only(buf, layer_table.from,
	    layer_table.to))
		return fault_of(FAULT_RESERVED, 0, 0);
	return fault_of(FAULT_NONE, 0, 0);
}

struct fault
page1_decode(struct header *h, const uint8_t buf[FORMAT_HEADER],
    bool features)
{
	struct format_live live;

	memcpy(&live, buf + FORMAT_LIVE, sizeof(live));
	struct fault f = take_layers(h, &live);
	if (f.kind == FAULT_NONE)
		f = check_fields(&live, h);
	if (f.kind == FAULT_NONE && !features)
		f = check_reserved(buf, h);
	return f;
}
