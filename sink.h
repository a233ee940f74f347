/*
 * stdout for a writer that must not wait for whoever reads it, because it
 * holds a lock.
 */
#ifndef SINK_H
#define SINK_H

#include <sys/types.h>
#include <sys/uio.h>

#include <stdbool.h>
#include <stddef.h>

struct sink {
	int fd;
	bool socket;
	bool regular;	/* a file, which lines stay in */
	size_t most;	/* bytes a write may have, so that it does not wait */
	bool wide;	/* much has gone into it, so it was widened */
	int own[2];	/* a pipe of ours, to its end; -1: none */
	int error;	/* errno of a piece after one that went out, or 0 */
};

/* At most so many pieces at once. */
#define SINK_PIECES 16

struct sink sink_stdout(void);

/*
 * Wait until it takes bytes, at most timeout_ms, without end if that is
 * negative.  1: it does, 0: it does not yet, -1: errno, EINTR if a signal was
 * caught.
 */
int sink_wait(const struct sink *s, int timeout_ms);

/*
 * Write pieces, one after the other, without waiting.  Returns how many bytes
 * went out, 0 if it takes none now, -1 with errno.  A piece of up to PIPE_BUF
 * bytes goes into a pipe whole or not at all.  Call sink_wait before.
 */
ssize_t sink_write(struct sink *s, const struct iovec *pieces, size_t n);

/* Put what was written on stable storage, if it is in a file.  -1: errno. */
int sink_store(const struct sink *s);

#endif
