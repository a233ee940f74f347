/*
 * Locks by fcntl(2).
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* F_OFD_SETLK */
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "locks.h"
#include "progress.h"
#include "signals.h"

/*
 * Locks are on single bytes far past the end of any file: not flock(2), so
 * that "flock f.bf bloomtool add f.bf" does not wait for itself.  Open file
 * description locks where there are any: those of fcntl(2) vanish when any
 * descriptor of the file is closed.
 */
#define FIRST_BYTE (INT64_C(1) << 62)

#if defined(F_OFD_SETLK)
#define SETLK F_OFD_SETLK
#define SETLKW F_OFD_SETLKW
#define GETLK F_OFD_GETLK
#else
#define SETLK F_SETLK
#define SETLKW F_SETLKW
#define GETLK F_GETLK
#endif

static struct flock
byte_of(short type, enum locks_name name)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET,
	    .l_start = (off_t)(FIRST_BYTE + (int)name), .l_len = 1 };
}

static int
lock_byte(int fd, int command, short type, enum locks_name name)
{
	struct flock l = byte_of(type, name);
	int r;

	while ((r = fcntl(fd, command, &l)) == -1 && errno == EINTR &&
	    !signals_caught())
		progress_look();
	return r;
}

static bool
is_held(int error)
{
	return error == EAGAIN || error == EACCES;
}

/*
 * Lock within the time allowed.  With a limit it asks again and again, since
 * fcntl knows no time-out: after 1 ms, then less often, up to 50 ms.
 */
int
locks_take(int fd, enum locks_name name, bool alone, double seconds,
    char why[WHY_SIZE])
{
	const short type = alone ? F_WRLCK : F_RDLCK;
	const double until = clock_seconds() + seconds;
	double nap = 0.001;

	if (isinf(seconds) && !signals_caught()) {
		if (lock_byte(fd, SETLKW, type, name) == -1)
			return why_errno(why, "lock");
		return 0;
	}
	while (lock_byte(fd, SETLK, type, name) == -1) {
		if (!is_held(errno))
			return why_errno(why, "lock");
		const double left = until - clock_seconds();
		if (left <= 0) {
			snprintf(why, WHY_SIZE, "locked by another "
			    "process, gave up after %g seconds", seconds);
			return -1;
		}
		if (signals_caught()) {
			errno = EINTR;
			return why_errno(why, "lock");
		}
		const struct timespec t = { .tv_nsec =
		    (long)(fmin(nap, left) * 1e9) };
		nanosleep(&t, NULL);
		nap = fmin(nap * 2, 0.05);
	}
	return 0;
}

bool
locks_try(int fd, enum locks_name name)
{
	return lock_byte(fd, SETLK, F_WRLCK, name) == 0;
}

void
locks_drop(int fd, enum locks_name name)
{
	lock_byte(fd, SETLK, F_UNLCK, name);
}

bool
locks_held(int fd, enum locks_name name)
{
	struct flock l = byte_of(F_WRLCK, name);

	/* If the question fails the careful answer is that nobody is there. */
	return fcntl(fd, GETLK, &l) == 0 && l.l_type != F_UNLCK;
}
