/*
 * A ring of pieces.  Whoever is free reads the next one, one thread at a time,
 * and then makes its lines while others read on; the caller takes them in
 * order.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "crew.h"
#include "signals.h"

/*
 * Lines of a piece that are made by the crew; enough for what is read at once
 * if lines have 7 bytes or more.  The caller makes the rest of shorter ones.
 */
#define ROOM 16384

enum state {
	FREE,		/* to be read into */
	BUSY,		/* somebody reads it or makes its lines */
	DONE		/* for the caller */
};

struct slot {
	struct piece piece;
	enum state state;
};

struct crew {
	struct work work;
	unsigned nthreads;
	pthread_t *threads;
	pthread_mutex_t mutex;		/* for all that follows */
	pthread_cond_t more_work;	/* a piece can be read, or quit */
	pthread_cond_t more_done;	/* a piece is done, or can be read */
	bool quit;
	bool reading;			/* one thread is */
	enum lines_read got;		/* by the last read */
	int error;			/* of it */
	const struct lines *last;	/* text that was read last */
	uint64_t nread;			/* pieces so far */
	uint64_t ntaken;		/* by the caller */
	bool out;			/* the caller has piece ntaken */
	size_t nslots;
	struct slot *slots;		/* piece i is in slot i % nslots */
};

static struct slot *
slot_of(struct crew *c, uint64_t i)
{
	return &c->slots[i % c->nslots];
}

/* Can a piece be read?  Under the mutex. */
static bool
readable(struct crew *c)
{
	return !c->reading && c->got == LINES_MORE &&
	    slot_of(c, c->nread)->state == FREE;
}

/*
 * Read until there is a whole line, or nothing more.  A long line is left to
 * the caller: it would take as much memory in each piece that it came by.
 */
static enum lines_read
read_lines(struct lines *text, const struct lines *last)
{
	enum lines_read got;

	if (lines_continue(text, last) == -1)
		return LINES_IDLE;	/* the caller has room */
	do {
		if (lines_left(text) > CREW_LONG)
			return LINES_IDLE;
		got = lines_read(text, 0);
	} while (got == LINES_MORE && !lines_any(text));
	return got == LINES_FAILED && errno == ENOMEM ? LINES_IDLE : got;
}

/* Read a piece and fill it; with the mutex, but not all the time. */
static void
make_piece(struct crew *c)
{
	struct slot *s = slot_of(c, c->nread);
	const struct lines *last = c->last;

	s->state = BUSY;
	c->reading = true;
	pthread_mutex_unlock(&c->mutex);
	const enum lines_read got = read_lines(s->piece.text, last);
	const int error = errno;
	pthread_mutex_lock(&c->mutex);
	c->reading = false;
	c->got = got;
	c->error = error;
	c->last = s->piece.text;
	c->nread++;
	if (readable(c)) {
		pthread_cond_signal(&c->more_work);
		pthread_cond_signal(&c->more_done);
	}
	pthread_mutex_unlock(&c->mutex);
	piece_fill(&s->piece, &c->work);
	pthread_mutex_lock(&c->mutex);
	s->state = DONE;
	pthread_cond_signal(&c->more_done);
}

static void *
worker(void *arg)
{
	struct crew *c = arg;

	pthread_mutex_lock(&c->mutex);
	while (!c->quit) {
		if (readable(c))
			make_piece(c);
		else
			pthread_cond_wait(&c->more_work, &c->mutex);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

/* Signals go to the caller, which waits for them. */
static int
start(struct crew *c, unsigned threads)
{
	sigset_t old;
	int error = 0;

	signals_hold(&old);
	while (error == 0 && c->nthreads < threads) {
		error = pthread_create(&c->threads[c->nthreads], NULL, worker,
		    c);
		if (error == 0)
			c->nthreads++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return error == 0 ? 0 : -1;
}

struct crew *
crew_new(unsigned threads, const struct work *w)
{
	struct crew *c = calloc(1, sizeof(*c));
	bool ok;

	if (c == NULL)
		return NULL;
	c->work = *w;
	c->got = LINES_END;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->more_work, NULL);
	pthread_cond_init(&c->more_done, NULL);
	c->threads = calloc(threads, sizeof(*c->threads));
	c->slots = calloc(threads + 2, sizeof(*c->slots));
	ok = c->threads != NULL && c->slots != NULL;
	while (ok && c->nslots < threads + 2)
		ok = piece_init(&c->slots[c->nslots++].piece, w, ROOM);
	if (ok && start(c, threads) == 0)
		return c;
	crew_free(c);
	return NULL;
}

void
crew_free(struct crew *c)
{
	pthread_mutex_lock(&c->mutex);
	c->quit = true;
	pthread_cond_broadcast(&c->more_work);
	pthread_mutex_unlock(&c->mutex);
	for (unsigned i = 0; i < c->nthreads; i++)
		pthread_join(c->threads[i], NULL);
	for (size_t i = 0; i < c->nslots; i++)
		piece_free(&c->slots[i].piece);
	free(c->slots);
	free(c->threads);
	free(c);
}

void
crew_begin(struct crew *c, const struct lines *from)
{
	pthread_mutex_lock(&c->mutex);
	c->got = LINES_MORE;
	c->last = from;
	pthread_cond_signal(&c->more_work);
	pthread_mutex_unlock(&c->mutex);
}

/* The caller is done with the piece that it has. */
static void
give_back(struct crew *c)
{
	if (!c->out)
		return;
	c->out = false;
	slot_of(c, c->ntaken++)->state = FREE;
	if (readable(c))
		pthread_cond_signal(&c->more_work);
}

/*
 * For a moment: a signal does not end the wait, and who reads may have found
 * that somebody else had taken what poll(2) promised.
 */
static void
wait_a_moment(struct crew *c)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 50000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&c->more_done, &c->mutex, &until);
}

/* Work or wait until piece ntaken is done; false if there is none. */
static bool
await(struct crew *c)
{
	while (slot_of(c, c->ntaken)->state != DONE) {
		if (readable(c)) {
			make_piece(c);
		} else if (c->ntaken == c->nread && !c->reading) {
			return false;
		} else if (signals_caught()) {
			c->got = LINES_FAILED;
			c->error = EINTR;
			return false;
		} else {
			wait_a_moment(c);
		}
	}
	return true;
}

struct piece *
crew_next(struct crew *c, enum lines_read *why)
{
	pthread_mutex_lock(&c->mutex);
	give_back(c);
	c->out = await(c);
	*why = c->out ? LINES_MORE : c->got;
	struct piece *p = c->out ? &slot_of(c, c->ntaken)->piece : NULL;
	const int error = c->error;
	pthread_mutex_unlock(&c->mutex);
	errno = error;
	return p;
}

int
crew_end(struct crew *c, struct lines *to)
{
	return lines_continue(to, c->last);
}
