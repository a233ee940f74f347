/*
 * A file that is being made: without a name where the system can do that, so
 * that nothing is left behind even by kill -9; else with one of its own, in the
 * directory where it will be.
 */
#ifndef DRAFT_H
#define DRAFT_H

#include <sys/types.h>

struct draft {
	int fd;			/* open to read and write, or -1 */
	char *path;		/* the name that it will have */
	char *directory;	/* of that */
	int directory_fd;	/* to sync it; -1 if it may not be read */
	char *name;		/* NULL while it has none */
};

/*
 * Look up the directory; there is no file yet.  -1: errno.  In any case it has
 * to be closed.
 */
int draft_begin(struct draft *d, const char *path);

/* Make the file, empty, of this mode as for open(2).  -1: errno. */
int draft_open(struct draft *d, mode_t mode);

/*
 * A name in its directory that is not in use, probably, to d->name; the file
 * does not have it yet.  -1: errno.
 */
int draft_choose_name(struct draft *d);

/* It has that name no more. */
void draft_forget_name(struct draft *d);

/* Gone, unless it has got another name than d->name. */
void draft_close(struct draft *d);

#endif
