/*
 * Writes that do not wait.
 *
 * O_NONBLOCK belongs to the open file, which others share with us: setting it
 * on stdout would surprise them.  So a pipe or a terminal is opened once more,
 * for ourselves.  A regular file waits for nobody and is written as it is,
 * since another opening would have its own offset.  (RWF_NOWAIT is no help:
 * XFS and btrfs answer EAGAIN to it for ever, named pipes do not know it.)
 */
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

struct sink
sink_stdout(void)
{
	struct sink s = { .fd = STDOUT_FILENO, .most = SIZE_MAX };
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
	return s;
}

int
sink_wait(const struct sink *s, int timeout_ms)
{
	return signals_wait(s->fd, POLLOUT, timeout_ms);
}

ssize_t
sink_write(const struct sink *s, const void *bytes, size_t n)
{
	ssize_t w;

	if (n > s->most)
		n = s->most;
	progress_before_stdout();
	do
		w = s->socket ? send(s->fd, bytes, n, MSG_DONTWAIT) :
		    write(s->fd, bytes, n);
	while (w == -1 && errno == EINTR && !signals_caught());
	if (w == -1 && (errno == EAGAIN || errno == EWOULDBLOCK ||
	    errno == EINTR))
		return 0;
	if (w > 0)
		progress_after_stdout(bytes, (size_t)w);
	return w;
}

int
sink_store(const struct sink *s)
{
	return s->regular ? stable_data(s->fd) : 0;
}
