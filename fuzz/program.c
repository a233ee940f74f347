/*
 * Fuzzes the whole program: a filter file that anybody may have made, keys,
 * and commands on them, one after the other, each in a child as main() runs
 * it.  Whatever the file: a command ends with 0, 1 or 2, what cannot be
 * decoded is refused and left alone, bits only come, and a key that has been
 * added is found.
 *
 * This file is built without counters of coverage, so that it can name those
 * of the program: a child hands them back.
 *
 * Input: what kind of file it is (enum kind), where it is cut, how many bytes
 * of commands follow and, in the upper half of that byte, its scheme, how many
 * of changes, these, and the keys.
 */
#define _GNU_SOURCE		/* memfd_create, on_exit */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "../boot.h"
#include "fuzz.h"

int bloomtool_main(int argc, char **argv);
const char *__asan_default_options(void);

/* Not 1: that is a status of the program. */
const char *
__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0";
}

/* ---- running ---- */

#define FILE_MAX 65536	/* of what is printed too */

struct file {
	uint8_t bytes[FILE_MAX];
	size_t size;
};

static char path[4096];
static int keys_fd, out_fd, err_fd;
static struct file before, after, out, err;

extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];
static uint8_t *covered;	/* shared with the child */
static size_t covered_size;

/* The fuzzer has a handler of its own, which must not come to run. */
static void
hand_back(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	memcpy(covered, __start___sancov_cntrs, covered_size);
	_exit(status);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = getenv("TMPDIR");

	(void)argc, (void)argv;
	snprintf(path, sizeof(path), "%s/filter-%ld",
	    dir != NULL ? dir : "/tmp", (long)getpid());
	keys_fd = memfd_create("keys", 0);
	out_fd = memfd_create("out", 0);
	err_fd = memfd_create("err", 0);
	MUST(keys_fd != -1 && out_fd != -1 && err_fd != -1);
	covered_size = (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
	covered = mmap(NULL, covered_size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(covered != MAP_FAILED);
	return 0;
}

static void
get(struct file *f, int fd)
{
	const ssize_t n = pread(fd, f->bytes, FILE_MAX, 0);

	MUST(n >= 0 && n < FILE_MAX);
	f->bytes[n] = '\0';
	f->size = (size_t)n;
}

static void
put(int fd, const void *p, size_t n)
{
	MUST(ftruncate(fd, 0) == 0 && pwrite(fd, p, n, 0) == (ssize_t)n);
	MUST(lseek(fd, 0, SEEK_SET) == 0);
}

static void
get_filter(struct file *f)
{
	const int fd = open(path, O_RDONLY);

	get(f, fd);
	close(fd);
}

static _Noreturn void
child(const char *command, const char *option)
{
	char *argv[] = { (char *)(uintptr_t)"bloomtool",
	    (char *)(uintptr_t)command, (char *)(uintptr_t)option, path, NULL };

	signal(SIGALRM, SIG_DFL);	/* until now it was the fuzzer's */
	alarm(10);
	dup2(keys_fd, 0);
	dup2(out_fd, 1);
	dup2(err_fd, 2);
	on_exit(hand_back, NULL);
	exit(bloomtool_main(4, argv));
}

/* The status; before, after, out and err have the rest. */
static int
run(const char *command, const char *option, struct bytes keys)
{
	int status;

	get_filter(&before);
	put(keys_fd, keys.p, keys.n);
	put(out_fd, "", 0);
	put(err_fd, "", 0);
	const pid_t pid = fork();
	MUST(pid != -1);
	if (pid == 0)
		child(command, option);
	while (waitpid(pid, &status, 0) == -1)
		MUST(errno == EINTR);
	memcpy(__start___sancov_cntrs, covered, covered_size);
	get_filter(&after);
	get(&out, out_fd);
	get(&err, err_fd);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)
		fprintf(stderr, "%s %s: status 0x%x\n%s\n", command, option,
		    (unsigned)status, (char *)err.bytes);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) <= 2);
	MUST(WEXITSTATUS(status) != 2 || err.size > 0);
	return WEXITSTATUS(status);
}

/* ---- what files and lines say ---- */

static uint64_t
word(const struct file *f, size_t at)
{
	return le64_get(f->bytes + at);
}

/* May a reader use it, or a writer? */
static bool
is_good(const struct file *f, bool write)
{
	struct header h;

	return format_decode(&h, f->bytes, f->size < FORMAT_HEADER ? f->size :
	    FORMAT_HEADER, f->size).kind == FAULT_NONE &&
	    (!write || h.write_flags == 0);
}

static bool
may_miss(const struct file *f)
{
	uint64_t id[2];

	MUST(boot_id(id) == 0);
	return word(f, AT_UNCLEAN) != 0 || word(f, AT_SYNC_FAILED) != 0 ||
	    (word(f, AT_STATE) != FORMAT_CLEAN && ((id[0] | id[1]) == 0 ||
	    word(f, AT_BOOT_ID) != id[0] || word(f, AT_BOOT_ID + 8) != id[1]));
}

static uint64_t
ones(const struct file *f)
{
	uint64_t n = 0;

	for (size_t i = FORMAT_HEADER; i < f->size; i++)
		n += (uint64_t)__builtin_popcount(f->bytes[i]);
	return n;
}

/* As many as the filter has; behind its last bit others may be set. */
static uint64_t
at_most_all(const struct file *f, uint64_t n)
{
	const uint64_t bits = word(f, AT_BITS);

	return n < bits ? n : bits;
}

/* A line with its newline. */
static struct bytes
take_line(struct bytes *from)
{
	const uint8_t *end = memchr(from->p, '\n', from->n);

	return bytes_take(from, end != NULL ? (size_t)(end - from->p) + 1 :
	    from->n);
}

static bool
is_same(struct bytes a, struct bytes b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* Take a line if it is this one. */
static bool
take_same(struct bytes *from, struct bytes line)
{
	struct bytes rest = *from;

	if (rest.n == 0 || !is_same(take_line(&rest), line))
		return false;
	*from = rest;
	return true;
}

/* How many lines were printed: each one of these, in order, and once. */
static uint64_t
must_be_some(struct bytes printed, struct bytes of)
{
	uint64_t n = 0;

	while (of.n > 0) {
		const struct bytes line = take_line(&of);
		if (!take_same(&printed, line))
			continue;
		n++;
		for (struct bytes rest = printed; rest.n > 0;)
			MUST(!is_same(take_line(&rest), line));
	}
	MUST(printed.n == 0);
	return n;
}

/* ---- what must hold ---- */

/* All keys, and how many bytes of them have been added. */
struct keys {
	struct bytes all;
	size_t known;
};

static void
must_be_unchanged(void)
{
	MUST(before.size == after.size);
	MUST(memcmp(before.bytes, after.bytes, before.size) == 0);
}

/* Each line is either in or not, what has been added is in. */
static void
check(struct keys *k, const char *option, struct bytes some)
{
	static struct file in_file;

	(void)some;
	const int status = run("check", option, k->all);
	must_be_unchanged();
	in_file = out;
	const int not_status = run("check", "-v", k->all);
	must_be_unchanged();
	struct bytes in = { in_file.bytes, in_file.size };
	struct bytes not_in = { out.bytes, out.size };
	if (!is_good(&before, false) || may_miss(&before)) {
		MUST(status == 2 && not_status == 2);
		MUST(in.n == 0 && not_in.n == 0);
		return;
	}
	MUST(status == (in.n == 0) && not_status == (not_in.n == 0));
	MUST(in.n >= k->known && memcmp(in.p, k->all.p, k->known) == 0);
	for (struct bytes all = k->all; all.n > 0;) {
		const struct bytes line = take_line(&all);
		MUST(take_same(&in, line) != take_same(&not_in, line));
	}
	MUST(in.n == 0 && not_in.n == 0);
}

/* Nothing but page 1 and zero bits may change. */
static void
must_only_grow(void)
{
	MUST(before.size == after.size);
	MUST(memcmp(before.bytes, after.bytes, FORMAT_LIVE) == 0);
	for (size_t i = FORMAT_HEADER; i < before.size; i++)
		MUST((before.bytes[i] & ~after.bytes[i]) == 0);
}

static void
now_known(struct keys *k, struct bytes added)
{
	if (added.n > k->known)
		k->known = added.n;
}

static void
add(struct keys *k, const char *option, struct bytes added)
{
	const int status = run("add", option, added);
	const bool failed = word(&before, AT_SYNC_FAILED) != 0;

	if (!is_good(&before, true)) {
		MUST(status == 2 && out.size == 0);
		must_be_unchanged();
		return;
	}
	must_only_grow();
	if (may_miss(&before) && option[1] != '-') {
		MUST(status == 2 && out.size == 0);
		MUST(ones(&before) == ones(&after));
		return;
	}
	/* A failed sync is final, whoever adds. */
	MUST(status == (failed && added.n > 0 ? 2 : 0));
	MUST(is_good(&after, true));
	MUST(may_miss(&after) == may_miss(&before));
	if (!may_miss(&after) && added.n > 0)
		MUST(word(&after, AT_STATE) == FORMAT_CLEAN);
	const uint64_t fresh = word(&after, AT_KEYS_ADDED) -
	    word(&before, AT_KEYS_ADDED);
	const uint64_t counted = word(&before, AT_BITS_SET) + ones(&after) -
	    ones(&before);
	MUST(word(&after, AT_BITS_SET) == at_most_all(&after, counted));
	if (option[1] == 'v') {
		struct bytes new = added;
		bytes_take(&new, k->known);
		MUST(must_be_some((struct bytes){ out.bytes, out.size }, new)
		    == fresh);
	}
	if (option[1] == 'c')
		MUST(strtoull((char *)out.bytes, NULL, 10) == fresh);
	if (status == 0)
		now_known(k, added);
}

static void
recover(struct keys *k, const char *option, struct bytes added)
{
	const int status = run("recover", option, added);
	const bool accept = option[1] == 'a';

	if (!is_good(&before, true)) {
		MUST(status == 2);
		must_be_unchanged();
		return;
	}
	must_only_grow();
	MUST(status == (accept || added.n > 0 ? 0 : 2));
	if (status == 2)
		return;
	MUST(is_good(&after, true) && word(&after, AT_STATE) == FORMAT_CLEAN);
	MUST(!may_miss(&after));
	MUST(word(&after, AT_BITS_SET) == at_most_all(&after, ones(&after)));
	if (!accept)
		now_known(k, added);
}

static void
stats(struct keys *k, const char *option, struct bytes some)
{
	const int status = run("stats", option, some);
	const bool wrong = !is_good(&before, false) ||
	    (option[1] == 'V' && ones(&before) < word(&before, AT_BITS_SET)) ||
	    (option[1] == 'c' && may_miss(&before));

	must_be_unchanged();
	MUST((status == 2) == wrong);
	MUST(status != 1 || option[1] == 'c');
	MUST(memchr(out.bytes, '\0', out.size) == NULL);
	(void)k;
}

static void
create(struct keys *k, const char *option, struct bytes some)
{
	MUST(run("create", option, some) == 0);
	MUST(is_good(&after, true) && ones(&after) == 0);
	k->known = 0;
}

static const struct {
	void (*run)(struct keys *k, const char *option, struct bytes some);
	const char *option;
} commands[] = {
	{ create, "-fqn50" }, { check, "--" }, { add, "--" }, { add, "-v" },
	{ add, "-c" }, { recover, "--" }, { recover, "-a" }, { stats, "--" },
	{ stats, "-J" }, { stats, "-V" }, { stats, "-c" }
};

/* With some quarters of the keys, in whole lines. */
static void
command(struct keys *k, unsigned what)
{
	const unsigned c = what / 4 % (sizeof(commands) / sizeof(commands[0]));
	struct bytes rest = k->all;

	while (k->all.n - rest.n < k->all.n * (what % 4 + 1) / 4)
		take_line(&rest);
	commands[c].run(k, commands[c].option,
	    (struct bytes){ k->all.p, k->all.n - rest.n });
}

enum kind {
	BLOCKS = 7,		/* so many and one */
	LEAVE_SIZES = 8,	/* as changed */
	LEAVE_CHECKSUM = 16,
	THIS_BOOT = 32,		/* it was made dirty by this boot, if at all */
	FULL = 64,		/* most bits are set */
	CUT = 128
};

/* A number that is no scheme's leaves it what it is. */
static void
put_hostile(unsigned kind, unsigned scheme, size_t end, struct bytes changes)
{
	static uint8_t file[FORMAT_HEADER + 64 * (BLOCKS + 1)];
	const size_t blocks = (kind & BLOCKS) + 1;
	const size_t size = FORMAT_HEADER + 64 * blocks;
	uint64_t id[2];

	memset(file, kind & FULL ? 0x7e : 0, sizeof(file));
	put_header(file, blocks);
	put_changes(file, size, changes);
	if (kind & THIS_BOOT) {
		MUST(boot_id(id) == 0);
		le64_put(file + AT_BOOT_ID, id[0]);
		le64_put(file + AT_BOOT_ID + 8, id[1]);
	}
	if (!(kind & LEAVE_SIZES))
		put_sizes(file, blocks);
	if (scheme >= 2 && scheme <= SCHEME_LAST)
		put_scheme(file, scheme);
	if (!(kind & LEAVE_CHECKSUM))
		put_checksum(file);
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	put(fd, file, kind & CUT ? end % size : size);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	const unsigned kind = (unsigned)bytes_number(&in, 1);
	const size_t end = (size_t)bytes_number(&in, 2);
	const unsigned both = (unsigned)bytes_number(&in, 1);
	const size_t nchanges = (size_t)bytes_number(&in, 1);
	struct bytes chosen = bytes_take(&in, both % 8);

	put_hostile(kind, both / 16, end, bytes_take(&in, nchanges));
	struct keys k = { in, 0 };
	while (chosen.n > 0)
		command(&k, (unsigned)bytes_number(&chosen, 1));
	check(&k, "--", k.all);
	return 0;
}
