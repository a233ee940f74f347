/*
 * A counting sort by the top bits of the block's number.
 */
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "scheme.h"

/*
 * Bytes of a filter from which on it pays: of smaller ones not enough is dirty
 * for the system to write much of it back in the meantime.
 */
#define LARGE (UINT64_C(256) << 20)

/* So many keys of 16 bytes, twice, leave room for others in 16 MiB. */
#define MOST 150000
#define PARTS 4096

struct gather {
	struct filter filter;
	unsigned shift;		/* that takes their numbers below PARTS */
	size_t n;
	struct hash came[MOST];
	struct hash sorted[MOST];
};

struct gather *
gather_new(const struct filter *f)
{
	struct gather *g;

	if (f->rule->scheme->block == NULL || f->shape.groups > 1 ||
	    f->shape.blocks < LARGE / SIZING_BLOCK_BYTES)
		return NULL;
	g = malloc(sizeof(*g));
	if (g == NULL)
		return NULL;
	g->filter = *f;
	g->n = g->shift = 0;
	while ((f->shape.blocks - 1) >> g->shift >= PARTS)
		g->shift++;
	return g;
}

void
gather_free(struct gather *g)
{
	free(g);
}

size_t
gather_room(const struct gather *g)
{
	return MOST - g->n;
}

void
gather_put(struct gather *g, const struct hash *h, size_t n)
{
	memcpy(g->came + g->n, h, n * sizeof(*h));
	g->n += n;
}

static size_t
part_of(const struct gather *g, const struct hash *h)
{
	const struct scheme *s = g->filter.rule->scheme;

	return (size_t)(s->block(&g->filter, h) >> g->shift);
}

const struct hash *
gather_sorted(struct gather *g, size_t *n)
{
	size_t at[PARTS + 1] = { 0 };

	for (size_t i = 0; i < g->n; i++)
		at[part_of(g, &g->came[i]) + 1]++;
	for (size_t i = 0; i < PARTS; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < g->n; i++)
		g->sorted[at[part_of(g, &g->came[i])]++] = g->came[i];
	*n = g->n;
	g->n = 0;
	return g->sorted;
}
