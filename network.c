/*
 * Known by number on Linux; the BSDs know which are local.  The latter was
 * never run.
 */
#if defined(__linux__)
#include <sys/vfs.h>
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__)
#include <sys/param.h>

#include <sys/mount.h>
#endif

#include <stddef.h>

#include "network.h"

#if defined(__linux__)
const char *
network_name(int fd)
{
	static const struct {
		unsigned long type;
		const char *name;
	} kinds[] = {
		{ 0x6969, "NFS" }, { 0x517b, "SMB" }, { 0xff534d42, "CIFS" },
		{ 0xfe534d42, "SMB2" }, { 0x01021997, "9P" },
		{ 0x00c36400, "Ceph" }, { 0x5346414f, "AFS" },
		{ 0x6b414653, "AFS" }, { 0x73757245, "Coda" },
		{ 0x47504653, "GPFS" }, { 0x0bd00bd0, "Lustre" },
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) == -1)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (((unsigned long)fs.f_type & 0xffffffff) == kinds[i].type)
			return kinds[i].name;
	return NULL;
}
#elif defined(MNT_LOCAL)
const char *
network_name(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_flags & MNT_LOCAL) == 0 ?
	    "not local" : NULL;
}
#else
const char *
network_name(int fd)
{
	(void)fd;
	return NULL;
}
#endif
