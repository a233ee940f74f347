/*
 * A piece of an input and what is made of it: its lines, and either their
 * hashes or whether they are in filters.
 */
#ifndef PIECE_H
#define PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "except.h"
#include "hash.h"
#include "keys.h"
#include "layers.h"
#include "lines.h"
#include "query.h"

/* Few enough for lines and hashes to stay in the nearest caches. */
#define PIECE_BATCH LAYERS_BATCH

/* What is done with each line. */
struct work {
	uint8_t separator;
	struct key_spec key;
	const struct query *query;	/* to look it up in, or NULL: */
	const struct rule *rule;	/* hash it by this */
	const struct except *except;	/* not in for all that, or NULL */
};

struct piece {
	struct lines *text;
	size_t room;			/* lines at a time */
	size_t n;
	size_t nmissing;		/* of these lines have no key */
	struct line *lines;
	struct line *keys;		/* of a batch; NULL if whole lines */
	size_t width;			/* struct hash of a line, at most */
	struct hash *hashes;		/* with a query: scratch */
	bool *in;			/* NULL without a query */
	uint64_t *which;		/* NULL unless the query asks which */
};

/*
 * Less room if each line's answer is large.  false if out of memory; piece_free
 * in any case.
 */
bool piece_init(struct piece *p, const struct work *w, size_t room);
void piece_free(struct piece *p);

/*
 * The next lines of the text, up to room; they replace those that were there.
 * Returns how many, p->n.
 */
size_t piece_fill(struct piece *p, const struct work *w);

/* The query's answer about line i, if it asks which; otherwise NULL. */
uint64_t *piece_which(const struct piece *p, const struct work *w, size_t i);

#endif
