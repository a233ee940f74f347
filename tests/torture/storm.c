/*
 * Loaded into a program with LD_PRELOAD: a signal whose handler does nothing
 * comes again and again, so that every call that can be interrupted is.
 * STORM_LOG=FILE: add a line there at the end, how many came.
 */
#include <sys/time.h>

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void
on_signal(int sig)
{
	(void)sig;
	signals++;
}

__attribute__((constructor)) static void
begin(void)
{
	/* No SA_RESTART: calls fail with EINTR. */
	const struct sigaction sa = { .sa_handler = on_signal };
	const struct itimerval every = { { 0, 200 }, { 0, 200 } };

	/* What the program starts is left alone. */
	unsetenv("LD_PRELOAD");
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

__attribute__((destructor)) static void
end(void)
{
	const char *file = getenv("STORM_LOG");
	char line[32];

	signal(SIGALRM, SIG_IGN);
	if (file == NULL)
		return;
	const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
	const int n = snprintf(line, sizeof(line), "%d\n", (int)signals);
	if (fd == -1 || write(fd, line, (size_t)n) != n)
		_exit(99);
	close(fd);
}
