/*
 * The boot id, as Linux, macOS and FreeBSD have it.  The latter two were never
 * run.
 */
#include <sys/types.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <sys/sysctl.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"

/* The bytes that the system calls its boot by, 0 of them if it has none. */
static ssize_t
boot_bytes(char *buf, size_t size)
{
#if defined(__APPLE__)
	return sysctlbyname("kern.bootsessionuuid", buf, &size, NULL, 0) == 0 ?
	    (ssize_t)size : 0;
#elif defined(__FreeBSD__)
	return sysctlbyname("kern.boot_id", buf, &size, NULL, 0) == 0 ?
	    (ssize_t)size : 0;
#else
	int fd;
	ssize_t n;

	do
		fd = open("/proc/sys/kernel/random/boot_id",
		    O_RDONLY | O_CLOEXEC);
	while (fd == -1 && errno == EINTR);
	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	do
		n = read(fd, buf, size);
	while (n == -1 && errno == EINTR);
	const int saved = errno;
	close(fd);
	errno = saved;
	return n;
#endif
}

int
boot_id(uint64_t id[2])
{
	char text[64];
	unsigned digits = 0;
	const ssize_t n = boot_bytes(text, sizeof(text));

	id[0] = id[1] = 0;
	for (ssize_t i = 0; i < n && digits < 32; i++) {
		static const char hex[] = "0123456789abcdef";
		const char c = text[i] >= 'A' && text[i] <= 'F' ?
		    (char)(text[i] + 'a' - 'A') : text[i];
		const char *at = c != '\0' ? strchr(hex, c) : NULL;
		if (at == NULL)
			continue;
		id[digits / 16] = id[digits / 16] << 4 | (uint64_t)(at - hex);
		digits++;
	}
	return n == -1 ? -1 : 0;
}
