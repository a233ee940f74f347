/*
 * libbloom as one would use it, for bench/run:
 *
 *   libbloom COUNT RATE KEYS OTHERS
 *
 * A filter for COUNT keys takes the lines of KEYS, then is asked for them and
 * for those of OTHERS.  Prints CPU seconds, wall seconds and how many lines
 * were in, or had a collision when they were added, for each of the three.
 */
#include <bloom.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int use_fn(struct bloom *bloom, const void *key, int len);

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
each_line(struct bloom *bloom, const char *path, use_fn *use)
{
	const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	const double wall = seconds(CLOCK_MONOTONIC);
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	long in = 0;
	ssize_t len;

	if (f == NULL)
		err(1, "%s", path);
	while ((len = getline(&line, &room, f)) > 0) {
		if (line[len - 1] == '\n')
			len--;
		in += use(bloom, line, (int)len) == 1;
	}
	if (ferror(f))
		err(1, "%s", path);
	free(line);
	fclose(f);
	printf("%.6f %.6f %ld\n", seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
	    seconds(CLOCK_MONOTONIC) - wall, in);
}

int
main(int argc, char **argv)
{
	struct bloom bloom;

	if (argc != 5)
		errx(1, "usage: libbloom COUNT RATE KEYS OTHERS");
	if (bloom_init(&bloom, atoi(argv[1]), atof(argv[2])) != 0)
		errx(1, "bloom_init");
	each_line(&bloom, argv[3], bloom_add);
	each_line(&bloom, argv[3], bloom_check);
	each_line(&bloom, argv[4], bloom_check);
	bloom_free(&bloom);
	return 0;
}
