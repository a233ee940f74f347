/*
 * The line is put together from left to right, in parts that "; " and ", " end.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "statusline.h"

static void say(char line[STATUSLINE_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Goes on with the line. */
static void
say(char line[STATUSLINE_SIZE], const char *format, ...)
{
	const size_t used = strlen(line);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + used, STATUSLINE_SIZE - used, format, ap);
	va_end(ap);
}

/* "0:02:05", as other programs have it. */
static const char *
time_words(double seconds, char buf[NUMBER_WORDS])
{
	const double whole = fmin(floor(seconds + 0.5), 3.6e12);

	snprintf(buf, NUMBER_WORDS, "%.0f:%02.0f:%02.0f", floor(whole / 3600),
	    floor(fmod(whole, 3600) / 60), fmod(whole, 60));
	return buf;
}

/* Up to where the input is read, the file written. */
static void
say_bytes(const struct statusline *s, char line[STATUSLINE_SIZE])
{
	char a[NUMBER_WORDS], b[NUMBER_WORDS];

	number_bytes(s->bytes, a);
	if (s->total < s->bytes || s->total == 0) {
		say(line, "%s in %s", a, time_words(s->seconds, b));
		return;
	}
	const double share = (double)s->bytes / (double)s->total;
	say(line, "%s of %s, %.0f %%", a, number_bytes(s->total, b),
	    floor(100 * share));
	if (s->bytes > 0)
		say(line, ", %s left",
		    time_words(s->seconds * (1 - share) / share, a));
}

/* Of keys, or bytes if there are none. */
static void
say_speed(const struct statusline *s, char line[STATUSLINE_SIZE])
{
	const double done = (double)(s->keys > 0 ? s->keys : s->bytes);
	const double speed = s->seconds > 0 ? fmin(done / s->seconds, 1e18) : 0;
	char words[NUMBER_WORDS];

	if (s->keys > 0)
		say(line, "; %s key%s", number_short(s->keys, words),
		    s->keys == 1 ? "" : "s");
	if (speed == 0 || (s->step != NULL && s->total == 0))
		return;
	if (s->keys == 0)
		say(line, "; %s/s", number_bytes((uint64_t)speed, words));
	else if (speed < 9.95)
		say(line, ", %.1f/s", speed);
	else
		say(line, ", %s/s", number_short((uint64_t)speed, words));
}

const char *
statusline_words(const struct statusline *s, char line[STATUSLINE_SIZE])
{
	line[0] = '\0';
	say(line, "%s: ", s->what);
	if (s->step != NULL)
		say(line, s->total > 0 ? "%s, " : "%s", s->step);
	if (s->step == NULL || s->total > 0)
		say_bytes(s, line);
	say_speed(s, line);
	if (s->full > 0)
		say(line, "; %.0f %% full", floor(100 * s->full));
	return line;
}

/* What wraps cannot be erased: rather leave out the last parts. */
size_t
statusline_fit(const char *line, size_t columns)
{
	const size_t room = columns - 1;

	if (strlen(line) <= room)
		return strlen(line);
	for (size_t n = room; n > 0; n--)
		if (line[n] == ';' || line[n] == ',')
			return n;
	return room;
}
