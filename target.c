/*
 * Bytes go through zlib or not, and then to output.c or newfile.c.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

#include "format.h"
#include "newfile.h"
#include "output.h"
#include "progress.h"
#include "regular.h"
#include "target.h"

struct target {
	struct target_how how;
	struct newfile *file;	/* NULL: stdout */
	uint64_t at;		/* in the file */
	z_stream z;
	uint8_t deflated[1 << 16];
};

/* A window of 32 KiB, as a file of gzip. */
#define WINDOW (15 + 16)

/* What cannot be read may be one. */
static int
refuse_filter(const char *path, char why[WHY_SIZE])
{
	uint8_t magic[FORMAT_MAGIC_SIZE];
	const int fd = regular_open(path, false, why);

	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	const ssize_t n = regular_read(fd, magic, sizeof(magic), 0);
	if (n == -1)
		why_errno(why, "read");
	close(fd);
	if (n == sizeof(magic) && format_has_magic(magic))
		snprintf(why, WHY_SIZE, "is a bloomtool filter, will not "
		    "replace it");
	else if (n >= 0)
		return 0;
	return -1;
}

static int
open_file(struct target *t, char why[WHY_SIZE])
{
	bool exists;

	if (t->how.path == NULL) {
		progress_prints();
		if (!isatty(STDOUT_FILENO))
			return 0;
		snprintf(why, WHY_SIZE, "a terminal, will not write a filter "
		    "to it");
		return -1;
	}
	if (newfile_check(t->how.path, t->how.force, &exists, why) == -1) {
		if (exists)
			snprintf(why, WHY_SIZE, "%s; --force replaces it",
			    strerror(errno));
		return -1;
	}
	if (t->how.force && refuse_filter(t->how.path, why) == -1)
		return -1;
	t->file = newfile_open(t->how.path, 0666, 0, why);
	return t->file == NULL ? -1 : 0;
}

struct target *
target_open(const struct target_how *how, char why[WHY_SIZE])
{
	struct target *t = calloc(1, sizeof(*t));

	if (t == NULL) {
		why_errno(why, NULL);
		return NULL;
	}
	t->how = *how;
	if (open_file(t, why) == 0) {
		if (!how->gzip || deflateInit2(&t->z, Z_DEFAULT_COMPRESSION,
		    Z_DEFLATED, WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK)
			return t;
		t->how.gzip = false;
		errno = ENOMEM;
		why_errno(why, NULL);
	}
	target_close(t);
	return NULL;
}

const char *
target_name(const struct target *t)
{
	return t->how.path != NULL ? t->how.path : "stdout";
}

static int
put_plain(struct target *t, const void *bytes, size_t n, char why[WHY_SIZE])
{
	if (t->file == NULL)
		return output_put(bytes, n) == -1 || output_flush() == -1 ?
		    why_errno(why, NULL) : 0;
	if (newfile_write(t->file, bytes, n, t->at) == -1)
		return why_errno(why, "write");
	t->at += n;
	return 0;
}

/* flush: Z_NO_FLUSH, or Z_FINISH at the end. */
static int
put_deflated(struct target *t, const void *bytes, size_t n, int flush,
    char why[WHY_SIZE])
{
	int status;

	t->z.next_in = bytes;
	t->z.avail_in = (uInt)n;
	do {
		t->z.next_out = t->deflated;
		t->z.avail_out = sizeof(t->deflated);
		status = deflate(&t->z, flush);
		if (put_plain(t, t->deflated, sizeof(t->deflated) -
		    t->z.avail_out, why) == -1)
			return -1;
	} while (flush == Z_FINISH ? status == Z_OK : t->z.avail_in > 0);
	return 0;
}

int
target_put(struct target *t, const void *bytes, size_t n, char why[WHY_SIZE])
{
	return t->how.gzip ? put_deflated(t, bytes, n, Z_NO_FLUSH, why) :
	    put_plain(t, bytes, n, why);
}

int
target_finish(struct target *t, char why[WHY_SIZE])
{
	bool exists;

	if (t->how.gzip && put_deflated(t, "", 0, Z_FINISH, why) == -1)
		return -1;
	return t->file == NULL ? 0 : newfile_publish(t->file, t->how.force,
	    &exists, why);
}

void
target_close(struct target *t)
{
	if (t == NULL)
		return;
	newfile_close(t->file);
	if (t->how.gzip)
		deflateEnd(&t->z);
	free(t);
}
