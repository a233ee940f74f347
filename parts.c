/*
 * Layers are laid out so that each can be mapped by itself.
 */
#include "parts.h"

uint64_t
parts_end(const struct header *h)
{
	const struct format_part *last = &h->part[h->nparts - 1];

	return last->offset + last->plan.shape.blocks * SIZING_BLOCK_BYTES;
}

uint64_t
parts_next_offset(const struct header *h)
{
	return h->nparts == 0 ? FORMAT_HEADER :
	    (parts_end(h) + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
}

void
parts_append(struct header *h, const struct plan *p)
{
	h->part[h->nparts] = (struct format_part){ parts_next_offset(h), *p };
	h->nparts++;
}

uint64_t
parts_most_blocks(uint64_t offset)
{
	const uint64_t before = offset / SIZING_BLOCK_BYTES;

	return before < SIZING_BLOCKS_MAX ? SIZING_BLOCKS_MAX - before : 0;
}

enum sizing_err
parts_next(const struct header *h, struct format_part *next)
{
	const struct plan *last = &h->part[h->nparts - 1].plan;

	if (h->nparts == LAYERS_MAX || last->keys > SIZING_KEYS_MAX / h->growth)
		return SIZING_TOO_LARGE;
	*next = (struct format_part){
		.offset = parts_next_offset(h),
		.plan = {
			.keys = last->keys * h->growth,
			/* From there on the halves no longer count. */
			.rate = last->rate / 2 > SIZING_RATE_MIN ?
			    last->rate / 2 : SIZING_RATE_MIN,
		},
	};
	const enum sizing_err e = h->rule.scheme->size(&next->plan, h->prefer);
	if (e == SIZING_OK && next->plan.shape.blocks >
	    parts_most_blocks(next->offset))
		return SIZING_TOO_LARGE;
	return e;
}
