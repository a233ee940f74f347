/*
 * Whom a file belongs to, and who may use it.
 */
#ifndef OWNER_H
#define OWNER_H

/*
 * The file that fd has open gets the owner (if the system lets us), group,
 * permissions and access control list of the one that path names and that it
 * is about to replace.  If there is none, nothing changes.  -1: errno, EEXIST
 * if that is no regular file.
 */
int owner_keep(int fd, const char *path);

#endif
