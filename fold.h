/*
 * ASCII letters in lower case; all other bytes as they are, whatever the
 * locale.
 */
#ifndef FOLD_H
#define FOLD_H

#include <stddef.h>
#include <stdint.h>

static inline uint8_t
fold_byte(uint8_t c)
{
	return (uint8_t)(c | (c >= 'A' && c <= 'Z') << 5);
}

static inline void
fold_bytes(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = fold_byte(from[i]);
}

#endif
