/*
 * The layers of a filter, as text for people: a line for each, and below it, if
 * stdout is a terminal, bars of its fill and its keys.
 */
#ifndef FACTSLAYERS_H
#define FACTSLAYERS_H

struct facts;
struct shape;

/* Lines among those of factstext.h. */
void factslayers_lines(const struct facts *f);

/* A table with a heading; "-" for what nobody knows. */
void factslayers_table(const struct facts *f);

/* The rest of a line: "6 in 1 block", or "7" where there are no blocks. */
void factslayers_probes(const struct shape *s);

#endif
