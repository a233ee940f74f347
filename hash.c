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

#include "fold.h"
#include "hash.h"
#include "lines.h"

/* What is folded at a time. */
#define CHUNK ((size_t)1024)

static struct hash
as_hash(XXH128_hash_t h)
{
	return (struct hash){ h.low64, h.high64 };
}

struct hash
hash_key(const void *key, size_t len, uint64_t seed)
{
	return as_hash(XXH3_128bits_withSeed(key, len, seed));
}

void
hash_lines(const struct line *lines, size_t n, uint64_t seed,
    struct hash *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = hash_key(lines[i].bytes, lines[i].len, seed);
}

/* A key of more than a chunk. */
static struct hash
hash_long_folded(const uint8_t *key, size_t len, uint64_t seed)
{
	uint8_t chunk[CHUNK];
	XXH3_state_t state;
	size_t n;

	XXH3_INITSTATE(&state);
	XXH3_128bits_reset_withSeed(&state, seed);
	for (size_t i = 0; i < len; i += n) {
		n = len - i < CHUNK ? len - i : CHUNK;
		fold_bytes(chunk, key + i, n);
		XXH3_128bits_update(&state, chunk, n);
	}
	return as_hash(XXH3_128bits_digest(&state));
}

void
hash_lines_folded(const struct line *lines, size_t n, uint64_t seed,
    struct hash *out)
{
	uint8_t chunk[CHUNK];

	for (size_t i = 0; i < n; i++) {
		const struct line *l = &lines[i];
		if (l->len > CHUNK) {
			out[i] = hash_long_folded(l->bytes, l->len, seed);
			continue;
		}
		fold_bytes(chunk, l->bytes, l->len);
		out[i] = hash_key(chunk, l->len, seed);
	}
}

uint64_t
hash_checksum(const void *buf, size_t len)
{
	return XXH3_64bits(buf, len);
}
