/*
 * Key bytes -> hash, and the checksum of the file's header.  Pure.  The only
 * file that knows xxHash.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	uint64_t lo;
	uint64_t hi;
};

/* XXH3_128bits_withSeed (xxHash 0.8) of key[0..len). */
struct hash hash_key(const void *key, size_t len, uint64_t seed);

/* out[i] = hash_key of lines[i], without its separator. */
struct line;
void hash_lines(const struct line *lines, size_t n, uint64_t seed,
    struct hash *out);

/* The same with A to Z as a to z; keeps no copy of a long line. */
void hash_lines_folded(const struct line *lines, size_t n, uint64_t seed,
    struct hash *out);

/* XXH3_64bits (seed 0) of buf[0..len). */
uint64_t hash_checksum(const void *buf, size_t len);

#endif
