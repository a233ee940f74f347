/*
 * Which signal has come, and which of them are ours to handle: the state that
 * handlers need.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* ppoll */
#endif
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "signals.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t asked;

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define NENDING (sizeof(ending) / sizeof(ending[0]))
static volatile sig_atomic_t handled[NENDING];

/* The second one, of whichever kind, does what it would have done. */
static void
on_signal(int sig)
{
	caught = sig;
	for (size_t i = 0; i < NENDING; i++)
		if (handled[i])
			signal(ending[i], SIG_DFL);
}

void
signals_catch(void)
{
	static bool done;
	struct sigaction sa = { .sa_handler = on_signal }, old;

	if (done)
		return;
	done = true;
	for (size_t i = 0; i < NENDING; i++)
		if (sigaction(ending[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			handled[i] = sigaction(ending[i], &sa, NULL) == 0;
}

static void
on_question(int sig)
{
	(void)sig;
	asked = 1;
}

void
signals_catch_asking(void)
{
	static const int asking[] = { SIGUSR1,
#if defined(SIGINFO)
	    SIGINFO
#endif
	};
	struct sigaction sa = { .sa_handler = on_question,
	    .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		sigaction(asking[i], &sa, NULL);
}

bool
signals_asked(void)
{
	const bool is_asked = asked != 0;

	if (is_asked)
		asked = 0;
	return is_asked;
}

bool
signals_caught(void)
{
	return caught != 0;
}

void
signals_die(void)
{
	if (caught == 0)
		return;
	signal(caught, SIG_DFL);
	raise(caught);
}

void
signals_hold(sigset_t *old)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < NENDING; i++)
		sigaddset(&held, ending[i]);
	pthread_sigmask(SIG_BLOCK, &held, old);
}

/* Signals are held back from the look at the flag until ppoll lets them in. */
int
signals_wait(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	const struct timespec timeout = { .tv_sec = timeout_ms / 1000,
	    .tv_nsec = timeout_ms % 1000 * 1000000L };
	sigset_t old;
	int r;

	signals_hold(&old);
	do {
		errno = EINTR;
		r = caught != 0 ? -1 : ppoll(&p, 1,
		    timeout_ms < 0 ? NULL : &timeout, &old);
	} while (r == -1 && errno == EINTR && caught == 0);
	const int saved = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}
