/*
 * blocklog IMAGE LOG MOUNTPOINT: a FUSE file system with one file, "disk",
 * whose bytes are those of IMAGE.  Each write and each sync of it goes to the
 * end of LOG before it is answered, in the order in which it came; power.py
 * makes the states of power cuts from that.  Runs in the foreground.
 *
 * One thread, and direct I/O: the kernel keeps nothing back, and nothing is
 * under way while a sync is logged.
 *
 * LOG is a row of records in the byte order of the machine: 32 bits kind,
 * 32 bits length, 64 bits offset, then the bytes written.
 */
#define FUSE_USE_VERSION 31
#include <fuse.h>

#include <sys/stat.h>
#include <sys/uio.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { WRITE = 1, SYNC = 2 };

struct record {
	uint32_t kind, length;
	uint64_t offset;
};

static int image, log_fd;

static int
append(enum kind kind, const char *bytes, size_t n, off_t offset)
{
	struct record r = { kind, (uint32_t)n, (uint64_t)offset };
	struct iovec v[2] = { { &r, sizeof(r) },
	    { (void *)(uintptr_t)bytes, n } };

	return writev(log_fd, v, n > 0 ? 2 : 1) == (ssize_t)(sizeof(r) + n) ?
	    0 : -EIO;
}

static int
disk_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	(void)fi;
	memset(st, 0, sizeof(*st));
	if (strcmp(path, "/") == 0) {
		st->st_mode = S_IFDIR | 0700;
		st->st_nlink = 2;
		return 0;
	}
	if (strcmp(path, "/disk") != 0)
		return -ENOENT;
	if (fstat(image, st) == -1)
		return -errno;
	st->st_mode = S_IFREG | 0600;
	return 0;
}

static int
disk_open(const char *path, struct fuse_file_info *fi)
{
	fi->direct_io = 1;
	return strcmp(path, "/disk") == 0 ? 0 : -ENOENT;
}

static int
disk_read(const char *path, char *buf, size_t n, off_t offset,
    struct fuse_file_info *fi)
{
	(void)path, (void)fi;
	const ssize_t r = pread(image, buf, n, offset);
	return r == -1 ? -errno : (int)r;
}

static int
disk_write(const char *path, const char *buf, size_t n, off_t offset,
    struct fuse_file_info *fi)
{
	(void)path, (void)fi;
	if (pwrite(image, buf, n, offset) != (ssize_t)n)
		return -EIO;
	return append(WRITE, buf, n, offset) == 0 ? (int)n : -EIO;
}

static int
disk_fsync(const char *path, int data_only, struct fuse_file_info *fi)
{
	(void)path, (void)data_only, (void)fi;
	return append(SYNC, NULL, 0, 0);
}

/* Discards and zeroes: there are none, so that all is in the writes. */
static int
disk_fallocate(const char *path, int mode, off_t offset, off_t n,
    struct fuse_file_info *fi)
{
	(void)path, (void)mode, (void)offset, (void)n, (void)fi;
	return -EOPNOTSUPP;
}

int
main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.getattr = disk_getattr,
		.open = disk_open,
		.read = disk_read,
		.write = disk_write,
		.fsync = disk_fsync,
		.fallocate = disk_fallocate,
	};
	char *args[] = { argv[0], "-f", "-s", argv[argc - 1], NULL };

	if (argc != 4)
		errx(2, "usage: blocklog IMAGE LOG MOUNTPOINT");
	image = open(argv[1], O_RDWR | O_CLOEXEC);
	if (image == -1)
		err(2, "%s", argv[1]);
	log_fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log_fd == -1)
		err(2, "%s", argv[2]);
	return fuse_main(4, args, &operations, NULL);
}
