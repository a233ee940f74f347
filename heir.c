/*
 * What replaces a filter file.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "heir.h"
#include "locks.h"
#include "newfile.h"
#include "progress.h"
#include "regular.h"
#include "samefile.h"

struct heir {
	struct newfile *copy;
	int old;
};

/* Only one name can be given to the new file. */
static int
check_names(int fd, const char *which, char why[WHY_SIZE])
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return why_errno(why, NULL);
	if (st.st_nlink <= 1)
		return 0;
	snprintf(why, WHY_SIZE, "has other names (hard links), which would "
	    "keep the %s file; remove them", which);
	return -1;
}

int
heir_hold(const char *path, double wait, int *fd, char why[WHY_SIZE])
{
	struct stat st;

	for (;;) {
		*fd = -1;
		if (stat(path, &st) == -1 && errno == ENOENT)
			return 0;
		*fd = regular_open(path, true, why);
		if (*fd == -1)
			return -1;
		if (locks_take(*fd, LOCKS_WRITERS, true, wait, why) == -1)
			break;
		if (samefile_path(path, *fd)) {
			if (check_names(*fd, "old", why) == -1)
				break;
			return 0;
		}
		close(*fd);	/* replaced while we waited */
	}
	close(*fd);
	return -1;
}

/* It may have a name, and the old one may be private. */
static struct newfile *
make_copy(const char *path, int fd, uint64_t size, char why[WHY_SIZE])
{
	char *real = realpath(path, NULL);

	if (real == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	struct newfile *copy = newfile_open(real, S_IRUSR | S_IWUSR, size, why);
	free(real);
	if (copy == NULL)
		return NULL;
	progress_begin("copying", size);
	const int copied = newfile_copy(copy, fd, size);
	progress_end();
	if (copied == 0)
		return copy;
	why_errno(why, "copy");
	newfile_close(copy);
	return NULL;
}

struct heir *
heir_copy(const char *path, int fd, uint64_t size, char why[WHY_SIZE])
{
	if (check_names(fd, "damaged", why) == -1)
		return NULL;
	struct newfile *copy = make_copy(path, fd, size, why);
	if (copy == NULL)
		return NULL;
	struct heir *heir = malloc(sizeof(*heir));
	if (heir == NULL) {
		why_errno(why, NULL);
		newfile_close(copy);
		return NULL;
	}
	heir->copy = copy;
	heir->old = fd;
	return heir;
}

int
heir_fd(const struct heir *heir)
{
	return newfile_fd(heir->copy);
}

int
heir_succeed(struct heir *heir, char why[WHY_SIZE])
{
	return newfile_replace(heir->copy, heir->old, why);
}

void
heir_close(struct heir *heir)
{
	newfile_close(heir->copy);
	close(heir->old);		/* and with it goes the lock */
	free(heir);
}
