/*
 * Drafts come into being, and go.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "draft.h"

/* The directory in which a path's last part lies, to be freed. */
static char *
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	if (slash == path)
		return strdup("/");
	return strndup(path, (size_t)(slash - path));
}

int
draft_begin(struct draft *d, const char *path)
{
	*d = (struct draft){ .fd = -1, .directory_fd = -1 };
	d->path = strdup(path);
	if (d->path == NULL)
		return -1;
	d->directory = directory_of(path);
	if (d->directory == NULL)
		return -1;
	d->directory_fd = open(d->directory, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	return d->directory_fd == -1 && errno != EACCES ? -1 : 0;
}

/* Short: paths have limits. */
int
draft_choose_name(struct draft *d)
{
	struct timespec now;
	const size_t size = strlen(d->directory) + 32;

	free(d->name);
	d->name = malloc(size);
	if (d->name == NULL)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(d->name, size, "%s/.bloomtool.%08lx", d->directory,
	    ((unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 12) &
	    0xfffffffful);
	return 0;
}

void
draft_forget_name(struct draft *d)
{
	free(d->name);
	d->name = NULL;
}

/* The draft that has a name of its own now, for who ends by exit(3). */
static const struct draft *named;

static void
remove_named(void)
{
	if (named != NULL && named->name != NULL)
		unlink(named->name);
}

static int
open_named(struct draft *d, mode_t mode)
{
	static bool registered;

	if (!registered)
		registered = atexit(remove_named) == 0;
	named = d;
	for (int tries = 0; tries < 100; tries++) {
		if (draft_choose_name(d) == -1)
			return -1;
		d->fd = open(d->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    mode);
		if (d->fd != -1)
			return 0;
		if (errno != EEXIST)
			break;
	}
	draft_forget_name(d);
	return -1;
}

int
draft_open(struct draft *d, mode_t mode)
{
#if defined(O_TMPFILE)
	/* It gets its name through /proc, which may not be mounted. */
	if (access("/proc/self/fd", F_OK) == 0) {
		d->fd = open(d->directory, O_TMPFILE | O_RDWR | O_CLOEXEC,
		    mode);
		if (d->fd != -1)
			return 0;
		if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOSYS)
			return -1;
	}
#endif
	return open_named(d, mode);
}

void
draft_close(struct draft *d)
{
	if (named == d)
		named = NULL;
	if (d->name != NULL)
		unlink(d->name);
	draft_forget_name(d);
	if (d->fd != -1)
		close(d->fd);
	if (d->directory_fd != -1)
		close(d->directory_fd);
	free(d->directory);
	free(d->path);
}
