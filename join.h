/*
 * Names in a row: "dcso, guava ...".
 */
#ifndef JOIN_H
#define JOIN_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Put one more into buf[0..size), as far as there is room; "" has none. */
static inline void
join_name(char *buf, size_t size, const char *name)
{
	const size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

#endif
