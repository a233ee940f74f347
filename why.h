/*
 * Why something failed, in words: what functions that talk to the system leave
 * in why[WHY_SIZE], to stand after the file's name in a message.
 */
#ifndef WHY_H
#define WHY_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WHY_SIZE 256

/* errno in words, after "what: " unless that is NULL.  Returns -1. */
static inline int
why_errno(char why[WHY_SIZE], const char *what)
{
	if (what == NULL)
		snprintf(why, WHY_SIZE, "%s", strerror(errno));
	else
		snprintf(why, WHY_SIZE, "%s: %s", what, strerror(errno));
	return -1;
}

#endif
