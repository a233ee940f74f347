/*
 * How many files may be open at once.
 */
#ifndef NOFILE_H
#define NOFILE_H

#include <stddef.h>

/*
 * Let so many filters be open besides what a command needs; ends the program if
 * there cannot be as many.
 */
void nofile_allow(size_t filters);

#endif
