/*
 * The line that tells how far we are: when it is drawn, and where.  It goes out
 * by write(2), in one piece.
 */
#include <sys/stat.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "least.h"
#include "progress.h"
#include "screen.h"
#include "signals.h"
#include "statusline.h"

/*
 * Seconds until the line appears, and after anything else was written; from one
 * time that it is drawn to the next, and if nothing has changed; and from one
 * whole line to the next.
 */
#define PATIENCE 1.0
#define REDRAW 0.25
#define IDLE_REDRAW 1.0
#define LOG_REDRAW 5.0

enum { WORK, STEP, DEPTH };

enum place { NOWHERE, TERMINAL, LOG };

static struct {
	enum progress_when when;
	enum place place;	/* of what nobody asks for */
	bool stdout_terminal;
	bool hushed;		/* the terminal may be used by others */
	bool typed;
	bool midline;		/* stdout, a terminal, is behind half a line */
	bool asked;		/* and not answered yet */
	double next;		/* when a line is due */
	uint64_t shown;		/* bytes, last time */
	volatile sig_atomic_t width;	/* of the line that stands there */
	unsigned depth;
	struct statusline work[DEPTH];
	double began[DEPTH];
} now;

/* The line as it is now, or when all is over. */
static const char *
line_now(bool over, char line[STATUSLINE_SIZE])
{
	const unsigned i = now.depth - 1;
	struct statusline p = now.work[i];

	p.what = now.work[WORK].what;
	p.step = i == STEP ? now.work[STEP].what : NULL;
	p.seconds = clock_seconds() - now.began[i];
	if (over)
		p.total = 0;
	return statusline_words(&p, line);
}

/* ---- stderr ---- */

static void
write_stderr(const char *bytes, size_t n)
{
	const ssize_t w = write(STDERR_FILENO, bytes, n);

	(void)w;	/* nobody could be told */
}

/*
 * A terminal that was stopped (^S) or a full pipe would make us wait, a pipe
 * that nobody reads any more would kill us.
 */
static bool
takes(void)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents == POLLOUT;
}

/* In the background the terminal is somebody else's. */
static bool
in_foreground(void)
{
	const pid_t group = tcgetpgrp(STDERR_FILENO);

	/* One that controls nobody here has no foreground. */
	return group == getpgrp() ||
	    (group == -1 && now.when == PROGRESS_ALWAYS);
}

/* The line that stands there becomes this one, of n columns. */
static size_t
redraw(char *to, const char *line, size_t n)
{
	const size_t room = screen_columns(STDERR_FILENO) - 1;
	const size_t width = least_size((size_t)now.width, room);
	const size_t pad = width > n ? width - n : 0;

	to[0] = '\r';
	memcpy(to + 1, line, n);
	memset(to + 1 + n, ' ', pad);
	return 1 + n + pad;
}

static void
draw(void)
{
	char line[STATUSLINE_SIZE], buf[2 * STATUSLINE_SIZE];

	line_now(false, line);
	const size_t n = statusline_fit(line, screen_columns(STDERR_FILENO));
	const size_t all = redraw(buf, line, n);
	/* A signal may kill us as soon as it stands there. */
	signals_before_death(progress_clear);
	now.width = (sig_atomic_t)(all - 1);
	write_stderr(buf, all);
	now.width = (sig_atomic_t)n;
}

static void
erase(void)
{
	char buf[2 * STATUSLINE_SIZE];

	if (now.width > 0 && in_foreground() && takes()) {
		const size_t n = redraw(buf, "", 0);
		buf[n] = '\r';
		write_stderr(buf, n + 1);
	}
	now.width = 0;
}

/* A whole line, that stays. */
static void
tell(bool over)
{
	char line[STATUSLINE_SIZE], buf[STATUSLINE_SIZE + 2];

	erase();
	const int n = snprintf(buf, sizeof(buf), "%s%s\n", now.midline ? "\n" :
	    "", line_now(over, line));
	now.midline = false;
	write_stderr(buf, (size_t)n);
}

/* ---- when ---- */

static bool
is_silent(void)
{
	return now.place == NOWHERE || now.hushed || now.typed;
}

/* It is time for one, unless there is nothing new to tell in a log. */
static void
show(double t)
{
	const struct statusline *p = &now.work[now.depth - 1];
	const bool moved = p->bytes != now.shown;

	if (now.place == LOG) {
		now.next = t + LOG_REDRAW;
		if (moved && takes())
			tell(false);
	} else {
		now.next = t + (moved ? REDRAW : IDLE_REDRAW);
		if (!now.midline && in_foreground() && takes())
			draw();
	}
	now.shown = p->bytes;
}

void
progress_look(void)
{
	if (now.depth == 0)
		return;
	const int saved = errno;
	now.asked |= signals_asked();
	if (now.asked && takes()) {
		now.asked = false;
		tell(false);
	}
	if (!is_silent()) {
		const double t = clock_seconds();
		if (t >= now.next)
			show(t);
	}
	errno = saved;
}

/* The same while we wait; again in so many ms, or never. */
static int
look_waiting(void)
{
	progress_look();
	if (is_silent())
		return now.asked ? 100 : -1;
	return (int)fmax(1, ceil((now.next - clock_seconds()) * 1000));
}

/* ---- */

void
progress_choose(enum progress_when when)
{
	now.when = when;
}

static void
begin_work(void)
{
	const bool terminal = isatty(STDERR_FILENO);

	now.place = now.when == PROGRESS_NEVER ? NOWHERE :
	    terminal ? TERMINAL : now.when == PROGRESS_ALWAYS ? LOG : NOWHERE;
	now.stdout_terminal = terminal && isatty(STDOUT_FILENO);
	now.hushed = now.typed = now.midline = false;
	now.width = 0;
	now.shown = 0;
	now.next = clock_seconds() + (now.place == LOG ? LOG_REDRAW : PATIENCE);
	signals_while_waiting(look_waiting);
}

void
progress_begin(const char *what, uint64_t total)
{
	const int saved = errno;

	assert(now.depth < DEPTH);
	if (now.depth == 0)
		begin_work();
	now.work[now.depth++] = (struct statusline){ .what = what };
	progress_total(total);
	/* A step may keep us from looking again for a while. */
	if (now.width > 0 && !is_silent())
		show(clock_seconds());
	errno = saved;
}

void
progress_total(uint64_t total)
{
	if (now.depth == 0)
		return;
	struct statusline *p = &now.work[now.depth - 1];
	p->total = total;
	p->bytes = p->keys = 0;
	now.began[now.depth - 1] = clock_seconds();
}

void
progress_at(uint64_t bytes, uint64_t keys)
{
	if (now.depth == 0)
		return;
	struct statusline *p = &now.work[now.depth - 1];
	p->bytes = bytes;
	p->keys = keys;
	progress_look();
}

void
progress_full(double share)
{
	now.work[WORK].full = share;
}

void
progress_end(void)
{
	if (now.depth == 0)
		return;
	const int saved = errno;
	if (now.depth == 1) {
		now.asked |= signals_asked();
		if ((now.asked || now.place == LOG) && takes())
			tell(true);
		now.asked = false;
		erase();
		signals_while_waiting(NULL);
	}
	now.depth--;
	errno = saved;
}

void
progress_prints(void)
{
	struct stat st;

	now.hushed = now.when != PROGRESS_ALWAYS &&
	    fstat(STDOUT_FILENO, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISCHR(st.st_mode);
}

void
progress_typed(bool typed)
{
	now.typed = typed;
}

void
progress_clear(void)
{
	const int saved = errno;

	if (now.width > 0)
		erase();
	if (now.place == TERMINAL)
		now.next = clock_seconds() + PATIENCE;
	errno = saved;
}

void
progress_before_stdout(void)
{
	if (now.depth > 0 && now.stdout_terminal)
		progress_clear();
	else
		progress_look();
}

void
progress_after_stdout(const uint8_t *bytes, size_t n)
{
	if (now.stdout_terminal && n > 0)
		now.midline = bytes[n - 1] != '\n';
}
