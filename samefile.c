/*
 * Which file a name or a descriptor is of.
 */
#include "samefile.h"

bool
samefile_open(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && same_file(&sa, &sb);
}

bool
samefile_path(const char *path, int fd)
{
	struct stat a, b;

	return stat(path, &a) == 0 && fstat(fd, &b) == 0 && same_file(&a, &b);
}

bool
samefile_named(int fd)
{
	struct stat st;

	return fstat(fd, &st) == -1 || st.st_nlink > 0;
}
