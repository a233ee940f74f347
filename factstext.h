/*
 * What there is to say of a filter, as text for people: a line for each thing,
 * which begins with its name.
 */
#ifndef FACTSTEXT_H
#define FACTSTEXT_H

struct facts;

/* Columns before what a line says, and before the bars below it. */
#define FACTSTEXT_INDENT 14

/*
 * Lines to stdout; if that is a terminal, bars below how full it is and what
 * room is left.  What nobody knows has no line.
 */
void factstext_print(const struct facts *f);

#endif
