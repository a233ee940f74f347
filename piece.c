/*
 * Cut, hash or look up: batch by batch, so that each step finds in the caches
 * what the one before has left there.
 */
#include <stdlib.h>

#include "piece.h"

/*
 * Memory for the lines of a piece and what is made of them.  It is enough but
 * where the query asks which of many filters have a line: then, of short lines,
 * the caller of the crew makes more.
 */
#define PIECE_BYTES ((size_t)704 * 1024)

/* Bytes of the answer about a line, besides "in". */
static size_t
which_bytes(const struct work *w)
{
	return w->query == NULL ? 0 :
	    query_words(w->query) * sizeof(uint64_t);
}

/* At least a line. */
static size_t
room_for(size_t lines, size_t width, size_t which)
{
	const size_t bytes = sizeof(struct line) +
	    width * sizeof(struct hash) + sizeof(bool) + which;

	if (lines * bytes <= PIECE_BYTES)
		return lines;
	return bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
}

bool
piece_init(struct piece *p, const struct work *w, size_t lines)
{
	const size_t which = which_bytes(w);
	const size_t width = w->query == NULL ? w->rule->width :
	    query_width(w->query);
	const size_t room = room_for(lines, width, which);

	*p = (struct piece){ .room = room, .width = width };
	p->text = lines_new(w->separator);
	p->lines = malloc(room * sizeof(*p->lines));
	p->hashes = malloc(room * width * sizeof(*p->hashes));
	if (!keys_whole(&w->key))
		p->keys = malloc(PIECE_BATCH * sizeof(*p->keys));
	if (w->query != NULL)
		p->in = malloc(room * sizeof(*p->in));
	if (which > 0)
		p->which = malloc(room * which);
	return p->text != NULL && p->lines != NULL && p->hashes != NULL &&
	    (keys_whole(&w->key) || p->keys != NULL) &&
	    (w->query == NULL || p->in != NULL) &&
	    (which == 0 || p->which != NULL);
}

void
piece_free(struct piece *p)
{
	lines_free(p->text);
	free(p->lines);
	free(p->keys);
	free(p->hashes);
	free(p->in);
	free(p->which);
}

uint64_t *
piece_which(const struct piece *p, const struct work *w, size_t i)
{
	return p->which == NULL ? NULL : p->which + i * query_words(w->query);
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
		struct hash *hashes = p->hashes + p->n * p->width;
		n = p->room - p->n < PIECE_BATCH ? p->room - p->n : PIECE_BATCH;
		n = lines_cut(p->text, lines, n);
		const struct line *keys = cut_keys(p, w, lines, n);
		if (w->query != NULL)
			query_test(w->query, &w->key, keys, n, hashes,
			    p->in + p->n, piece_which(p, w, p->n));
		else
			keys_hash(&w->key, w->rule, keys, n, hashes);
		if (w->except != NULL) {
			keys_hash(&w->key, except_rule(w->except), keys, n,
			    hashes);
			except_clear(w->except, keys, hashes, n,
			    p->in + p->n);
		}
	}
	return p->n;
}
