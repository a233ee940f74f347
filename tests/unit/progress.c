/*
 * The line that tells how far work has come, as a signal asks for it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"
#include "signals.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE 60.0
#define HOUR 3600.0

static const struct {
	enum progress_unit unit;
	uint64_t total, done;
	double spent;
	const char *line;
} cases[] = {
	{ PROGRESS_BYTES, 2048, 1024, 7,
	    "1.00 KiB of 2.00 KiB, 50 %, 7 s left" },
	{ PROGRESS_BYTES, 1 << 30, 1 << 30, 7,
	    "1.00 GiB of 1.00 GiB, 100 %, 0 s left" },
	{ PROGRESS_BYTES, 1 << 20, 0, 7, "0 bytes of 1.00 MiB, 0 %" },
	{ PROGRESS_BYTES, 1 << 20, 0, 0, "0 bytes of 1.00 MiB, 0 %" },
	{ PROGRESS_BYTES, 0, 3 << 20, 59, "3.00 MiB in 59 s" },
	{ PROGRESS_KEYS, 0, 12345, MINUTE, "12345 keys in 1 min 0 s" },
	{ PROGRESS_KEYS, 4000, 1000, 25,
	    "1000 of 4000 keys, 25 %, 1 min 15 s left" },
	{ PROGRESS_KEYS, 1000, 999, HOUR,
	    "999 of 1000 keys, 99 %, 4 s left" },
	{ PROGRESS_KEYS, 1000, 500, HOUR - 1,
	    "500 of 1000 keys, 50 %, 59 min 59 s left" },
	{ PROGRESS_KEYS, 1000, 500, HOUR,
	    "500 of 1000 keys, 50 %, 1 h 0 min left" },
	{ PROGRESS_KEYS, 1000, 200, 25 * MINUTE,
	    "200 of 1000 keys, 20 %, 1 h 40 min left" },
	{ PROGRESS_KEYS, 1000, 2000, 5, "2000 of 1000 keys, 100 %, 0 s left" },
	{ PROGRESS_BYTES, UINT64_MAX, 2, 1e6,
	    "2 bytes of 16.0 EiB, 0 %, 1000000 h 0 min left" },
};

/* What progress_at says on stderr, which is not a terminal here. */
static const char *
said(struct progress *p, uint64_t done, char text[256])
{
	FILE *f = tmpfile();
	const int old = dup(STDERR_FILENO);

	text[0] = '\0';
	if (f == NULL || old == -1)
		return "no file to write to";
	dup2(fileno(f), STDERR_FILENO);
	progress_at(p, done);
	progress_end(p);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(f);
	text[fread(text, 1, 255, f)] = '\0';
	fclose(f);
	return text;
}

int
main(void)
{
	struct progress p;
	char text[256], wanted[256];

	signals_catch_asking();
	for (size_t i = 0; i < COUNT(cases); i++) {
		progress_begin(&p, "work", cases[i].unit, cases[i].total);
		p.terminal = false;
		p.began = clock_seconds() - cases[i].spent;
		raise(SIGUSR1);
		snprintf(wanted, sizeof(wanted), "work: %s\n", cases[i].line);
		OK(strcmp(said(&p, cases[i].done, text), wanted) == 0,
		    "%s", cases[i].line);
		OK(strcmp(said(&p, cases[i].done, text), "") == 0,
		    "asked once, it says nothing more");
	}
	return done();
}
