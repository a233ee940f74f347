/*
 * The framing of filters that come out of Redis.  It is not trusted: numbers
 * have few digits, lengths are compared and never added up, and nothing is kept
 * but a name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "le.h"
#include "redis.h"
#include "text.h"

#define DIGITS 19		/* of a number: it is below 2^64, then */
#define LINE (DIGITS + 3)	/* with what ends its line, and one more */
#define FILTERS_MAX 4096	/* sub-filters; nobody has that many */
#define HEADER_MAX ((size_t)20 + 53 * FILTERS_MAX)
#define NO_NAME SIZE_MAX

#define CUCKOO "a cuckoo filter, which is no Bloom filter and cannot be read"

static int
damaged(const struct stream *s, char why[WHY_SIZE])
{
	snprintf(why, WHY_SIZE, "a Redis dump that is damaged or cut short at "
	    "byte %" PRIu64, stream_offset(s));
	return -1;
}

/* At least n bytes to come; NULL: why. */
static const uint8_t *
need(struct stream *s, size_t n, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, n, &p, why);

	if (have != -1 && (size_t)have < n)
		damaged(s, why);
	return have != -1 && (size_t)have >= n ? p : NULL;
}

/* Go on behind these bytes, which must come next. */
static int
expect(struct stream *s, const char *bytes, char why[WHY_SIZE])
{
	const size_t n = strlen(bytes);
	const uint8_t *p = need(s, n, why);

	if (p == NULL)
		return -1;
	if (memcmp(p, bytes, n) != 0)
		return damaged(s, why);
	stream_skip(s, n);
	return 0;
}

/*
 * Does p[0..n) begin with a number and `end` behind it?  The length of both, or
 * 0.
 */
static size_t
number(const uint8_t *p, size_t n, const char *end, uint64_t *x)
{
	const size_t end_len = strlen(end);
	size_t i = 0;

	for (*x = 0; i < n && i < DIGITS && p[i] >= '0' && p[i] <= '9'; i++)
		*x = *x * 10 + (uint64_t)(p[i] - '0');
	if (i == 0 || n - i < end_len || memcmp(p + i, end, end_len) != 0)
		return 0;
	return i + end_len;
}

/* "*4\r\n" and the like: go on behind it, with the number. */
static int
number_line(struct stream *s, const char *before, const char *end,
    uint64_t *x, char why[WHY_SIZE])
{
	const uint8_t *p;

	if (expect(s, before, why) == -1)
		return -1;
	const ssize_t have = stream_look(s, LINE, &p, why);
	if (have == -1)
		return -1;
	const size_t len = number(p, (size_t)have, end, x);
	if (len == 0)
		return damaged(s, why);
	stream_skip(s, len);
	return 0;
}

/*
 * Headers, known by their length: of RedisBloom since 2.2.1, 2.2.0 and before;
 * and of others, which have commands of the same name, or alike.
 */
static const struct layout {
	size_t fixed, each;	/* bytes, and of each sub-filter */
	const char *unread;	/* NULL: it can be read */
} layouts[] = {
	{ 20, 53, NULL }, { 20, 49, NULL }, { 16, 49, NULL },
	{ 12, 0, "a filter of Dragonfly, which cannot be read" },
	{ 38, 0, CUCKOO }, { 46, 0, CUCKOO }
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))
#define SHORTEST 12

/* How long is such a header that begins like h?  0: none does. */
static size_t
layout_len(const struct layout *l, const uint8_t h[SHORTEST])
{
	const size_t filters = le32_get(h + 8);

	if (l->each != 0 && (filters < 1 || filters > FILTERS_MAX))
		return 0;
	return l->fixed + l->each * filters;
}

static int
judge_layout(const struct layout *l, char why[WHY_SIZE])
{
	if (l->unread == NULL)
		return 1;
	snprintf(why, WHY_SIZE, "%s", l->unread);
	return -1;
}

/* A header of this length comes: is it one that can be read? */
static int
judge_header(struct stream *s, uint64_t len, char why[WHY_SIZE])
{
	const uint8_t *h = need(s, SHORTEST, why);

	if (h == NULL)
		return -1;
	for (size_t i = 0; i < LAYOUTS; i++)
		if (len > 0 && len == layout_len(&layouts[i], h))
			return judge_layout(&layouts[i], why);
	return damaged(s, why);
}

/*
 * What redis-cli prints: a number, LF, bytes, LF for each call; 1 and the
 * header, then the number of bytes so far + 1 and those bytes, at the end 0 and
 * none.
 */

/*
 * Is it a header of this layout?  Then another call follows, with bits of the
 * first sub-filter; whole: with all of them.
 */
static bool
is_layout(const struct layout *l, const uint8_t *h, size_t n, bool whole)
{
	const size_t len = layout_len(l, h);
	uint64_t x;

	if (len == 0 || n <= len || h[len] != '\n' ||
	    number(h + len + 1, n - len - 1, "\n", &x) == 0 || x <= 1)
		return false;
	if (l->each == 0)
		return !whole;
	const uint64_t bits = le64_get(h + l->fixed);
	return x - 1 == bits || (!whole && x - 1 < bits);
}

/* Bits may look like such a number, but hardly like that of all of them. */
static int
begin_printed(struct redis *r, struct stream *s, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, 2 + HEADER_MAX + LINE, &p, why);

	if (have == -1)
		return -1;
	if (have < 2 + SHORTEST)
		return 0;
	for (size_t i = 0; i < 2 * LAYOUTS; i++) {
		const struct layout *l = &layouts[i % LAYOUTS];
		if (is_layout(l, p + 2, (size_t)have - 2, i < LAYOUTS)) {
			r->printed = true;
			r->header_len = layout_len(l, p + 2);
			stream_skip(s, 2);
			return judge_layout(l, why);
		}
	}
	return layout_len(&layouts[0], p + 2) > 0 ? damaged(s, why) : 0;
}

/* A loop that stops at the end may have printed that, or not. */
static int
printed_chunk(struct redis *r, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	const uint8_t *p;
	uint64_t iterator;

	if (!r->begun) {
		r->begun = true;
		*n = r->header_len;
		return 1;
	}
	if (expect(s, "\n", why) == -1)
		return -1;
	ssize_t have = stream_look(s, 1, &p, why);
	if (have <= 0)
		return (int)have;
	if (number_line(s, "", "\n", &iterator, why) == -1)
		return -1;
	if (iterator == 0) {
		if (expect(s, "\n", why) == -1)
			return -1;
		have = stream_look(s, 1, &p, why);
		return have > 0 ? damaged(s, why) : (int)have;
	}
	if (iterator - 1 <= r->bits)
		return damaged(s, why);
	*n = iterator - 1 - r->bits;
	r->bits = iterator - 1;
	return 1;
}

/*
 * Commands.  An append-only file has any, and may have "#TS:time" between them.
 */

static int
skip_bytes(struct stream *s, uint64_t n, char why[WHY_SIZE])
{
	const uint8_t *p;

	while (n > 0) {
		const ssize_t have = stream_look(s, 1, &p, why);
		if (have == -1)
			return -1;
		if (have == 0)
			return damaged(s, why);
		const size_t some = n < (size_t)have ? (size_t)n : (size_t)have;
		stream_skip(s, some);
		n -= some;
	}
	return 0;
}

/* Its length; its bytes come next. */
static int
begin_argument(struct stream *s, uint64_t *len, char why[WHY_SIZE])
{
	return number_line(s, "$", "\r\n", len, why);
}

static int
skip_arguments(struct stream *s, uint64_t n, char why[WHY_SIZE])
{
	uint64_t len;

	for (; n > 0; n--)
		if (begin_argument(s, &len, why) == -1 ||
		    skip_bytes(s, len, why) == -1 ||
		    expect(s, "\r\n", why) == -1)
			return -1;
	return 0;
}

enum command { OTHER, LOADCHUNK, ADDS, LOADS_CUCKOO, LOADS_VALKEY };

static const struct {
	const char *name;
	enum command is;
} commands[] = {
	{ "BF.LOADCHUNK", LOADCHUNK },
	{ "BF.ADD", ADDS }, { "BF.MADD", ADDS }, { "BF.INSERT", ADDS },
	{ "CF.LOADCHUNK", LOADS_CUCKOO },
	{ "BF.LOAD", LOADS_VALKEY }
};
#define LONGEST 12

static int
read_command(struct stream *s, enum command *is, char why[WHY_SIZE])
{
	uint64_t len;

	*is = OTHER;
	if (begin_argument(s, &len, why) == -1)
		return -1;
	if (len <= LONGEST) {
		const char *p = (const char *)need(s, (size_t)len, why);
		if (p == NULL)
			return -1;
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]);
		    i++)
			if (strlen(commands[i].name) == len &&
			    strncasecmp(p, commands[i].name, (size_t)len) == 0)
				*is = commands[i].is;
	}
	if (skip_bytes(s, len, why) == -1)
		return -1;
	return expect(s, "\r\n", why);
}

/* What a message can hold of a key's name. */
static void
printable(char out[64], const uint8_t *name, size_t len)
{
	size_t n, used = 0;

	for (size_t i = 0; i < len; i += n) {
		const char *p = (const char *)name + i;
		n = text_utf8(p, len - i);
		const bool bad = n == 0 || text_control(p, len - i);
		if (n == 0)
			n = 1;
		if (used + n > 60) {
			memcpy(out + used, "...", 3);
			used += 3;
			break;
		}
		if (bad)
			memset(out + used, '?', n);
		else
			memcpy(out + used, p, n);
		used += n;
	}
	out[used] = '\0';
}

/*
 * A key: is it that of our filter?  If none is chosen, that is the first one
 * that comes, and there may be no other.
 */
static int
read_key(struct redis *r, struct stream *s, bool adopt, bool *ours,
    char why[WHY_SIZE])
{
	char first[64], second[64];
	uint64_t len;

	*ours = false;
	if (begin_argument(s, &len, why) == -1)
		return -1;
	if (len > sizeof(r->name)) {
		if (adopt && !r->chosen) {
			snprintf(why, WHY_SIZE, "the name of a key has %" PRIu64
			    " bytes, wanted %zu at the most", len,
			    sizeof(r->name));
			return -1;
		}
		if (skip_bytes(s, len, why) == -1)
			return -1;
		return expect(s, "\r\n", why);
	}
	const uint8_t *p = need(s, (size_t)len, why);
	if (p == NULL)
		return -1;
	if (adopt && r->name_len == NO_NAME) {
		r->name_len = (size_t)len;
		memcpy(r->name, p, r->name_len);
	}
	*ours = len == r->name_len && memcmp(p, r->name, r->name_len) == 0;
	if (adopt && !*ours && !r->chosen) {
		printable(first, r->name, r->name_len);
		printable(second, p, (size_t)len);
		snprintf(why, WHY_SIZE, "has filters of the keys %s and %s; "
		    "choose one with --name", first, second);
		return -1;
	}
	stream_skip(s, (size_t)len);
	return expect(s, "\r\n", why);
}

static int
read_number(struct stream *s, uint64_t *x, char why[WHY_SIZE])
{
	uint64_t len;

	if (begin_argument(s, &len, why) == -1)
		return -1;
	const uint64_t at = stream_offset(s);
	if (number_line(s, "", "\r\n", x, why) == -1)
		return -1;
	return stream_offset(s) - at == len + 2 ? 0 : damaged(s, why);
}

/* After the key: an iterator, and a chunk. */
static int
load_chunk(struct redis *r, struct stream *s, uint64_t *n, char why[WHY_SIZE])
{
	uint64_t iterator;

	if (read_number(s, &iterator, why) == -1 ||
	    begin_argument(s, n, why) == -1)
		return -1;
	if (!r->begun && iterator == 1) {
		r->begun = r->inside = true;
		return judge_header(s, *n, why);
	}
	if (!r->begun || iterator == 0 || iterator - 1 < *n ||
	    iterator - 1 - *n != r->bits) {
		snprintf(why, WHY_SIZE, "a Redis dump whose chunks do not "
		    "follow each other at byte %" PRIu64, stream_offset(s));
		return -1;
	}
	r->bits = iterator - 1;
	r->inside = true;
	return 1;
}

/* The rest of a command that has nargs arguments more.  1: it has a chunk. */
static int
read_arguments(struct redis *r, struct stream *s, enum command is,
    uint64_t nargs, uint64_t *n, char why[WHY_SIZE])
{
	bool ours = false;

	if (is == LOADCHUNK && nargs != 3)
		return damaged(s, why);
	if (is == LOADS_CUCKOO)
		r->other = CUCKOO;
	if (is == LOADS_VALKEY)
		r->other = "a filter of valkey-bloom, which cannot be read";
	if ((is == LOADCHUNK || is == ADDS) && nargs > 0) {
		if (read_key(r, s, is == LOADCHUNK, &ours, why) == -1)
			return -1;
		nargs--;
	}
	if (!ours || (is == ADDS && !r->begun))
		return skip_arguments(s, nargs, why);
	if (is == LOADCHUNK)
		return load_chunk(r, s, n, why);
	snprintf(why, WHY_SIZE, "adds keys after the filter's chunks, which "
	    "only Redis can do");
	return -1;
}

/* There are no more commands. */
static int
end_commands(const struct redis *r, char why[WHY_SIZE])
{
	char name[64];

	if (r->begun)
		return 0;
	if (r->chosen) {
		printable(name, r->name, r->name_len);
		snprintf(why, WHY_SIZE, "Redis commands, but no BF.LOADCHUNK "
		    "of key %s", name);
	} else {
		snprintf(why, WHY_SIZE, "%s", r->other != NULL ? r->other :
		    "Redis commands, but no BF.LOADCHUNK");
	}
	return -1;
}

static int
command_chunk(struct redis *r, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	const uint8_t *p;
	uint64_t nargs;
	enum command is;
	ssize_t have;
	int found = 0;

	if (r->inside && expect(s, "\r\n", why) == -1)
		return -1;
	r->inside = false;
	while (found == 0 && (have = stream_look(s, 1, &p, why)) != 0) {
		if (have == -1)
			return -1;
		if (p[0] == '#') {
			if (number_line(s, "#TS:", "\r\n", &nargs, why) == -1)
				return -1;
			continue;
		}
		if (number_line(s, "*", "\r\n", &nargs, why) == -1)
			return -1;
		if (nargs == 0)
			return damaged(s, why);
		if (read_command(s, &is, why) == -1)
			return -1;
		found = read_arguments(r, s, is, nargs - 1, n, why);
	}
	return found != 0 ? found : end_commands(r, why);
}

/* Is it "*N\r\n$" or "#TS:"? */
static bool
are_commands(const uint8_t *p, size_t n)
{
	uint64_t x;

	if (n >= 4 && memcmp(p, "#TS:", 4) == 0)
		return true;
	return n > 0 && p[0] == '*' && number(p + 1, n - 1, "\r\n$", &x) > 0;
}

int
redis_begin(struct redis *r, struct stream *s, const char *name,
    char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, LINE + 1, &p, why);

	if (have == -1)
		return -1;
	*r = (struct redis){ .name_len = NO_NAME };
	if (have >= 5 && memcmp(p, "REDIS", 5) == 0) {
		snprintf(why, WHY_SIZE, "an RDB file, whose filters cannot be "
		    "read; BF.SCANDUMP gives them");
		return -1;
	}
	if (!are_commands(p, (size_t)have))
		return name == NULL && have >= 2 && memcmp(p, "1\n", 2) == 0 ?
		    begin_printed(r, s, why) : 0;
	if (name != NULL) {
		r->name_len = strlen(name);
		if (r->name_len > sizeof(r->name)) {
			snprintf(why, WHY_SIZE, "--name: %zu bytes, wanted "
			    "%zu at the most", r->name_len, sizeof(r->name));
			return -1;
		}
		memcpy(r->name, name, r->name_len);
		r->chosen = true;
	}
	return 1;
}

int
redis_chunk(struct redis *r, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	return r->printed ? printed_chunk(r, s, n, why) :
	    command_chunk(r, s, n, why);
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
