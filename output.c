/*
 * Writes what commands print.  Lines that stand next to each other in the
 * input go out as one run.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"
#include "signals.h"

#define CHUNK ((size_t)64 * 1024)

struct output {
	size_t used;		/* bytes in buf */
	const uint8_t *run;	/* bytes that follow them, not copied yet */
	size_t run_len;
	uint8_t buf[CHUNK];
};

struct output *
output_new(void)
{
	return calloc(1, sizeof(struct output));
}

void
output_free(struct output *o)
{
	free(o);
}

static int
write_all(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n > 0) {
		const ssize_t w = write(STDOUT_FILENO, p, n);
		if (w >= 0) {
			p += w;
			n -= (size_t)w;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			if (signals_wait(STDOUT_FILENO, POLLOUT, -1) == -1)
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

/* Move the run into the buffer, or past it if it is too long for that. */
static int
settle(struct output *o)
{
	const uint8_t *run = o->run;
	const size_t n = o->run_len;

	o->run_len = 0;
	if (o->used + n > CHUNK) {
		const size_t used = o->used;
		o->used = 0;
		if (write_all(o->buf, used) == -1)
			return -1;
		if (n >= CHUNK / 2)
			return write_all(run, n);
	}
	memcpy(o->buf + o->used, run, n);
	o->used += n;
	return 0;
}

int
output_put(struct output *o, const void *bytes, size_t n)
{
	if (o->run_len > 0 && o->run + o->run_len == bytes) {
		o->run_len += n;
		return 0;
	}
	if (o->run_len > 0 && settle(o) == -1)
		return -1;
	o->run = bytes;
	o->run_len = n;
	return 0;
}

int
output_flush(struct output *o)
{
	if (o->run_len > 0 && settle(o) == -1)
		return -1;
	const size_t used = o->used;
	o->used = 0;
	return write_all(o->buf, used);
}

int
output_end(int status)
{
	const bool failed = fflush(stdout) == EOF || ferror(stdout);

	/* Some file systems tell of a full disk only now. */
	if (failed || (close(STDOUT_FILENO) == -1 && errno != EBADF)) {
		warn("stdout");
		return EXIT_TROUBLE;
	}
	return status;
}
