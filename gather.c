/*
 * A counting sort by the top bits of what a block's number is made of.
 */
#include <stdlib.h>
#include <string.h>

#include "gather.h"

/* Bytes of a filter from which on it pays; smaller ones fit into caches. */
#define LARGE (UINT64_C(256) << 20)

/* 200,000 keys of 16 bytes, twice, leave room for others in 16 MiB. */
#define MOST 200000
#define PARTS 4096

struct gather {
	size_t n;
	struct hash came[MOST];
	struct hash sorted[MOST];
};

struct gather *
gather_new(const struct filter *f)
{
	struct gather *g;

	if (f->shape.groups > 1 ||
	    f->shape.blocks < LARGE / SIZING_BLOCK_BYTES)
		return NULL;
	g = malloc(sizeof(*g));
	if (g != NULL)
		g->n = 0;
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

/* Blocks are in the order of lo: see probe_block. */
static size_t
part_of(const struct hash *h)
{
	return (size_t)(h->lo >> 52);
}

const struct hash *
gather_sorted(struct gather *g, size_t *n)
{
	size_t at[PARTS + 1] = { 0 };

	for (size_t i = 0; i < g->n; i++)
		at[part_of(&g->came[i]) + 1]++;
	for (size_t i = 0; i < PARTS; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < g->n; i++)
		g->sorted[at[part_of(&g->came[i])]++] = g->came[i];
	*n = g->n;
	g->n = 0;
	return g->sorted;
}
