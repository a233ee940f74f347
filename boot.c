/*
 * The boot id, as Linux has it in /proc.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"

void
boot_id(uint64_t id[2])
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
