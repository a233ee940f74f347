/*
 * The only writer of stdout but for sink.c.  Not stdio, which loses text when a
 * non-blocking stdout is full.  Lines that stand next to each other in the
 * input go out as one run.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"
#include "signals.h"
#include "warn.h"
#include "wide.h"

#define CHUNK ((size_t)64 * 1024)

static struct {
	int error;		/* errno of a write that failed before */
	bool much;		/* it does not all fit into a pipe */
	size_t used;		/* bytes in buf */
	const uint8_t *run;	/* bytes that follow them, not copied yet */
	size_t run_len;
	uint8_t buf[CHUNK];
} out;

static int
write_all(const uint8_t *p, size_t n)
{
	if (!out.much && n > CHUNK / 2) {
		out.much = true;
		wide_pipe(STDOUT_FILENO);
	}
	while (n > 0) {
		progress_before_stdout();
		const ssize_t w = write(STDOUT_FILENO, p, n);
		if (w >= 0) {
			progress_after_stdout(p, (size_t)w);
			p += w;
			n -= (size_t)w;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			if (signals_wait(STDOUT_FILENO, POLLOUT, -1) == -1)
				return -1;
		} else if (errno != EINTR) {
			out.error = errno;
			return -1;
		}
	}
	return 0;
}

static int
write_buf(void)
{
	const size_t used = out.used;

	out.used = 0;
	return write_all(out.buf, used);
}

/* Move the run into the buffer, or past it if it is too long for that. */
static int
settle(void)
{
	const size_t n = out.run_len;

	if (n == 0)
		return 0;
	out.run_len = 0;
	if (out.used + n > CHUNK) {
		if (write_buf() == -1)
			return -1;
		if (n >= CHUNK / 2)
			return write_all(out.run, n);
	}
	memcpy(out.buf + out.used, out.run, n);
	out.used += n;
	return 0;
}

int
output_put(const void *bytes, size_t n)
{
	if (out.run_len > 0 && out.run + out.run_len == bytes) {
		out.run_len += n;
		return 0;
	}
	if (settle() == -1)
		return -1;
	out.run = bytes;
	out.run_len = n;
	return 0;
}

int
output_flush(void)
{
	return settle() == -1 ? -1 : write_buf();
}

void
output_text(const char *bytes, size_t n)
{
	if (settle() == -1 || (out.used + n > CHUNK && write_buf() == -1))
		return;
	if (n > CHUNK) {
		write_all((const uint8_t *)bytes, n);
		return;
	}
	memcpy(out.buf + out.used, bytes, n);
	out.used += n;
}

static bool print(const char *format, va_list ap)
    __attribute__((format(printf, 1, 0)));

/* Behind what has been collected; false: there is no room. */
static bool
print(const char *format, va_list ap)
{
	const size_t room = CHUNK - out.used;
	const int n = vsnprintf((char *)out.buf + out.used, room, format, ap);

	if (n < 0 || (size_t)n >= room)
		return false;
	out.used += (size_t)n;
	return true;
}

void
output_printf(const char *format, ...)
{
	va_list ap, again;

	if (settle() == -1)
		return;
	va_start(ap, format);
	va_copy(again, ap);
	if (!print(format, ap) && write_buf() == 0)
		print(format, again);
	va_end(again);
	va_end(ap);
}

int
output_end(int status)
{
	if (output_flush() == -1 || out.error != 0) {
		errno = out.error != 0 ? out.error : errno;
		warn("stdout");
		return EXIT_TROUBLE;
	}
	/* Some file systems tell of a full disk only now. */
	if (close(STDOUT_FILENO) == -1 && errno != EBADF) {
		warn("stdout");
		return EXIT_TROUBLE;
	}
	return status;
}
