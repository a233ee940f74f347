/*
 * The least that a test in C needs: each OK prints a line of TAP, done() the
 * plan.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdio.h>

static int unit_count, unit_failed;

/* The name is a printf format with its arguments. */
#define OK(condition, ...) do {						\
	const int unit_ok = (condition) ? 1 : 0;			\
	unit_failed += !unit_ok;					\
	printf("%sok %d - ", unit_ok ? "" : "not ", ++unit_count);	\
	printf(__VA_ARGS__);						\
	putchar('\n');							\
	if (!unit_ok)							\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
} while (0)

static inline int
done(void)
{
	printf("1..%d\n", unit_count);
	return unit_failed > 0;
}

#endif
