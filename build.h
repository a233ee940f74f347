/*
 * A filter file that is made with its content, by union and import: whole or
 * not at all.  What fails ends the program, with nothing left behind.
 */
#ifndef BUILD_H
#define BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"
#include "mapfile.h"
#include "newfile.h"

struct build {
	const char *path;
	bool force;			/* replace what has the name */
	double wait;			/* for who writes to that, in seconds */
	int old;			/* that, held; or -1 */
	struct newfile *new;
	bool promised;			/* its size, by who may not keep that */
	struct header head;
	bool estimated;			/* keys are, not counted */
	uint64_t ones[LAYERS_MAX];	/* of each layer, as written so far */
	uint64_t keys[LAYERS_MAX];
};

/* Catch signals; see that the name is free, or wait.  what: for progress. */
void build_begin(struct build *b, const char *what);

/*
 * The file for b->head, of zeros, its space reserved; or, if its size is but
 * promised, an empty one that has to be written from front to back.
 */
void build_open(struct build *b);

/* n words of a layer, from this byte of it on. */
void build_write(struct build *b, unsigned layer, const uint64_t *words,
    size_t n, uint64_t at);

/* How many keys there are, by the bits. */
void build_estimate(struct build *b);

/* Write the header, sync, give it its name; signals work as ever again. */
void build_publish(struct build *b);

/* What its counters are. */
struct live build_live(const struct build *b);

/* End, of the signal if one has come, with this about a file. */
_Noreturn void build_give_up(struct build *b, const char *path,
    const char *why);

#endif
