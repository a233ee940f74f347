/*
 * The only place that asks for the locale, and for the variables it is made of.
 */
#include <sys/ioctl.h>

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "number.h"
#include "screen.h"

#define COLUMNS 80
#define COLUMNS_MAX 10000

unsigned
screen_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ?
	    size.ws_col : COLUMNS;
}

static unsigned
columns_of(int fd)
{
	const char *said = getenv("COLUMNS");
	uint64_t n;

	if (said != NULL && number_count(said, 1, COLUMNS_MAX, &n) == NUMBER_OK)
		return (unsigned)n;
	return screen_columns(fd);
}

/* The locale is put back at once: what we print depends on nothing else. */
static bool
has_unicode(void)
{
	const bool found = setlocale(LC_CTYPE, "") != NULL &&
	    strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	setlocale(LC_CTYPE, "C");
	return found;
}

struct screen
screen_of(int fd)
{
	return (struct screen){ columns_of(fd), has_unicode() };
}

struct screen
screen_of_terminal(int fd)
{
	return isatty(fd) ? screen_of(fd) : (struct screen){ 0, false };
}
