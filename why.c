/*
 * Words for errno.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "why.h"

int
why_errno(char why[WHY_SIZE], const char *what)
{
	if (what == NULL)
		snprintf(why, WHY_SIZE, "%s", strerror(errno));
	else
		snprintf(why, WHY_SIZE, "%s: %s", what, strerror(errno));
	return -1;
}
