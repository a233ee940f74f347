/*
 * Links, exchanges and renames: by what the system and the file system have.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* syscall */
#include <linux/fs.h>
#include <sys/syscall.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "entry.h"
#include "samefile.h"
#include "stable.h"

#if defined(SYS_renameat2) && defined(RENAME_EXCHANGE)
#define HAVE_RENAME_FLAGS 1
/* By its number: musl has no function for it. */
static int
rename_flags(const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}
#else
#define HAVE_RENAME_FLAGS 0
#endif

/* The file gets this name, which nothing may have. */
static int
link_draft(struct draft *d, const char *path)
{
	char proc[64];

	if (d->name == NULL) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", d->fd);
		return linkat(AT_FDCWD, proc, AT_FDCWD, path,
		    AT_SYMLINK_FOLLOW);
	}
	if (link(d->name, path) == 0)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	/* A file system without links, such as FAT. */
#if HAVE_RENAME_FLAGS
	if (rename_flags(d->name, path, RENAME_NOREPLACE) == -1)
		return -1;
	draft_forget_name(d);
	return 0;
#else
	return -1;
#endif
}

/* 0: that is the name of the file that fd has open.  ESTALE: of another one. */
static int
check_named(const char *path, int fd)
{
	struct stat a, b;

	if (lstat(path, &a) == -1 || fstat(fd, &b) == -1)
		return -1;
	if (same_file(&a, &b))
		return 0;
	errno = ESTALE;
	return -1;
}

/*
 * Trade names with the file that old_fd has open, and only with that: what came
 * out is looked at, and put back if it is another one.
 */
static int
trade_names(struct draft *d, int old_fd)
{
#if HAVE_RENAME_FLAGS
	if (rename_flags(d->name, d->path, RENAME_EXCHANGE) == 0) {
		if (check_named(d->name, old_fd) == 0)
			return 0;	/* and that name is removed then */
		const int saved = errno;
		rename_flags(d->name, d->path, RENAME_EXCHANGE);
		errno = saved;
		return -1;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
#endif
	if (check_named(d->path, old_fd) == -1 ||
	    rename(d->name, d->path) == -1)
		return -1;
	draft_forget_name(d);
	return 0;
}

static int
replace_by_draft(struct draft *d, int old_fd)
{
	for (int tries = 0; d->name == NULL; tries++) {
		if (draft_choose_name(d) == -1)
			return -1;
		char *name = d->name;
		d->name = NULL;
		if (link_draft(d, name) == 0) {
			d->name = name;
		} else {
			free(name);
			if (errno != EEXIST || tries == 100)
				return -1;
		}
	}
	if (old_fd != -1)
		return trade_names(d, old_fd);
	if (rename(d->name, d->path) == -1)
		return -1;
	draft_forget_name(d);
	return 0;
}

/* No signal may come between two names. */
int
entry_make(struct draft *d, bool replace, int old_fd)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	const int r = replace ? replace_by_draft(d, old_fd) :
	    link_draft(d, d->path);
	const int saved = errno;
	if (d->name != NULL)
		unlink(d->name);
	draft_forget_name(d);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

int
entry_sync(const struct draft *d)
{
	const int r = d->directory_fd != -1 ? stable_file(d->directory_fd) :
	    stable_file_system(d->fd);

	/* Some file systems cannot sync a directory and need not. */
	return r == -1 && errno == EINVAL ? 0 : r;
}
