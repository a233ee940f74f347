/*
 * Takes the counters, then looks at the bits.
 */
#include "census.h"
#include "facts.h"
#include "progress.h"

#define LOOK_BLOCKS (UINT64_C(1) << 18)		/* 16 MiB */
#define SPANS 256				/* of them, spread evenly */

static struct census
look_at_blocks(const struct filter *f, bool all, uint64_t *done)
{
	const struct scheme *s = f->rule->scheme;
	const uint64_t blocks = f->shape.blocks, step = blocks / SPANS;
	struct census c = { 0, 0, 0 };

	if (all || blocks <= LOOK_BLOCKS)
		return census_layer(f, done);
	for (uint64_t i = 0; i < SPANS; i++) {
		s->census(f, step * i, LOOK_BLOCKS / SPANS, &c);
		progress_at(*done + step * i * SIZING_BLOCK_BYTES, 0);
	}
	*done += blocks * SIZING_BLOCK_BYTES;
	return c;
}

/* Nobody counts the bits of other programs' files: as many as they seem. */
static uint64_t
ones_of(const struct census *c, const struct shape *s,
    const struct live_counts *counts, bool foreign)
{
	if (c->blocks == s->blocks)
		return c->ones;
	return foreign ? (uint64_t)((double)c->ones / (double)c->blocks *
	    sizing_blocks(s)) : counts->bits;
}

static struct facts_part
look_at_layer(const struct facts *f, unsigned i, const struct filter *layer,
    bool all, uint64_t *done)
{
	const struct shape *s = &layer->shape;
	const struct live_counts *counts = &f->live.layer[i];
	const uint64_t keys = f->header->part[i].plan.keys;
	const struct census c = look_at_blocks(layer, all, done);
	const uint64_t ones = ones_of(&c, s, counts, f->foreign);

	return (struct facts_part){
		.keys_wanted = keys,
		.keys_added = counts->keys,
		.blocks = s->blocks,
		.bits = sizing_bits(s),
		.ones = ones,
		.ones_wanted = sizing_fill_at(s, (double)keys) *
		    (double)sizing_bits(s),
		.keys_estimated = sizing_keys_in(s, ones),
		.rate_now = filter_rate(s, &c),
	};
}

/* Another program has counted no bits, and perhaps too many keys. */
static void
take_bits(struct facts *f, unsigned i)
{
	const struct facts_part *p = &f->layer[i];

	f->live.layer[i].bits = p->ones;
	f->live.bits_set += p->ones;
	if (!sizing_plausible(&f->header->part[i].plan.shape, p->ones,
	    p->keys_added))
		f->live.counted = false;
}

/* Keys are counted for all layers together; any of them may be wrong. */
static struct facts_part
together(const struct facts *f)
{
	struct facts_part all = { .keys_added = f->live.keys_added };
	double right = 1;

	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct facts_part *p = &f->layer[i];
		all.keys_wanted += p->keys_wanted;
		all.blocks += p->blocks;
		all.bits += p->bits;
		all.ones += p->ones;
		all.ones_wanted += p->ones_wanted;
		all.keys_estimated += p->keys_estimated;
		right *= 1 - p->rate_now;
	}
	all.rate_now = f->nlayers == 1 ? f->layer[0].rate_now : 1 - right;
	return all;
}

int
facts_look(struct facts *f, const char *path, struct mapfile *m, bool all,
    uint64_t *done, char why[WHY_SIZE])
{
	const struct layers *layers = mapfile_layers(m);

	f->path = path;
	f->header = mapfile_header(m);
	f->foreign = mapfile_foreign(m) != NULL;
	/* All layers that the counts speak of, if one comes meanwhile. */
	do {
		f->nlayers = layers->n;
		f->live = mapfile_live(m);
	} while (mapfile_layers(m)->n > f->nlayers);
	for (unsigned i = 0; i < f->nlayers; i++) {
		f->layer[i] = look_at_layer(f, i, &layers->layer[i], all,
		    done);
		if (f->foreign)
			take_bits(f, i);
	}
	f->all = together(f);
	f->file_size = mapfile_size(m);
	return mapfile_check_layers(m, why);
}

double
facts_fill(const struct facts_part *p)
{
	return (double)p->ones / (double)p->bits;
}

double
facts_fill_wanted(const struct facts_part *p)
{
	return p->keys_wanted > 0 ? p->ones_wanted / (double)p->bits : -1;
}

const char *
facts_state(const struct facts *f)
{
	switch (f->live.state) {
	case LIVE_CLEAN:
		return "clean";
	case LIVE_IN_USE:
		return "in use";
	case LIVE_LEFT:
		return "left open";
	case LIVE_UNCLEAN:
		return "unclean";
	case LIVE_SYNC_FAILED:
		return "sync failed";
	}
	return "unknown";
}
