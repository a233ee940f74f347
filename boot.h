/*
 * What tells the crash of a process from the crash of the machine.
 */
#ifndef BOOT_H
#define BOOT_H

#include <stdint.h>

/*
 * 128 bits that change at each boot; all zero where there is no such thing.
 * -1 with errno if there is, but it cannot be read.
 */
int boot_id(uint64_t id[2]);

#endif
