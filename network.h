/*
 * Network file systems.  Each host has pages of its own of a mapped file, and
 * writes them back whole: what two hosts add is lost in part.
 */
#ifndef NETWORK_H
#define NETWORK_H

/*
 * What kind of network file system an open file lies on; NULL if on none, as
 * far as the system tells.  (What goes through FUSE does not.)
 */
const char *network_name(int fd);

#endif
