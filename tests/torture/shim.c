/*
 * Preloaded into bloomtool.
 *
 * FAIL_AT=N: the Nth malloc, calloc or realloc from the start of main fails.
 * FAIL_COUNT=FILE: write there at the end how many there were.
 * SLOW_SYNC=FILE: fdatasync takes 20 seconds whatever signals come, and makes
 * FILE when it begins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* glibc's own, under names that need no dlsym, which allocates. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static long calls, fail_at = -1;
static int counting;

__attribute__((constructor)) static void
begin(void)
{
	const char *at = getenv("FAIL_AT");

	if (at != NULL)
		fail_at = atol(at);
	counting = 1;
}

__attribute__((destructor)) static void
end(void)
{
	const char *file = getenv("FAIL_COUNT");
	char text[32];

	counting = 0;
	if (file == NULL)
		return;
	const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	const int n = snprintf(text, sizeof(text), "%ld\n", calls);
	if (fd == -1 || write(fd, text, (size_t)n) != n)
		_exit(99);
	close(fd);
}

static int
fails(void)
{
	if (!counting || ++calls != fail_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

int
fdatasync(int fd)
{
	const char *file = getenv("SLOW_SYNC");
	struct timespec left = { .tv_sec = 20 };

	if (file != NULL) {
		close(open(file, O_WRONLY | O_CREAT, 0666));
		while (nanosleep(&left, &left) == -1)
			;
	}
	return (int)syscall(SYS_fdatasync, fd);
}
