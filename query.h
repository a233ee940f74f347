/*
 * The filters that lines are looked up in, one or thousands.  Nobody else asks
 * a filter for check.
 */
#ifndef QUERY_H
#define QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "keys.h"
#include "layers.h"
#include "lines.h"

enum query_want {
	QUERY_ANY,		/* in if any filter has it */
	QUERY_ALL,		/* in if every one has it */
	QUERY_WHICH		/* which ones have it? */
};

struct query;

/*
 * Open filters, at least one.  Ends the program, with a line about the filter,
 * if one cannot be opened, is stdout too or may lack keys.  Keys were hashed as
 * encoding says, if it is not NULL: a filter of ours that says otherwise ends
 * the program too; for files of other programs NULL is bytes.  The names have to
 * stay.
 */
struct query *query_open(char *const *paths, size_t n,
    const enum encoding *encoding, enum query_want want);

/*
 * Look keys up, at most LAYERS_BATCH, cut out of their lines by spec; any
 * number of threads may.  in[i]: key i is in.  For QUERY_WHICH the answer about
 * key i is the words from which[i * query_words] on, and in is scratch; hashes,
 * room for n * query_width, always is.
 */
void query_test(const struct query *q, const struct key_spec *spec,
    const struct line *keys, size_t n, struct hash *hashes, bool *in,
    uint64_t *which);

/* The seed of the first filter. */
uint64_t query_seed(const struct query *q);

/* How many hashes a key has at most, and one at least. */
size_t query_width(const struct query *q);

/* Words of a line's answer for QUERY_WHICH, otherwise 0. */
size_t query_words(const struct query *q);

/*
 * The first filter from number `from` on that has the line with this answer,
 * or has it not; as many as there are filters if there is none.
 */
size_t query_next(const struct query *q, const uint64_t *which, bool has,
    size_t from);

/*
 * Ends the program if a filter has grown and its new part cannot be had.  Ask
 * for each batch: its answers are then worth nothing.
 */
void query_check_layers(const struct query *q);

/* Has a sync of one failed since?  Says so.  Ask now and then. */
bool query_sync_failed(const struct query *q);

/* Close.  False if one was cut, or grew, meanwhile; says so. */
bool query_close(struct query *q);

#endif
