/*
 * Files that are about to be mapped.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "number.h"
#include "regular.h"

/* O_NONBLOCK so that a FIFO does not hang. */
int
regular_open(const char *path, bool write, char why[WHY_SIZE])
{
	struct stat st;
	const int fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC |
	    O_NOCTTY | O_NONBLOCK);

	if (fd == -1)
		return why_errno(why, NULL);
	if (fstat(fd, &st) == -1)
		why_errno(why, NULL);
	else if (S_ISDIR(st.st_mode))
		snprintf(why, WHY_SIZE, "is a directory");
	else if (!S_ISREG(st.st_mode))
		snprintf(why, WHY_SIZE, "not a regular file");
	else
		return fd;
	close(fd);
	return -1;
}

int
regular_fits(uint64_t nbytes, char why[WHY_SIZE])
{
	char words[NUMBER_WORDS];

	if (nbytes <= SIZE_MAX)
		return 0;
	snprintf(why, WHY_SIZE, "%s do not fit into the memory addresses of "
	    "this build, which have %zu bits", number_bytes(nbytes, words),
	    sizeof(size_t) * 8);
	return -1;
}

ssize_t
regular_read(int fd, void *buf, size_t n, uint64_t at)
{
	size_t have = 0;

	while (have < n) {
		const ssize_t r = pread(fd, (uint8_t *)buf + have, n - have,
		    (off_t)(at + have));
		if (r == -1 && errno == EINTR)
			continue;
		if (r == -1)
			return -1;
		if (r == 0)
			break;
		have += (size_t)r;
	}
	return (ssize_t)have;
}
