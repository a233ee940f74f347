/*
 * SIGBUS: what a touch of a mapped page does when the page cannot be had, as
 * the file was cut short by somebody, the disk is broken, or a copy-on-write
 * file system is full.
 */
#ifndef BUS_H
#define BUS_H

#include <stddef.h>

/*
 * From now on one at base[0..size), where this file is mapped, ends the program
 * with one line about the file and status 2.  From any thread.  -1: errno.
 */
int bus_catch(const char *path, const void *base, size_t size);

/* No longer; before it is unmapped, and with no other thread at work. */
void bus_forget(const void *base);

#endif
