/*
 * A list is read with care for memory: it may be anything, and endless.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lines.h"
#include "names.h"
#include "warn.h"

void
names_add(struct names *names, char *path)
{
	if (names->n == NAMES_MAX)
		errx(EXIT_TROUBLE, "%s: more than %zu filters, which are all "
		    "that can be used at once", path, NAMES_MAX);
	names->paths[names->n++] = path;
}

static void
add_line(struct names *names, const char *list, const struct line *l,
    uint64_t number)
{
	const char *fault = NULL;

	if (l->len == 0)
		fault = "is empty";
	else if (l->len >= PATH_MAX)
		fault = "is too long";
	else if (memchr(l->bytes, '\0', l->len) != NULL)
		fault = "has a NUL byte";
	else if (l->bytes[l->len - 1] == '\r')
		fault = "ends in a carriage return";
	if (fault != NULL)
		errx(EXIT_TROUBLE, "%s: line %" PRIu64 " %s, wanted the name "
		    "of a filter", list, number, fault);
	char *path = strndup((const char *)l->bytes, l->len);
	if (path == NULL)
		err(EXIT_TROUBLE, NULL);
	names_add(names, path);
}

static void
read_all(struct names *names, const char *list, struct lines *text)
{
	enum lines_read got = LINES_MORE;
	uint64_t number = 0;
	struct line l;

	while (got == LINES_MORE) {
		got = lines_read(text, -1);
		if (got == LINES_FAILED)
			err(EXIT_TROUBLE, "%s", list);
		while (lines_cut(text, &l, 1) > 0)
			add_line(names, list, &l, ++number);
		/* Not to be read to its end. */
		if (lines_left(text) >= PATH_MAX)
			errx(EXIT_TROUBLE, "%s: line %" PRIu64 " is too long, "
			    "wanted the name of a filter", list, number + 1);
	}
	if (number == 0)
		errx(EXIT_TROUBLE, "%s: empty, wanted the names of filters",
		    list);
}

void
names_read(struct names *names, const char *list)
{
	const bool from_stdin = strcmp(list, "-") == 0;
	const int fd = from_stdin ? STDIN_FILENO :
	    open(list, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct lines *text = lines_new('\n');

	if (fd == -1)
		err(EXIT_TROUBLE, "%s", list);
	if (text == NULL)
		err(EXIT_TROUBLE, NULL);
	lines_start(text, fd, false);
	read_all(names, from_stdin ? "(standard input)" : list, text);
	lines_free(text);
	if (!from_stdin)
		close(fd);
}
