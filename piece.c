/*
 * Cut, hash, look up: batch by batch, so that each step finds in the caches
 * what the one before has left there.
 */
#include <stdlib.h>

#include "piece.h"

bool
piece_init(struct piece *p, const struct work *w, size_t room)
{
	*p = (struct piece){ .room = room };
	p->text = lines_new(w->separator);
	p->lines = malloc(room * sizeof(*p->lines));
	p->hashes = malloc(room * sizeof(*p->hashes));
	if (!keys_whole(&w->key))
		p->keys = malloc(PIECE_BATCH * sizeof(*p->keys));
	if (w->filter != NULL)
		p->in = malloc(room * sizeof(*p->in));
	return p->text != NULL && p->lines != NULL && p->hashes != NULL &&
	    (keys_whole(&w->key) || p->keys != NULL) &&
	    (w->filter == NULL || p->in != NULL);
}

void
piece_free(struct piece *p)
{
	lines_free(p->text);
	free(p->lines);
	free(p->keys);
	free(p->hashes);
	free(p->in);
}

/* The keys of n lines: these themselves, or they replace those of before. */
static const struct line *
cut_keys(struct piece *p, const struct work *w, const struct line *lines,
    size_t n)
{
	if (p->keys == NULL)
		return lines;
	p->nmissing += keys_cut(&w->key, lines, n, p->keys);
	return p->keys;
}

size_t
piece_fill(struct piece *p, const struct work *w)
{
	size_t n = PIECE_BATCH;

	p->nmissing = 0;
	for (p->n = 0; n == PIECE_BATCH && p->n < p->room; p->n += n) {
		struct line *lines = p->lines + p->n;
		struct hash *hashes = p->hashes + p->n;
		n = p->room - p->n < PIECE_BATCH ? p->room - p->n : PIECE_BATCH;
		n = lines_cut(p->text, lines, n);
		const struct line *keys = cut_keys(p, w, lines, n);
		keys_hash(&w->key, keys, n, w->seed, hashes);
		if (w->filter != NULL)
			layers_test(mapfile_layers(w->filter), hashes, n,
			    p->in + p->n);
		if (w->except != NULL)
			except_clear(w->except, keys, hashes, n,
			    p->in + p->n);
	}
	return p->n;
}
