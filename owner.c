/*
 * Owner and group first: to change them may take permissions away.
 */
#if defined(__linux__)
#include <sys/xattr.h>
#endif
#include <sys/stat.h>

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "owner.h"

/*
 * Where there is an access control list the group's permissions are those that
 * its entries may have at most, so it has to be kept too; where there is none,
 * there shall be none.
 */
static int
keep_acl(int fd, const char *path)
{
#if defined(__linux__)
	static const char name[] = "system.posix_acl_access";
	uint8_t acl[4096];
	const ssize_t n = lgetxattr(path, name, acl, sizeof(acl));

	if (n >= 0)
		return fsetxattr(fd, name, acl, (size_t)n, 0);
	if (errno != ENODATA && errno != EOPNOTSUPP)
		return -1;
	/* The directory may have given it one. */
	return fremovexattr(fd, name) == 0 || errno == ENODATA ||
	    errno == EOPNOTSUPP ? 0 : -1;
#else
	(void)fd, (void)path;
	return 0;
#endif
}

/* The group must be kept: the permissions speak of it. */
int
owner_keep(int fd, const char *path)
{
	struct stat old, new;

	if (lstat(path, &old) == -1 || fstat(fd, &new) == -1)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISREG(old.st_mode)) {	/* it was one when we began */
		errno = EEXIST;
		return -1;
	}
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(fd, old.st_uid, old.st_gid) == -1 &&
	    fchown(fd, (uid_t)-1, old.st_gid) == -1)
		return -1;
	if (keep_acl(fd, path) == -1)
		return -1;
	return fchmod(fd, old.st_mode & 0777);
}
