/*
 * When it is told how far work has come: as a signal or --progress asks, and in
 * steps.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "signals.h"
#include "unit.h"

#define MIB (UINT64_C(1) << 20)

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
	signals_catch_asking();
	asked();
	steps();
	return done();
}
