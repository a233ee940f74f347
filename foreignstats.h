/*
 * What stats says of a filter that another program wrote.
 */
#ifndef FOREIGNSTATS_H
#define FOREIGNSTATS_H

#include <stdbool.h>

#include "foreignfile.h"

struct foreignstats {
	const char *path;
	const struct foreignfile *file;
	double ones, keys_estimated, rate_now;
};

/* Count the bits of it: those of all, or of a part that is spread evenly. */
struct foreignstats foreignstats_look(const char *path,
    const struct foreignfile *f, bool all);

void foreignstats_text(const struct foreignstats *s);
void foreignstats_json(const struct foreignstats *s);

/*
 * Does it hold more keys than it was made for, as far as is known?  If so, one
 * line on stderr.
 */
bool foreignstats_overfull(const struct foreignstats *s);

#endif
