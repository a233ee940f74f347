/*
 * Keys that are known to be in a filter that came from another program: a wrong
 * guess about its rule, or about its keys, never fails, it only answers "no".
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <stdbool.h>

#include "build.h"

/*
 * End the program, with nothing left behind, unless all lines of the file of
 * this path, "-" being standard input, and at least one, are in the filter that
 * is being built.  name: of what that is made of, for the message.
 */
void members_verify(struct build *b, const char *path, const char *name,
    bool quiet);

#endif
