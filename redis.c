/*
 * Numbers have few digits, so that they do not wrap; lengths are taken off, and
 * never added up.
 */
#include <inttypes.h>
#include <string.h>

#include "redis.h"

#define DIGITS 19		/* any number of them is below 2^64 */

int
redis_damaged(const struct stream *s, char why[WHY_SIZE])
{
	snprintf(why, WHY_SIZE, "a Redis dump that is damaged or cut short at "
	    "byte %" PRIu64, stream_offset(s));
	return -1;
}

const uint8_t *
redis_need(struct stream *s, size_t n, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, n, &p, why);

	if (have != -1 && (size_t)have < n)
		redis_damaged(s, why);
	return have != -1 && (size_t)have >= n ? p : NULL;
}

int
redis_expect(struct stream *s, const char *bytes, char why[WHY_SIZE])
{
	const size_t n = strlen(bytes);
	const uint8_t *p = redis_need(s, n, why);

	if (p == NULL)
		return -1;
	if (memcmp(p, bytes, n) != 0)
		return redis_damaged(s, why);
	stream_skip(s, n);
	return 0;
}

size_t
redis_number(const uint8_t *p, size_t n, const char *end, uint64_t *x)
{
	const size_t end_len = strlen(end);
	size_t i = 0;

	for (*x = 0; i < n && i < DIGITS && p[i] >= '0' && p[i] <= '9'; i++)
		*x = *x * 10 + (uint64_t)(p[i] - '0');
	if (i == 0 || n - i < end_len || memcmp(p + i, end, end_len) != 0)
		return 0;
	return i + end_len;
}

int
redis_line(struct stream *s, const char *before, const char *end,
    uint64_t *x, char why[WHY_SIZE])
{
	const uint8_t *p;

	if (redis_expect(s, before, why) == -1)
		return -1;
	const ssize_t have = stream_look(s, REDIS_LINE, &p, why);
	if (have == -1)
		return -1;
	const size_t len = redis_number(p, (size_t)have, end, x);
	if (len == 0)
		return redis_damaged(s, why);
	stream_skip(s, len);
	return 0;
}

bool
redis_commands(const uint8_t *p, size_t n)
{
	uint64_t x;

	if (n >= 4 && memcmp(p, "#TS:", 4) == 0)
		return true;
	return n > 0 && p[0] == '*' &&
	    redis_number(p + 1, n - 1, "\r\n$", &x) > 0;
}

/* An append-only file may have "#TS:time" between commands. */
int
redis_next(struct stream *s, uint64_t *nargs, char why[WHY_SIZE])
{
	const uint8_t *p;
	ssize_t have;

	while ((have = stream_look(s, 1, &p, why)) > 0 && p[0] == '#')
		if (redis_line(s, "#TS:", "\r\n", nargs, why) == -1)
			return -1;
	if (have <= 0)
		return (int)have;
	if (redis_line(s, "*", "\r\n", nargs, why) == -1)
		return -1;
	return *nargs > 0 ? 1 : redis_damaged(s, why);
}

int
redis_argument(struct stream *s, uint64_t *len, char why[WHY_SIZE])
{
	return redis_line(s, "$", "\r\n", len, why);
}

int
redis_argument_end(struct stream *s, char why[WHY_SIZE])
{
	return redis_expect(s, "\r\n", why);
}

int
redis_skip_argument(struct stream *s, uint64_t len, char why[WHY_SIZE])
{
	const uint8_t *p;

	while (len > 0) {
		const ssize_t have = stream_look(s, 1, &p, why);
		if (have == -1)
			return -1;
		if (have == 0)
			return redis_damaged(s, why);
		const size_t n = len < (size_t)have ? (size_t)len :
		    (size_t)have;
		stream_skip(s, n);
		len -= n;
	}
	return redis_argument_end(s, why);
}

int
redis_skip(struct stream *s, uint64_t n, char why[WHY_SIZE])
{
	uint64_t len;

	for (; n > 0; n--)
		if (redis_argument(s, &len, why) == -1 ||
		    redis_skip_argument(s, len, why) == -1)
			return -1;
	return 0;
}

int
redis_argument_number(struct stream *s, uint64_t *x, char why[WHY_SIZE])
{
	uint64_t len;

	if (redis_argument(s, &len, why) == -1)
		return -1;
	const uint64_t at = stream_offset(s);
	if (redis_line(s, "", "\r\n", x, why) == -1)
		return -1;
	return stream_offset(s) - at - 2 == len ? 0 : redis_damaged(s, why);
}

/* Behind the first len bytes; the length, as if all had room. */
static size_t
append(char *out, size_t room, size_t len, char mark, uint64_t number_of,
    const char *text, const char *end)
{
	const size_t at = len < room ? len : room;

	return len + (size_t)snprintf(out + at, room - at, "%c%" PRIu64
	    "\r\n%s%s", mark, number_of, text, end);
}

size_t
redis_command(char *out, size_t room, const char *const *args, size_t nargs,
    uint64_t last)
{
	size_t len = append(out, room, 0, '*', nargs + 1, "", "");

	for (size_t i = 0; i < nargs; i++)
		len = append(out, room, len, '$', strlen(args[i]), args[i],
		    "\r\n");
	return append(out, room, len, '$', last, "", "");
}
