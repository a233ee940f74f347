/*
 * SIGINT, SIGTERM and SIGHUP: asked once, a command ends what it has begun and
 * then dies of the signal; asked twice, it dies at once.  And the waiting for
 * descriptors, which such a signal must end.  And SIGUSR1, with SIGINFO where
 * there is one: it asks how far we are.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* From now on.  A signal that is ignored, as under nohup, stays so. */
void signals_catch(void);

/* SIGUSR1 and SIGINFO only ask, from now on. */
void signals_catch_asking(void);

/* Has one of them come since we last looked? */
bool signals_asked(void);

/* All of these are held back from this thread until *old is set again. */
void signals_hold(sigset_t *old);

/* Has one come, of those that end us? */
bool signals_caught(void);

/* Die of the one that has come; returns if none has. */
void signals_die(void);

/*
 * This is called before we die of a signal that a user sends, at once or by
 * signals_die; it has to be fit for a handler.
 */
void signals_before_death(void (*last)(void));

/*
 * Wait until fd is ready for events (of poll(2)), at most timeout_ms, without
 * end if that is negative.  1: it is, 0: it is not yet, -1: errno; EINTR means
 * that a signal was caught, before or while it waited.
 */
int signals_wait(int fd, short events, int timeout_ms);

/*
 * What is called in the meantime, unless timeout_ms is 0: at first, when a
 * signal asks, and after as many ms as it returned, if that is not negative.
 * Or NULL.
 */
void signals_while_waiting(int (*look)(void));

#endif
