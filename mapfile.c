/*
 * Filter files.  The order of the steps here is what keeps keys from being
 * lost; bloomtool(5) says what each state and lock means.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* O_TMPFILE, F_OFD_SETLK, fallocate */
#endif
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "le.h"
#include "mapfile.h"
#include "number.h"

/*
 * Locks are on single bytes far past the end of any file: not flock(2), so
 * that "flock f.bf bloomtool add f.bf" does not wait for itself.  Open file
 * description locks where there are any: those of fcntl(2) vanish when any
 * descriptor of the file is closed.
 */
#define LOCK_WRITERS (INT64_C(1) << 62)
#define LOCK_BATCH (LOCK_WRITERS + 1)

#if defined(F_OFD_SETLK)
#define SETLK F_OFD_SETLK
#define SETLKW F_OFD_SETLKW
#define GETLK F_OFD_GETLK
#else
#define SETLK F_SETLK
#define SETLKW F_SETLKW
#define GETLK F_GETLK
#endif

struct mapfile {
	int fd;
	enum mapfile_use use;
	bool marked;		/* this process has seen the dirty mark synced */
	size_t size;
	uint8_t *base;
	struct format_live *live;
	struct header header;
};

static int
fail(char why[MAPFILE_WHY], const char *what)
{
	if (what == NULL)
		snprintf(why, MAPFILE_WHY, "%s", strerror(errno));
	else
		snprintf(why, MAPFILE_WHY, "%s: %s", what, strerror(errno));
	return -1;
}

static int
lock_byte(int fd, int command, short type, int64_t byte)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET,
	    .l_start = (off_t)byte, .l_len = 1 };
	int r;

	do
		r = fcntl(fd, command, &l);
	while (r == -1 && errno == EINTR);
	return r;
}

/* Does another process hold the lock of those that add? */
static bool
writers_present(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
	    .l_start = (off_t)LOCK_WRITERS, .l_len = 1 };

	/* If the question fails the careful answer is that nobody is there. */
	return fcntl(fd, GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

/*
 * What tells a crash of a process from a crash of the machine: 128 bits that
 * change at each boot.  All zero where the system has no such thing.
 */
static void
read_boot_id(uint64_t id[2])
{
	char text[64];
	unsigned digits = 0;

	id[0] = id[1] = 0;
	const int fd = open("/proc/sys/kernel/random/boot_id",
	    O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return;
	const ssize_t n = read(fd, text, sizeof(text));
	close(fd);
	for (ssize_t i = 0; i < n && digits < 32; i++) {
		static const char hex[] = "0123456789abcdef";
		const char *at = text[i] != '\0' ? strchr(hex, text[i]) : NULL;
		if (at == NULL)
			continue;
		id[digits / 16] = id[digits / 16] << 4 | (uint64_t)(at - hex);
		digits++;
	}
}

static bool
same_boot(const struct format_live *live)
{
	uint64_t id[2];

	read_boot_id(id);
	return (id[0] | id[1]) != 0 && le64_word(live->boot_id[0]) == id[0] &&
	    le64_word(live->boot_id[1]) == id[1];
}

/* ---- making a file ---- */

static int
write_all(int fd, const void *buf, size_t n, off_t at)
{
	const uint8_t *p = buf;

	while (n > 0) {
		const ssize_t w = pwrite(fd, p, n, at);
		if (w == -1 && errno == EINTR)
			continue;
		if (w == -1)
			return -1;
		p += w;
		at += w;
		n -= (size_t)w;
	}
	return 0;
}

static int
write_zeros(int fd, uint64_t size)
{
	static uint8_t zeros[1 << 20];	/* never written to */

	for (uint64_t at = 0; at < size; at += sizeof(zeros)) {
		const uint64_t left = size - at;
		const size_t n = left < sizeof(zeros) ? (size_t)left :
		    sizeof(zeros);
		if (write_all(fd, zeros, n, (off_t)at) == -1)
			return -1;
	}
	return 0;
}

/*
 * Reserve the space, so that a full disk is found out now and not as a SIGBUS
 * in the middle of an add.  Not posix_fallocate: where the file system cannot
 * reserve, its substitute writes a byte a page.
 */
static int
reserve(int fd, uint64_t size)
{
	struct statvfs fs;

	/* Do not fill a disk to the brim only to find that it is too small. */
	if (fstatvfs(fd, &fs) == 0 && fs.f_frsize > 0 &&
	    size / fs.f_frsize > fs.f_bfree) {
		errno = ENOSPC;
		return -1;
	}
#if defined(__linux__)
	int r;
	do
		r = fallocate(fd, 0, 0, (off_t)size);
	while (r == -1 && errno == EINTR);
	if (r == 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
		return r;
#endif
	return write_zeros(fd, size);
}

/* The directory in which a path's last part lies, to be freed. */
static char *
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	if (slash == path)
		return strdup("/");
	return strndup(path, (size_t)(slash - path));
}

/* A name beside path that is not in use, probably; to be freed. */
static char *
beside(const char *path)
{
	struct timespec now;
	const size_t size = strlen(path) + 32;
	char *name = malloc(size);

	if (name == NULL)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, size, "%s.%08lx.tmp", path,
	    ((unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 12) &
	    0xfffffffful);
	return name;
}

/*
 * A file being made.  Without a name where the system can do that, so that
 * nothing is left behind even by kill -9; else with one of its own.
 */
struct draft {
	int fd;
	char *directory;
	char *name;		/* NULL while it has none */
};

static int
draft_open(struct draft *d, const char *path)
{
	*d = (struct draft){ -1, directory_of(path), NULL };
	if (d->directory == NULL)
		return -1;
#if defined(O_TMPFILE)
	/* It gets its name through /proc, which may not be mounted. */
	if (access("/proc/self/fd", F_OK) == 0) {
		d->fd = open(d->directory, O_TMPFILE | O_RDWR | O_CLOEXEC,
		    0666);
		if (d->fd != -1)
			return 0;
		if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOSYS)
			return -1;
	}
#endif
	d->name = beside(path);
	if (d->name == NULL)
		return -1;
	d->fd = open(d->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (d->fd == -1) {
		free(d->name);
		d->name = NULL;
	}
	return d->fd == -1 ? -1 : 0;
}

static int
draft_link(const struct draft *d, const char *path)
{
	char proc[64];

	if (d->name != NULL)
		return link(d->name, path);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", d->fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int
draft_replace(struct draft *d, const char *path)
{
	if (d->name == NULL) {
		char *name = beside(path);
		if (name == NULL || draft_link(d, name) == -1) {
			free(name);
			return -1;
		}
		d->name = name;
	}
	if (rename(d->name, path) == -1)
		return -1;
	free(d->name);
	d->name = NULL;
	return 0;
}

/* Give it its name; no signal may come between two names. */
static int
draft_publish(struct draft *d, const char *path, bool replace)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	const int r = replace ? draft_replace(d, path) : draft_link(d, path);
	const int saved = errno;
	if (d->name != NULL)
		unlink(d->name);
	free(d->name);
	d->name = NULL;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

static void
draft_close(struct draft *d)
{
	if (d->name != NULL)
		unlink(d->name);
	if (d->fd != -1)
		close(d->fd);
	free(d->name);
	free(d->directory);
}

static int
sync_directory(const char *directory)
{
	const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return -1;
	const int r = fsync(fd);
	const int saved = errno;
	close(fd);
	/* Some file systems cannot sync a directory and need not. */
	if (r == -1 && saved != EINVAL) {
		errno = saved;
		return -1;
	}
	return 0;
}

static int
draft_fill(const struct draft *d, const struct header *h,
    char why[MAPFILE_WHY])
{
	uint8_t buf[FORMAT_HEADER];
	const uint64_t size = format_file_size(h->shape.blocks);
	char words[NUMBER_WORDS], what[64];

	format_encode(h, buf);
	if (reserve(d->fd, size) == -1) {
		snprintf(what, sizeof(what), "cannot reserve %s",
		    number_bytes(size, words));
		return fail(why, what);
	}
	if (write_all(d->fd, buf, sizeof(buf), 0) == -1)
		return fail(why, "write");
	if (fsync(d->fd) == -1)
		return fail(why, "sync");
	return 0;
}

int
mapfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[MAPFILE_WHY])
{
	struct draft d = { -1, NULL, NULL };
	struct stat st;
	int r = -1;

	*exists = false;
	if (!replace && lstat(path, &st) == 0) {
		*exists = true;
		errno = EEXIST;
		return fail(why, NULL);
	}
	if (draft_open(&d, path) == -1) {
		fail(why, NULL);
	} else if (draft_fill(&d, h, why) == -1) {
		;
	} else if (draft_publish(&d, path, replace) == -1) {
		*exists = errno == EEXIST;
		fail(why, NULL);
	} else if (sync_directory(d.directory) == -1) {
		fail(why, "sync of its directory");
		if (!replace)
			unlink(path);
	} else {
		r = 0;
	}
	draft_close(&d);
	return r;
}

/* ---- opening one ---- */

/* Refuses what is no regular file; O_NONBLOCK so that a FIFO does not hang. */
static int
open_regular(const char *path, bool add, off_t *size, char why[MAPFILE_WHY])
{
	struct stat st;
	const int fd = open(path, (add ? O_RDWR : O_RDONLY) | O_CLOEXEC |
	    O_NOCTTY | O_NONBLOCK);

	if (fd == -1)
		return fail(why, NULL);
	if (fstat(fd, &st) == -1) {
		fail(why, NULL);
	} else if (S_ISDIR(st.st_mode)) {
		snprintf(why, MAPFILE_WHY, "is a directory");
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(why, MAPFILE_WHY, "not a regular file");
	} else {
		*size = st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

/* The first bytes of the file, from a copy that nobody can change later. */
static ssize_t
read_head(int fd, uint8_t buf[FORMAT_HEADER])
{
	size_t have = 0;

	while (have < FORMAT_HEADER) {
		const ssize_t n = pread(fd, buf + have, FORMAT_HEADER - have,
		    (off_t)have);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int
check_header(int fd, off_t size, struct header *h, char why[MAPFILE_WHY])
{
	uint8_t buf[FORMAT_HEADER];
	const ssize_t n = read_head(fd, buf);
	char words[FORMAT_WORDS];

	if (n == -1)
		return fail(why, NULL);
	const struct format_fault f = format_decode(h, buf, (size_t)n,
	    (uint64_t)size);
	if (f.err == FORMAT_OK)
		return 0;
	snprintf(why, MAPFILE_WHY, "%s", format_strerror(&f, words));
	return -1;
}

int
mapfile_read_header(const char *path, struct header *h, char why[MAPFILE_WHY])
{
	off_t size;
	const int fd = open_regular(path, false, &size, why);

	if (fd == -1)
		return -1;
	const int r = check_header(fd, size, h, why);
	close(fd);
	return r;
}

/*
 * What a touch of the map does when the page cannot be had: the file was cut
 * short by somebody, the disk is broken, or a copy-on-write file system is
 * full.  The name is kept here because the handler may not look for it.
 */
static char bus_message[PATH_MAX + 128];

static void
on_bus_error(int sig)
{
	(void)sig;
	const ssize_t n = write(STDERR_FILENO, bus_message,
	    strlen(bus_message));
	(void)n;
	_exit(2);
}

static void
catch_bus_errors(const char *path)
{
	struct sigaction sa = { .sa_handler = on_bus_error };

	snprintf(bus_message, sizeof(bus_message), "bloomtool: %s: "
	    "part of the file cannot be read or written "
	    "(cut short, full or broken disk)\n", path);
	sigaction(SIGBUS, &sa, NULL);
}

static int
map(struct mapfile *m, off_t size, char why[MAPFILE_WHY])
{
	const bool add = m->use == MAPFILE_ADD;

	if ((uint64_t)size > SIZE_MAX) {
		errno = EFBIG;
		return fail(why, "does not fit into memory addresses");
	}
	m->size = (size_t)size;
	void *p = mmap(NULL, m->size, add ? PROT_READ | PROT_WRITE : PROT_READ,
	    MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return fail(why, "map");
	m->base = p;
	m->live = (struct format_live *)(m->base + FORMAT_LIVE);
	/* Advice: no harm if it is not taken. */
	posix_madvise(p, m->size, m->use == MAPFILE_SCAN ?
	    POSIX_MADV_SEQUENTIAL : POSIX_MADV_RANDOM);
	return 0;
}

struct mapfile *
mapfile_open(const char *path, enum mapfile_use use, char why[MAPFILE_WHY])
{
	struct mapfile *m = calloc(1, sizeof(*m));
	off_t size;

	if (m == NULL) {
		fail(why, NULL);
		return NULL;
	}
	m->use = use;
	m->fd = open_regular(path, use == MAPFILE_ADD, &size, why);
	if (m->fd == -1)
		goto no_file;
	if (check_header(m->fd, size, &m->header, why) == -1)
		goto no_map;
	if (use == MAPFILE_ADD &&
	    lock_byte(m->fd, SETLKW, F_RDLCK, LOCK_WRITERS) == -1) {
		fail(why, "lock");
		goto no_map;
	}
	if (map(m, size, why) == -1)
		goto no_map;
	catch_bus_errors(path);
	return m;

no_map:
	close(m->fd);
no_file:
	free(m);
	return NULL;
}

const struct header *
mapfile_header(const struct mapfile *m)
{
	return &m->header;
}

struct filter
mapfile_filter(const struct mapfile *m)
{
	return (struct filter){ (uint64_t *)(m->base + FORMAT_HEADER),
	    m->header.shape };
}

static enum mapfile_state
state_of(const struct mapfile *m)
{
	const uint64_t marks = le64_word(m->live->marks);

	if (marks & FORMAT_SYNC_FAILED)
		return MAPFILE_SYNC_FAILED;
	if (marks & FORMAT_UNCLEAN)
		return MAPFILE_UNCLEAN;
	if (le64_word(m->live->state) == FORMAT_CLEAN)
		return MAPFILE_CLEAN;
	if (writers_present(m->fd))
		return MAPFILE_IN_USE;
	/* The last one may have finished between the two looks. */
	if (le64_word(m->live->state) == FORMAT_CLEAN)
		return MAPFILE_CLEAN;
	return same_boot(m->live) ? MAPFILE_LEFT : MAPFILE_UNCLEAN;
}

struct mapfile_live
mapfile_live(const struct mapfile *m)
{
	return (struct mapfile_live){
		.state = state_of(m),
		.keys_added = le64_word(m->live->keys_added),
		.bits_set = le64_word(m->live->bits_set),
		.synced_at = (int64_t)le64_word(m->live->synced_at),
	};
}

/* ---- adding ---- */

static int
sync_header(struct mapfile *m)
{
	return msync(m->base, FORMAT_HEADER, MS_SYNC);
}

static void
set_mark(struct mapfile *m, enum format_mark mark)
{
	m->live->marks = le64_word(le64_word(m->live->marks) | mark);
}

/*
 * Before the first bit: say on stable storage that the file is being written,
 * and since which boot.  DIRTYING says that somebody may have died before
 * that sync, so that the next one does it again.
 */
static int
mark_dirty(struct mapfile *m)
{
	const uint64_t state = le64_word(m->live->state);
	uint64_t id[2];

	if (state == FORMAT_DIRTY && same_boot(m->live))
		return 0;
	/* Written when the machine went down: keys may be missing since. */
	if (state != FORMAT_CLEAN && !same_boot(m->live))
		set_mark(m, FORMAT_UNCLEAN);
	read_boot_id(id);
	m->live->boot_id[0] = le64_word(id[0]);
	m->live->boot_id[1] = le64_word(id[1]);
	m->live->state = le64_word(FORMAT_DIRTYING);
	if (sync_header(m) == -1)
		return -1;
	m->live->state = le64_word(FORMAT_DIRTY);
	return 0;
}

int
mapfile_lock(struct mapfile *m, char why[MAPFILE_WHY])
{
	if (lock_byte(m->fd, SETLKW, F_WRLCK, LOCK_BATCH) == -1)
		return fail(why, "lock");
	if (!m->marked) {
		if (mark_dirty(m) == -1) {
			fail(why, "sync");
			mapfile_unlock(m);
			return -1;
		}
		m->marked = true;
	}
	return 0;
}

void
mapfile_unlock(struct mapfile *m)
{
	lock_byte(m->fd, SETLK, F_UNLCK, LOCK_BATCH);
}

void
mapfile_count(struct mapfile *m, uint64_t keys, uint64_t bits)
{
	m->live->keys_added = le64_word(le64_word(m->live->keys_added) + keys);
	m->live->bits_set = le64_word(le64_word(m->live->bits_set) + bits);
}

/*
 * The data first, and only when they are stored the word that they are: in
 * one sync the disk may store the second before the first.
 */
static int
sync_data(struct mapfile *m, char why[MAPFILE_WHY])
{
	struct stat st;

	/* Final: a second one would report success while the data are gone. */
	if (fdatasync(m->fd) == -1) {
		fail(why, "sync");
		set_mark(m, FORMAT_SYNC_FAILED);
		return -1;
	}
	if (fstat(m->fd, &st) == -1)
		return fail(why, NULL);
	if ((uint64_t)st.st_size != m->size) {
		snprintf(why, MAPFILE_WHY, "size changed while in use: %"
		    PRId64 " bytes, wanted %zu", (int64_t)st.st_size, m->size);
		return -1;
	}
	return 0;
}

static int
mark_clean(struct mapfile *m, char why[MAPFILE_WHY])
{
	/* Again, for those who were killed in the meantime. */
	if (sync_data(m, why) == -1)
		return -1;
	m->live->synced_at = le64_word((uint64_t)time(NULL));
	m->live->keys_synced = m->live->keys_added;
	m->live->state = le64_word(FORMAT_CLEAN);
	if (sync_header(m) == -1)
		return fail(why, "sync");
	return 0;
}

/*
 * Everybody lets go of the presence lock before trying to get it alone: of
 * two that leave at once, both would fail if they still held it.
 */
static int
leave(struct mapfile *m, char why[MAPFILE_WHY])
{
	if (m->marked && sync_data(m, why) == -1)
		return -1;
	lock_byte(m->fd, SETLK, F_UNLCK, LOCK_WRITERS);
	if (!m->marked ||
	    lock_byte(m->fd, SETLK, F_WRLCK, LOCK_WRITERS) == -1)
		return 0;	/* others are there: the last one does it */
	if (le64_word(m->live->state) == FORMAT_CLEAN)
		return 0;
	return mark_clean(m, why);
}

int
mapfile_close(struct mapfile *m, char why[MAPFILE_WHY])
{
	const int r = m->use == MAPFILE_ADD ? leave(m, why) : 0;

	munmap(m->base, m->size);
	close(m->fd);		/* and with it go the locks */
	free(m);
	return r;
}
