/*
 * The bytes that other programs hash for a key.  Pure.
 */
#ifndef ENCODE_H
#define ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"

enum encode_case {
	ENCODE_AS_IS,
	ENCODE_LOWER,		/* A to Z as a to z */
	ENCODE_UPPER		/* a to z as A to Z */
};

/* The most bytes that a key of so many becomes. */
size_t encode_room(size_t len, bool utf16le);

/*
 * Put the key's bytes there, or its characters as UTF-16, little-endian and
 * without a mark; what is no UTF-8 becomes U+FFFD, byte by byte.  Returns how
 * many bytes that are.
 */
size_t encode_key(const struct line *key, enum encode_case letters,
    bool utf16le, uint8_t *to);

#endif
