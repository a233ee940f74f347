/*
 * First fit, smallest layers first.
 */
#include <stdlib.h>

#include "merge.h"
#include "parts.h"

static int
compare(const void *a, const void *b)
{
	const struct merge_source *x = a, *y = b;
	const uint64_t m = x->part->plan.keys, n = y->part->plan.keys;

	if (m != n)
		return m < n ? -1 : 1;
	return (x->input > y->input) - (x->input < y->input);
}

/* The layer of the union that takes it, or h->nparts. */
static unsigned
find_target(const struct header *h, const uint64_t *keys,
    const struct merge_source *s)
{
	const struct plan *p = &s->part->plan;

	for (unsigned i = 0; i < h->nparts; i++) {
		const struct plan *to = &h->part[i].plan;
		if (!sizing_same_shape(&to->shape, &p->shape))
			continue;
		if (h->full != FORMAT_FULL_GROW || (keys[i] <= to->keys &&
		    s->keys <= to->keys - keys[i]))
			return i;
	}
	return h->nparts;
}

bool
merge_plan(struct header *h, struct merge_source *s, size_t n)
{
	uint64_t keys[LAYERS_MAX] = { 0 };

	qsort(s, n, sizeof(*s), compare);
	h->nparts = 0;
	for (size_t i = 0; i < n; i++) {
		s[i].target = find_target(h, keys, &s[i]);
		if (s[i].target == LAYERS_MAX)
			return false;
		if (s[i].target == h->nparts)
			parts_append(h, &s[i].part->plan);
		keys[s[i].target] += s[i].keys;
	}
	h->shape = h->part[0].plan.shape;
	h->keys = h->part[0].plan.keys;
	return true;
}
