/*
 * The hash functions of other programs.  All read little-endian numbers,
 * whatever the machine, and wrap.  tests/unit/foreign.c has known answers.
 */
#ifndef FOREIGN_HASHES_H
#define FOREIGN_HASHES_H

#include <stddef.h>
#include <stdint.h>

#include "../hash.h"
#include "../lines.h"

/* MurmurHash64A (A. Appleby), with a seed of 64 bits. */
uint64_t hashes_murmur64a(const uint8_t *key, size_t len, uint64_t seed);

/* MurmurHash2 (A. Appleby), 32 bits. */
uint32_t hashes_murmur2(const uint8_t *key, size_t len, uint32_t seed);

/*
 * That with the seed 9747b28c in lo, and with lo as the seed in hi, as libbloom
 * takes it and RedisBloom once did.
 */
struct hash hashes_murmur2_twice(const struct line *key);

/*
 * MurmurHash3_x64_128 (A. Appleby), its first half in lo, of the key and,
 * unless more is negative, of that byte behind it.
 */
struct hash hashes_murmur3(const uint8_t *key, size_t len, int more,
    uint32_t seed);

/* FNV-1, 64 bits (Fowler, Noll, Vo): not FNV-1a, which swaps the two steps. */
#define HASHES_FNV1_START UINT64_C(0xcbf29ce484222325)
uint64_t hashes_fnv1(uint64_t start, const uint8_t *key, size_t len);

/* out[i].lo = that of keys[i], from HASHES_FNV1_START on. */
void hashes_fnv1_many(const struct line *keys, size_t n, struct hash *out);

#endif
