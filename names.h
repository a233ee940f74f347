/*
 * Names of filters that options give, one by one and in lists.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

#define NAMES_MAX ((size_t)100000)

/* Begin with zeros; large, but what is not used takes no memory if static. */
struct names {
	size_t n;
	char *paths[NAMES_MAX];
};

/* What cannot be taken ends the program, with a line that says why. */
void names_add(struct names *names, char *path);

/* All that a file lists, one a line, at least one; "-" is stdin. */
void names_read(struct names *names, const char *list);

#endif
