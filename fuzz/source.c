/*
 * Fuzzes what takes filters out of their wrapping: however the bytes come, and
 * however many are asked for at a time, the same must come out, or the same
 * must be wrong.
 *
 * Input: how it is tried, a script of eight bytes that is gone through again
 * and again, as in lines.c, and the file; compressed once more, if so chosen.
 */
#include <errno.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

#include "fuzz.h"

#include "../source.h"

/* A stream is large: in the same memory each time. */
static void *memory(size_t size);
static ssize_t arrive(void *to, size_t n);
#define calloc(n, size) memory(size)
#define free(p) (void)(p)
#define read(fd, to, n) arrive(to, n)
#include "../stream.c"
#undef calloc
#undef free
#undef read

#define ROOM ((size_t)1 << 20)

static void *
memory(size_t size)
{
	static struct stream s;

	MUST(size == sizeof(s));
	return memset(&s, 0, size);
}

static struct bytes coming;
static uint8_t script[8];
static unsigned step, waits;
static bool slowly;

static unsigned
next(void)
{
	return slowly ? script[step++ % sizeof(script)] : 249;
}

static ssize_t
arrive(void *to, size_t n)
{
	return bytes_arrive(&coming, next(), &waits, to, n);
}

int
signals_wait(int fd, short events, int timeout_ms)
{
	(void)fd, (void)events, (void)timeout_ms;
	return 1;
}

/* At most ROOM bytes; -1: why. */
static ssize_t
take(struct bytes file, const char *name, uint8_t *out, char why[WHY_SIZE])
{
	size_t n = 0;
	ssize_t got = 0;

	coming = file;
	step = waits = 0;
	why[0] = '\0';
	struct source *s = source_open("-", name, why);
	if (s == NULL)
		return -1;
	while (n < ROOM) {
		size_t wanted = slowly ? 1 + (size_t)next() * 3 : ROOM;
		if (wanted > ROOM - n)
			wanted = ROOM - n;
		got = source_read(s, out + n, wanted, why);
		MUST(got <= (ssize_t)wanted);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	source_close(s);
	return got == -1 ? -1 : (ssize_t)n;
}

static void
try(struct bytes file, const char *name, bool zipped)
{
	static uint8_t out[2][ROOM];
	char why[2][WHY_SIZE];
	ssize_t n[2];

	for (int i = 0; i < 2; i++) {
		slowly = i == 1;
		n[i] = take(file, name, out[i], why[i]);
	}
	MUST(n[0] == n[1] && strcmp(why[0], why[1]) == 0);
	if (n[0] == -1) {
		MUST(why[0][0] != '\0' && strlen(why[0]) < WHY_SIZE - 1);
		return;
	}
	MUST(memcmp(out[0], out[1], (size_t)n[0]) == 0);
	MUST(zipped || (size_t)n[0] <= file.n);
}

/* As gzip would store it. */
static struct bytes
zip(struct bytes file)
{
	static uint8_t to[ROOM];
	static z_stream z;

	if (z.state == NULL)
		MUST(deflateInit2(&z, 1, Z_DEFLATED, 9 + 16, 1,
		    Z_DEFAULT_STRATEGY) == Z_OK);
	MUST(deflateReset(&z) == Z_OK);
	z.next_in = file.p;
	z.avail_in = (uInt)file.n;
	z.next_out = to;
	z.avail_out = sizeof(to);
	MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
	return (struct bytes){ to, sizeof(to) - z.avail_out };
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	const unsigned how = (unsigned)bytes_number(&in, 1);
	const struct bytes s = bytes_take(&in, sizeof(script));

	memset(script, 0, sizeof(script));
	if (s.n > 0)
		memcpy(script, s.p, s.n);
	const bool zipped = how & 1 || (in.n > 0 && in.p[0] == 0x1f);
	try(how & 1 ? zip(in) : in, how & 2 ? "k" : NULL, zipped);
	return 0;
}
