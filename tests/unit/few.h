/*
 * Where each case takes long, as under valgrind, FEW_CASES is set in the
 * environment: then a test may leave out those that differ in numbers only.
 */
#ifndef FEW_H
#define FEW_H

#include <stdlib.h>

/* all, or few of them. */
static inline unsigned
cases(unsigned all, unsigned few)
{
	return getenv("FEW_CASES") != NULL ? few : all;
}

#endif
