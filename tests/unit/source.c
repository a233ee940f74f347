/*
 * Filters taken out of what they are wrapped in: the dumps that RedisBloom
 * made, gzip around them, all kinds of damage, and what may come instead.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>

#include "few.h"
#include "le.h"
#include "random.h"
#include "redis.h"
#include "signals.h"
#include "source.h"
#include "tally.h"

#define MORE "../shared/interop/redisbloom/"
#define DEFAULT "tests/interop/default"
#define ROOM ((size_t)4 << 20)

struct bytes {
	size_t n;
	uint8_t *p;	/* ROOM of them */
};

static char path[] = "/tmp/bloomtool-source-XXXXXX";
static int fd;		/* of it */
static char why[WHY_SIZE];

static struct bytes
empty(void)
{
	struct bytes b = { 0, malloc(ROOM) };

	if (b.p == NULL)
		abort();
	return b;
}

static void
add(struct bytes *b, const void *more, size_t n)
{
	if (n > ROOM - b->n)
		abort();
	if (n > 0)
		memcpy(b->p + b->n, more, n);
	b->n += n;
}

static void
add_text(struct bytes *b, const char *text)
{
	add(b, text, strlen(text));
}

static void
add_file(struct bytes *b, const char *name)
{
	FILE *in = fopen(name, "rb");

	if (in == NULL)
		abort();
	b->n += fread(b->p + b->n, 1, ROOM - b->n, in);
	fclose(in);
}

/* A gzip member of b[from..to). */
static void
add_gzip(struct bytes *out, const struct bytes *b, size_t from, size_t to)
{
	z_stream z = { .next_in = b->p + from, .avail_in = (uInt)(to - from),
	    .next_out = out->p + out->n, .avail_out = (uInt)(ROOM - out->n) };

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
	    Z_DEFAULT_STRATEGY) != Z_OK || deflate(&z, Z_FINISH) !=
	    Z_STREAM_END)
		abort();
	out->n += z.total_out;
	deflateEnd(&z);
}

/* A command of the Redis protocol. */
static void
add_command(struct bytes *b, const char *const *args, size_t n,
    const void *last, size_t len)
{
	char begin[2048];
	const size_t begin_len = redis_command(begin, sizeof(begin), args, n,
	    len);

	if (begin_len >= sizeof(begin))
		abort();
	add(b, begin, begin_len);
	add(b, last, len);
	add_text(b, "\r\n");
}

static void
add_chunk(struct bytes *b, const char *key, uint64_t iterator,
    const void *chunk, size_t len)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, iterator);
	add_command(b, (const char *const[]){ "BF.LOADCHUNK", key, text }, 3,
	    chunk, len);
}

/* What source_read gives of `name`, so much at a time; -1: why. */
static ssize_t
unwrap_file(const char *name, const char *key, size_t step, uint8_t *out)
{
	struct source *s = source_open(name, key, why);
	size_t n = 0;
	ssize_t got;

	if (s == NULL)
		return -1;
	do {
		got = source_read(s, out + n, step < ROOM - n ? step : ROOM - n,
		    why);
		n += got > 0 ? (size_t)got : 0;
	} while (got == (ssize_t)step);
	if (got != -1)
		got = source_read(s, out + n, 1, why);	/* still the end */
	source_close(s);
	return got == -1 ? -1 : (ssize_t)n + got;
}

static ssize_t
unwrap(const struct bytes *b, const char *key, size_t step, uint8_t *out)
{
	if (ftruncate(fd, 0) == -1 ||
	    pwrite(fd, b->p, b->n, 0) != (ssize_t)b->n)
		abort();
	return unwrap_file(path, key, step, out);
}

static bool
gives(const struct bytes *b, const char *key, const struct bytes *wanted)
{
	static uint8_t out[ROOM];
	const size_t steps[] = { ROOM, 7 };

	for (size_t i = 0; i < 2; i++) {
		const ssize_t n = unwrap(b, key, steps[i], out);
		if (n != (ssize_t)wanted->n || memcmp(out, wanted->p,
		    wanted->n) != 0) {
			printf("# %zd bytes, wanted %zu: %s\n", n, wanted->n,
			    n == -1 ? why : "");
			return false;
		}
	}
	return true;
}

/* Fails for this reason. */
static bool
fails(const struct bytes *b, const char *key, const char *reason)
{
	static uint8_t out[ROOM];
	const ssize_t n = unwrap(b, key, ROOM, out);

	if (n == -1 && strstr(why, reason) != NULL)
		return true;
	printf("# %zd bytes: %s\n", n, n == -1 ? why : "");
	return false;
}

/* A second reader of such streams, for those that hold nothing else. */
static struct bytes
slowly(const char *name)
{
	struct bytes all = empty(), out = empty();
	size_t at = 0;

	add_file(&all, name);
	while (at < all.n) {
		for (int i = 0; i < 5; i++) {
			const size_t len = strtoul((char *)all.p + at + 1,
			    NULL, 10);
			while (all.p[at++] != '\n')
				;
			if (i == 4)
				add(&out, all.p + at, len);
			at += i > 0 ? len + 2 : 0;
		}
	}
	free(all.p);
	return out;
}

/* Cut off everywhere: an error, or less of the same. */
static void
cut_off(struct tally *t, const char *name, const struct bytes *b,
    const struct bytes *wanted)
{
	static uint8_t out[ROOM];
	const unsigned step = cases(1, 37);

	(void)unwrap(b, NULL, ROOM, out);
	for (size_t n = b->n; n-- > 0;) {
		if (n % step != 0)
			continue;
		if (ftruncate(fd, (off_t)n) == -1)
			abort();
		why[0] = '\0';
		const ssize_t got = unwrap_file(path, NULL, ROOM, out);
		const bool same = got >= 0 && (size_t)got <= wanted->n &&
		    memcmp(out, wanted->p, (size_t)got) == 0;
		const bool as_is = got == (ssize_t)n &&
		    memcmp(out, b->p, n) == 0 && n < 14;
		CASE(t, got == -1 ? why[0] != '\0' : same || as_is,
		    "%s, %zu bytes", name, n);
	}
}

/* Bytes changed: no more than there was. */
static void
changed(struct tally *t, const char *name, const struct bytes *b, bool gzip)
{
	static uint8_t out[ROOM];
	const unsigned rounds = cases(1000, 50);
	struct bytes other = empty();
	uint64_t state = b->n;

	for (unsigned i = 0; i < rounds; i++) {
		other.n = 0;
		add(&other, b->p, b->n);
		for (uint64_t n = random_below(&state, 4); n-- > 0;) {
			/* Mostly where the numbers are. */
			const uint64_t at = random_below(&state,
			    random_below(&state, 2) ? 60 : b->n);
			other.p[at] = random_below(&state, 2) ?
			    (uint8_t)random_next(&state) :
			    (uint8_t)"\r\n0123456789*$"[random_below(&state,
			    14)];
		}
		const ssize_t n = unwrap(&other, NULL, ROOM, out);
		CASE(t, n == -1 ? why[0] != '\0' && strlen(why) < WHY_SIZE - 1 :
		    gzip || (size_t)n <= other.n, "%s, round %u", name, i);
	}
	free(other.p);
}

struct all {
	struct tally whole, zipped, cut, cut_zipped, damaged;
};

static void
one_dump(struct all *a, const char *name, const struct bytes *wanted)
{
	struct bytes b = empty(), z = empty();

	add_file(&b, name);
	CASE(&a->whole, gives(&b, NULL, wanted), "%s", name);
	add_gzip(&z, &b, 0, b.n / 3);
	add_gzip(&z, &b, b.n / 3, b.n / 3);
	add_gzip(&z, &b, b.n / 3, b.n);
	CASE(&a->zipped, gives(&z, NULL, wanted), "%s", name);
	if (b.n < 4000) {
		cut_off(&a->cut, name, &b, wanted);
		cut_off(&a->cut_zipped, name, &z, wanted);
		changed(&a->damaged, name, &b, false);
		changed(&a->damaged, name, &z, true);
	}
	free(z.p);
	free(b.p);
}

/* The same filter out of the commands and out of what redis-cli printed. */
static void
dumps_like(struct all *a, const char *pattern)
{
	glob_t found = { 0 };

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = found.gl_pathv[i];
		struct bytes wanted = slowly(name);
		one_dump(a, name, &wanted);
		strcpy(name + strlen(name) - strlen("resp"), "cli");
		if (access(name, R_OK) == 0)
			one_dump(a, name, &wanted);
		free(wanted.p);
	}
	globfree(&found);
}

static void
dumps(void)
{
	struct all a = { 0 };
	struct bytes wanted = empty();

	add_file(&wanted, DEFAULT ".header");
	add_file(&wanted, DEFAULT ".bits");
	one_dump(&a, DEFAULT ".cli", &wanted);
	dumps_like(&a, "tests/interop/*.resp");
	dumps_like(&a, MORE "*.resp");
	OK_ALL(&a.whole, "dumps give header and bits");
	OK_ALL(&a.zipped, "the same out of gzip, in several members");
	OK_ALL(&a.cut, "cut off, they give an error or less");
	OK_ALL(&a.cut_zipped, "and so they do out of gzip");
	OK_ALL(&a.damaged, "damaged, they give an error or no more");
	free(wanted.p);
}

static void
plain_files(void)
{
	struct bytes b = empty(), z = empty();

	OK(gives(&b, NULL, &b), "an empty file is empty");
	for (uint64_t state = 3; b.n < 1500000;) {
		const uint64_t x = random_next(&state) % 1000;
		add(&b, &x, sizeof(x));
	}
	OK(gives(&b, NULL, &b), "other files are given as they are");
	OK(fails(&b, "k", "--name k: "), "and have no names");
	add_gzip(&z, &b, 0, b.n);
	OK(gives(&z, NULL, &b), "or inflated");
	const struct bytes whole = z;
	add(&z, "\0\0\0", 3);
	OK(gives(&z, NULL, &b), "zeros after gzip's data are padding");
	add(&z, "x", 1);
	OK(fails(&z, NULL, "something else behind"), "anything else is not");
	z = whole;
	z.p[z.n - 6] ^= 1;
	OK(fails(&z, NULL, "inflated: incorrect data check"), "a wrong CRC");
	z.p[z.n - 6] ^= 1;
	z.p[z.n - 1] ^= 1;
	OK(fails(&z, NULL, "inflated: incorrect length check"),
	    "a wrong length");
	z.n -= 1;
	OK(fails(&z, NULL, "cut short"), "a missing byte");
	OK(unwrap_file("/nowhere/at/all", NULL, ROOM, b.p) == -1 &&
	    strcmp(why, strerror(ENOENT)) == 0, "no file");
	OK(unwrap_file("/", NULL, ROOM, b.p) == -1 &&
	    strcmp(why, strerror(EISDIR)) == 0, "a directory");
	free(z.p);
	free(b.p);
}

/* A header of so many sub-filters, or so many bytes, and then four bits. */
static void
layouts(void)
{
	static const struct { size_t fixed, each; } rows[] = {
		{ 20, 53 }, { 20, 49 }, { 16, 49 }
	};
	struct bytes out = empty(), printed = empty(), commands = empty();
	struct tally same = { 0 };

	for (size_t i = 0; i < 3; i++)
		for (uint32_t n = 1; n <= 4096; n = n * 3 + 1) {
			out.n = rows[i].fixed + n * rows[i].each;
			memset(out.p, '\n', out.n);
			le32_put(out.p + 8, n);
			le64_put(out.p + rows[i].fixed, 4);
			printed.n = commands.n = 0;
			add_text(&printed, "1\n");
			add(&printed, out.p, out.n);
			add_text(&printed, "\n5\n4\n3\n\n0\n\n");
			add_chunk(&commands, "k", 1, out.p, out.n);
			add_chunk(&commands, "k", 5, "4\n3\n", 4);
			add_text(&out, "4\n3\n");
			CASE(&same, gives(&printed, NULL, &out),
			    "%" PRIu32 " in layout %zu, printed", n, i);
			CASE(&same, gives(&commands, NULL, &out),
			    "%" PRIu32 " in layout %zu, commands", n, i);
		}
	OK_ALL(&same, "headers of all layouts");
	commands.n = printed.n = 0;
	add_chunk(&commands, "k", 1, out.p, 4000);
	OK(fails(&commands, NULL, "damaged"), "but not of another length");
	free(commands.p);
	free(printed.p);
	free(out.p);
}

static void
names(void)
{
	static const uint8_t zeros[300] = { [8] = 1 };
	struct bytes a = empty(), b = empty(), both = empty();
	char longer[1100];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	add(&a, zeros, 73);
	add(&a, "aaaa", 4);
	add(&b, zeros, 73);
	add(&b, "bbbbbb", 6);
	add_text(&both, "#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n");
	add_chunk(&both, "a", 1, zeros, 73);
	add_chunk(&both, "b\033", 1, zeros, 73);
	add_chunk(&both, "b\033", 5, "bbbb", 4);
	add_chunk(&both, "a", 5, "aaaa", 4);
	add_text(&both, "*1\r\n$4\r\nEXEC\r\n*3\r\n$3\r\nset\r\n$1\r\na\r\n"
	    "$21\r\n*4\r\n$12\r\nBF.LOADCHUNK\r\n");
	add_text(&both, "*4\r\n$12\r\nbf.LoadChunk\r\n$2\r\nb\033\r\n$1\r\n7"
	    "\r\n$2\r\nbb\r\n");
	OK(fails(&both, NULL, "has filters of the keys a and b?; choose one "
	    "with --name"), "two keys, and none is chosen");
	OK(gives(&both, "a", &a), "one of two keys");
	OK(gives(&both, "b\033", &b), "the other one");
	OK(fails(&both, "c", "no BF.LOADCHUNK of key c"), "a third one");
	OK(fails(&both, longer, "wanted 1024 at the most"), "too long a name");
	add_chunk(&both, longer, 1, zeros, 73);
	OK(gives(&both, "a", &a), "too long a name of another key");
	add_chunk(&both, "a", 9, "aaa", 3);
	OK(fails(&both, "a", "do not follow"), "a gap between chunks");
	OK(gives(&both, "b\033", &b), "of one key, not of another");
	both.n = 0;
	add_chunk(&both, longer, 1, zeros, 73);
	OK(fails(&both, NULL, "has 1099 bytes"), "only too long a name");
	both.n = 0;
	add_command(&both, (const char *const[]){ "BF.ADD", "a" }, 2, "k", 1);
	add_chunk(&both, "a", 1, zeros, 73);
	add_command(&both, (const char *const[]){ "BF.ADD", "b" }, 2, "k", 1);
	add_chunk(&both, "a", 5, "aaaa", 4);
	OK(gives(&both, NULL, &a), "keys added to another filter");
	add_command(&both, (const char *const[]){ "BF.ADD", "a" }, 2, "k", 1);
	OK(fails(&both, NULL, "adds keys"), "keys added to this one");
	free(both.p);
	free(b.p);
	free(a.p);
}

static void
unread(void)
{
	static const uint8_t dragonfly[12] = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0x40 };
	static const uint8_t buckets[46] = { 5, [9] = 2, [24] = 1, [32] = 2,
	    [34] = 20, [36] = 1 };
	static const size_t cuckoos[] = { 38, 46 };
	struct bytes b = empty();

	add_text(&b, "REDIS0011\xfa\tredis-ver");
	OK(fails(&b, NULL, "an RDB file"), "RDB");
	b.n = 0;
	add_text(&b, "1\n");
	add(&b, dragonfly, sizeof(dragonfly));
	add_text(&b, "\n30\nabc");
	OK(fails(&b, NULL, "Dragonfly"), "Dragonfly, printed");
	b.n = 0;
	add_chunk(&b, "k", 1, dragonfly, sizeof(dragonfly));
	OK(fails(&b, NULL, "Dragonfly"), "Dragonfly, commands");
	for (size_t i = 0; i < 2; i++) {
		b.n = 0;
		add_text(&b, "1\n");
		add(&b, buckets, cuckoos[i]);
		add_text(&b, "\n30\nabc");
		OK(fails(&b, NULL, "cuckoo"), "a cuckoo filter, printed, %zu "
		    "bytes", cuckoos[i]);
	}
	b.n = 0;
	add_command(&b, (const char *const[]){ "CF.LOADCHUNK", "k", "1" }, 3,
	    buckets, 38);
	OK(fails(&b, NULL, "cuckoo"), "a cuckoo filter, commands");
	b.n = 0;
	add_command(&b, (const char *const[]){ "bf.load", "k" }, 2, "\1", 1);
	OK(fails(&b, NULL, "valkey-bloom"), "valkey-bloom");
	b.n = 0;
	add_command(&b, (const char *const[]){ "SET", "k" }, 2, "v", 1);
	OK(fails(&b, NULL, "no BF.LOADCHUNK"), "Redis commands of other kinds");
	free(b.p);
}

static void
hostile(void)
{
	static const char *const texts[] = {
		"*4\r\n$x", "*4\r\n$-1\r\n", "*0\r\n$",
		"*9999999999999999999\r\n$3\r\nSET\r\n",
		"*4\r\n$9999999999999999999\r\nBF.LOADCHUNK\r\n",
		"*3\r\n$12\r\nBF.LOADCHUNK\r\n$1\r\nk\r\n$1\r\n1\r\n",
		"*1\r\n$12\r\nBF.LOADCHUNK\r\n", "*1\r\n$6\r\nBF.ADD\r\n",
		"*4\r\n$12\r\nBF.LOADCHUNK\r\n$1\r\nk\r\n$1\r\n0\r\n$0\r\n\r\n",
		"*4\r\n$12\r\nBF.LOADCHUNK\r\n$1\r\nk\r\n$1\r\n7\r\n$1\r\na\r\n",
		"*4\r\n$12\r\nBF.LOADCHUNK\r\n$1\r\nk\r\n$2\r\n1\r\n$3\r\nabc",
		"*4\r\n$12\r\nBF.LOADCHUNK\r\n$1\r\nk\r\n$0\r\n\r\n$3\r\nabc",
		"*4\r\n$12\r\nBF.LOADCHUNK\r\n$999\r\nk\r\n$1\r\n7\r\n",
		"#TS:\r\n", "#TS:5\r\n", "#TS:5\r\nx"
	};
	static const char *const chunks[] = {
		"0\nx\n", "0\n\n1", "1\nx", "2\nxy\n", "3\nab\n3\nxx\n",
		"3\nab\n2\nxx\n", "9999999999999999999\nabc",
		"99999999999999999999\nabc", "x\n"
	};
	static const uint8_t header[73] = { [8] = 1, [20] = 9 };
	struct bytes b = empty();
	struct tally refused = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		b.n = 0;
		add_text(&b, texts[i]);
		CASE(&refused, fails(&b, NULL, "edis "), "commands %zu", i);
	}
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		b.n = 0;
		add_text(&b, "1\n");
		add(&b, header, sizeof(header));
		add_text(&b, "\n");
		add_text(&b, chunks[i]);
		CASE(&refused, fails(&b, NULL, "a Redis dump that is"),
		    "printed %zu", i);
	}
	OK_ALL(&refused, "numbers that lie");
	free(b.p);
}

/* Through a pipe, a few bytes at a time; a chunk larger than all buffers. */
static void
pipes(void)
{
	static const uint8_t header[73] = { [8] = 1 };
	static uint8_t out[ROOM], bits[1500000];
	struct bytes b = empty();
	uint64_t state = 5;
	int ends[2];

	for (size_t i = 0; i < sizeof(bits); i++)
		bits[i] = (uint8_t)random_next(&state);
	add_chunk(&b, "k", 1, header, sizeof(header));
	add_chunk(&b, "k", 1 + sizeof(bits), bits, sizeof(bits));
	if (unlink(path) == -1 || mkfifo(path, 0600) == -1 || pipe(ends) == -1)
		abort();
	for (int fifo = 0; fifo < 2; fifo++) {
		const pid_t child = fork();
		if (child == 0) {
			int to = ends[1];
			if (fifo)
				to = open(path, O_WRONLY);
			for (size_t n, i = 0; i < b.n; i += n) {
				n = i < 1000 ? 1 : 4001;
				n = b.n - i < n ? b.n - i : n;
				if (write(to, b.p + i, n) != (ssize_t)n)
					_exit(1);
			}
			_exit(0);
		}
		if (!fifo && (dup2(ends[0], STDIN_FILENO) == -1 ||
		    close(ends[1]) == -1))
			abort();
		const ssize_t n = unwrap_file(fifo ? path : "-", "k", 65536,
		    out);
		waitpid(child, NULL, 0);
		OK(n == (ssize_t)(sizeof(header) + sizeof(bits)) &&
		    memcmp(out, header, sizeof(header)) == 0 &&
		    memcmp(out + sizeof(header), bits, sizeof(bits)) == 0,
		    "out of %s", fifo ? "a FIFO" : "standard input");
	}
	free(b.p);
}

/* A FIFO without a writer would be waited for; a signal ends that. */
static void
interrupted(void)
{
	uint8_t out[16];

	signals_catch();
	const pid_t us = getpid(), child = fork();
	if (child == 0) {
		usleep(50000);
		kill(us, SIGTERM);
		_exit(0);
	}
	OK(unwrap_file(path, NULL, sizeof(out), out) == -1 &&
	    strcmp(why, "interrupted") == 0 && signals_caught(),
	    "a signal ends the waiting");
	waitpid(child, NULL, 0);
}

static void
written(void)
{
	struct bytes b = empty(), wanted = empty(), header = empty(),
	    bits = empty();
	char little[4];
	const char *const args[] = { "SETRANGE", "k" };

	add_file(&wanted, DEFAULT ".resp");
	add_file(&header, DEFAULT ".header");
	add_file(&bits, DEFAULT ".bits");
	add_chunk(&b, "default", 1, header.p, header.n);
	add_chunk(&b, "default", 1 + bits.n, bits.p, bits.n);
	OK(b.n == wanted.n && memcmp(b.p, wanted.p, b.n) == 0,
	    "commands are written as Redis writes them");
	OK(redis_command(little, sizeof(little), args, 2, UINT64_MAX) ==
	    strlen("*3\r\n$8\r\nSETRANGE\r\n$1\r\nk\r\n"
	    "$18446744073709551615\r\n") && strcmp(little, "*3\r") == 0,
	    "as far as there is room");
	free(bits.p);
	free(header.p);
	free(wanted.p);
	free(b.p);
}

int
main(void)
{
	fd = mkstemp(path);
	if (fd == -1)
		abort();
	dumps();
	plain_files();
	layouts();
	names();
	unread();
	hostile();
	written();
	pipes();
	interrupted();
	unlink(path);
	return done();
}
