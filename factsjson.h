/*
 * What there is to say of a filter, as a JSON object.
 */
#ifndef FACTSJSON_H
#define FACTSJSON_H

struct facts;

/*
 * One line to stdout.  bloomtool(1) lists its fields, which scripts rely on:
 * they become more, but none changes.  What nobody knows is null.
 */
void factsjson_print(const struct facts *f);

#endif
