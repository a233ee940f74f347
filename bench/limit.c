/*
 * What the machine could do at best, for bench/run:
 *
 *   limit bytes                        one pass over the bytes of stdin
 *   limit touch FILTER COUNT DISTANCE  COUNT random cache lines of a mapped
 *                                      file, prefetched DISTANCE keys ahead
 *
 * A filter that reads its keys and keeps them in shared pages needs the larger
 * of the two.  Whoever starts this measures its CPU time, page faults and all.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simd.h"

#define LINE_WORDS 8		/* 64-bit words in a cache line */
#define RING 256		/* more than any distance */

/* Sums words: every byte is looked at, at the speed of vector additions. */
static uint64_t
pass(void)
{
	static uint64_t buf[128 * 1024 / 8];
	uint64_t sum = 0;
	ssize_t got;

	while ((got = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
		for (size_t i = 0; i < (size_t)got / 8; i++)
			sum += buf[i];
	if (got == -1)
		err(1, "stdin");
	return sum;
}

/* The i-th of a series of random numbers below n < 2^32 (splitmix64). */
static uint64_t
below(uint64_t n, uint64_t i)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x >> 32) * n >> 32;
}

static uint64_t
touch(const uint64_t *words, uint64_t nlines, uint64_t count,
    uint64_t distance)
{
	const uint64_t *ring[RING];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count + distance; i++) {
		const uint64_t *line = words + below(nlines, i) * LINE_WORDS;
		PREFETCH(line);
		if (i >= distance)
			sum += *ring[(i - distance) % RING];
		ring[i % RING] = line;
	}
	return sum;
}

static const uint64_t *
map(const char *path, uint64_t *nlines)
{
	const int fd = open(path, O_RDWR);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		err(1, "%s", path);
	*nlines = (uint64_t)st.st_size / (LINE_WORDS * 8);
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "%s", path);
	return p;
}

int
main(int argc, char **argv)
{
	uint64_t sum, nlines;

	if (argc == 2 && strcmp(argv[1], "bytes") == 0) {
		sum = pass();
	} else if (argc == 5 && strcmp(argv[1], "touch") == 0) {
		const uint64_t *words = map(argv[2], &nlines);
		const uint64_t distance = strtoull(argv[4], NULL, 10);
		if (distance == 0 || distance >= RING)
			errx(1, "a distance of 1 to %d", RING - 1);
		sum = touch(words, nlines, strtoull(argv[3], NULL, 10),
		    distance);
	} else {
		errx(1, "usage: limit bytes | touch FILTER COUNT DISTANCE");
	}
	printf("%" PRIx64 "\n", sum);	/* so that it has to be computed */
	return 0;
}
