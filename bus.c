/*
 * The handler may not look for the name, so the message is made beforehand.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "cmd.h"

static char message[4096];

static void
on_bus_error(int sig)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	(void)sig;
	while (atomic_flag_test_and_set(&said))
		pause();	/* another thread says it, and ends us */
	const ssize_t n = write(STDERR_FILENO, message,
	    strlen(message));
	(void)n;
	_exit(EXIT_TROUBLE);
}

void
bus_catch(const char *path)
{
	struct sigaction sa = { .sa_handler = on_bus_error };

	snprintf(message, sizeof(message), "bloomtool: %s: "
	    "part of the file cannot be read or written "
	    "(cut short, full or broken disk)\n", path);
	sigaction(SIGBUS, &sa, NULL);
}
