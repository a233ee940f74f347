/*
 * spend REPORT COMMAND...: run it and write to REPORT its CPU seconds, wall
 * seconds, peak memory in KB and exit status.
 *
 * The kernel counts the memory of whoever forked a process to that process's
 * peak, so bench/run does not start anything by itself: this is small.
 */
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	struct rusage used;
	int status;

	if (argc < 3)
		errx(2, "usage: spend REPORT COMMAND...");
	const double start = now();
	const pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	if (pid == -1 || wait4(pid, &status, 0, &used) == -1)
		err(2, NULL);
	const double wall = now() - start;
	FILE *f = fopen(argv[1], "w");
	if (f == NULL)
		err(2, "%s", argv[1]);
	fprintf(f, "%.6f %.6f %ld %d\n",
	    seconds(used.ru_utime) + seconds(used.ru_stime), wall,
	    used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status));
	if (fclose(f) != 0)
		err(2, "%s", argv[1]);
	return 0;
}
