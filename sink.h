/*
 * stdout for a writer that must not wait for whoever reads it, because it
 * holds a lock.
 */
#ifndef SINK_H
#define SINK_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>

struct sink {
	int fd;
	bool socket;
	bool regular;	/* a file, which lines stay in */
	size_t most;	/* bytes a write may have, so that it does not wait */
};

struct sink sink_stdout(void);

/*
 * Wait until it takes bytes, at most timeout_ms, without end if that is
 * negative.  1: it does, 0: it does not yet, -1: errno, EINTR if a signal was
 * caught.
 */
int sink_wait(const struct sink *s, int timeout_ms);

/*
 * Write without waiting.  Returns how many bytes went out, 0 if it takes none
 * now, -1 with errno.  Up to PIPE_BUF bytes go into a pipe whole or not at
 * all.  Call sink_wait before.
 */
ssize_t sink_write(const struct sink *s, const void *bytes, size_t n);

/* Put what was written on stable storage, if it is in a file.  -1: errno. */
int sink_store(const struct sink *s);

#endif
