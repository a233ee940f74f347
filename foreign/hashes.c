/*
 * MurmurHash2, MurmurHash64A, MurmurHash3, FNV-1.
 */
#include "../le.h"
#include "../probe.h"
#include "hashes.h"

/*
 * Up to 7 bytes as a number, without a loop: loads that overlap, of the first
 * bytes, of the last, and if there are few of one in the middle.
 */
static uint64_t
tail_of(const uint8_t *p, size_t n)
{
	if (n >= 4)
		return le32_get(p) |
		    (uint64_t)le32_get(p + n - 4) << 8 * (n - 4);
	if (n == 0)
		return 0;
	return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) |
	    (uint64_t)p[n - 1] << 8 * (n - 1);
}

uint64_t
hashes_murmur64a(const uint8_t *key, size_t len, uint64_t seed)
{
	const uint64_t c = UINT64_C(0xc6a4a7935bd1e995);
	uint64_t h = seed ^ (uint64_t)len * c;
	size_t i = 0;

	for (; len - i >= 8; i += 8) {
		uint64_t w = le64_get(key + i) * c;
		w ^= w >> 47;
		h ^= w * c;
		h *= c;
	}
	if (i < len) {
		h ^= tail_of(key + i, len - i);
		h *= c;
	}
	h ^= h >> 47;
	h *= c;
	return h ^ h >> 47;
}

uint32_t
hashes_murmur2(const uint8_t *key, size_t len, uint32_t seed)
{
	const uint32_t c = UINT32_C(0x5bd1e995);
	uint32_t h = seed ^ (uint32_t)len;
	size_t i = 0;

	for (; len - i >= 4; i += 4) {
		uint32_t w = le32_get(key + i) * c;
		w ^= w >> 24;
		h *= c;
		h ^= w * c;
	}
	if (i < len) {
		h ^= (uint32_t)tail_of(key + i, len - i);
		h *= c;
	}
	h ^= h >> 13;
	h *= c;
	return h ^ h >> 15;
}

struct hash
hashes_murmur2_twice(const struct line *key)
{
	const uint32_t a = hashes_murmur2(key->bytes, key->len,
	    UINT32_C(0x9747b28c));

	return (struct hash){ a, hashes_murmur2(key->bytes, key->len, a) };
}

static uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static uint64_t
mix_first(uint64_t w)
{
	return rotate(w * UINT64_C(0x87c37b91114253d5), 31) *
	    UINT64_C(0x4cf5ad432745937f);
}

static uint64_t
mix_second(uint64_t w)
{
	return rotate(w * UINT64_C(0x4cf5ad432745937f), 33) *
	    UINT64_C(0x87c37b91114253d5);
}

static void
add_words(struct hash *h, uint64_t u, uint64_t v)
{
	h->lo ^= mix_first(u);
	h->lo = (rotate(h->lo, 27) + h->hi) * 5 + 0x52dce729;
	h->hi ^= mix_second(v);
	h->hi = (rotate(h->hi, 31) + h->lo) * 5 + 0x38495ab5;
}

/* The last n bytes, 15 at most, and one more. */
static void
add_last(struct hash *h, const uint8_t *p, size_t n, int more)
{
	uint64_t u = n < 8 ? tail_of(p, n) : le64_get(p);
	uint64_t v = n < 8 ? 0 : tail_of(p + 8, n - 8);

	if (more >= 0 && n < 8)
		u |= (uint64_t)more << 8 * n;
	else if (more >= 0)
		v |= (uint64_t)more << 8 * (n - 8);
	if (more >= 0 && n == 15) {
		add_words(h, u, v);
		return;
	}
	h->lo ^= mix_first(u);
	h->hi ^= mix_second(v);
}

struct hash
hashes_murmur3(const uint8_t *key, size_t len, int more, uint32_t seed)
{
	struct hash h = { seed, seed };
	size_t i = 0;

	for (; len - i >= 16; i += 16)
		add_words(&h, le64_get(key + i), le64_get(key + i + 8));
	add_last(&h, key + i, len - i, more);
	len += more >= 0;
	h.lo ^= (uint64_t)len;
	h.hi ^= (uint64_t)len;
	h.lo += h.hi;
	h.hi += h.lo;
	h.lo = probe_mix(h.lo);
	h.hi = probe_mix(h.hi);
	h.lo += h.hi;
	h.hi += h.lo;
	return h;
}

static uint64_t
fnv1_step(uint64_t h, uint8_t byte)
{
	return h * UINT64_C(0x100000001b3) ^ byte;
}

uint64_t
hashes_fnv1(uint64_t start, const uint8_t *key, size_t len)
{
	uint64_t h = start;

	for (size_t i = 0; i < len; i++)
		h = fnv1_step(h, key[i]);
	return h;
}

/*
 * Each byte waits for the product of the one before.  Several keys at once, as
 * far as the shortest goes, keep the multiplier busy meanwhile.
 */
enum { LANES = 4 };

static void
fnv1_lanes(const struct line *keys, struct hash *out)
{
	uint64_t h[LANES];
	size_t shortest = keys[0].len;

	for (size_t j = 0; j < LANES; j++) {
		h[j] = HASHES_FNV1_START;
		shortest = keys[j].len < shortest ? keys[j].len : shortest;
	}
	for (size_t i = 0; i < shortest; i++)
		for (size_t j = 0; j < LANES; j++)
			h[j] = fnv1_step(h[j], keys[j].bytes[i]);
	for (size_t j = 0; j < LANES; j++)
		out[j].lo = hashes_fnv1(h[j], keys[j].bytes + shortest,
		    keys[j].len - shortest);
}

void
hashes_fnv1_many(const struct line *keys, size_t n, struct hash *out)
{
	size_t i = 0;

	for (; n - i >= LANES; i += LANES)
		fnv1_lanes(keys + i, out + i);
	for (; i < n; i++)
		out[i].lo = hashes_fnv1(HASHES_FNV1_START, keys[i].bytes,
		    keys[i].len);
}
