/*
 * Counting all bits of a filter.
 */
#include "census.h"
#include "progress.h"
#include "scheme.h"

/* Between two looks at the clock: 16 MiB. */
#define STEP_BLOCKS (UINT64_C(1) << 18)

struct census
census_layer(const struct filter *f, uint64_t *done)
{
	const uint64_t blocks = f->shape.blocks;
	struct census c = { 0, 0, 0 };

	for (uint64_t n, i = 0; i < blocks; i += n) {
		n = blocks - i < STEP_BLOCKS ? blocks - i : STEP_BLOCKS;
		f->rule->scheme->census(f, i, n, &c);
		*done += n * SIZING_BLOCK_BYTES;
		progress_at(*done, 0);
	}
	return c;
}
