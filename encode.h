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

/* As what they hash it. */
enum encoding {
	ENCODING_BYTES = 0,	/* the bytes of the key */
	ENCODING_UTF16LE = 1,	/* its characters as UTF-16, little-endian and
				   without a mark; what is no UTF-8 becomes
				   U+FFFD, byte by byte */
	ENCODING_INT64 = 2	/* the number that it is, of 64 bits, signed and
				   little-endian; or else its bytes */
};
#define ENCODING_LAST ENCODING_INT64

/* The most bytes that a key of so many becomes. */
size_t encode_room(size_t len, enum encoding as);

/* Put the bytes of a key there.  Returns how many that are. */
size_t encode_key(const struct line *key, enum encode_case letters,
    enum encoding as, uint8_t *to);

/* The encoding of this name: bytes, utf16le or int64; -1 if there is none. */
int encode_of_name(const char *name);
const char *encode_name(enum encoding as);

#endif
