/*
 * Damages a filter file in every way and judges what becomes of it.
 *
 *	hostile FILTER KEYS MODE [BLOOMTOOL [EVERY]]
 *
 * FILTER is clean and holds all of KEYS, one a line; both are only read.  Each
 * case is opened by the program's own parts to check, to scan, to add and to
 * recover: refused with the right words, or taken, and then no key is missing
 * and no count wrong.  Each map lies between pages that may not be touched.
 * BLOOMTOOL is run for one bit of each byte, and for what is taken, or for every
 * so manyth of these.  Works in the current folder.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "le.h"
#include "mapfile.h"

#define MOST ((size_t)4 << 20)	/* bytes of a file */
#define GUARD ((size_t)1 << 20)
#define MAX_KEYS 64
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

extern char **environ;

struct file {
	int fd;
	size_t size;
	uint8_t bytes[MOST];
};

static struct file good, victim, after;	/* as it is; damaged; then used */
static struct file keys, out, errors;
static struct hash hashes[2 * MAX_KEYS];	/* of the keys, then of others */
static size_t nkeys;
static unsigned long cases, opens, taken, runs, failures;
static char about[64];		/* the case, in words */
static char *program;
static size_t every = 1;

/* What should become of the case: refused with these words, or NULL. */
static const char *to_read, *to_write;
static enum live_state state;

__attribute__((format(printf, 1, 2))) static void
failed(const char *format, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	if (++failures <= 20)
		printf("%s: %s\n", about, what);
}

static void
on_death(int sig)
{
	printf("%s: signal %d\n", about, sig);	/* all is lost anyway */
	fflush(stdout);
	_exit(2);
}

/* ---- maps with a guard on either side, in place of the C library's ---- */

static uint8_t *arena;

static void *
map_at(void *p, size_t n, int prot, int flags, int fd)
{
#ifdef SYS_mmap2
	return (void *)syscall(SYS_mmap2, p, n, prot, flags, fd, 0L);
#else
	return (void *)syscall(SYS_mmap, p, n, prot, flags, fd, 0L);
#endif
}

void *
mmap(void *p, size_t n, int prot, int flags, int fd, off_t offset)
{
	(void)p;
	if (arena == NULL)
		arena = map_at(NULL, MOST + 2 * GUARD, PROT_NONE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1);
	if (fd == -1 || offset != 0 || n > MOST)
		errx(2, "a map of another kind");
	return map_at(arena + GUARD, n, prot, flags | MAP_FIXED, fd);
}

int
munmap(void *p, size_t n)
{
	return map_at(p, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	    -1) == p ? 0 : -1;
}

/* ---- files ---- */

static void
open_file(struct file *f, const char *path, int flags)
{
	f->fd = open(path, flags | O_CLOEXEC, 0666);
	if (f->fd == -1)
		err(2, "%s", path);
}

static void
read_file(struct file *f)
{
	const ssize_t n = pread(f->fd, f->bytes, MOST - 1, 0);

	if (n == -1)
		err(2, "read");
	f->size = (size_t)n;
	f->bytes[n] = '\0';
}

static void
write_file(const struct file *f)
{
	if (pwrite(f->fd, f->bytes, f->size, 0) != (ssize_t)f->size ||
	    ftruncate(f->fd, (off_t)f->size) == -1)
		err(2, "write");
}

/* recover may have put another file in its place. */
static void
open_victim(void)
{
	if (victim.fd != 0)
		close(victim.fd);
	open_file(&victim, "victim.bf", O_RDWR | O_CREAT);
	after.fd = victim.fd;
}

static void
must_be_untouched(const char *by)
{
	read_file(&after);
	if (after.size != victim.size ||
	    memcmp(after.bytes, victim.bytes, victim.size) != 0)
		failed("%s: the file was changed", by);
}

static uint64_t
word(const struct file *f, size_t at)
{
	return le64_get(f->bytes + at);
}

static uint64_t
ones_of(const struct file *f)
{
	uint64_t n = 0;

	for (size_t i = FORMAT_HEADER; i < f->size; i += 8)
		n += (uint64_t)__builtin_popcountll(word(f, i));
	return n;
}

/* ---- what is right, by bloomtool(5) ---- */

#define RESERVED "header damaged: reserved bytes are not zero"
enum {
	STATE = 4096, UNCLEAN = 4104, BOOT = 4112, SYNC_FAILED = 4128,
	KEYS_ADDED = 4160, BITS_SET = 4168, ESTIMATED = 4176,
	SYNCED_AT = 4224, KEYS_SYNCED = 4232,
	MORE_LAYERS = 4240
};

static bool
is_reserved(size_t at)
{
	return (at >= 4136 && at < 4160) || (at >= 4184 && at < 4224) ||
	    at >= 4248;
}

/* The first thing wrong with page 1, or NULL. */
static const char *
wrong_in_page1(const struct file *f)
{
	if (word(f, MORE_LAYERS) > 0)
		return "header damaged: further layers ";
	if (word(f, STATE) > 2)
		return "header damaged: state ";
	if (word(f, UNCLEAN) > 1)
		return "header damaged: unclean mark ";
	if (word(f, SYNC_FAILED) > 1)
		return "header damaged: sync mark ";
	if (word(f, ESTIMATED) > 1)
		return "header damaged: estimate mark ";
	if (word(f, BITS_SET) > word(&good, 56))
		return "header damaged: bits set ";
	/* Flags: a build to come uses those bytes. */
	if ((word(f, 16) | word(f, 112)) == 0)
		for (size_t at = STATE; at < FORMAT_HEADER; at++)
			if (is_reserved(at) && f->bytes[at] != 0)
				return RESERVED;
	return NULL;
}

static void
want_by_page1(void)
{
	const uint8_t *boot = victim.bytes + BOOT;
	const bool here = word(&good, BOOT) != 0 &&
	    memcmp(boot, good.bytes + BOOT, 16) == 0;

	to_read = to_write = wrong_in_page1(&victim);
	state = word(&victim, SYNC_FAILED) != 0 ? LIVE_SYNC_FAILED :
	    word(&victim, UNCLEAN) != 0 ? LIVE_UNCLEAN :
	    word(&victim, STATE) == FORMAT_CLEAN ? LIVE_CLEAN :
	    here ? LIVE_LEFT : LIVE_UNCLEAN;
}

/*
 * Page 0.  With one bit of it flipped, a field outside min..max is refused with
 * its words, one within by the checksum.
 */
static const struct field {
	size_t at, end;
	const char *words;
	uint64_t min, max;
} fields[] = {
	{ 8, 12, "format version ", 1, 1 },
	{ 12, 16, "header damaged: header size ", 8192, 8192 },
	{ 16, 24, NULL, 0, UINT64_MAX },	/* compatible flags */
	{ 24, 32, "needs features that this build lacks", 0, 0 },
	{ 32, 36, "scheme ", 1, 10 },
	{ 36, 40, "header damaged: probes ", 1, 255 },
	{ 40, 44, "header damaged: blocks a key ", 1, 18 },
	{ 44, 48, "header damaged: action when full ", 0, 2 },
	{ 48, 56, "header damaged: blocks ", 1, UINT64_C(1) << 54 },
	{ 56, 64, "header damaged: bits ", 65536, 65536 },
	{ 64, 72, NULL, 0, UINT64_MAX },	/* seed */
	{ 72, 80, "header damaged: keys ", 1, UINT64_C(1000000000000000) },
	{ 80, 88, "header damaged: rate ", 1, UINT64_C(0x3fefffffffffffff) },
	{ 88, 96, "header damaged: file size ", 16384, 16384 },
	{ 96, 104, NULL, 0, UINT64_MAX },	/* time */
	{ 104, 112, "header damaged: length of the note ", 0, 1024 },
	{ 112, 120, NULL, 0, UINT64_MAX },	/* flags for writers */
	{ 120, 124, "header damaged: preference ", 0, 1 },
	{ 124, 128, "header damaged: variant ", 0, 0 },
	{ 128, 132, "header damaged: growth ", 0, 0 },
	{ 132, 136, "header damaged: encoding of keys ", 0, 0 },
	{ 136, 1024, RESERVED, 0, 0 },
	{ 1024, 1024 + 11, NULL, 0, UINT64_MAX },	/* the note */
	{ 1024 + 11, 4088, RESERVED, 0, 0 },
	{ 4088, 4096, NULL, 0, UINT64_MAX },	/* checksum */
};

static const char *
wrong_in_page0(size_t at)
{
	const struct field *f = fields;

	if (at < 8)
		return at > 5 || victim.bytes[0] == 0x3f ?
		    "damaged by a transfer in text mode" :
		    "not a bloomtool filter";
	while (at >= f->end)
		f++;
	const uint64_t x = f->end - f->at == 4 ?
	    le32_get(victim.bytes + f->at) : word(&victim,
	    f->end - f->at == 8 ? f->at : at / 8 * 8);
	if (x < f->min || x > f->max)
		return f->words;
	if (f->at == 32)		/* of others, which want a block a probe */
		return "header damaged: blocks a key ";
	if (f->at == 48)		/* the first that no longer agrees */
		return "header damaged: bits ";
	if ((f->at == 36 || f->at == 40) && le32_get(victim.bytes + 36) %
	    le32_get(victim.bytes + 40) != 0)
		return " blocks a key, wanted as many in each";
	if (f->at == 104 && x < word(&good, 104))
		return RESERVED;	/* the note's last bytes are */
	return "header damaged: checksum does not match";
}

/* ---- the program's parts ---- */

static void
must_have(struct mapfile *m, const char *use, size_t n)
{
	const struct filter f = mapfile_layers(m)->layer[0];
	bool in[2 * MAX_KEYS];

	if (filter_test(&f, hashes, n, in) != n)
		failed("%s: keys are missing", use);
}

/* The numbers are those of the file, which stays as it is. */
static void
look(struct mapfile *m, const char *use)
{
	const struct live live = mapfile_live(m);
	const struct filter f = mapfile_layers(m)->layer[0];
	struct census c = { 0, 0, 0 };
	char why[WHY_SIZE];

	filter_census(&f, 0, f.shape.blocks, &c);
	if (live.state != state)
		failed("%s: state %d, wanted %d", use, live.state, state);
	if (live.keys_added != word(&victim, KEYS_ADDED) ||
	    live.bits_set != word(&victim, BITS_SET) ||
	    live.synced_at != (int64_t)word(&victim, SYNCED_AT) ||
	    c.ones != ones_of(&victim))
		failed("%s: other counts than in the file", use);
	must_have(m, use, nkeys);
	if (mapfile_check_size(m, why) == -1 || mapfile_close(m, why) == -1)
		failed("%s: %s", use, why);
	must_be_untouched(use);
}

/* A count does not get over the most that it can be. */
static uint64_t
raised(uint64_t count, uint64_t by, uint64_t most)
{
	return by < most - count ? count + by : most;
}

/* What add or recover has left, of page 0, marks, counts and bits. */
static void
judge_change(const char *use, bool recover, uint64_t n, uint64_t bits)
{
	const bool failing = !recover && state == LIVE_SYNC_FAILED;
	const uint64_t unclean = failing ? word(&victim, UNCLEAN) :
	    !recover && state == LIVE_UNCLEAN;
	char why[WHY_SIZE];

	open_victim();
	read_file(&after);
	if (after.size != victim.size ||
	    memcmp(after.bytes, victim.bytes, FORMAT_LIVE) != 0)
		failed("%s: page 0 or the size was changed", use);
	for (size_t i = FORMAT_HEADER; i < after.size; i++)
		if ((victim.bytes[i] & ~after.bytes[i]) != 0)
			failed("%s: byte %zu lost a bit", use, i);
	if (word(&after, STATE) != (failing ? FORMAT_DIRTY : FORMAT_CLEAN) ||
	    word(&after, SYNC_FAILED) != failing ||
	    word(&after, UNCLEAN) != unclean)
		failed("%s: left with a wrong state or mark", use);
	const uint64_t most = (good.size - FORMAT_HEADER) * 8;
	if (ones_of(&after) != ones_of(&victim) + bits ||
	    word(&after, KEYS_ADDED) != raised(word(&victim, KEYS_ADDED), n,
	    UINT64_MAX) ||
	    word(&after, BITS_SET) != (recover ? ones_of(&after) :
	    raised(word(&victim, BITS_SET), bits, most)))
		failed("%s: counted wrong", use);

	/* And what was taken once is taken again. */
	struct mapfile *m = mapfile_open("victim.bf",
	    (struct mapfile_how){ .use = MAPFILE_CHECK }, why);
	if (m == NULL) {
		failed("%s: then check: %s", use, why);
	} else {
		must_have(m, use, 2 * nkeys);
		mapfile_close(m, why);
	}
}

static void
change(struct mapfile *m, const char *use, bool recover)
{
	const struct filter f = mapfile_layers(m)->layer[0];
	const int wanted = !recover && state == LIVE_SYNC_FAILED ? -1 : 0;
	char why[WHY_SIZE] = "";
	bool fresh[MAX_KEYS];
	uint64_t n, bits;

	if (mapfile_lock(m, why) == -1)
		failed("%s: lock: %s", use, why);
	filter_set(&f, hashes + nkeys, nkeys, fresh, &n, &bits);
	mapfile_count(m, n, bits);
	if (!recover)
		mapfile_unlock(m);
	if ((recover ? mapfile_recovered(m, why) : mapfile_close(m, why)) !=
	    wanted)
		failed("%s: does not end with %d: %s", use, wanted, why);
	judge_change(use, recover, n, bits);
}

static void
use_parts(void)
{
	static const struct { const char *name; enum mapfile_use use; } uses[] =
	    { { "check", MAPFILE_CHECK }, { "scan", MAPFILE_SCAN },
	    { "add", MAPFILE_ADD }, { "recover", MAPFILE_RECOVER } };
	char why[WHY_SIZE];

	for (size_t i = 0; i < COUNT(uses); i++) {
		const char *words = i < 2 ? to_read : to_write;
		write_file(&victim);
		struct mapfile *m = mapfile_open("victim.bf",
		    (struct mapfile_how){ .use = uses[i].use,
		    .wait = INFINITY, .network = true }, why);
		opens++;
		taken += m != NULL;
		if (m == NULL) {
			if (words == NULL || strstr(why, words) == NULL)
				failed("%s: \"%s\", wanted \"%s\"",
				    uses[i].name, why,
				    words == NULL ? "" : words);
			must_be_untouched(uses[i].name);
		} else if (words != NULL) {
			failed("%s: taken, wanted \"%s\"", uses[i].name, words);
			mapfile_close(m, why);
		} else if (i < 2) {
			look(m, uses[i].name);
		} else {
			change(m, uses[i].name, i == 3);
		}
	}
}

/* ---- the program itself ---- */

#define ANY 3
static const struct command {
	const char *words[5];
	bool writes;
	int status, missing;	/* if keys may be missing; ANY: 0 or 2 */
} commands[] = {
	{ { "check" }, false, 0, 2 },
	{ { "check", "-v" }, false, 1, 2 },
	{ { "stats" }, false, 0, 0 },
	{ { "stats", "--json", "--verify" }, false, ANY, ANY },
	{ { "create", "-q", "--like" }, false, 0, 0 },
	{ { "add" }, true, 0, ANY },
	{ { "add", "-v" }, true, 0, 2 },
	{ { "recover", "-q" }, true, 0, 0 },
	{ { "recover", "-aq" }, true, 0, 0 },
};

/* Its exit status, or minus the signal it died of. */
static int
run(const struct command *c)
{
	const char *argv[8] = { "bloomtool" };
	posix_spawn_file_actions_t a;
	int n = 1, status;
	pid_t pid;

	for (; c->words[n - 1] != NULL; n++)
		argv[n] = c->words[n - 1];
	argv[n++] = "victim.bf";
	if (strcmp(argv[1], "create") == 0)
		argv[n] = "made.bf";
	unlink("made.bf");
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_addopen(&a, 0, "keys", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&a, 1, "out", O_WRONLY | O_TRUNC, 0);
	posix_spawn_file_actions_addopen(&a, 2, "errors", O_WRONLY | O_TRUNC, 0);
	if ((errno = posix_spawn(&pid, program, &a, NULL,
	    (char **)(uintptr_t)argv, environ)) != 0 ||
	    waitpid(pid, &status, 0) == -1)
		err(2, "%s", program);
	posix_spawn_file_actions_destroy(&a);
	read_file(&out);
	read_file(&errors);
	runs++;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
run_command(const struct command *c)
{
	const char *said = (const char *)errors.bytes;
	const char *name = c->words[1] != NULL ? c->words[1] : c->words[0];
	const char *words = c->writes ? to_write : to_read;
	const bool missing = live_may_miss(state);
	const int wanted = words != NULL ? 2 :
	    missing ? c->missing : c->status;

	write_file(&victim);
	const int status = run(c);
	open_victim();
	if (wanted == ANY ? status != 0 && status != 2 : status != wanted)
		failed("%s %s: exit status %d, wanted %d: %s", c->words[0],
		    name, status, wanted, said);
	if (words != NULL && (strncmp(said, "bloomtool: victim.bf: ", 22) !=
	    0 || strstr(said, words) == NULL || strchr(said, '\n') != said +
	    errors.size - 1 || out.size != 0 || access("made.bf", F_OK) == 0))
		failed("%s %s: wanted \"%s\", got: %s", c->words[0], name,
		    words, said);
	if (words == NULL && missing && c->missing == 2 && (out.size != 0 ||
	    strstr(said, " may be missing: ") == NULL))
		failed("%s %s: does not say it: %s", c->words[0], name, said);
	if (wanted == 0 && strcmp(name, "check") == 0 && (out.size !=
	    keys.size || memcmp(out.bytes, keys.bytes, keys.size) != 0))
		failed("check: did not print all keys");
	if (words != NULL || !c->writes)
		must_be_untouched(c->words[0]);
}

/* The next so many of the commands. */
static void
use_program(size_t n)
{
	static size_t chances, turn;

	if (program == NULL || chances++ % every != 0)
		return;
	for (; n > 0; n--)
		run_command(&commands[turn++ % COUNT(commands)]);
}

/* ---- the cases ---- */

/* To the header's end, then around the borders of pages, then longer. */
static void
length_case(size_t i)
{
	static const size_t borders[] = { 8193, 12287, 12288, 12289, 16383 };
	size_t n = i;

	if (i > FORMAT_HEADER) {
		i -= FORMAT_HEADER + 1;
		n = i < 5 ? borders[i] : good.size +
		    (i < 5 + 64 ? i - 4 : (size_t)64 << (i - 68));
	}
	to_read = to_write = n == 0 ? "empty file" : n < 8 ?
	    "not a bloomtool filter" : n < FORMAT_HEADER ? "cut off: " :
	    "wrong size: ";
	snprintf(about, sizeof(about), "%zu bytes", n);
	victim.size = n;
	use_parts();
	use_program(1);
}

static void
flip(size_t at, size_t bit)
{
	snprintf(about, sizeof(about), "byte %zu, bit %zu", at, bit);
	victim.bytes[at] ^= (uint8_t)(1 << bit);
	if (at < FORMAT_LIVE)
		to_read = to_write = wrong_in_page0(at);
	else
		want_by_page1();
	use_parts();
	if (to_read == NULL || bit == at % 8)
		use_program(to_read == NULL ? 3 : 1);
	victim.bytes[at] = good.bytes[at];
}

static void
page0_case(size_t i)
{
	flip(i / 8, i % 8);
}

static void
page1_case(size_t i)
{
	flip(FORMAT_LIVE + i / 8, i % 8);
}

/* The same of a filter whose writer was killed in this boot. */
static void
left_case(size_t i)
{
	victim.bytes[STATE] = FORMAT_DIRTY;
	page1_case(i);
}

/* Several words of page 1; each case has numbers of its own. */
static void
random_case(size_t i)
{
	static const size_t places[] = { STATE, UNCLEAN, BOOT, BOOT + 8,
	    SYNC_FAILED, KEYS_ADDED, BITS_SET, ESTIMATED, SYNCED_AT,
	    KEYS_SYNCED };

	snprintf(about, sizeof(about), "random words, seed %zu", i);
	for (uint64_t n = i % 5 + 1; n > 0; n--) {
		const struct hash r = hash_key(&i, sizeof(i), n);
		const uint64_t x[] = { 0, 1, 2, r.hi / 8 % 65536, 65536, r.hi,
		    UINT64_C(1) << r.hi / 8 % 64, UINT64_MAX };
		le64_put(victim.bytes + (r.lo % 64 == 0 ?
		    FORMAT_LIVE + r.lo / 64 % 512 * 8 :
		    places[r.lo / 64 % COUNT(places)]),
		    x[r.hi % (i % 3 == 0 ? 8 : 2)]);
	}
	want_by_page1();
	use_parts();
	if (i % 3 == 0 && to_read == NULL)
		use_program(2);
	memcpy(victim.bytes, good.bytes, FORMAT_HEADER);
}

/*
 * Flags of builds to come, which use bytes that are reserved here: 64 that this
 * one may ignore, and 64 that forbid it to write.
 */
static void
flag_case(size_t i)
{
	const uint64_t flag = UINT64_C(1) << i % 64;
	char words[80];

	snprintf(about, sizeof(about), "flag %zu", i);
	snprintf(words, sizeof(words), "needs features that this build lacks "
	    "to write to it (flags 0x%" PRIx64 ")", flag);
	le64_put(victim.bytes + (i < 64 ? 16 : 112), flag);
	victim.bytes[2048] = victim.bytes[5000] = 1;
	le64_put(victim.bytes + 4088, hash_checksum(victim.bytes, 4088));
	to_read = NULL;
	to_write = i < 64 ? NULL : words;
	use_parts();
	use_program(COUNT(commands));
	memcpy(victim.bytes, good.bytes, FORMAT_HEADER);
}

static const struct mode {
	const char *name;
	size_t cases;
	void (*one)(size_t i);
} modes[] = {
	{ "lengths", FORMAT_HEADER + 1 + 5 + 64 + 14, length_case },
	{ "page0", FORMAT_LIVE * 8, page0_case },
	{ "page1", FORMAT_LIVE * 8, page1_case },
	{ "page1-left", FORMAT_LIVE * 8, left_case },
	{ "random", 5000, random_case },
	{ "flags", 128, flag_case },
};

static void
take_keys(void)
{
	const char *p = (const char *)keys.bytes;

	for (; *p != '\0' && nkeys < MAX_KEYS; nkeys++)
		p += strcspn(p, "\n") + 1;
	p = (const char *)keys.bytes;
	for (size_t i = 0; i < nkeys; i++, p += strcspn(p, "\n") + 1) {
		const size_t n = strcspn(p, "\n");
		hashes[i] = hash_key(p, n, word(&good, 64));
		hashes[nkeys + i] = hash_key(p, n + 1, word(&good, 64));
	}
}

int
main(int argc, char **argv)
{
	const struct mode *m = modes;

	if (argc < 4)
		errx(2, "usage: hostile FILTER KEYS MODE [BLOOMTOOL [EVERY]]");
	while (strcmp(m->name, argv[3]) != 0)
		if (++m == modes + COUNT(modes))
			errx(2, "no mode %s", argv[3]);
	if (argc > 4)
		program = argv[4];
	if (argc > 5)
		every = strtoul(argv[5], NULL, 10);
	open_file(&good, argv[1], O_RDONLY);
	read_file(&good);
	if (good.size != 16384 || le32_get(good.bytes + 36) != 18 ||
	    le32_get(good.bytes + 40) != 2 || word(&good, 104) != 11)
		errx(2, "%s: of another shape than the tables here", argv[1]);
	open_file(&keys, argv[2], O_RDONLY);
	read_file(&keys);
	take_keys();
	open_file(&keys, "keys", O_WRONLY | O_CREAT);
	write_file(&keys);
	open_file(&out, "out", O_RDWR | O_CREAT);
	open_file(&errors, "errors", O_RDWR | O_CREAT);
	open_victim();
	memcpy(victim.bytes, good.bytes, good.size);
	signal(SIGSEGV, on_death);
	signal(SIGALRM, on_death);
	for (; cases < m->cases; cases++) {
		victim.size = good.size;
		alarm(20);
		m->one(cases);
	}
	printf("%s: %lu cases, opened %lu times, taken %lu times; bloomtool "
	    "run %lu times; %lu wrong\n", m->name, cases, opens, taken, runs,
	    failures);
	return failures > 0;
}
