/*
 * Prints, then sets, in rounds: as much as stdout takes at once goes out under
 * the lock, then the lock is given back and stdout waited for.
 */
#include <sys/uio.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "adder.h"
#include "pending.h"
#include "sink.h"
#include "unseen.h"

/* While stdout is stuck, what was added is synced after so long. */
#define STUCK_MS 1000

struct unseen {
	struct mapfile *m;
	struct sink sink;
	struct pending *pending;
	unsigned groups;		/* that it has room for */

	/* Of the batch at hand. */
	size_t next;			/* first line not dealt with */
	size_t end;			/* the first too many, or b->n */
	size_t nfresh;			/* lines to print */
	size_t written;			/* of them, gone out whole */
	const uint8_t *rest;		/* of the next, gone out in part */
	size_t rest_len;
	bool in[FEED_BATCH];
	size_t fresh[FEED_BATCH];	/* indexes of lines to print */
	uint8_t buf[SINK_PIECES][PIPE_BUF];	/* their bytes */
	size_t width;			/* hashes of a key */
	struct hash *hashes;		/* of lines that went out */
};

struct unseen *
unseen_new(struct mapfile *m)
{
	struct unseen *u = calloc(1, sizeof(*u));

	if (u == NULL)
		return NULL;
	u->m = m;
	u->width = mapfile_header(m)->rule.width;
	u->hashes = calloc(FEED_BATCH * u->width, sizeof(*u->hashes));
	if (u->hashes == NULL) {
		free(u);
		return NULL;
	}
	u->sink = sink_stdout();
	return u;
}

void
unseen_free(struct unseen *u)
{
	if (u->pending != NULL)
		pending_free(u->pending);
	free(u->hashes);
	free(u);
}

static const struct hash *
hash_of(const struct unseen *u, const struct batch *b, size_t line)
{
	return b->hashes + line * u->width;
}

/* The layer that new keys go into. */
static const struct filter *
last_layer(struct unseen *u)
{
	const struct layers *l = mapfile_layers(u->m);

	return &l->layer[l->n - 1];
}

/* Note no keys, for that layer. */
static int
begin_pending(struct unseen *u, const struct filter *last)
{
	if (u->pending != NULL && last->shape.groups <= u->groups) {
		pending_clear(u->pending);
		return 0;
	}
	if (u->pending != NULL)
		pending_free(u->pending);
	u->groups = last->shape.groups;
	u->pending = pending_new(&last->shape, FEED_BATCH);
	return u->pending == NULL ? -1 : 0;
}

/* Find the lines from u->next on that are new, as many as there is room for. */
static int
find_fresh(struct unseen *u, const struct batch *b)
{
	const struct filter *last = last_layer(u);
	const uint64_t room = mapfile_room(u->m);
	const size_t from = u->next;

	layers_test(mapfile_layers(u->m), hash_of(u, b, from), b->n - from,
	    u->in + from);
	u->nfresh = u->written = 0;
	if (begin_pending(u, last) == -1)
		return -1;
	for (u->end = from; u->end < b->n; u->end++) {
		if (u->in[u->end] ||
		    !pending_add(u->pending, last, hash_of(u, b, u->end)))
			continue;
		if (u->nfresh == room)
			break;
		u->fresh[u->nfresh++] = u->end;
	}
	return 0;
}

/* If the first new line is one too many, make room. */
static enum unseen_end
find_room(struct unseen *u, const struct batch *b, char why[WHY_SIZE])
{
	int r = find_fresh(u, b);

	while (r == 0 && u->nfresh == 0 && u->end < b->n) {
		const enum adder_end end = adder_make_room(u->m, why);
		if (end != ADDER_DONE) {
			u->next = u->end;
			return end == ADDER_FULL ? UNSEEN_FULL : UNSEEN_FILTER;
		}
		r = find_fresh(u, b);
	}
	return r == -1 ? (why_errno(why, NULL), UNSEEN_FILTER) : UNSEEN_DONE;
}

static const struct line *
fresh_line(const struct unseen *u, const struct batch *b, size_t i)
{
	return &b->lines[u->fresh[i]];
}

/*
 * The next lines to print, as many as go into a pipe whole or not at all, or
 * a longer one by itself.  Copied to buf unless that one; returns how many.
 */
static size_t
next_piece(const struct unseen *u, const struct batch *b, size_t from,
    uint8_t buf[PIPE_BUF], struct iovec *piece)
{
	const struct line *l = fresh_line(u, b, from);
	size_t used = 0, i = from;

	if (l->whole > PIPE_BUF) {
		*piece = (struct iovec){ (void *)(uintptr_t)l->bytes,
		    l->whole };
		return 1;
	}
	for (; i < u->nfresh; i++) {
		l = fresh_line(u, b, i);
		if (l->whole > PIPE_BUF - used)
			break;
		memcpy(buf + used, l->bytes, l->whole);
		used += l->whole;
	}
	*piece = (struct iovec){ buf, used };
	return i - from;
}

/* The same for pieces; returns how many, and their bytes. */
static size_t
next_pieces(struct unseen *u, const struct batch *b,
    struct iovec pieces[SINK_PIECES], size_t *bytes)
{
	size_t i = u->written, n = 0;

	*bytes = 0;
	do {
		i += next_piece(u, b, i, u->buf[n], &pieces[n]);
		*bytes += pieces[n++].iov_len;
	} while (n < SINK_PIECES && i < u->nfresh &&
	    pieces[0].iov_len <= PIPE_BUF &&
	    fresh_line(u, b, i)->whole <= PIPE_BUF);
	return n;
}

/* n bytes of the lines from u->written on went out, and no more. */
static void
wrote(struct unseen *u, const struct batch *b, size_t n)
{
	for (; n > 0; u->written++) {
		const struct line *l = fresh_line(u, b, u->written);
		if (n < l->whole) {
			u->rest = l->bytes + n;
			u->rest_len = l->whole - n;
			break;
		}
		n -= l->whole;
	}
}

/*
 * Print fresh lines for as long as stdout takes them without waiting; 0, or
 * errno.
 */
static int
write_fresh(struct unseen *u, const struct batch *b)
{
	struct iovec pieces[SINK_PIECES];
	size_t bytes;

	while (u->written < u->nfresh) {
		const size_t n = next_pieces(u, b, pieces, &bytes);
		const ssize_t w = sink_write(&u->sink, pieces, n);
		if (w == -1)
			return errno;
		wrote(u, b, (size_t)w);
		if ((size_t)w < bytes)
			break;
	}
	return 0;
}

static void
set(struct unseen *u, const struct hash *h, size_t n)
{
	const struct filter *last = last_layer(u);
	uint64_t keys, bits;

	last->rule->scheme->set(last, h, n, u->in, &keys, &bits);
	mapfile_count(u->m, keys, bits);
}

/* Set the bits of the lines that went out. */
static void
set_written(struct unseen *u, const struct batch *b)
{
	struct hash *to = u->hashes;

	for (size_t i = 0; i < u->written; i++) {
		const struct hash *from = hash_of(u, b, u->fresh[i]);
		for (size_t j = 0; j < u->width; j++)
			*to++ = from[j];
	}
	set(u, u->hashes, u->written);
	u->next = u->written < u->nfresh ? u->fresh[u->written] : u->end;
}

static enum unseen_end
wait_for_stdout(struct unseen *u, char why[WHY_SIZE])
{
	int ready;

	while ((ready = sink_wait(&u->sink, STUCK_MS)) == 0)
		if (mapfile_sync(u->m, why) == -1)
			return UNSEEN_FILTER;
	if (ready == 1)
		return UNSEEN_DONE;
	return errno == EINTR ? UNSEEN_CAUGHT : UNSEEN_STDOUT;
}

/* One round under the lock: as much as stdout takes. */
static enum unseen_end
print_some(struct unseen *u, const struct batch *b, char why[WHY_SIZE])
{
	if (mapfile_lock(u->m, why) == -1)
		return UNSEEN_FILTER;
	const enum unseen_end end = find_room(u, b, why);
	if (end != UNSEEN_DONE) {
		mapfile_unlock(u->m);
		return end;
	}
	const int error = write_fresh(u, b);
	set_written(u, b);
	mapfile_unlock(u->m);
	errno = error;
	return error == 0 ? UNSEEN_DONE : UNSEEN_STDOUT;
}

/* The rest of a line goes out without the lock; its bits come last. */
static enum unseen_end
print_rest(struct unseen *u, const struct batch *b, char why[WHY_SIZE])
{
	while (u->rest_len > 0) {
		const enum unseen_end end = wait_for_stdout(u, why);
		if (end != UNSEEN_DONE)
			return end;
		const struct iovec rest = { (void *)(uintptr_t)u->rest,
		    u->rest_len };
		const ssize_t n = sink_write(&u->sink, &rest, 1);
		if (n == -1)
			return UNSEEN_STDOUT;
		u->rest += n;
		u->rest_len -= (size_t)n;
	}
	if (mapfile_lock(u->m, why) == -1)
		return UNSEEN_FILTER;
	set(u, hash_of(u, b, u->next), 1);
	mapfile_unlock(u->m);
	u->next++;
	return UNSEEN_DONE;
}

enum unseen_end
unseen_add(struct unseen *u, const struct batch *b, char why[WHY_SIZE])
{
	enum unseen_end end = UNSEEN_DONE;

	u->next = u->rest_len = 0;
	while (u->next < b->n && end == UNSEEN_DONE) {
		end = wait_for_stdout(u, why);
		if (end == UNSEEN_DONE)
			end = print_some(u, b, why);
		if (end == UNSEEN_DONE && u->rest_len > 0)
			end = print_rest(u, b, why);
	}
	return end;
}

size_t
unseen_done(const struct unseen *u)
{
	return u->next;
}

int
unseen_store(const struct unseen *u)
{
	return sink_store(&u->sink);
}
