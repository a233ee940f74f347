/*
 * The line that tells how far work has come: its words, how it is cut, and as a
 * signal asks for it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "signals.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE 60.0
#define HOUR 3600.0
#define KIB UINT64_C(1024)
#define MIB (KIB << 10)
#define GIB (MIB << 10)

static const struct {
	struct progress p;
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
	/* More than there was when it began. */
	{ { "add", NULL, 5, 1000, 2000, 0, 0 },
	    "add: 1.95 KiB of 1000 bytes, 100 %, 0:00:00 left; 400 bytes/s" },
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

static int saved;
static FILE *file;

/* stderr is a file, until said() gives what went there. */
static void
listen(void)
{
	file = tmpfile();
	saved = dup(STDERR_FILENO);
	if (file != NULL)
		dup2(fileno(file), STDERR_FILENO);
}

static const char *
said(void)
{
	static char text[1024];
	size_t n = 0;

	dup2(saved, STDERR_FILENO);
	close(saved);
	if (file != NULL) {
		rewind(file);
		n = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return text;
}

/* What a work of two lines says. */
static const char *
work(enum progress_when when, bool asks)
{
	listen();
	progress_choose(when);
	progress_begin("work", 2 * MIB);
	progress_at(0, 0);
	if (asks)
		raise(SIGUSR1);
	progress_at(MIB, 0);
	progress_at(2 * MIB, 0);
	progress_end();
	return said();
}

static void
asked(void)
{
	static const char line[] = "work: 1.00 MiB of 2.00 MiB, 50 %, 0:00:00 "
	    "left; ";
	const char *text;

	OK(strcmp(work(PROGRESS_AUTO, false), "") == 0, "nobody asks");
	text = work(PROGRESS_AUTO, true);
	OK(strncmp(text, line, strlen(line)) == 0 &&
	    strchr(text, '\n') == text + strlen(text) - 1,
	    "asked once, it says one line");
	text = work(PROGRESS_NEVER, true);
	OK(strncmp(text, line, strlen(line)) == 0,
	    "--no-progress answers too");
	text = work(PROGRESS_ALWAYS, false);
	OK(strncmp(text, "work: 2.00 MiB in 0:00:00; ", 27) == 0 &&
	    strchr(text, '\n') == text + strlen(text) - 1,
	    "--progress has a last line");
	listen();
	progress_choose(PROGRESS_AUTO);
	raise(SIGUSR1);
	progress_at(1, 1);
	progress_look();
	progress_total(1);
	progress_clear();
	progress_end();
	OK(strcmp(said(), "") == 0, "nothing to tell without a work");
	listen();
	progress_begin("work", 0);
	progress_end();
	OK(strcmp(said(), "work: 0 bytes in 0:00:00\n") == 0,
	    "asked before it began, it says so at its end");
}

static void
steps(void)
{
	static const char lines[] = "work: syncing\nwork: 1.00 MiB of "
	    "2.00 MiB, 50 %, ";
	const char *text;

	listen();
	progress_begin("work", 2 * MIB);
	progress_at(MIB, 5);
	progress_full(0.5);
	progress_begin("syncing", 0);
	raise(SIGUSR1);
	progress_look();
	progress_end();
	raise(SIGUSR1);
	progress_look();
	progress_end();
	text = said();
	OK(strncmp(text, lines, strlen(lines)) == 0, "a step, and then the work again");
	OK(strstr(text, "; 5 keys") != NULL && strstr(text, "; 50 % full\n") !=
	    NULL, "as it was");
}

int
main(void)
{
	char line[PROGRESS_LINE];

	signals_catch_asking();
	for (size_t i = 0; i < COUNT(cases); i++)
		OK(strcmp(progress_line(&cases[i].p, line), cases[i].line) == 0,
		    "%s", cases[i].line);
	for (size_t i = 0; i < COUNT(fits); i++)
		OK(progress_fit(fits[i].line, fits[i].columns) == fits[i].fits,
		    "in %zu columns", fits[i].columns);
	asked();
	steps();
	return done();
}
