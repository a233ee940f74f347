/*
 * Writes that do not wait.
 *
 * O_NONBLOCK belongs to the open file, which others share with us: setting it
 * on stdout would surprise them.  So a pipe or a terminal is opened once more,
 * for ourselves.  A regular file waits for nobody and is written as it is,
 * since another opening would have its own offset.  (RWF_NOWAIT is no help:
 * XFS and btrfs answer EAGAIN to it for ever, named pipes do not know it.)
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* splice, pipe2 */
#define HAVE_SPLICE 1
#endif
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "progress.h"
#include "signals.h"
#include "sink.h"
#include "stable.h"
#include "wide.h"

struct sink
sink_stdout(void)
{
	struct sink s = { .fd = STDOUT_FILENO, .most = SIZE_MAX,
	    .own = { -1, -1 } };
	struct stat st;

	const int flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (fstat(STDOUT_FILENO, &st) == -1 || flags == -1 ||
	    (flags & O_ACCMODE) == O_RDONLY)
		return s;	/* cannot be written */
	s.regular = S_ISREG(st.st_mode);
	s.socket = S_ISSOCK(st.st_mode);
	if (s.regular || s.socket)
		return s;
	const int fd = open("/dev/stdout", O_WRONLY | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	if (fd != -1)
		s.fd = fd;
	else
		/* What poll calls writable takes so much at once. */
		s.most = PIPE_BUF;
#if HAVE_SPLICE
	if (S_ISFIFO(st.st_mode) &&
	    pipe2(s.own, O_NONBLOCK | O_CLOEXEC) == -1)
		s.own[0] = s.own[1] = -1;	/* each piece by itself */
#endif
	return s;
}

int
sink_wait(const struct sink *s, int timeout_ms)
{
	return signals_wait(s->fd, POLLOUT, timeout_ms);
}

/* Is it worth another try?  If it only has to wait, w becomes 0. */
static bool
again(ssize_t *w)
{
	if (*w != -1)
		return false;
	if (errno == EINTR && !signals_caught())
		return true;
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
		*w = 0;
	return false;
}

static ssize_t
write_piece(const struct sink *s, const struct iovec *piece)
{
	const size_t n = piece->iov_len < s->most ? piece->iov_len : s->most;
	ssize_t w;

	progress_before_stdout();
	do
		w = s->socket ? send(s->fd, piece->iov_base, n, MSG_DONTWAIT) :
		    write(s->fd, piece->iov_base, n);
	while (again(&w));
	if (w > 0)
		progress_after_stdout(piece->iov_base, (size_t)w);
	return w;
}

static ssize_t
write_each(struct sink *s, const struct iovec *pieces, size_t n)
{
	ssize_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const ssize_t w = write_piece(s, &pieces[i]);
		if (w == -1 && i > 0)
			s->error = errno;
		if (w == -1)
			return i > 0 ? sum : -1;
		sum += w;
		if ((size_t)w < pieces[i].iov_len)
			break;
	}
	return sum;
}

#if HAVE_SPLICE
/* What did not go out will be written again. */
static void
empty(const struct sink *s)
{
	uint8_t buf[PIPE_BUF];

	while (read(s->own[0], buf, sizeof(buf)) > 0)
		;
}

/*
 * Each write into an empty pipe wakes its reader, which costs more than all
 * else.  So the pieces go into a pipe of ours first, where each stays within a
 * page, and from there the pages as they are into the other, all in one call.
 */
static ssize_t
write_spliced(struct sink *s, const struct iovec *pieces, size_t n)
{
	size_t held = 0;
	ssize_t w;

	for (size_t i = 0; i < n && write(s->own[1], pieces[i].iov_base,
	    pieces[i].iov_len) != -1; i++)
		held += pieces[i].iov_len;
	if (held == 0)
		return write_each(s, pieces, n);
	if (!s->wide && n == SINK_PIECES)
		wide_pipe(s->fd);
	s->wide |= n == SINK_PIECES;
	do
		w = splice(s->own[0], NULL, s->fd, NULL, held,
		    SPLICE_F_NONBLOCK);
	while (again(&w));
	const int error = errno;
	if (w == -1 || (size_t)w < held)
		empty(s);
	if (w == -1 && (error == EINVAL || error == ENOSYS || error == EPERM)) {
		s->own[0] = -1;		/* not in this kernel, or sandbox */
		return write_each(s, pieces, n);
	}
	errno = error;
	return w;
}
#endif

ssize_t
sink_write(struct sink *s, const struct iovec *pieces, size_t n)
{
	if (s->error != 0) {
		errno = s->error;
		return -1;
	}
#if HAVE_SPLICE
	if (s->own[0] != -1 && n > 1)
		return write_spliced(s, pieces, n);
#endif
	return write_each(s, pieces, n);
}

int
sink_store(const struct sink *s)
{
	return s->regular ? stable_data(s->fd) : 0;
}
