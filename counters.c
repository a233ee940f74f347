/*
 * Counting on.
 */
#include "census.h"
#include "counters.h"
#include "le.h"
#include "progress.h"

static void
raise_count(uint64_t *word, uint64_t by, uint64_t most)
{
	const uint64_t old = le64_word(*word);

	*word = le64_word(old < most && by < most - old ? old + by : most);
}

/*
 * Bits that a power cut took are counted twice when they come back.  With more
 * than there are, nobody could open the file again.
 */
void
counters_raise(struct view *v, uint64_t keys, uint64_t bits)
{
	const struct layers *l = &v->layers;
	const unsigned last = l->n - 1;
	uint64_t most = 0;

	for (unsigned i = 0; i <= last; i++)
		most += sizing_bits(&l->layer[i].shape);
	raise_count(&v->live->keys_added, keys, UINT64_MAX);
	raise_count(&v->live->bits_set, bits, most);
	if (last > 0) {
		struct format_layer *e = view_entry(v, last);
		raise_count(&e->keys_added, keys, UINT64_MAX);
		raise_count(&e->bits_set, bits,
		    sizing_bits(&l->layer[last].shape));
	}
}

void
counters_anew(struct view *v)
{
	uint64_t ones = 0, done = 0;

	progress_begin("counting bits", view_size(v));
	for (unsigned i = 0; i < v->layers.n; i++) {
		const struct census c = census_layer(&v->layers.layer[i],
		    &done);
		ones += c.ones;
		if (i > 0)
			view_entry(v, i)->bits_set = le64_word(c.ones);
	}
	v->live->bits_set = le64_word(ones);
	progress_end();
}

uint64_t
counters_room(const struct view *v)
{
	const unsigned last = v->layers.n - 1;
	const uint64_t keys = v->header.part[last].plan.keys;
	const uint64_t added = le64_word(last == 0 ? v->live->keys_added :
	    view_entry(v, last)->keys_added);

	return added < keys ? keys - added : 0;
}

double
counters_full(const struct view *v)
{
	double keys = 0;

	for (unsigned i = 0; i < v->layers.n; i++)
		keys += (double)v->header.part[i].plan.keys;
	return keys > 0 ? (double)le64_word(v->live->keys_added) / keys : 0;
}
