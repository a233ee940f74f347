/*
 * Headers out of files.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "header.h"
#include "regular.h"

/* Another program's: 0 if that will do, or -1 and what it is. */
static int
take_foreign(const uint8_t *head, size_t len, uint64_t size, struct header *h,
    struct foreign **foreign, char why[WHY_SIZE])
{
	struct foreign *f = malloc(sizeof(*f));
	enum foreign_match match = FOREIGN_BAD;

	if (f == NULL)
		why_errno(why, NULL);
	else
		match = foreign_recognise(f, NULL, head, len < FOREIGN_HEAD ?
		    len : FOREIGN_HEAD, size, why);
	if (match == FOREIGN_SAME && foreign != NULL) {
		*foreign = f;
		*h = f->head;
		return 0;
	}
	if (match == FOREIGN_SAME)
		snprintf(why, WHY_SIZE, "a %s filter, which only check and "
		    "stats can read; import it first", f->format->words);
	free(f);
	return -1;
}

int
header_check(int fd, struct header *h, struct foreign **foreign,
    char why[WHY_SIZE])
{
	uint8_t buf[FORMAT_HEADER];
	const ssize_t n = regular_read(fd, buf, FORMAT_HEADER, 0);
	char words[FAULT_WORDS];
	struct stat st;

	if (n == -1 || fstat(fd, &st) == -1)
		return why_errno(why, NULL);
	const struct fault f = format_decode(h, buf, (size_t)n,
	    (uint64_t)st.st_size);
	if (f.kind == FAULT_NONE)
		return 0;
	snprintf(why, WHY_SIZE, "%s", fault_words(&f, words));
	return f.kind != FAULT_MAGIC ? -1 : take_foreign(buf, (size_t)n,
	    (uint64_t)st.st_size, h, foreign, why);
}

int
header_read(const char *path, struct header *h, char why[WHY_SIZE])
{
	const int fd = regular_open(path, false, why);

	if (fd == -1)
		return -1;
	const int r = header_check(fd, h, NULL, why);
	close(fd);
	return r;
}
