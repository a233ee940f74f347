/*
 * Takes chunks out of a stream: all of it is one, or dump.c says where they
 * are.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "dump.h"
#include "source.h"
#include "stream.h"

struct source {
	struct stream *stream;
	bool dumped;		/* by RedisBloom */
	struct dump dump;
	size_t header;		/* bytes of the first chunk */
	uint64_t left;		/* of this chunk */
	bool ended;
};

/* The header comes first. */
static int
begin_dump(struct source *s, char why[WHY_SIZE])
{
	const int more = dump_chunk(&s->dump, s->stream, &s->left, why);

	s->ended = more == 0;
	s->header = more == 1 ? (size_t)s->left : 0;
	return more;
}

static int
begin(struct source *s, const char *path, const char *key, char why[WHY_SIZE])
{
	s->stream = stream_open(path, why);
	if (s->stream == NULL)
		return -1;
	const int is = dump_begin(&s->dump, s->stream, key, why);
	s->dumped = is == 1;
	s->left = UINT64_MAX;
	if (is == 0 && key != NULL) {
		snprintf(why, WHY_SIZE, "--name %s: only a stream of Redis "
		    "commands has names", key);
		return -1;
	}
	return s->dumped ? begin_dump(s, why) : is;
}

struct source *
source_open(const char *path, const char *key, char why[WHY_SIZE])
{
	struct source *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	if (begin(s, path, key, why) == -1) {
		source_close(s);
		return NULL;
	}
	return s;
}

void
source_close(struct source *s)
{
	if (s == NULL)
		return;
	stream_close(s->stream);
	free(s);
}

uint64_t
source_size(const struct source *s)
{
	return s->dumped ? UINT64_MAX : stream_size(s->stream);
}

size_t
source_header(const struct source *s)
{
	return s->header;
}

/* Up to n bytes of this chunk; 0: of the stream there is nothing left. */
static ssize_t
read_chunk(struct source *s, void *to, size_t n, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = stream_look(s->stream, 1, &p, why);

	if (have <= 0)
		return have;
	if (n > (size_t)have)
		n = (size_t)have;
	if (n > s->left)
		n = (size_t)s->left;
	memcpy(to, p, n);
	stream_skip(s->stream, n);
	s->left -= n;
	return (ssize_t)n;
}

ssize_t
source_read(struct source *s, void *buf, size_t n, char why[WHY_SIZE])
{
	size_t got = 0;

	while (got < n && !s->ended) {
		if (s->left == 0) {
			const int more = dump_chunk(&s->dump, s->stream,
			    &s->left, why);
			if (more == -1)
				return -1;
			s->ended = more == 0;
			continue;
		}
		const ssize_t r = read_chunk(s, (uint8_t *)buf + got, n - got,
		    why);
		if (r == -1)
			return -1;
		if (r == 0 && s->dumped) {
			snprintf(why, WHY_SIZE, "a Redis dump that is cut "
			    "short");
			return -1;
		}
		s->ended = r == 0;
		got += (size_t)r;
	}
	return (ssize_t)got;
}
