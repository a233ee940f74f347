/*
 * How far long work is: one line on stderr.
 *
 * It is drawn on a terminal while we are in its foreground, after a second,
 * again and again, and in the end erased; elsewhere, whole lines come now and
 * then if --progress asks for them.  SIGUSR1 gets a line at any time, whatever
 * stderr is.  stderr is never waited for, so a lock may be held.
 *
 * There is one work at a time, of the whole process, and one step of it.  All
 * of this is for the main thread alone.  Without a work these do nothing.  They
 * leave errno as it is.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_when {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS,	/* --progress */
	PROGRESS_NEVER		/* --no-progress: only if a signal asks */
};

/* Before the work begins. */
void progress_choose(enum progress_when when);

/*
 * A work begins, or a step of the one that has; total: how many bytes it has, 0
 * if nobody knows.  signals_wait shows it too while it waits.
 */
void progress_begin(const char *what, uint64_t total);

/* It begins only now, and has so many bytes. */
void progress_total(uint64_t total);

/*
 * So much is done; keys 0: it has none.  At the most a look at the clock: for
 * each batch, not each key.
 */
void progress_at(uint64_t bytes, uint64_t keys);

/* For who waits in other ways: it is time to look whether a signal asks. */
void progress_look(void);

/* This share of what the filter was made for is in it; 0: is not said. */
void progress_full(double share);

/*
 * The work, or its step, is over.  Of a work no line is left then.
 */
void progress_end(void);

/*
 * Results go to stdout all the time.  If that is a pipe, who reads it may write
 * to the terminal as well, and only PROGRESS_ALWAYS draws there.
 */
void progress_prints(void);

/* Somebody types the input on a terminal: nothing is drawn meanwhile. */
void progress_typed(bool typed);

/*
 * Something else is about to be written to stderr, which warn.h sees to: no
 * line stands there now, nor will for a second.  A signal handler may call it.
 */
void progress_clear(void);

/*
 * The same for stdout, which may be the same terminal, and what was written
 * then: no line is drawn behind half of another.
 */
void progress_before_stdout(void);
void progress_after_stdout(const uint8_t *bytes, size_t n);

#endif
