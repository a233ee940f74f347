/*
 * What is no filter that can be read, but known well enough to say what it is.
 */
#include <stdio.h>
#include <string.h>

#include "../le.h"
#include "foreign.h"

/* By its first bytes. */
static const struct {
	const char *bytes;
	size_t n;
	const char *what;
} begins[] = {
	{ "\x1f\x8b", 2, "compressed by gzip; decompress it first, or, if "
	    "another program wrote it, import it" },
	{ "\xac\xed\x00\x05", 4, "a serialised Java object; a file that "
	    "Guava's writeTo has written can be read" },
	{ "PAR1", 4, "a Parquet file, whose filters cannot be read" },
	{ "{\"m\":", 5, "the JSON of bits-and-blooms; what its WriteTo has "
	    "written can be read" },
};

static bool
starts(const uint8_t *head, size_t len, const char *bytes, size_t n)
{
	return len >= n && memcmp(head, bytes, n) == 0;
}

/* "*4\r\n$12\r\n": a command. */
static bool
is_redis_stream(const uint8_t *head, size_t len)
{
	return len > 5 && head[0] == '*' && head[1] >= '1' &&
	    head[1] <= '9' && starts(head + 2, len - 2, "\r\n$", 3);
}

/* "1\n" and a header of RedisBloom, as redis-cli prints them. */
static bool
is_redis_cli(const uint8_t *head, size_t len)
{
	struct foreign f = { .format = &foreign_redisbloom };
	char ignored[WHY_SIZE];

	return starts(head, len, "1\n", 2) &&
	    foreign_redisbloom.match(&f, head + 2, len - 2, FOREIGN_STREAM,
	    ignored) != FOREIGN_OTHER;
}

/* The second byte of its flags is a level. */
static bool
is_poppy_2(const uint8_t *head, size_t len)
{
	return len >= 8 && head[0] == 2 && head[1] <= 3 &&
	    starts(head + 2, len - 2, "\0\0\0\0\0\0", 6);
}

/* One filter, inside of what BF.LOAD takes. */
static bool
is_valkey(const uint8_t *head, size_t len, uint64_t size)
{
	return len > 45 && head[0] == 1 && size - 45 == le64_get(head + 1);
}

/* A size, of up to 5 bytes, and three unions with nothing in them (Thrift). */
static bool
is_parquet_blob(const uint8_t *head, size_t len)
{
	static const char unions[] = "\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0";

	for (size_t at = 2; at <= 6 && at < len && head[0] == 0x15; at++)
		if (starts(head + at, len - at, unions, 13))
			return true;
	return false;
}

enum foreign_match
foreign_unread(const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	const char *what = NULL;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (starts(head, len, begins[i].bytes, begins[i].n))
			what = begins[i].what;
	if (is_redis_stream(head, len))
		what = "a stream of Redis commands; import can read the "
		    "filters of RedisBloom in it";
	else if (is_redis_cli(head, len))
		what = "a filter of RedisBloom as redis-cli has printed it; "
		    "import can read it";
	else if (is_poppy_2(head, len))
		what = "a filter of Poppy 2, which cannot be read";
	else if (is_valkey(head, len, size))
		what = "a filter of valkey-bloom, which cannot be read";
	else if (is_parquet_blob(head, len))
		what = "a filter out of a Parquet file, which cannot be read";
	if (what == NULL)
		return FOREIGN_OTHER;
	snprintf(why, WHY_SIZE, "%s", what);
	return FOREIGN_BAD;
}
