/*
 * What there is to say of a filter: what its header has, what was counted, and
 * what its bits tell.  Says nothing of it itself.
 */
#ifndef FACTS_H
#define FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mapfile.h"

/* Of a layer, or of all together. */
struct facts_part {
	uint64_t keys_wanted;	/* 0: nobody knows what it was made for */
	uint64_t keys_added;	/* worth nothing unless live.counted */
	uint64_t blocks, bits;
	uint64_t ones;		/* of the bits, are set */
	double ones_wanted;	/* will be when keys_wanted are in */
	double keys_estimated;	/* from ones; infinite if all bits are set */
	double rate_now;	/* at which it is wrong, 0 to 1 */
};

struct facts {
	const char *path;
	const struct header *header;	/* stays as long as it is open */
	bool foreign;			/* the file is another program's */
	uint64_t file_size;		/* bytes of it that are in use */
	struct live live;	/* of such a file: what can be known */
	unsigned nlayers;
	struct facts_part all;
	struct facts_part layer[LAYERS_MAX];
};

/*
 * Look at the filter, which stands for path in f.  Every bit is counted if
 * `all` is set, or a layer has up to 16 MiB; of larger ones that much is, which
 * gives the rate to about 0.5 %, at once.  *done grows by the bytes of the
 * layers, and progress.c gets to know.  -1: a layer cannot be had.
 */
int facts_look(struct facts *f, const char *path, struct mapfile *m, bool all,
    uint64_t *done, char why[WHY_SIZE]);

/* Which share of the bits is set, 0 to 1. */
double facts_fill(const struct facts_part *p);

/* Which will be when all keys wanted are in; below 0: nobody knows. */
double facts_fill_wanted(const struct facts_part *p);

/* "clean", "in use": the state of a file of ours. */
const char *facts_state(const struct facts *f);

#endif
