/*
 * The line that tells how far work has come: its words, and how it is cut.
 */
#include <string.h>

#include "statusline.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE 60.0
#define HOUR 3600.0
#define KIB UINT64_C(1024)
#define MIB (KIB << 10)
#define GIB (MIB << 10)

static const struct {
	struct statusline s;
	const char *line;
} cases[] = {
	{ { "add", NULL, 7, 2 * KIB, KIB, 0, 0 },
	    "add: 1.00 KiB of 2.00 KiB, 50 %, 0:00:07 left; 146 bytes/s" },
	{ { "add", NULL, 10, GIB, GIB, 0, 0 },
	    "add: 1.00 GiB of 1.00 GiB, 100 %, 0:00:00 left; 102 MiB/s" },
	{ { "add", NULL, 7, MIB, 0, 0, 0 }, "add: 0 bytes of 1.00 MiB, 0 %" },
	{ { "add", NULL, 0, MIB, 0, 0, 0 }, "add: 0 bytes of 1.00 MiB, 0 %" },
	{ { "add", NULL, 0, MIB, KIB, 0, 0 },
	    "add: 1.00 KiB of 1.00 MiB, 0 %, 0:00:00 left" },
	{ { "add", NULL, 0, 0, 0, 0, 0 }, "add: 0 bytes in 0:00:00" },
	{ { "add", NULL, 59, 0, 3 * MIB, 0, 0 },
	    "add: 3.00 MiB in 0:00:59; 52.1 KiB/s" },
	/* Keys, and how full the filter is. */
	{ { "add", NULL, 10, 4 * GIB, GIB, 12345678, 0.639 },
	    "add: 1.00 GiB of 4.00 GiB, 25 %, 0:00:30 left; 12.3M keys, "
	    "1.23M/s; 63 % full" },
	{ { "add", NULL, 10, 0, 100, 20, 1.5 },
	    "add: 100 bytes in 0:00:10; 20 keys, 2.0/s; 150 % full" },
	{ { "add", NULL, 10, 0, 100, 99, 0 },
	    "add: 100 bytes in 0:00:10; 99 keys, 9.9/s" },
	{ { "add", NULL, 10, 0, 100, 100, 0 },
	    "add: 100 bytes in 0:00:10; 100 keys, 10/s" },
	{ { "add", NULL, 0, 0, 100, 7, 0 },
	    "add: 100 bytes in 0:00:00; 7 keys" },
	/* Times. */
	{ { "add", NULL, MINUTE, 0, 0, 0, 0 }, "add: 0 bytes in 0:01:00" },
	{ { "add", NULL, 59.4, 0, 0, 0, 0 }, "add: 0 bytes in 0:00:59" },
	{ { "add", NULL, 59.5, 0, 0, 0, 0 }, "add: 0 bytes in 0:01:00" },
	{ { "add", NULL, HOUR - 1, 0, 0, 0, 0 }, "add: 0 bytes in 0:59:59" },
	{ { "add", NULL, HOUR, 0, 0, 0, 0 }, "add: 0 bytes in 1:00:00" },
	{ { "add", NULL, 100 * HOUR + 61, 0, 0, 0, 0 },
	    "add: 0 bytes in 100:01:01" },
	{ { "add", NULL, 25, 4000, 1000, 1, 0 },
	    "add: 1000 bytes of 3.91 KiB, 25 %, 0:01:15 left; 1 key, 0.0/s" },
	/* Nobody knows how many, if there are more than when it began. */
	{ { "add", NULL, 5, 1000, 2000, 0, 0 },
	    "add: 1.95 KiB in 0:00:05; 400 bytes/s" },
	{ { "add", NULL, 1e6, UINT64_MAX, 2, 0, 0 },
	    "add: 2 bytes of 16.0 EiB, 0 %, 1000000000:00:00 left; 0 bytes/s" },
	/* A step of it. */
	{ { "add", "syncing", 5, 0, 0, 0, 0 }, "add: syncing" },
	{ { "add", "copying", 2, 4 * KIB, KIB, 0, 0 },
	    "add: copying, 1.00 KiB of 4.00 KiB, 25 %, 0:00:06 left; "
	    "512 bytes/s" },
};

static const struct {
	const char *line;
	size_t columns, fits;
} fits[] = {
	{ "add: 1 of 2, 50 %; 7 keys", 80, 25 },
	{ "add: 1 of 2, 50 %; 7 keys", 26, 25 },
	{ "add: 1 of 2, 50 %; 7 keys", 25, 17 },
	{ "add: 1 of 2, 50 %; 7 keys", 18, 17 },
	{ "add: 1 of 2, 50 %; 7 keys", 17, 11 },
	{ "add: 1 of 2, 50 %; 7 keys", 12, 11 },
	{ "add: 1 of 2, 50 %; 7 keys", 11, 10 },
	{ "add: 1 of 2, 50 %; 7 keys", 1, 0 },
	{ "", 1, 0 },
};

int
main(void)
{
	char line[STATUSLINE_SIZE];

	for (size_t i = 0; i < COUNT(cases); i++)
		OK(strcmp(statusline_words(&cases[i].s, line),
		    cases[i].line) == 0, "%s", cases[i].line);
	for (size_t i = 0; i < COUNT(fits); i++)
		OK(statusline_fit(fits[i].line, fits[i].columns) ==
		    fits[i].fits, "in %zu columns", fits[i].columns);
	return done();
}
