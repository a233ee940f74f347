/*
 * Maps filters of other programs.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "bus.h"
#include "foreignfile.h"
#include "regular.h"
#include "samefile.h"

struct foreignfile {
	int fd;
	uint64_t size;
	uint8_t *base;
	struct foreign facts;
};

static int
map(struct foreignfile *f, const char *path, bool scan, char why[WHY_SIZE])
{
	if (f->size > SIZE_MAX) {
		errno = EFBIG;
		return why_errno(why, "does not fit into memory addresses");
	}
	void *p = mmap(NULL, (size_t)f->size, PROT_READ, MAP_SHARED, f->fd, 0);
	if (p == MAP_FAILED)
		return why_errno(why, "map");
	if (bus_catch(path, p, (size_t)f->size) == -1) {
		why_errno(why, NULL);
		munmap(p, (size_t)f->size);
		return -1;
	}
	/* Advice: no harm if it is not taken. */
	posix_madvise(p, (size_t)f->size, scan ? POSIX_MADV_SEQUENTIAL :
	    POSIX_MADV_RANDOM);
	f->base = p;
	return 0;
}

static enum foreign_match
recognise(struct foreignfile *f)
{
	uint8_t head[FOREIGN_HEAD];
	char why[WHY_SIZE];
	struct stat st;

	const ssize_t n = regular_read(f->fd, head, sizeof(head), 0);
	if (n == -1 || fstat(f->fd, &st) == -1)
		return FOREIGN_OTHER;
	f->size = (uint64_t)st.st_size;
	return foreign_recognise(&f->facts, head, (size_t)n, f->size, why);
}

struct foreignfile *
foreignfile_open(const char *path, bool scan, char why[WHY_SIZE])
{
	struct foreignfile *f = calloc(1, sizeof(*f));
	char ignored[WHY_SIZE];

	if (f == NULL)
		return NULL;
	f->fd = regular_open(path, false, ignored);
	if (f->fd != -1 && recognise(f) == FOREIGN_SAME &&
	    map(f, path, scan, why) == 0)
		return f;
	if (f->fd != -1)
		close(f->fd);
	free(f);
	return NULL;
}

const struct foreign *
foreignfile_facts(const struct foreignfile *f)
{
	return &f->facts;
}

const uint8_t *
foreignfile_bits(const struct foreignfile *f)
{
	return f->base + f->facts.offset;
}

uint64_t
foreignfile_size(const struct foreignfile *f)
{
	return f->size;
}

bool
foreignfile_is(const struct foreignfile *f, int fd)
{
	struct stat a, b;

	return fstat(f->fd, &a) == 0 && fstat(fd, &b) == 0 && same_file(&a, &b);
}

int
foreignfile_check_size(const struct foreignfile *f, char why[WHY_SIZE])
{
	struct stat st;

	if (fstat(f->fd, &st) == -1)
		return why_errno(why, NULL);
	if ((uint64_t)st.st_size == f->size)
		return 0;
	snprintf(why, WHY_SIZE, "size changed while in use: %" PRId64
	    " bytes, wanted %" PRIu64, (int64_t)st.st_size, f->size);
	return -1;
}

void
foreignfile_close(struct foreignfile *f)
{
	bus_forget(f->base);
	munmap(f->base, (size_t)f->size);
	close(f->fd);
	free(f);
}
