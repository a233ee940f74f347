/*
 * Walks the input files of add and check.
 */
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "feed.h"
#include "signals.h"

struct feed {
	char **files;		/* the next one; NULL-ended */
	uint64_t seed;
	int fd;			/* -1 between files */
	bool quiet;
	int status;
	struct lines *lines;
	struct batch batch;
};

static char *standard_input[] = { "-", NULL };

struct feed *
feed_open(char **files, uint8_t separator, uint64_t seed, bool quiet)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (f == NULL)
		err(EXIT_TROUBLE, NULL);
	f->files = *files != NULL ? files : standard_input;
	f->seed = seed;
	f->fd = -1;
	f->quiet = quiet;
	f->batch.drained = true;
	f->lines = lines_new(separator);
	if (f->lines == NULL)
		err(EXIT_TROUBLE, NULL);
	return f;
}

static void
end_input(struct feed *f)
{
	if (f->fd != STDIN_FILENO)
		close(f->fd);
	f->fd = -1;
}

/* "check f.bf urls >> urls" would never end. */
static bool
is_output(const struct stat *in)
{
	struct stat out;

	return fstat(STDOUT_FILENO, &out) == 0 && in->st_dev == out.st_dev &&
	    in->st_ino == out.st_ino;
}

/* Open the next input that can be; false when there are no more. */
static bool
next_input(struct feed *f)
{
	struct stat st;

	for (; *f->files != NULL; f->files++) {
		f->batch.name = *f->files;
		if (strcmp(*f->files, "-") == 0) {
			f->fd = STDIN_FILENO;
			f->batch.name = "(standard input)";
			if (!f->quiet && isatty(f->fd))
				warnx("reading keys from the terminal, "
				    "one a line; end with ^D");
		} else {
			/* A FIFO's writer is waited for like any input. */
			f->fd = open(*f->files, O_RDONLY | O_CLOEXEC |
			    O_NOCTTY | O_NONBLOCK);
		}
		f->batch.regular = f->fd != -1 && fstat(f->fd, &st) == 0 &&
		    S_ISREG(st.st_mode);
		if (f->fd == -1) {
			warn("%s", *f->files);
		} else if (f->batch.regular && is_output(&st)) {
			warnx("%s: is the output too", f->batch.name);
			end_input(f);
		} else {
			f->files++;
			lines_start(f->lines, f->fd, *f->files != NULL);
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
		    f->batch.name, lines_count(f->lines) + 1, LINES_MAX);
	else
		warn("%s", f->batch.name);
	f->status = EXIT_TROUBLE;
}

const struct batch *
feed_next(struct feed *f, int idle_ms)
{
	struct batch *b = &f->batch;
	enum lines_read got = LINES_MORE;

	if (signals_caught() || (f->fd == -1 && !next_input(f)))
		return NULL;
	b->n = lines_cut(f->lines, b->lines, FEED_BATCH);
	/* What is here already is answered before a read that may wait. */
	while (b->n == 0 && b->drained && got == LINES_MORE) {
		got = lines_read(f->lines, idle_ms);
		if (got == LINES_FAILED && signals_caught())
			return NULL;
		if (got == LINES_FAILED)
			complain(f);
		/* At the end, a last line that has none shows up. */
		b->n = lines_cut(f->lines, b->lines, FEED_BATCH);
	}
	b->idle = got == LINES_IDLE;
	b->last = got == LINES_END || got == LINES_FAILED;
	if (b->last)
		end_input(f);
	b->drained = b->n < FEED_BATCH;
	hash_lines(b->lines, b->n, f->seed, b->hashes);
	return b;
}

int
feed_close(struct feed *f)
{
	const int status = f->status;

	lines_free(f->lines);
	free(f);
	return status;
}
