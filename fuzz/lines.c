/*
 * Fuzzes the line reader: however the bytes come, and however many lines are
 * asked for at a time, the lines must be those that memchr finds, with vector
 * instructions and without.  The buffer begins small and a line may have a few
 * hundred bytes at most, so that short inputs reach what happens to a buffer
 * that grows and to a line that is too long.
 *
 * Input: how the lines end, the size of the buffer, a script of eight bytes
 * that is gone through again and again, and the bytes to be read.  What a byte
 * of the script means stands with arrive, signals_wait and try.
 */
#include <errno.h>
#include <unistd.h>

#include "fuzz.h"

#include "../simd.h"
#define simd_usable() vector
static bool vector;

#include "../lines.h"
#undef LINES_MAX
#define LINES_MAX 300

static ssize_t arrive(void *to, size_t n);
#define read(fd, to, n) arrive(to, n)
#include "../lines.c"
#undef read

static struct bytes coming;
static uint8_t script[8];
static unsigned step, waits;

static unsigned
next(void)
{
	return script[step++ % sizeof(script)];
}

/* Often a few bytes only. */
static ssize_t
arrive(void *to, size_t n)
{
	return bytes_arrive(&coming, next(), &waits, to, n);
}

int
signals_wait(int fd, short events, int timeout_ms)
{
	(void)fd, (void)events, (void)timeout_ms;
	return bytes_late(next(), &waits) ? 0 : 1;
}

/* The line at the front of all, which must be this one. */
static void
must_be_next(struct bytes *all, const struct line *l, uint8_t separator,
    bool ended, bool terminate)
{
	const uint8_t *end = memchr(all->p, separator, all->n);
	const size_t len = end != NULL ? (size_t)(end - all->p) : all->n;

	MUST(end != NULL || (ended && len > 0));
	MUST(l->len == len && l->len <= LINES_MAX);
	MUST(memcmp(l->bytes, all->p, len) == 0);
	MUST(l->whole == len + (end != NULL || terminate));
	MUST(l->whole == len || l->bytes[len] == separator);
	bytes_take(all, len + (end != NULL));
}

static void
try(struct lines *l, struct bytes all, uint8_t separator, bool terminate)
{
	enum lines_read got = LINES_MORE;
	struct line out[16];
	size_t n;

	coming = all;
	step = waits = 0;
	lines_start(l, 0, terminate);
	while (got != LINES_FAILED) {
		do {
			const size_t max = 1 + next() % 16;
			n = lines_cut(l, out, max);
			MUST(n <= max);
			for (size_t i = 0; i < n; i++)
				must_be_next(&all, &out[i], separator,
				    got == LINES_END, terminate);
		} while (n > 0);
		if (got == LINES_END)
			break;
		got = lines_read(l, 1);
	}
	if (got == LINES_END) {
		MUST(all.n == 0);
	} else {
		const uint8_t *end = memchr(all.p, separator, all.n);
		MUST(errno == EMSGSIZE);
		MUST((end != NULL ? (size_t)(end - all.p) : all.n) > LINES_MAX);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lines *l;
	struct bytes in = { data, size };
	const unsigned how = (unsigned)bytes_number(&in, 1);
	const uint8_t separator = how & 1 ? '\0' : '\n';
	const size_t room = 1 + (size_t)bytes_number(&in, 1);

	memset(script, 0, sizeof(script));
	const struct bytes s = bytes_take(&in, sizeof(script));
	memcpy(script, s.p, s.n);
	if (l == NULL)
		l = lines_new(separator);
	MUST(l != NULL);
	l->separator = separator;
	for (int i = 0; i < 2; i++) {
		l->buf = realloc(l->buf, room);
		l->size = room;
		MUST(l->buf != NULL);
		vector = i == 0 && __builtin_cpu_supports("avx2");
		try(l, in, separator, how & 2);
	}
	return 0;
}
