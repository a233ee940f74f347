/*
 * Makes filter files: an unnamed one, filled and synced, then linked.
 */
#if defined(__linux__)
#define _GNU_SOURCE		/* O_TMPFILE, fallocate */
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "le.h"
#include "locks.h"
#include "newfile.h"
#include "number.h"
#include "progress.h"
#include "regular.h"
#include "samefile.h"
#include "signals.h"
#include "space.h"
#include "stable.h"

/*
 * btrfs looks for new space at each write to a page, and if the disk is full
 * then kills the writer.  Without copy-on-write it does not, at the price of
 * its data checksums.  Only an empty file can be told so; it is no error if
 * that fails.
 */
static void
forbid_copy_on_write(int fd)
{
#if defined(FS_IOC_SETFLAGS) && defined(FS_NOCOW_FL)
#if defined(__GLIBC__)
	const unsigned long get = FS_IOC_GETFLAGS, set = FS_IOC_SETFLAGS;
#else
	const int get = (int)FS_IOC_GETFLAGS, set = (int)FS_IOC_SETFLAGS;
#endif
	struct statfs fs;
	int flags;

	if (fstatfs(fd, &fs) == 0 &&
	    (unsigned long)fs.f_type == BTRFS_SUPER_MAGIC &&
	    ioctl(fd, get, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, set, &flags);
	}
#else
	(void)fd;
#endif
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

/*
 * A new file is a draft first.  Without a name where the system can do that,
 * so that nothing is left behind even by kill -9; else with one of its own, in
 * the directory where it will be.
 */
struct newfile {
	int fd;
	mode_t mode;
	char *path;		/* the name that it will have */
	char *directory;
	int directory_fd;	/* to sync it; -1 if it may not be read */
	char *name;		/* NULL while it has none */
	uint64_t keys;		/* added to it when it got the name of path */
};

/* A name for it that is not in use, probably.  Short: paths have limits. */
static int
choose_name(struct newfile *f)
{
	struct timespec now;
	const size_t size = strlen(f->directory) + 32;

	free(f->name);
	f->name = malloc(size);
	if (f->name == NULL)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(f->name, size, "%s/.bloomtool.%08lx", f->directory,
	    ((unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 12) &
	    0xfffffffful);
	return 0;
}

static void
forget_name(struct newfile *f)
{
	free(f->name);
	f->name = NULL;
}

/* The draft that has a name of its own now, for who ends by exit(3). */
static const struct newfile *named;

static void
remove_named(void)
{
	if (named != NULL && named->name != NULL)
		unlink(named->name);
}

static int
open_named(struct newfile *f)
{
	static bool registered;

	if (!registered)
		registered = atexit(remove_named) == 0;
	named = f;
	for (int tries = 0; tries < 100; tries++) {
		if (choose_name(f) == -1)
			return -1;
		f->fd = open(f->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    f->mode);
		if (f->fd != -1)
			return 0;
		if (errno != EEXIST)
			break;
	}
	forget_name(f);
	return -1;
}

static int
open_directory(struct newfile *f)
{
	f->directory = directory_of(f->path);
	if (f->directory == NULL)
		return -1;
	f->directory_fd = open(f->directory, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	return f->directory_fd == -1 && errno != EACCES ? -1 : 0;
}

static int
open_draft(struct newfile *f)
{
	if (open_directory(f) == -1)
		return -1;
#if defined(O_TMPFILE)
	/* It gets its name through /proc, which may not be mounted. */
	if (access("/proc/self/fd", F_OK) == 0) {
		f->fd = open(f->directory, O_TMPFILE | O_RDWR | O_CLOEXEC,
		    f->mode);
		if (f->fd != -1)
			return 0;
		if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOSYS)
			return -1;
	}
#endif
	return open_named(f);
}

#if defined(SYS_renameat2) && defined(RENAME_EXCHANGE)
#define HAVE_RENAME_FLAGS 1
/* By its number: musl has no function for it. */
static int
rename_flags(const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}
#else
#define HAVE_RENAME_FLAGS 0
#endif

/* The file gets this name, which nothing may have. */
static int
link_draft(struct newfile *f, const char *path)
{
	char proc[64];

	if (f->name == NULL) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", f->fd);
		return linkat(AT_FDCWD, proc, AT_FDCWD, path,
		    AT_SYMLINK_FOLLOW);
	}
	if (link(f->name, path) == 0)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	/* A file system without links, such as FAT. */
#if HAVE_RENAME_FLAGS
	if (rename_flags(f->name, path, RENAME_NOREPLACE) == -1)
		return -1;
	forget_name(f);
	return 0;
#else
	return -1;
#endif
}

/* 0: that is the name of the file that fd has open.  ESTALE: of another one. */
static int
check_named(const char *path, int fd)
{
	struct stat a, b;

	if (lstat(path, &a) == -1 || fstat(fd, &b) == -1)
		return -1;
	if (same_file(&a, &b))
		return 0;
	errno = ESTALE;
	return -1;
}

/*
 * Trade names with the file that old_fd has open, and only with that: what came
 * out is looked at, and put back if it is another one.
 */
static int
trade_names(struct newfile *f, int old_fd)
{
#if HAVE_RENAME_FLAGS
	if (rename_flags(f->name, f->path, RENAME_EXCHANGE) == 0) {
		if (check_named(f->name, old_fd) == 0)
			return 0;	/* and that name is removed then */
		const int saved = errno;
		rename_flags(f->name, f->path, RENAME_EXCHANGE);
		errno = saved;
		return -1;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
#endif
	if (check_named(f->path, old_fd) == -1 ||
	    rename(f->name, f->path) == -1)
		return -1;
	forget_name(f);
	return 0;
}

static int
replace_by_draft(struct newfile *f, int old_fd)
{
	for (int tries = 0; f->name == NULL; tries++) {
		if (choose_name(f) == -1)
			return -1;
		char *name = f->name;
		f->name = NULL;
		if (link_draft(f, name) == 0) {
			f->name = name;
		} else {
			free(name);
			if (errno != EEXIST || tries == 100)
				return -1;
		}
	}
	if (old_fd != -1)
		return trade_names(f, old_fd);
	if (rename(f->name, f->path) == -1)
		return -1;
	forget_name(f);
	return 0;
}

/* Give it its name; no signal may come between two names. */
static int
name_draft(struct newfile *f, bool replace, int old_fd)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	const int r = replace ? replace_by_draft(f, old_fd) :
	    link_draft(f, f->path);
	const int saved = errno;
	if (f->name != NULL)
		unlink(f->name);
	forget_name(f);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return r;
}

/*
 * Where there is an access control list the group's permissions are those that
 * its entries may have at most, so it has to be kept too; where there is none,
 * there shall be none.
 */
static int
keep_acl(const struct newfile *f)
{
#if defined(__linux__)
	static const char name[] = "system.posix_acl_access";
	uint8_t acl[4096];
	const ssize_t n = lgetxattr(f->path, name, acl, sizeof(acl));

	if (n >= 0)
		return fsetxattr(f->fd, name, acl, (size_t)n, 0);
	if (errno != ENODATA && errno != EOPNOTSUPP)
		return -1;
	/* The directory may have given it one. */
	return fremovexattr(f->fd, name) == 0 || errno == ENODATA ||
	    errno == EOPNOTSUPP ? 0 : -1;
#else
	(void)f;
	return 0;
#endif
}

/*
 * It belongs to the owner and group, and has the permissions, of the file that
 * it is about to replace, if there is one.  The group must be kept, as the
 * permissions speak of it; the owner only where the system lets us.
 */
static int
keep_owner(const struct newfile *f)
{
	struct stat old, new;

	if (lstat(f->path, &old) == -1 || fstat(f->fd, &new) == -1)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISREG(old.st_mode)) {	/* it was one when we began */
		errno = EEXIST;
		return -1;
	}
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(f->fd, old.st_uid, old.st_gid) == -1 &&
	    fchown(f->fd, (uid_t)-1, old.st_gid) == -1)
		return -1;
	if (keep_acl(f) == -1)
		return -1;
	return fchmod(f->fd, old.st_mode & 0777);
}

/* That the name will survive a power cut. */
static int
sync_name(const struct newfile *f)
{
	const int r = f->directory_fd != -1 ? stable_file(f->directory_fd) :
	    stable_file_system(f->fd);

	/* Some file systems cannot sync a directory and need not. */
	return r == -1 && errno == EINVAL ? 0 : r;
}

int
newfile_check(const char *path, bool replace, bool *exists,
    char why[WHY_SIZE])
{
	struct stat st;

	*exists = false;
	if (lstat(path, &st) == -1)
		return 0;	/* what is wrong, if not ENOENT, shows later */
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return why_errno(why, NULL);
	}
	if (!replace) {
		*exists = true;
		errno = EEXIST;
		return why_errno(why, NULL);
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, WHY_SIZE, "not a regular file, will not "
		    "replace it");
		return -1;
	}
	return 0;
}

/* Its count of keys; what export writes may be too short to have one. */
static int
read_keys(const struct newfile *f, uint64_t *keys)
{
	uint8_t bytes[8] = { 0 };
	ssize_t n;

	do
		n = pread(f->fd, bytes, sizeof(bytes), FORMAT_LIVE +
		    (off_t)offsetof(struct format_live, keys_added));
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return -1;
	*keys = le64_get(bytes);
	return 0;
}

/*
 * Has nobody begun to use the new file?  Whoever is about to gets the lock only
 * when we are gone, and then notices that the file has no name.
 */
static bool
unused(const struct newfile *f)
{
	uint64_t keys;

	return locks_try(f->fd, LOCKS_WRITERS) && read_keys(f, &keys) == 0 &&
	    keys == f->keys;
}

static struct newfile *
allocate(const char *path)
{
	struct newfile *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->fd = f->directory_fd = -1;
	f->path = strdup(path);
	if (f->path != NULL)
		return f;
	free(f);
	return NULL;
}

static int
cannot_reserve(uint64_t size, char why[WHY_SIZE])
{
	char words[NUMBER_WORDS], what[64];

	snprintf(what, sizeof(what), "cannot reserve %s",
	    number_bytes(size, words));
	return why_errno(why, what);
}

struct newfile *
newfile_open(const char *path, mode_t mode, uint64_t size,
    char why[WHY_SIZE])
{
	struct newfile *f = allocate(path);

	if (f != NULL)
		f->mode = mode;
	if (f == NULL || open_draft(f) == -1) {
		why_errno(why, NULL);
		goto failed;
	}
	forbid_copy_on_write(f->fd);
	if (size > 0 && space_reserve(f->fd, 0, size) == -1) {
		cannot_reserve(size, why);
		goto failed;
	}
	return f;

failed:
	newfile_close(f);
	return NULL;
}

int
newfile_room(const struct newfile *f, uint64_t size, char why[WHY_SIZE])
{
	return space_room(f->fd, size) == -1 ? cannot_reserve(size, why) : 0;
}

int
newfile_fd(const struct newfile *f)
{
	return f->fd;
}

/*
 * Let the disk begin with the pieces that are complete now, while we make the
 * next: otherwise most of its work waits for the sync at the end.  An error
 * shows there.
 */
static void
start_writing(const struct newfile *f, uint64_t from, uint64_t to)
{
#if defined(SYNC_FILE_RANGE_WRITE)
	const uint64_t piece = UINT64_C(1) << 23;
	const uint64_t begin = from - from % piece, end = to - to % piece;

	if (begin < end)
		sync_file_range(f->fd, (off_t)begin, (off_t)(end - begin),
		    SYNC_FILE_RANGE_WRITE);
#else
	(void)f, (void)from, (void)to;
#endif
}

int
newfile_write(struct newfile *f, const void *buf, size_t n, uint64_t at)
{
	if (space_write(f->fd, buf, n, (off_t)at) == -1)
		return -1;
	start_writing(f, at, at + n);
	return 0;
}

int
newfile_copy(struct newfile *f, int from, uint64_t size)
{
	static uint8_t buf[1 << 18];

	for (uint64_t at = 0; at < size; ) {
		progress_at(at, 0);
		const ssize_t n = pread(from, buf, sizeof(buf), (off_t)at);
		if (n == -1 && errno == EINTR && !signals_caught())
			continue;
		if (n == 0)		/* it was cut short */
			errno = EIO;
		if (n > 0 && signals_caught()) {
			errno = EINTR;
			return -1;
		}
		if (n <= 0 || space_write(f->fd, buf, (size_t)n,
		    (off_t)at) == -1)
			return -1;
		at += (uint64_t)n;
	}
	return 0;
}

static int
publish(struct newfile *f, bool replace, int old_fd, bool *exists,
    char why[WHY_SIZE])
{
	*exists = false;
	if (replace && keep_owner(f) == -1)
		return why_errno(why, "cannot keep its owner");
	progress_begin("syncing", 0);
	const int r = stable_file(f->fd);
	progress_end();
	if (r == -1)
		return why_errno(why, "sync");
	if (signals_caught()) {
		errno = EINTR;
		return why_errno(why, NULL);
	}
	if (read_keys(f, &f->keys) == -1)
		return why_errno(why, "read");
	/*
	 * What was written in large pieces stands in large pages, and each of
	 * them would later be written whole for one bit.
	 */
#if defined(POSIX_FADV_DONTNEED)
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
#endif
	if (name_draft(f, replace, old_fd) == -1) {
		*exists = !replace && errno == EEXIST;
		return why_errno(why, NULL);
	}
	if (sync_name(f) == 0)
		return 0;
	why_errno(why, "sync of its directory");
	if (!replace && unused(f))
		unlink(f->path);
	return -1;
}

int
newfile_publish(struct newfile *f, bool replace, bool *exists,
    char why[WHY_SIZE])
{
	return publish(f, replace, -1, exists, why);
}

int
newfile_replace(struct newfile *f, int fd, char why[WHY_SIZE])
{
	bool exists;
	const int r = publish(f, true, fd, &exists, why);

	/* No name there at all comes to the same. */
	if (r == -1 && (errno == ESTALE || errno == ENOENT))
		snprintf(why, WHY_SIZE, "replaced or removed in the "
		    "meantime");
	return r;
}

void
newfile_close(struct newfile *f)
{
	if (f == NULL)
		return;
	if (named == f)
		named = NULL;
	if (f->name != NULL)
		unlink(f->name);
	forget_name(f);
	if (f->fd != -1)
		close(f->fd);
	if (f->directory_fd != -1)
		close(f->directory_fd);
	free(f->directory);
	free(f->path);
	free(f);
}

int
newfile_create(const char *path, const struct header *h, bool replace,
    bool *exists, char why[WHY_SIZE])
{
	uint8_t head[FORMAT_HEADER];
	const uint64_t size = format_file_size(h->shape.blocks);

	if (newfile_check(path, replace, exists, why) == -1 ||
	    regular_fits(size, why) == -1)
		return -1;
	format_encode(h, head);
	struct newfile *f = newfile_open(path, 0666, size, why);
	if (f == NULL)
		return -1;
	const int r = space_write(f->fd, head, sizeof(head), 0) == -1 ?
	    why_errno(why, "write") :
	    newfile_publish(f, replace, exists, why);
	newfile_close(f);
	return r;
}

int
newfile_keep(const char *path, char why[WHY_SIZE])
{
	struct newfile *f = allocate(path);
	int r = -1;

	if (f != NULL && open_directory(f) == 0) {
		if (f->directory_fd == -1)
			f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
			    O_NONBLOCK);
		if (f->directory_fd != -1 || f->fd != -1)
			r = sync_name(f);
	}
	if (r == -1)
		why_errno(why, "sync of its directory");
	newfile_close(f);
	return r;
}
