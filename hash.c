/*
 * The hash functions, compiled in from the header of xxHash so that a short
 * key costs no call through a shared library.
 */
/*
 * Fortified memcpy keeps gcc from inlining the hash, at 5 % of the instructions
 * of a check; all of xxHash's copies are of constant size.
 */
#undef _FORTIFY_SOURCE
#define XXH_INLINE_ALL
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "XXH3 was another function before xxHash 0.8.0"
#endif

#include "hash.h"
#include "lines.h"

struct hash
hash_key(const void *key, size_t len, uint64_t seed)
{
	const XXH128_hash_t h = XXH3_128bits_withSeed(key, len, seed);

	return (struct hash){ h.low64, h.high64 };
}

void
hash_lines(const struct line *lines, size_t n, uint64_t seed,
    struct hash *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = hash_key(lines[i].bytes, lines[i].len, seed);
}

uint64_t
hash_checksum(const void *buf, size_t len)
{
	return XXH3_64bits(buf, len);
}
