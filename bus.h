/*
 * SIGBUS: what a touch of a mapped page does when the page cannot be had, as
 * the file was cut short by somebody, the disk is broken, or a copy-on-write
 * file system is full.
 */
#ifndef BUS_H
#define BUS_H

/*
 * From now on it ends the program with one line about this file and status 2.
 */
void bus_catch(const char *path);

#endif
