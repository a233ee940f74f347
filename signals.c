/*
 * Which signal has come, and which of them are ours to handle: the state that
 * handlers need.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* ppoll */
#endif
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "clock.h"
#include "signals.h"

static volatile sig_atomic_t caught;
static volatile sig_atomic_t asked;

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define NENDING (sizeof(ending) / sizeof(ending[0]))
static volatile sig_atomic_t handled[NENDING];

static const int asking[] = { SIGUSR1,
#if defined(SIGINFO)
    SIGINFO
#endif
};
#define NASKING (sizeof(asking) / sizeof(asking[0]))

static void (*before_death)(void);
static int (*while_waiting)(void);

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

/* What waits is interrupted, so that the answer does not wait too. */
void
signals_catch_asking(void)
{
	struct sigaction sa = { .sa_handler = on_question };

	for (size_t i = 0; i < NASKING; i++)
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
	if (before_death != NULL)
		before_death();
	signal(caught, SIG_DFL);
	raise(caught);
}

/* It is delivered once more when we return. */
static void
on_death(int sig)
{
	before_death();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Nothing changes for what is handled in another way, or ignored. */
void
signals_before_death(void (*last)(void))
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
	    SIGPIPE };
	const struct sigaction sa = { .sa_handler = on_death };
	struct sigaction old;

	if (before_death != NULL)
		return;
	before_death = last;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (sigaction(deadly[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &sa, NULL);
}

void
signals_hold(sigset_t *old)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < NENDING; i++)
		sigaddset(&held, ending[i]);
	for (size_t i = 0; i < NASKING; i++)
		sigaddset(&held, asking[i]);
	pthread_sigmask(SIG_BLOCK, &held, old);
}

void
signals_while_waiting(int (*look)(void))
{
	while_waiting = look;
}

/* How long to wait at a time; negative: without end. */
static int
next_nap(int left_ms)
{
	const int nap = left_ms == 0 || while_waiting == NULL ? -1 :
	    while_waiting();

	return nap < 0 || (left_ms >= 0 && left_ms < nap) ? left_ms : nap;
}

#if !defined(HAVE_PPOLL)
#if defined(__APPLE__)
#define HAVE_PPOLL 0
#else
#define HAVE_PPOLL 1
#endif
#endif

#if HAVE_PPOLL
static int
poll_with(const sigset_t *mask, struct pollfd *p, int timeout_ms)
{
	const struct timespec timeout = { .tv_sec = timeout_ms / 1000,
	    .tv_nsec = timeout_ms % 1000 * 1000000L };

	return ppoll(p, 1, timeout_ms < 0 ? NULL : &timeout, mask);
}
#else
/* Not for long: a signal may come just before poll(2) begins to wait. */
static int
poll_with(const sigset_t *mask, struct pollfd *p, int timeout_ms)
{
	const int most = 50;
	sigset_t held;

	pthread_sigmask(SIG_SETMASK, mask, &held);
	const int r = poll(p, 1, timeout_ms < 0 || timeout_ms > most ? most :
	    timeout_ms);
	const int saved = errno;
	pthread_sigmask(SIG_SETMASK, &held, NULL);
	errno = saved;
	return r;
}
#endif

/* 0: not ready yet, perhaps before the time is over. */
static int
poll_once(int fd, short events, int timeout_ms, const sigset_t *mask)
{
	struct pollfd p = { .fd = fd, .events = events };

	errno = EINTR;
	return caught != 0 ? -1 : poll_with(mask, &p, timeout_ms);
}

/* Signals are held back from the look at the flags until poll lets them in. */
int
signals_wait(int fd, short events, int timeout_ms)
{
	const double until = timeout_ms > 0 ?
	    clock_seconds() + timeout_ms * 1e-3 : 0;
	int r, left = timeout_ms;
	bool waits = true;
	sigset_t old;

	signals_hold(&old);
	do {
		r = poll_once(fd, events, next_nap(left), &old);
		if (r == 1 || (r == -1 && (errno != EINTR || caught != 0)))
			break;
		waits = r == -1 || left != 0;
		if (timeout_ms > 0)
			left = (int)ceil(fmax(0, until - clock_seconds()) *
			    1000);
	} while (waits);
	const int saved = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}
