/*
 * Where the chunks are.  Nothing is believed: iterators must fit to what has
 * come, and nothing is kept but a name.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "dump.h"
#include "foreign/redisbloom.h"
#include "le.h"
#include "redis.h"
#include "text.h"

#define NO_NAME SIZE_MAX

#define CUCKOO "a cuckoo filter, which is no Bloom filter and cannot be read"

/*
 * Headers, known by their length: of RedisBloom; and of others, which have
 * commands of the same name, or alike.
 */
static const struct layout {
	struct redisbloom_layout is;
	const char *unread;	/* NULL: it can be read */
} layouts[] = {
	{ REDISBLOOM_NOW, NULL }, { REDISBLOOM_2_2_0, NULL },
	{ REDISBLOOM_BEFORE_2_2, NULL },
	{ { 12, 0, 0 }, "a filter of Dragonfly, which cannot be read" },
	{ { 38, 0, 0 }, CUCKOO }, { { 46, 0, 0 }, CUCKOO }
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))
#define SHORTEST 12

/* How long is such a header that begins like h?  0: none does. */
static size_t
layout_len(const struct layout *l, const uint8_t h[SHORTEST])
{
	const size_t filters = redisbloom_subs(h);

	if (l->is.each != 0 && (filters < 1 || filters > REDISBLOOM_SUBS_MAX))
		return 0;
	return l->is.head + l->is.each * filters;
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
	const uint8_t *h = redis_need(s, SHORTEST, why);

	if (h == NULL)
		return -1;
	for (size_t i = 0; i < LAYOUTS; i++)
		if (len > 0 && len == layout_len(&layouts[i], h))
			return judge_layout(&layouts[i], why);
	return redis_damaged(s, why);
}

/*
 * What redis-cli prints: for each call a number, LF, bytes, LF.  These are 1
 * and the header; one more than the bytes of bits so far and the last of these;
 * at the end, 0 and nothing.
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
	    redis_number(h + len + 1, n - len - 1, "\n", &x) == 0 || x <= 1)
		return false;
	if (l->is.each == 0)
		return !whole;
	const uint64_t bits = le64_get(h + l->is.head);
	return x - 1 == bits || (!whole && x - 1 < bits);
}

/* Bits may look like such a number, but hardly like that of all of them. */
static int
begin_printed(struct dump *d, struct stream *s, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, 2 + REDISBLOOM_HEADER_MAX +
	    REDIS_LINE, &p, why);

	if (have == -1)
		return -1;
	if (have < 2 + SHORTEST)
		return 0;
	for (size_t i = 0; i < 2 * LAYOUTS; i++) {
		const struct layout *l = &layouts[i % LAYOUTS];
		if (is_layout(l, p + 2, (size_t)have - 2, i < LAYOUTS)) {
			d->printed = true;
			d->header_len = layout_len(l, p + 2);
			stream_skip(s, 2);
			return judge_layout(l, why);
		}
	}
	return layout_len(&layouts[0], p + 2) > 0 ? redis_damaged(s, why) : 0;
}

/* A loop that stops at the end may have printed that, or not. */
static int
printed_chunk(struct dump *d, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	const uint8_t *p;
	uint64_t iterator;

	if (!d->begun) {
		d->begun = true;
		*n = d->header_len;
		return 1;
	}
	if (redis_expect(s, "\n", why) == -1)
		return -1;
	ssize_t have = stream_look(s, 1, &p, why);
	if (have <= 0)
		return (int)have;
	if (redis_line(s, "", "\n", &iterator, why) == -1)
		return -1;
	if (iterator == 0) {
		if (redis_expect(s, "\n", why) == -1)
			return -1;
		have = stream_look(s, 1, &p, why);
		return have > 0 ? redis_damaged(s, why) : (int)have;
	}
	if (iterator - 1 <= d->bits)
		return redis_damaged(s, why);
	*n = iterator - 1 - d->bits;
	d->bits = iterator - 1;
	return 1;
}

/*
 * Commands: BF.LOADCHUNK with a key, a number as above and the bytes.  Others
 * may come between, as in an append-only file.
 */

enum command {
	OTHER, LOADCHUNK, ADDS, DELETES, DELETES_ALL, LOADS_CUCKOO, LOADS_VALKEY
};

static const struct {
	const char *name;
	enum command is;
} commands[] = {
	{ "BF.LOADCHUNK", LOADCHUNK },
	{ "BF.ADD", ADDS }, { "BF.MADD", ADDS }, { "BF.INSERT", ADDS },
	{ "DEL", DELETES }, { "UNLINK", DELETES },
	{ "RENAME", DELETES }, { "RENAMENX", DELETES },
	{ "FLUSHALL", DELETES_ALL }, { "FLUSHDB", DELETES_ALL },
	{ "CF.LOADCHUNK", LOADS_CUCKOO },
	{ "BF.LOAD", LOADS_VALKEY }
};
#define LONGEST 12

static int
read_command(struct stream *s, enum command *is, char why[WHY_SIZE])
{
	uint64_t len;

	*is = OTHER;
	if (redis_argument(s, &len, why) == -1)
		return -1;
	if (len <= LONGEST) {
		const char *p = (const char *)redis_need(s, (size_t)len, why);
		if (p == NULL)
			return -1;
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]);
		    i++)
			if (strlen(commands[i].name) == len &&
			    strncasecmp(p, commands[i].name, (size_t)len) == 0)
				*is = commands[i].is;
	}
	return redis_skip_argument(s, len, why);
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
 * That key has a chunk.  It is our filter's if none was chosen, and there may
 * be no other then.
 */
static int
meet_key(struct dump *d, const uint8_t *name, size_t len, char why[WHY_SIZE])
{
	char first[64], second[64];

	if (d->name_len == NO_NAME) {
		d->name_len = len;
		memcpy(d->name, name, len);
		return 0;
	}
	if (len == d->name_len && memcmp(name, d->name, len) == 0)
		return 0;
	printable(first, d->name, d->name_len);
	printable(second, name, len);
	snprintf(why, WHY_SIZE, "has filters of the keys %s and %s; choose one "
	    "with --name", first, second);
	return -1;
}

/* A command's key: is it that of our filter? */
static int
read_key(struct dump *d, struct stream *s, bool chunk, bool *ours,
    char why[WHY_SIZE])
{
	const bool meets = chunk && !d->chosen;
	uint64_t len;

	*ours = false;
	if (redis_argument(s, &len, why) == -1)
		return -1;
	if (len <= sizeof(d->name)) {
		const uint8_t *p = redis_need(s, (size_t)len, why);
		if (p == NULL)
			return -1;
		if (meets && meet_key(d, p, (size_t)len, why) == -1)
			return -1;
		*ours = len == d->name_len &&
		    memcmp(p, d->name, d->name_len) == 0;
	} else if (meets) {
		snprintf(why, WHY_SIZE, "the name of a key has %" PRIu64
		    " bytes, wanted %zu at the most", len, sizeof(d->name));
		return -1;
	}
	return redis_skip_argument(s, len, why);
}

/* After the key: an iterator, and a chunk. */
static int
load_chunk(struct dump *d, struct stream *s, uint64_t *n, char why[WHY_SIZE])
{
	uint64_t iterator;

	if (redis_argument_number(s, &iterator, why) == -1 ||
	    redis_argument(s, n, why) == -1)
		return -1;
	if (!d->begun && iterator == 1) {
		d->begun = d->inside = true;
		return judge_header(s, *n, why);
	}
	if (!d->begun || iterator == 0 || iterator - 1 < *n ||
	    iterator - 1 - *n != d->bits) {
		snprintf(why, WHY_SIZE, "a Redis dump whose chunks do not "
		    "follow each other at byte %" PRIu64, stream_offset(s));
		return -1;
	}
	d->bits = iterator - 1;
	d->inside = true;
	return 1;
}

/* The rest of a command that has nargs arguments more.  1: it has a chunk. */
static int
read_arguments(struct dump *d, struct stream *s, enum command is,
    uint64_t nargs, uint64_t *n, char why[WHY_SIZE])
{
	bool ours = is == DELETES_ALL;
	uint64_t nkeys = is == LOADCHUNK || is == ADDS ? nargs > 0 :
	    is == DELETES ? nargs : 0;

	if (is == LOADCHUNK && nargs != 3)
		return redis_damaged(s, why);
	if (is == LOADS_CUCKOO)
		d->other = CUCKOO;
	if (is == LOADS_VALKEY)
		d->other = "a filter of valkey-bloom, which cannot be read";
	for (; nkeys > 0 && !ours; nkeys--, nargs--)
		if (read_key(d, s, is == LOADCHUNK, &ours, why) == -1)
			return -1;
	if (!ours || (is != LOADCHUNK && !d->begun))
		return redis_skip(s, nargs, why);
	if (is == LOADCHUNK)
		return load_chunk(d, s, n, why);
	if (is == ADDS)
		snprintf(why, WHY_SIZE, "adds keys after the filter's chunks, "
		    "which only Redis can do");
	else
		snprintf(why, WHY_SIZE, "deletes or renames the filter's key "
		    "after its chunks");
	return -1;
}

/* There are no more commands. */
static int
end_commands(const struct dump *d, char why[WHY_SIZE])
{
	char name[64];

	if (d->begun)
		return 0;
	if (d->chosen) {
		printable(name, d->name, d->name_len);
		snprintf(why, WHY_SIZE, "Redis commands, but no BF.LOADCHUNK "
		    "of key %s", name);
	} else {
		snprintf(why, WHY_SIZE, "%s", d->other != NULL ? d->other :
		    "Redis commands, but no BF.LOADCHUNK");
	}
	return -1;
}

static int
command_chunk(struct dump *d, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	uint64_t nargs;
	enum command is;
	int found = 0, more;

	if (d->inside && redis_argument_end(s, why) == -1)
		return -1;
	d->inside = false;
	while (found == 0 && (more = redis_next(s, &nargs, why)) != 0) {
		if (more == -1 || read_command(s, &is, why) == -1)
			return -1;
		found = read_arguments(d, s, is, nargs - 1, n, why);
	}
	return found != 0 ? found : end_commands(d, why);
}

int
dump_begin(struct dump *d, struct stream *s, const char *name,
    char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s, REDIS_LINE + 2, &p, why);

	if (have == -1)
		return -1;
	*d = (struct dump){ .name_len = NO_NAME };
	if (have >= 5 && memcmp(p, "REDIS", 5) == 0) {
		snprintf(why, WHY_SIZE, "an RDB file, whose filters cannot be "
		    "read; BF.SCANDUMP gives them");
		return -1;
	}
	if (!redis_commands(p, (size_t)have))
		return name == NULL && have >= 2 && memcmp(p, "1\n", 2) == 0 ?
		    begin_printed(d, s, why) : 0;
	if (name != NULL) {
		d->name_len = strlen(name);
		if (d->name_len > sizeof(d->name)) {
			snprintf(why, WHY_SIZE, "--name: %zu bytes, wanted "
			    "%zu at the most", d->name_len, sizeof(d->name));
			return -1;
		}
		memcpy(d->name, name, d->name_len);
		d->chosen = true;
	}
	return 1;
}

int
dump_chunk(struct dump *d, struct stream *s, uint64_t *n,
    char why[WHY_SIZE])
{
	return d->printed ? printed_chunk(d, s, n, why) :
	    command_chunk(d, s, n, why);
}

