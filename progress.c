/*
 * The line that tells how far we are: when it is drawn, where, and its words.
 * It goes out by write(2), in one piece.
 */
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "number.h"
#include "progress.h"
#include "signals.h"

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
	struct progress work[DEPTH];
	double began[DEPTH];
} now;

/* ---- words ---- */

static void say(char line[PROGRESS_LINE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Goes on with the line. */
static void
say(char line[PROGRESS_LINE], const char *format, ...)
{
	const size_t used = strlen(line);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + used, PROGRESS_LINE - used, format, ap);
	va_end(ap);
}

/* "0:02:05", as other programs have it. */
static const char *
time_words(double seconds, char buf[NUMBER_WORDS])
{
	const double s = fmin(floor(seconds + 0.5), 3.6e12);

	snprintf(buf, NUMBER_WORDS, "%.0f:%02.0f:%02.0f", floor(s / 3600),
	    floor(fmod(s, 3600) / 60), fmod(s, 60));
	return buf;
}

/* Up to where the input is read, the file written. */
static void
say_bytes(const struct progress *p, char line[PROGRESS_LINE])
{
	char a[NUMBER_WORDS], b[NUMBER_WORDS];

	number_bytes(p->bytes, a);
	if (p->total == 0) {
		say(line, "%s in %s", a, time_words(p->seconds, b));
		return;
	}
	const double share = fmin((double)p->bytes / (double)p->total, 1);
	say(line, "%s of %s, %.0f %%", a, number_bytes(p->total, b),
	    floor(100 * share));
	if (p->bytes > 0)
		say(line, ", %s left",
		    time_words(p->seconds * (1 - share) / share, a));
}

/* Of keys, or bytes if there are none. */
static void
say_speed(const struct progress *p, char line[PROGRESS_LINE])
{
	const double done = (double)(p->keys > 0 ? p->keys : p->bytes);
	const double speed = p->seconds > 0 ? fmin(done / p->seconds, 1e18) : 0;
	char words[NUMBER_WORDS];

	if (p->keys > 0)
		say(line, "; %s key%s", number_short(p->keys, words),
		    p->keys == 1 ? "" : "s");
	if (speed == 0 || (p->step != NULL && p->total == 0))
		return;
	if (p->keys == 0)
		say(line, "; %s/s", number_bytes((uint64_t)speed, words));
	else if (speed < 9.95)
		say(line, ", %.1f/s", speed);
	else
		say(line, ", %s/s", number_short((uint64_t)speed, words));
}

const char *
progress_line(const struct progress *p, char line[PROGRESS_LINE])
{
	line[0] = '\0';
	say(line, "%s: ", p->what);
	if (p->step != NULL)
		say(line, p->total > 0 ? "%s, " : "%s", p->step);
	if (p->step == NULL || p->total > 0)
		say_bytes(p, line);
	say_speed(p, line);
	if (p->full > 0)
		say(line, "; %.0f %% full", floor(100 * p->full));
	return line;
}

/* What wraps cannot be erased: rather leave out the last parts. */
size_t
progress_fit(const char *line, size_t columns)
{
	size_t n = strlen(line);

	if (n < columns)
		return n;
	for (n = columns; n > 0; n--)
		if (n < columns && (line[n] == ';' || line[n] == ','))
			return n;
	return columns > 0 ? columns - 1 : 0;
}

/* The line as it is now, or when all is over. */
static const char *
line_now(bool over, char line[PROGRESS_LINE])
{
	const unsigned i = now.depth - 1;
	struct progress p = now.work[i];

	p.what = now.work[WORK].what;
	p.step = i == STEP ? now.work[STEP].what : NULL;
	p.seconds = clock_seconds() - now.began[i];
	if (over)
		p.total = 0;
	return progress_line(&p, line);
}

/* ---- stderr ---- */

static void
write_stderr(const char *bytes, size_t n)
{
	const ssize_t w = write(STDERR_FILENO, bytes, n);

	(void)w;	/* nobody could be told */
}

/* A terminal that was stopped (^S) or a full pipe would make us wait. */
static bool
takes(void)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0;
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

static size_t
columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col > 0 ? size.ws_col : 80;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The line that stands there becomes this one, of n columns. */
static size_t
redraw(char *to, const char *line, size_t n)
{
	const size_t width = least((size_t)now.width, columns() - 1);
	const size_t pad = width > n ? width - n : 0;

	to[0] = '\r';
	memcpy(to + 1, line, n);
	memset(to + 1 + n, ' ', pad);
	return 1 + n + pad;
}

static void
draw(void)
{
	char line[PROGRESS_LINE], buf[2 * PROGRESS_LINE];

	line_now(false, line);
	const size_t n = progress_fit(line, columns());
	write_stderr(buf, redraw(buf, line, n));
	now.width = (sig_atomic_t)n;
	signals_before_death(progress_clear);
}

static void
erase(void)
{
	char buf[2 * PROGRESS_LINE];

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
	char line[PROGRESS_LINE], buf[PROGRESS_LINE + 2];

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
	const struct progress *p = &now.work[now.depth - 1];
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
	now.work[now.depth++] = (struct progress){ .what = what };
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
	struct progress *p = &now.work[now.depth - 1];
	p->total = total;
	p->bytes = p->keys = 0;
	now.began[now.depth - 1] = clock_seconds();
}

void
progress_at(uint64_t bytes, uint64_t keys)
{
	if (now.depth == 0)
		return;
	struct progress *p = &now.work[now.depth - 1];
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
