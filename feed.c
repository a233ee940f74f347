/*
 * Walks the input files of a command.  Small inputs, and what may have to
 * be waited for, are dealt with here; the rest of large ones is given to a
 * crew.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* sched_getaffinity */
#include <sched.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "crew.h"
#include "feed.h"
#include "format.h"
#include "progress.h"
#include "samefile.h"
#include "signals.h"
#include "warn.h"

/* As many threads as processors by default, but not more than this. */
#define MOST_THREADS 8

/* Inputs that are smaller than this start no threads. */
#define LARGE ((uint64_t)4 << 20)

/*
 * The batches come from the piece at hand: our own, or one of the crew's while
 * `crewed`.  Our own is read when it is empty and all before it was `drained`;
 * and if that gave all that it could, the crew takes over, if there is one,
 * until it says that the next read is ours.
 */
struct feed {
	char **files;		/* the next one; NULL-ended */
	char **first;
	struct feed_how how;
	int fd;			/* -1 between files */
	int status;
	uint64_t size;		/* of this input, or 0 */
	uint64_t nread;		/* bytes of it */
	uint64_t nbefore;	/* bytes of the inputs before it */
	uint64_t nkeys;		/* of all inputs, so far */
	uint64_t nlines;	/* of this input, so far */
	uint64_t nmissing;	/* of these have no key */
	struct piece own;
	struct crew *crew;	/* NULL until there is need for one */
	bool crewed;		/* it has the input */
	struct piece *piece;	/* at hand */
	size_t given;		/* of its lines */
	struct batch batch;
};

static char *standard_input[] = { "-", NULL };

/* As many as we may run on. */
static unsigned
processors(void)
{
	long n = 1;
#if defined(__linux__)
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
#elif defined(_SC_NPROCESSORS_ONLN)
	n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
	return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

/* Bytes to come from an input.  False if only its end will tell. */
static bool
size_of(const char *file, uint64_t *size)
{
	const bool is_stdin = strcmp(file, "-") == 0;
	struct stat st;

	*size = 0;
	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(file, &st)) == -1)
		return true;		/* there is nothing to be read */
	if (!S_ISREG(st.st_mode))
		return false;
	const off_t at = is_stdin ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
	if (at >= 0 && at < st.st_size)
		*size = (uint64_t)(st.st_size - at);
	return true;
}

/* Of all inputs, or 0. */
static uint64_t
total_size(char *const *files)
{
	uint64_t size, total = 0;

	for (; *files != NULL; files++) {
		if (!size_of(*files, &size))
			return 0;
		total += size;
	}
	return total;
}

struct feed *
feed_open(char **files, struct feed_how how)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (f == NULL)
		err(EXIT_TROUBLE, NULL);
	f->files = *files != NULL ? files : standard_input;
	f->first = f->files;
	f->how = how;
	f->fd = -1;
	f->batch.drained = true;
	if (!piece_init(&f->own, &how.work, FEED_BATCH))
		err(EXIT_TROUBLE, NULL);
	f->piece = &f->own;
	progress_total(total_size(f->files));
	return f;
}

static void
end_input(struct feed *f)
{
	f->nbefore += f->size > 0 ? f->size : f->nread;
	f->size = f->nread = 0;
	if (f->fd != STDIN_FILENO)
		close(f->fd);
	f->fd = -1;
}

/* "check f.bf urls >> urls" would never end. */
static bool
is_output(const struct stat *in)
{
	struct stat out;

	return fstat(STDOUT_FILENO, &out) == 0 && same_file(in, &out);
}

/* What lists come in that are no lines yet. */
static const struct kind {
	const char *words;
	const char *magic;
} kinds[] = {
	{ "packed by gzip", "\x1f\x8b\x08" },
	{ "packed by xz", "\xfd" "7zXZ" },
	{ "packed by zstd", "\x28\xb5\x2f\xfd" },
	{ "packed by zip", "PK\x03\x04" },
	{ "packed by 7z", "7z\xbc\xaf\x27\x1c" },
	{ "UTF-16", "\xff\xfe" },	/* what PowerShell makes with ">" */
};

/* "check a.bf b.bf": only the first operand is taken for a filter. */
static bool
is_filter(const struct feed *f)
{
	uint8_t start[FORMAT_MAGIC_SIZE];

	return f->batch.regular &&
	    pread(f->fd, start, sizeof(start), 0) == sizeof(start) &&
	    format_has_magic(start);
}

/* NULL if it may well be lines. */
static const char *
kind_of(const struct line *first)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t len = strlen(kinds[i].magic);
		if (first->len >= len &&
		    memcmp(first->bytes, kinds[i].magic, len) == 0)
			return kinds[i].words;
	}
	return NULL;
}

/* As in a list from Windows. */
static bool
key_has_cr(const struct work *w, const struct line *first)
{
	struct line key;

	if (w->separator != '\n' || w->key.strip_cr)
		return false;
	keys_cut(&w->key, first, 1, &key);
	return key.len > 0 && key.bytes[key.len - 1] == '\r' &&
	    key.bytes + key.len == first->bytes + first->len;
}

/* What makes keys that are in no list, while nothing else would tell. */
static void
mention_kind(const struct feed *f, const struct line *first)
{
	const char *kind = is_filter(f) ? "a filter" : kind_of(first);

	if (kind != NULL)
		warnx("%s: is %s, and is read as lines", f->batch.name, kind);
	else if (key_has_cr(&f->how.work, first))
		warnx("%s: line 1 ends in a carriage return; without "
		    "--strip-cr its key does too", f->batch.name);
}

/* "check f.bf alice": some give keys where files are due. */
static void
complain_of_missing(const struct feed *f)
{
	if (errno == ENOENT && f->files == f->first)
		warnx("%s: %s; keys are read from files or standard input, "
		    "one a line", *f->files, strerror(errno));
	else
		warn("%s", *f->files);
}

/* Open the next input that can be; false when there are no more. */
static bool
next_input(struct feed *f)
{
	struct stat st;

	for (; *f->files != NULL; f->files++) {
		f->batch.name = *f->files;
		size_of(*f->files, &f->size);
		if (strcmp(*f->files, "-") == 0) {
			f->fd = STDIN_FILENO;
			f->batch.name = "(standard input)";
			if (!f->how.quiet && isatty(f->fd))
				warnx("reading keys from the terminal, "
				    "one a line; end with ^D");
		} else {
			/* A FIFO's writer is waited for like any input. */
			f->fd = open(*f->files, O_RDONLY | O_CLOEXEC |
			    O_NOCTTY | O_NONBLOCK);
		}
		progress_typed(f->fd != -1 && isatty(f->fd));
		f->batch.regular = f->fd != -1 && fstat(f->fd, &st) == 0 &&
		    S_ISREG(st.st_mode);
		if (f->fd == -1) {
			complain_of_missing(f);
			f->nbefore += f->size;
		} else if (f->batch.regular && is_output(&st)) {
			warnx("%s: is the output too", f->batch.name);
			end_input(f);
		} else {
			f->files++;
			lines_start(f->own.text, f->fd, *f->files != NULL);
			f->nlines = f->nmissing = 0;
			return true;
		}
		f->status = EXIT_TROUBLE;
	}
	return false;
}

static void
complain(struct feed *f)
{
	if (errno == EMSGSIZE)
		warnx("%s: line %" PRIu64 " is longer than %" PRIu64 " bytes",
		    f->batch.name, f->nlines + 1, LINES_MAX);
	else
		warn("%s", f->batch.name);
	f->status = EXIT_TROUBLE;
}

/* Lines that have no such field, once for each input. */
static void
mention_missing(const struct feed *f)
{
	const struct key_spec *key = &f->how.work.key;
	const bool bytes = key->field == 0;

	if (f->nmissing > 0)
		warnx("%s: no %s %" PRIu64 " in %" PRIu64 " line%s, whose key "
		    "is empty", f->batch.name, bytes ? "byte" : "field",
		    bytes ? key->from : key->field, f->nmissing,
		    f->nmissing == 1 ? "" : "s");
}

/*
 * Is it time for the crew?  A user who asks for threads gets them at once.
 */
static bool
has_crew(struct feed *f)
{
	/* Who writes into a pipe is seldom faster than we, and wants to run. */
	if (!lines_full(f->own.text) || lines_left(f->own.text) > CREW_LONG)
		return false;
	if (f->how.threads == 1 || (f->how.threads == 0 && f->nread < LARGE))
		return false;
	if (f->crew == NULL) {
		const unsigned n = f->how.threads != 0 ? f->how.threads :
		    processors();
		if (n > 1)
			f->crew = crew_new(n - 1, &f->how.work);
		if (f->crew == NULL)
			f->how.threads = 1;	/* without, then */
	}
	return f->crew != NULL;
}

/* Up to FEED_BATCH of the lines of the piece at hand go into the batch. */
static void
give(struct feed *f)
{
	struct batch *b = &f->batch;
	const size_t left = f->piece->n - f->given;

	b->n = left < FEED_BATCH ? left : FEED_BATCH;
	b->lines = f->piece->lines + f->given;
	b->hashes = f->piece->hashes + f->given * f->piece->width;
	if (f->piece->in != NULL)
		b->in = f->piece->in + f->given;
	b->which = piece_which(f->piece, &f->how.work, f->given);
	f->given += b->n;
	if (f->nlines == 0 && b->n > 0)
		mention_kind(f, &b->lines[0]);
	f->nlines += b->n;
	f->nkeys += b->n;
	if (b->n > 0) {		/* they lie side by side */
		const struct line *last = &b->lines[b->n - 1];
		f->nread += (uint64_t)(last->bytes - b->lines[0].bytes) +
		    last->whole;
	}
}

/* Another piece is at hand, or the same one with other lines. */
static void
take(struct feed *f, struct piece *p)
{
	f->piece = p;
	f->given = 0;
	f->nmissing += p->nmissing;
}

static void
fill(struct feed *f)
{
	piece_fill(f->piece, &f->how.work);
	take(f, f->piece);
}

/*
 * From the crew, a batch; empty if the next read is up to us or there are no
 * more.
 */
static enum lines_read
from_crew(struct feed *f)
{
	enum lines_read got = LINES_MORE;

	if (f->given == f->piece->n && f->piece != &f->own)
		fill(f);	/* short lines: the crew left us some */
	while (f->given == f->piece->n) {
		struct piece *p = crew_next(f->crew, &got);
		if (p == NULL)
			break;
		take(f, p);
	}
	if (f->given == f->piece->n) {
		f->crewed = false;
		f->piece = &f->own;
		f->given = f->own.n = 0;
		if (got == LINES_IDLE)
			got = crew_end(f->crew, f->own.text) == -1 ?
			    LINES_FAILED : LINES_MORE;
	}
	give(f);
	f->batch.drained = f->given == f->piece->n;
	return got;
}

/* What is here already is answered before a read that may wait. */
static enum lines_read
from_here(struct feed *f, int idle_ms)
{
	struct batch *b = &f->batch;
	enum lines_read got = LINES_MORE;

	fill(f);
	give(f);
	while (b->n == 0 && b->drained && got == LINES_MORE) {
		if (has_crew(f)) {
			f->crewed = true;
			crew_begin(f->crew, f->own.text);
			return from_crew(f);
		}
		got = lines_read(f->own.text, idle_ms);
		/* At the end, a last line that has none shows up. */
		fill(f);
		give(f);
	}
	b->drained = b->n < f->own.room;
	return got;
}

const struct batch *
feed_next(struct feed *f, int idle_ms)
{
	struct batch *b = &f->batch;

	progress_at(f->nbefore + f->nread, f->nkeys);
	if (signals_caught() || (f->fd == -1 && !next_input(f)))
		return NULL;
	const enum lines_read got = f->crewed ? from_crew(f) :
	    from_here(f, idle_ms);
	if (got == LINES_FAILED && signals_caught())
		return NULL;
	if (got == LINES_FAILED)
		complain(f);
	b->idle = got == LINES_IDLE;
	b->last = got == LINES_END || got == LINES_FAILED;
	if (b->last) {
		mention_missing(f);
		end_input(f);
	}
	return b;
}

int
feed_close(struct feed *f)
{
	const int status = f->status;

	if (f->fd != -1 && signals_caught())
		mention_missing(f);
	/* After a signal one of the crew may still be at it, or in a read. */
	if (f->crew != NULL && signals_caught())
		return status;
	if (f->crew != NULL)
		crew_free(f->crew);
	piece_free(&f->own);
	free(f);
	return status;
}
