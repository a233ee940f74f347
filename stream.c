/*
 * read(2) into a window that moves over the file; behind it, with gzip, zlib
 * and a second one.
 */
#include <sys/stat.h>

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

#include "signals.h"
#include "stream.h"

struct window {
	uint8_t bytes[STREAM_AHEAD];
	size_t start, end;	/* of what is there */
	bool ended;		/* nothing comes after it */
};

struct stream {
	int fd;
	bool gzipped;
	int status;		/* zlib's: Z_STREAM_END after a member */
	z_stream z;
	uint64_t began;		/* where in the file */
	uint64_t offset;
	struct window file;
	struct window inflated;
};

/* Up to n bytes, 0 at the end; -1: why. */
typedef ssize_t fill_fn(struct stream *s, uint8_t *to, size_t n,
    char why[WHY_SIZE]);

static ssize_t
window_look(struct stream *s, struct window *w, size_t n, fill_fn *fill,
    char why[WHY_SIZE])
{
	assert(n <= sizeof(w->bytes));
	if (w->end - w->start < n && !w->ended) {
		w->end -= w->start;
		memmove(w->bytes, w->bytes + w->start, w->end);
		w->start = 0;
	}
	while (w->end - w->start < n && !w->ended) {
		const ssize_t got = fill(s, w->bytes + w->end,
		    sizeof(w->bytes) - w->end, why);
		if (got == -1)
			return -1;
		w->ended = got == 0;
		w->end += (size_t)got;
	}
	return (ssize_t)(w->end - w->start);
}

static ssize_t
fill_file(struct stream *s, uint8_t *to, size_t n, char why[WHY_SIZE])
{
	for (;;) {
		if (signals_wait(s->fd, POLLIN, -1) == -1) {
			if (errno != EINTR)
				return why_errno(why, NULL);
			snprintf(why, WHY_SIZE, "interrupted");
			return -1;
		}
		const ssize_t got = read(s->fd, to, n);
		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			return why_errno(why, NULL);
	}
}

static ssize_t
look_at_file(struct stream *s, size_t n, const uint8_t **p, char why[WHY_SIZE])
{
	const ssize_t have = window_look(s, &s->file, n, fill_file, why);

	*p = s->file.bytes + s->file.start;
	return have;
}

static bool
is_gzip(const uint8_t *p, ssize_t n)
{
	return n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == Z_DEFLATED;
}

/* A member after another one: 1, 0 if there is none.  Zeros are padding. */
static int
next_member(struct stream *s, char why[WHY_SIZE])
{
	const uint8_t *p;
	ssize_t have;

	while ((have = look_at_file(s, 3, &p, why)) > 0 && p[0] == 0)
		s->file.start++;
	if (have <= 0)
		return (int)have;
	if (!is_gzip(p, have)) {
		snprintf(why, WHY_SIZE, "has something else behind its gzip "
		    "data");
		return -1;
	}
	s->status = inflateReset(&s->z);
	return 1;
}

static int
bad_gzip(const struct stream *s, char why[WHY_SIZE])
{
	if (s->status == Z_MEM_ERROR) {
		errno = ENOMEM;
		return why_errno(why, NULL);
	}
	snprintf(why, WHY_SIZE, "gzip data that cannot be inflated: %s",
	    s->z.msg != NULL ? s->z.msg : zError(s->status));
	return -1;
}

/* Once through zlib, with what the file has next. */
static int
inflate_some(struct stream *s, char why[WHY_SIZE])
{
	const uint8_t *p;
	const ssize_t have = look_at_file(s, 1, &p, why);

	if (have == -1)
		return -1;
	if (have == 0) {
		snprintf(why, WHY_SIZE, "gzip data that are cut short");
		return -1;
	}
	s->z.next_in = p;
	s->z.avail_in = (uInt)have;
	s->status = inflate(&s->z, Z_NO_FLUSH);
	s->file.start = s->file.end - s->z.avail_in;
	return 0;
}

/* What comes before damage is given before that is told. */
static ssize_t
fill_inflated(struct stream *s, uint8_t *to, size_t n, char why[WHY_SIZE])
{
	s->z.next_out = to;
	s->z.avail_out = (uInt)n;
	while (s->z.avail_out == n) {
		if (s->status == Z_STREAM_END) {
			const int more = next_member(s, why);
			if (more <= 0)
				return more;
		}
		if (s->status != Z_OK)
			return bad_gzip(s, why);
		if (inflate_some(s, why) == -1)
			return -1;
	}
	return (ssize_t)(n - s->z.avail_out);
}

static int
begin(struct stream *s, const char *path, char why[WHY_SIZE])
{
	const uint8_t *p;

	/* A FIFO's writer is waited for like any input. */
	s->fd = strcmp(path, "-") == 0 ? STDIN_FILENO :
	    open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (s->fd == -1)
		return why_errno(why, NULL);
	const off_t at = lseek(s->fd, 0, SEEK_CUR);
	s->began = at > 0 ? (uint64_t)at : 0;
	const ssize_t have = look_at_file(s, 3, &p, why);
	if (have == -1)
		return -1;
	if (!is_gzip(p, have))
		return 0;
	s->status = inflateInit2(&s->z, MAX_WBITS + 16);
	if (s->status != Z_OK)
		return bad_gzip(s, why);
	s->gzipped = true;
	return 0;
}

struct stream *
stream_open(const char *path, char why[WHY_SIZE])
{
	struct stream *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	if (begin(s, path, why) == -1) {
		stream_close(s);
		return NULL;
	}
	return s;
}

void
stream_close(struct stream *s)
{
	if (s == NULL)
		return;
	if (s->gzipped)
		inflateEnd(&s->z);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	free(s);
}

ssize_t
stream_look(struct stream *s, size_t n, const uint8_t **p, char why[WHY_SIZE])
{
	if (!s->gzipped)
		return look_at_file(s, n, p, why);
	const ssize_t have = window_look(s, &s->inflated, n, fill_inflated,
	    why);
	*p = s->inflated.bytes + s->inflated.start;
	return have;
}

void
stream_skip(struct stream *s, size_t n)
{
	(s->gzipped ? &s->inflated : &s->file)->start += n;
	s->offset += n;
}

uint64_t
stream_size(const struct stream *s)
{
	struct stat st;

	if (s->gzipped || fstat(s->fd, &st) == -1 || !S_ISREG(st.st_mode))
		return UINT64_MAX;
	/* Somebody may have read from it before. */
	return (uint64_t)st.st_size > s->began ?
	    (uint64_t)st.st_size - s->began : 0;
}

uint64_t
stream_offset(const struct stream *s)
{
	return s->offset;
}
