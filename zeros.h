/*
 * Are there only zeros?
 */
#ifndef ZEROS_H
#define ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
zeros_only(const uint8_t *buf, size_t from, size_t to)
{
	uint8_t any = 0;

	/* No early end: so the compiler takes many bytes at a time. */
	for (size_t i = from; i < to; i++)
		any |= buf[i];
	return any == 0;
}

#endif
