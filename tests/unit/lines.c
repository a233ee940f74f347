/*
 * Lines against a slow splitter: however the input comes in pieces, whatever
 * its bytes, whichever part of the code finds the separators.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "few.h"
#include "lines.h"
#include "random.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The reader once more, without vector instructions, with a limit that a test
 * can reach, and with reads that fail when they are told to.  Macros with
 * arguments leave enum lines_read alone.
 */
static struct lines *plain_new(uint8_t separator);
static void plain_free(struct lines *l);
static void plain_start(struct lines *l, int fd, bool terminate);
static size_t plain_cut(struct lines *l, struct line *out, size_t max);
static enum lines_read plain_read(struct lines *l, int timeout_ms);
static bool plain_any(struct lines *l);
static bool plain_full(const struct lines *l);
static size_t plain_left(const struct lines *l);
static int plain_continue(struct lines *l, const struct lines *from);

/* How many reads are going to fail although there was something to read. */
static int failing_reads;

static ssize_t
plain_read_fd(int fd, void *buf, size_t n)
{
	if (failing_reads > 0) {
		errno = failing_reads-- % 2 == 0 ? EAGAIN : EINTR;
		return -1;
	}
	return read(fd, buf, n);
}

enum { PLAIN_MAX = 4 << 20 };
static const uint64_t built_max = LINES_MAX;
#undef LINES_MAX
#define LINES_MAX PLAIN_MAX
#define lines_new(a) plain_new(a)
#define lines_free(a) plain_free(a)
#define lines_start(a, b, c) plain_start(a, b, c)
#define lines_cut(a, b, c) plain_cut(a, b, c)
#define lines_read(a, b) plain_read(a, b)
#define lines_any(a) plain_any(a)
#define lines_full(a) plain_full(a)
#define lines_left(a) plain_left(a)
#define lines_continue(a, b) plain_continue(a, b)
#define read(a, b, c) plain_read_fd(a, b, c)
#include "plain.h"
#include "../../lines.c"
#undef lines_new
#undef lines_free
#undef lines_start
#undef lines_cut
#undef lines_read
#undef lines_any
#undef lines_full
#undef lines_left
#undef lines_continue
#undef read

static const struct code {
	const char *name;
	struct lines *(*new)(uint8_t);
	void (*free)(struct lines *);
	void (*start)(struct lines *, int, bool);
	size_t (*cut)(struct lines *, struct line *, size_t);
	enum lines_read (*read)(struct lines *, int);
	bool (*any)(struct lines *);
	bool (*full)(const struct lines *);
	size_t (*left)(const struct lines *);
	int (*go_on)(struct lines *, const struct lines *);
} codes[] = {
	{ "as built", lines_new, lines_free, lines_start, lines_cut,
	    lines_read, lines_any, lines_full, lines_left,
	    lines_continue },
	{ "plain C", plain_new, plain_free, plain_start, plain_cut,
	    plain_read, plain_any, plain_full, plain_left,
	    plain_continue },
};

/* Long enough for any machine; what must come, comes at once. */
#define SOON 60000

struct text {
	uint8_t *bytes;
	size_t len, room;
	uint8_t separator;
};

static void
add_byte(struct text *t, uint8_t byte)
{
	if (t->len == t->room) {
		t->room = t->room * 2 + 64;
		t->bytes = realloc(t->bytes, t->room);
		if (t->bytes == NULL)
			abort();
	}
	t->bytes[t->len++] = byte;
}

/*
 * A line of this many bytes, without its separator: any bytes, among them the
 * other separator, and those that differ from this one in a single bit.
 */
static void
add_line(struct text *t, uint64_t *state, size_t len)
{
	const uint8_t near[] = { (uint8_t)(t->separator ^ '\n'),
		(uint8_t)(t->separator | 0x80), (uint8_t)(t->separator ^ 1) };

	for (size_t i = 0; i < len; i++) {
		const uint64_t r = random_next(state);
		const uint8_t byte = r & 0x300 ? (uint8_t)r :
		    near[r % COUNT(near)];
		add_byte(t, byte == t->separator ? 'x' : byte);
	}
}

static void
end_line(struct text *t)
{
	add_byte(t, t->separator);
}

/* Where in a text a reader is, and how it did. */
struct course {
	const struct code *code;
	struct lines *lines;
	const struct text *text;
	bool terminate;
	size_t max;		/* lines asked for at a time, up to MAX */
	size_t at;		/* bytes of the text that lines have covered */
	uint64_t count;
	bool wrong;
};

enum { MAX = 1000 };

/* Is this the line that begins at c->at?  Moves on to the next. */
static bool
is_next(struct course *c, const struct line *got)
{
	const uint8_t *bytes = c->text->bytes;
	size_t end = c->at;

	while (end < c->text->len && bytes[end] != c->text->separator)
		end++;
	const bool separated = end < c->text->len;
	const size_t len = end - c->at;
	const bool same = got->len == len &&
	    got->whole == len + (separated || c->terminate) &&
	    memcmp(got->bytes, bytes + c->at, len) == 0 &&
	    (got->whole == len || got->bytes[len] == c->text->separator);
	c->at = end + separated;
	return same;
}

/* Take all lines that are there. */
static void
take_lines(struct course *c)
{
	struct line out[MAX];
	size_t n;

	while ((n = c->code->cut(c->lines, out, c->max)) > 0) {
		for (size_t i = 0; i < n && c->at < c->text->len; i++) {
			c->wrong |= !is_next(c, &out[i]);
			c->count++;
		}
		c->wrong |= n > c->max;
		if (c->wrong)
			return;
	}
}

/* No line may be held back that has come with its separator. */
static void
is_up_to_date(struct course *c, size_t arrived)
{
	while (arrived > 0 &&
	    c->text->bytes[arrived - 1] != c->text->separator)
		arrived--;
	c->wrong |= c->at != arrived;
}

/* At the end: the rest, and then nothing any more. */
static void
finish(struct course *c)
{
	struct line none;

	c->wrong |= c->code->read(c->lines, SOON) != LINES_END;
	take_lines(c);
	c->wrong |= c->at != c->text->len ||
	    c->code->read(c->lines, SOON) != LINES_END ||
	    c->code->cut(c->lines, &none, 1) != 0;
}

static void
write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t n = write(fd, bytes, len);
		if (n <= 0)
			abort();
		bytes += n;
		len -= (size_t)n;
	}
}

/*
 * As a crew reads: two readers in turn, each until it has a whole line, and
 * the one before is cut only when the next has taken what is left over.
 */
static bool
in_turn(struct course *c, struct lines *other)
{
	FILE *file = tmpfile();
	struct lines *next = other;
	enum lines_read got;

	if (file == NULL)
		abort();
	write_all(fileno(file), c->text->bytes, c->text->len);
	lseek(fileno(file), 0, SEEK_SET);
	c->code->start(c->lines, fileno(file), c->terminate);
	do {
		size_t arrived = c->at;
		do
			got = c->code->read(c->lines, SOON);
		while (got == LINES_MORE && !c->code->any(c->lines));
		if (got == LINES_MORE) {
			struct lines *last = c->lines;
			const bool full = c->code->full(last);
			const size_t left = c->text->len -
			    (size_t)lseek(fileno(file), 0, SEEK_CUR);
			c->wrong |= left > 0 && !full;
			c->wrong |= c->code->go_on(next, last) == -1;
			take_lines(c);
			c->wrong |= c->at == arrived ||
			    c->code->left(next) != c->code->left(last);
			c->lines = next;
			next = last;
		}
	} while (!c->wrong && got == LINES_MORE);
	c->wrong |= got != LINES_END;
	finish(c);
	fclose(file);
	return !c->wrong;
}

static void
make_pipe(int fds[2])
{
	if (pipe(fds) == -1)
		abort();
}

/*
 * Read c->text from a pipe that it goes into up to the first of the ends, then
 * up to the next.  A pipe holds at least 64 KiB, so no piece may be longer.
 */
static bool
in_pieces(struct course *c, const size_t *ends, size_t n)
{
	int fds[2];

	make_pipe(fds);
	c->code->start(c->lines, fds[0], c->terminate);
	for (size_t i = 0, at = 0; i <= n && !c->wrong; i++) {
		const size_t end = i < n ? ends[i] : c->text->len;
		enum lines_read r = LINES_MORE;
		if (end > at)
			write_all(fds[1], c->text->bytes + at, end - at);
		while (!c->wrong && r == LINES_MORE) {
			r = c->code->read(c->lines, 0);
			if (r == LINES_MORE)
				take_lines(c);
		}
		c->wrong |= r != LINES_IDLE;
		is_up_to_date(c, end);
		at = end;
	}
	close(fds[1]);
	finish(c);
	close(fds[0]);
	return !c->wrong;
}

/* The same from a regular file, where reads are as long as the buffer. */
static bool
from_file(struct course *c)
{
	FILE *file = tmpfile();

	if (file == NULL)
		abort();
	if (c->text->len > 0)
		write_all(fileno(file), c->text->bytes, c->text->len);
	lseek(fileno(file), 0, SEEK_SET);
	c->code->start(c->lines, fileno(file), c->terminate);
	while (!c->wrong && c->at < c->text->len) {
		const enum lines_read r = c->code->read(c->lines, SOON);
		if (r == LINES_END)
			break;
		c->wrong |= r != LINES_MORE;
		take_lines(c);
	}
	finish(c);
	fclose(file);
	return !c->wrong;
}

static struct course
new_course(const struct code *code, struct lines *l, const struct text *t,
    bool terminate, size_t max)
{
	return (struct course){ code, l, t, terminate, max, 0, 0, false };
}

/*
 * Short texts.  Each line of the table is one: the lengths of its lines, a
 * negative number for its last line without a separator.
 */
static const struct { const char *name; int lens[12]; size_t n; } shorts[] = {
	{ "nothing", { 0 }, 0 },
	{ "one separator", { 0 }, 1 },
	{ "three separators", { 0, 0, 0 }, 3 },
	{ "one byte", { -1 }, 1 },
	{ "one byte in a line", { 1 }, 1 },
	{ "a line and a byte", { 1, -1 }, 2 },
	{ "an empty line first", { 0, 3, 2 }, 3 },
	{ "an empty line last", { 3, 2, 0 }, 3 },
	{ "empty lines between", { 3, 0, 0, 2, 0, -1 }, 6 },
	{ "several lines", { 5, 1, 7, 0, 12, 3, -4 }, 7 },
	{ "62 bytes", { 62, -1 }, 2 },
	{ "63 bytes", { 63, -1 }, 2 },
	{ "64 bytes", { 64, -1 }, 2 },
	{ "65 bytes", { 65, -1 }, 2 },
	{ "63 bytes at the end", { -63 }, 1 },
	{ "64 bytes at the end", { -64 }, 1 },
	{ "65 bytes at the end", { -65 }, 1 },
	{ "64 separators", { 0, 63, 0, 0, 64, 0, 0, 62, 1, -2 }, 10 },
	{ "127, 128 and 129 bytes", { 127, 128, 129, 1 }, 4 },
	{ "lines of seven", { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, -7 }, 12 },
};

static struct text
short_text(size_t i, uint8_t separator)
{
	struct text t = { .separator = separator };
	uint64_t state = i;

	for (size_t j = 0; j < shorts[i].n; j++) {
		add_line(&t, &state, (size_t)abs(shorts[i].lens[j]));
		if (shorts[i].lens[j] >= 0)
			end_line(&t);
	}
	return t;
}

static const size_t maxima[] = { 1, 2, 7, MAX };

/* In two pieces cut at every byte, and short ones in three. */
static void
every_split_of(const struct code *code, struct lines *l, const struct text *t,
    const char *name, struct tally *tally)
{
	for (size_t i = 0; i < 2 * COUNT(maxima); i++) {
		const size_t max = maxima[i / 2];
		for (size_t a = 0; a <= t->len; a++)
			for (size_t b = a; b <= t->len; b++) {
				const size_t ends[] = { a, b };
				struct course c = new_course(code, l, t,
				    i % 2 == 1, max);
				if (b > a && t->len > 40)
					break;
				CASE(tally, in_pieces(&c, ends, 2),
				    "%s cut at %zu and %zu, %zu at a time",
				    name, a, b, max);
			}
	}
}

static void
every_split(const struct code *code)
{
	static const uint8_t separators[] = { '\n', '\0' };
	struct tally two = { 0 }, bytes = { 0 }, whole = { 0 };

	for (size_t i = 0; i < COUNT(separators) * COUNT(shorts);
	    i += cases(1, 7)) {
		const uint8_t separator = separators[i % COUNT(separators)];
		const char *name = shorts[i / COUNT(separators)].name;
		const struct text t =
		    short_text(i / COUNT(separators), separator);
		struct lines *l = code->new(separator);
		size_t *ends = calloc(t.len + 1, sizeof(*ends));
		if (l == NULL || ends == NULL)
			abort();
		every_split_of(code, l, &t, name, &two);
		for (size_t j = 0; j < t.len; j++)
			ends[j] = j;
		struct course c = new_course(code, l, &t, false, 3);
		CASE(&bytes, in_pieces(&c, ends, t.len), "%s", name);
		for (size_t j = 0; j < COUNT(maxima); j++) {
			c = new_course(code, l, &t, j % 2 == 1, maxima[j]);
			CASE(&whole, from_file(&c), "%s, %zu at a time", name,
			    maxima[j]);
		}
		free(ends);
		code->free(l);
		free(t.bytes);
	}
	OK_ALL_OF(&two, code->name, "lines in pieces are cut as one text");
	OK_ALL_OF(&bytes, code->name, "lines that come byte by byte too");
	OK_ALL_OF(&whole, code->name, "lines from a file too");
}

/* Random lengths: mostly short, some long; some texts end in a separator. */
static void
random_texts(const struct code *code)
{
	struct tally pieces = { 0 }, files = { 0 };
	uint64_t state = 7;

	for (unsigned round = 0; round < cases(60, 2); round++) {
		struct text t = { .separator = round % 2 ? '\n' : '\0' };
		struct lines *l = code->new(t.separator);
		const size_t size = random_size(&state, 400000);
		const size_t longest = (size_t)2 << random_size(&state, 14);
		size_t ends[100], n = 0;
		if (l == NULL)
			abort();
		while (t.len < size) {
			add_line(&t, &state, random_size(&state, longest));
			end_line(&t);
		}
		if (round % 3 == 0 && t.len > 0)
			t.len--;
		for (size_t at = 0; n < COUNT(ends) && at + 60000 < t.len; n++)
			ends[n] = at += random_size(&state, 60000);
		const size_t max = maxima[random_size(&state, COUNT(maxima))];
		struct course c = new_course(code, l, &t, round % 5 == 0, max);
		CASE(&pieces, in_pieces(&c, ends, n),
		    "text %u, %zu at a time", round, max);
		c = new_course(code, l, &t, round % 5 == 0, max);
		CASE(&files, from_file(&c), "text %u, %zu at a time", round,
		    max);
		code->free(l);
		free(t.bytes);
	}
	OK_ALL_OF(&pieces, code->name, "random lines from a pipe");
	OK_ALL_OF(&files, code->name, "random lines from a file");
}

/*
 * Around the size of the buffer, 256 KiB, and of what it grows to.  Each with
 * a new reader, since a buffer that has grown stays large.
 */
static void
long_lines(const struct code *code)
{
	static const size_t lens[] = { 262079, 262080, 262081, 262142, 262143,
		262144, 262145, 262208, 524287, 524288, 524289, 3 << 20 };
	struct tally alone = { 0 }, among = { 0 };
	uint64_t state = 8;

	for (size_t i = 0; i < 4 * COUNT(lens); i += cases(1, 23)) {
		const size_t len = lens[i / 4];
		const bool separated = i & 1, terminate = i & 2;
		struct text t = { .separator = '\n' };
		struct lines *l = code->new('\n');
		if (l == NULL)
			abort();
		add_line(&t, &state, len);
		if (separated)
			end_line(&t);
		struct course c = new_course(code, l, &t, terminate, 2);
		CASE(&alone, from_file(&c), "%zu bytes%s%s", len,
		    separated ? " and a separator" : "",
		    terminate ? ", terminated" : "");
		code->free(l);
		free(t.bytes);
	}
	for (size_t i = 0; i < COUNT(lens); i += cases(1, 12)) {
		struct text t = { .separator = '\n' };
		struct lines *l = code->new('\n');
		if (l == NULL)
			abort();
		for (size_t j = 0; j < 4; j++) {
			add_line(&t, &state, j);
			end_line(&t);
			add_line(&t, &state, lens[(i + j) % COUNT(lens)]);
			end_line(&t);
		}
		add_line(&t, &state, lens[i]);
		struct course c = new_course(code, l, &t, i % 2 == 1, 2);
		CASE(&among, from_file(&c), "beginning with %zu bytes",
		    lens[i]);
		code->free(l);
		free(t.bytes);
	}
	OK_ALL_OF(&alone, code->name, "a line as long as the buffer");
	OK_ALL_OF(&among, code->name, "long lines between short ones");
}

/* Two readers, and lines of all lengths around those of a buffer. */
static void
relays(const struct code *code)
{
	struct tally t = { 0 };
	uint64_t state = 11;

	for (size_t round = 0; round < 40; round++) {
		struct text text = { .separator = round % 2 ? '\n' : '\0' };
		struct lines *l = code->new(text.separator);
		struct lines *other = code->new(text.separator);
		const size_t most = (size_t)1 << random_size(&state, 19);
		if (l == NULL || other == NULL)
			abort();
		while (text.len < 700000) {
			add_line(&text, &state, random_size(&state, most));
			end_line(&text);
		}
		if (round % 4 < 2)
			add_line(&text, &state, 1 + random_size(&state, most));
		struct course c = new_course(code, l, &text, round % 3 == 0,
		    MAX);
		CASE(&t, in_turn(&c, other), "lines of up to %zu bytes", most);
		code->free(l);
		code->free(other);
		free(text.bytes);
	}
	OK_ALL_OF(&t, code->name, "two readers in turn");
}

/* Asking for no lines gives none, and loses none. */
static void
none_at_a_time(const struct code *code)
{
	const struct text t = short_text(COUNT(shorts) - 1, '\n');
	struct lines *l = code->new('\n');
	struct course c = new_course(code, l, &t, false, MAX);
	struct line out;
	int fds[2];

	make_pipe(fds);
	code->start(l, fds[0], false);
	write_all(fds[1], t.bytes, t.len);
	close(fds[1]);
	bool ok = code->cut(l, &out, 1) == 0;
	ok = ok && code->read(l, SOON) == LINES_MORE;
	ok = ok && code->cut(l, &out, 0) == 0;
	take_lines(&c);
	is_up_to_date(&c, t.len);
	ok = ok && code->read(l, SOON) == LINES_END;
	ok = ok && code->cut(l, &out, 0) == 0;
	finish(&c);
	OK(ok && !c.wrong, "%s: asking for no lines loses none", code->name);
	close(fds[0]);
	code->free(l);
	free(t.bytes);
}

/* The next input begins anew, whatever was left of the one before. */
static void
next_input(const struct code *code)
{
	const struct text first = short_text(COUNT(shorts) - 1, '\n');
	const struct text second = short_text(9, '\n');
	struct lines *l = code->new('\n');
	struct line out[2];
	int fds[2];

	make_pipe(fds);
	code->start(l, fds[0], false);
	write_all(fds[1], first.bytes, first.len);
	bool ok = code->read(l, SOON) == LINES_MORE &&
	    code->cut(l, out, 2) == 2;
	close(fds[0]);
	close(fds[1]);
	struct course c = new_course(code, l, &second, false, 1);
	ok = ok && in_pieces(&c, NULL, 0) && c.count == 7;
	OK(ok, "%s: the next input begins anew", code->name);
	code->free(l);
	free(first.bytes);
	free(second.bytes);
}

static void
failures(const struct code *code)
{
	struct lines *l = code->new('\n');
	struct line out;
	int fds[2];

	make_pipe(fds);
	close(fds[0]);
	close(fds[1]);
	code->start(l, fds[0], false);
	errno = 0;
	OK(code->read(l, SOON) == LINES_FAILED && errno == EBADF,
	    "%s: reading from a closed descriptor fails", code->name);
	const int folder = open("/", O_RDONLY);
	code->start(l, folder, false);
	errno = 0;
	OK(code->read(l, SOON) == LINES_FAILED && errno == EISDIR,
	    "%s: reading from a folder fails", code->name);
	OK(code->cut(l, &out, 1) == 0,
	    "%s: and gives no lines", code->name);
	close(folder);
	code->free(l);
}

/* What the handlers of the timer do. */
static int late_fd;

static void
write_late(int sig)
{
	(void)sig;
	if (write(late_fd, "late\n", 5) != 5)
		abort();
}

static void
ask_to_end(int sig)
{
	(void)sig;
	raise(SIGTERM);
}

static void
in_20_ms(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };
	const struct itimerval timer = { .it_value = { .tv_usec = 20000 } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * Input that comes while it waits, from the handler of a signal that is none
 * of those that end a command: both interrupt the waiting, neither fails.
 */
static void
waiting(const struct code *code)
{
	struct lines *l = code->new('\n');
	struct line out;

	for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
		const char *kind = nonblocking ? "non-blocking" : "blocking";
		int fds[2];
		make_pipe(fds);
		if (nonblocking)
			fcntl(fds[0], F_SETFL, O_NONBLOCK);
		code->start(l, fds[0], false);
		OK(code->read(l, 0) == LINES_IDLE &&
		    code->read(l, 1) == LINES_IDLE &&
		    code->cut(l, &out, 1) == 0,
		    "%s: a %s pipe without input is idle", code->name, kind);
		late_fd = fds[1];
		in_20_ms(write_late);
		OK(code->read(l, -1) == LINES_MORE &&
		    code->cut(l, &out, 1) == 1 && out.len == 4 &&
		    memcmp(out.bytes, "late\n", 5) == 0,
		    "%s: a %s pipe is waited for", code->name, kind);
		close(fds[1]);
		OK(code->read(l, -1) == LINES_END,
		    "%s: a %s pipe ends", code->name, kind);
		close(fds[0]);
	}
	code->free(l);
}

/* Another reader was faster, or a signal came: neither is an error. */
static void
read_in_vain(void)
{
	struct lines *l = plain_new('\n');
	struct line out;
	int fds[2];

	make_pipe(fds);
	plain_start(l, fds[0], false);
	write_all(fds[1], (const uint8_t *)"x\n", 2);
	failing_reads = 4;
	OK(plain_read(l, SOON) == LINES_MORE && failing_reads == 0 &&
	    plain_cut(l, &out, 1) == 1 && out.len == 1,
	    "reads that fail with EAGAIN or EINTR are tried again");
	close(fds[0]);
	close(fds[1]);
	plain_free(l);
}

/* In a child: the signal stays caught for good. */
static void
ended_by_signal(const struct code *code)
{
	struct lines *l = code->new('\n');
	int fds[2], status = -1;

	make_pipe(fds);
	code->start(l, fds[0], false);
	fflush(stdout);
	if (fork() == 0) {
		signals_catch();
		in_20_ms(ask_to_end);
		errno = 0;
		if (code->read(l, SOON) != LINES_FAILED || errno != EINTR)
			_exit(1);
		/* Even where there is input, by now. */
		write_all(fds[1], (const uint8_t *)"x\n", 2);
		errno = 0;
		if (code->read(l, SOON) != LINES_FAILED || errno != EINTR)
			_exit(2);
		_exit(0);
	}
	wait(&status);
	OK(status == 0, "%s: a signal that was caught ends the waiting",
	    code->name);
	close(fds[0]);
	close(fds[1]);
	code->free(l);
}

/* A line of so many bytes after a short one: EMSGSIZE, or 0 if it is read. */
static int
error_of_line(size_t len, bool separated)
{
	struct text t = { .separator = '\n' };
	struct lines *l = plain_new('\n');
	FILE *file = tmpfile();
	struct line out[1];
	size_t n = 0, last = 0;
	uint64_t state = 9;

	add_byte(&t, 'a');
	end_line(&t);
	add_line(&t, &state, len);
	if (separated)
		end_line(&t);
	if (file == NULL)
		abort();
	write_all(fileno(file), t.bytes, t.len);
	lseek(fileno(file), 0, SEEK_SET);
	plain_start(l, fileno(file), false);
	enum lines_read r = LINES_MORE;
	errno = 0;
	while (r == LINES_MORE) {
		r = plain_read(l, SOON);
		for (; n < 3 && plain_cut(l, out, 1) == 1; n++)
			last = out[0].len;
	}
	const int error = r == LINES_FAILED ? errno : 0;
	const bool ok = error == 0 ? n == 2 && last == len :
	    n == 1 && last == 1;
	fclose(file);
	plain_free(l);
	free(t.bytes);
	return ok ? error : -1;
}

static void
longest_line(void)
{
	OK(built_max == UINT64_C(1) << 30, "a line may have 2^30 bytes");
	OK(error_of_line(PLAIN_MAX - 1, true) == 0 &&
	    error_of_line(PLAIN_MAX - 1, false) == 0,
	    "a line one byte below the limit is read");
	OK(error_of_line(PLAIN_MAX, true) == 0,
	    "the longest line is read");
	OK(error_of_line(PLAIN_MAX, false) == 0,
	    "the longest line is read at the end, too");
	OK(error_of_line(PLAIN_MAX + 1, true) == EMSGSIZE,
	    "a longer one is refused after the lines before it");
	OK(error_of_line(PLAIN_MAX + 1, false) == EMSGSIZE,
	    "a longer one is refused at the end, too");
	OK(error_of_line(2 * PLAIN_MAX, true) == EMSGSIZE,
	    "one twice as long is refused");
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(codes); i++) {
		every_split(&codes[i]);
		random_texts(&codes[i]);
		long_lines(&codes[i]);
		relays(&codes[i]);
		none_at_a_time(&codes[i]);
		next_input(&codes[i]);
		failures(&codes[i]);
		waiting(&codes[i]);
		ended_by_signal(&codes[i]);
	}
	read_in_vain();
	if (cases(1, 0) > 0)
		longest_line();
	return done();
}
