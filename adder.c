/*
 * Adds keys up to where the filter is full, and what then.
 */
#include "adder.h"

enum adder_end
adder_make_room(struct mapfile *m, char why[WHY_SIZE])
{
	if (mapfile_room(m) > 0)
		return ADDER_DONE;
	if (mapfile_header(m)->full == FORMAT_FULL_STOP)
		return ADDER_FULL;
	return mapfile_grow(m, why) == -1 ? ADDER_FAILED : ADDER_DONE;
}

enum adder_end
adder_add(struct mapfile *m, const struct hash *h, size_t n, bool *fresh,
    struct added *a, char why[WHY_SIZE])
{
	const size_t width = mapfile_header(m)->rule.width;
	uint64_t keys, bits;

	*a = (struct added){ 0, 0 };
	while (a->done < n) {
		a->done += layers_set(mapfile_layers(m), h + a->done * width,
		    n - a->done, mapfile_room(m), fresh + a->done, &keys,
		    &bits);
		mapfile_count(m, keys, bits);
		a->fresh += keys;
		if (a->done < n) {
			const enum adder_end end = adder_make_room(m, why);
			if (end != ADDER_DONE)
				return end;
		}
	}
	return ADDER_DONE;
}
