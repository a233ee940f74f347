/*
 * Known answers of the hash: keys by XXH3-128 with a seed, the checksum by
 * XXH3-64.  Short, middling and long inputs take different paths in xxHash;
 * each is here, and the lengths on either side of where they meet.
 */
#include <inttypes.h>
#include <string.h>

#include "hash.h"
#include "lines.h"
#include "random.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define P32 UINT64_C(2654435761)		/* xxHash's PRIME32 */
#define P64 UINT64_C(11400714785074694797)	/* xxHash's PRIME64 */

struct answer128 {
	size_t len;
	uint64_t seed;
	struct hash wanted;
};

struct answer64 {
	size_t len;
	uint64_t wanted;
};

/*
 * The figures of Cyan4973/xxHash, cli/xsum_sanity_check.c (as of b2e9dbb), for
 * the bytes that fill_sanity makes.
 */
static const struct answer128 sanity128[] = {
	{ 0, 0, { 0x6001c324468d497f, 0x99aa06d3014798d8 } },
	{ 0, P32, { 0x5444f7869c671ab0, 0x92220ae55e14ab50 } },
	{ 1, 0, { 0xc44bdff4074eecdb, 0xa6cd5e9392000f6a } },
	{ 1, P32, { 0xb53d5557e7f76f8d, 0x89b99554ba22467c } },
	{ 6, 0, { 0x3e7039bdda43cfc6, 0x082afe0b8162d12a } },
	{ 6, P32, { 0x269d8f70be98856e, 0x5a865b5389abd2b1 } },
	{ 12, 0, { 0x061a192713f69ad9, 0x6e3efd8fc7802b18 } },
	{ 12, P32, { 0x9be9f9a67f3c7dfb, 0xd7e09d518a3405d3 } },
	{ 24, 0, { 0x1e7044d28b1b901d, 0x0ce966e4678d3761 } },
	{ 24, P32, { 0xd7304c54ebad40a9, 0x3162026714a6a243 } },
	{ 48, 0, { 0xf942219aed80f67b, 0xa002ac4e5478227e } },
	{ 48, P32, { 0x7ba3c3e453a1934e, 0x163adde36c072295 } },
	{ 81, 0, { 0x5e8bafb9f95fb803, 0x4952f58181ab0042 } },
	{ 81, P32, { 0x703fbb3d7a5f755c, 0x2724ec7adc750fb6 } },
	{ 222, 0, { 0xf1aebd597cec6b3a, 0x337e09641b948717 } },
	{ 222, P32, { 0xae995bb8af917a8d, 0x91820016621e97f1 } },
	{ 403, 0, { 0xcdeb804d65c6dea4, 0x1b6de21e332dd73d } },
	{ 403, P64, { 0x6259f6ecfd6443fd, 0xbed311971e0be8f2 } },
	{ 512, 0, { 0x617e49599013cb6b, 0x18d2d110dcc9bca1 } },
	{ 512, P64, { 0x3ce457de14c27708, 0x925d06b8ec5b8040 } },
	{ 2048, 0, { 0xdd59e2c3a5f038e0, 0xf736557fd47073a5 } },
	{ 2048, P32, { 0x230d43f30206260b, 0x7fb03f7e7186c3ea } },
	{ 2240, 0, { 0x6e73a90539cf2948, 0xccb134fbfa7ce49d } },
	{ 2240, P32, { 0xed385111126fba6f, 0x50a1fe17b338995f } },
	{ 2367, 0, { 0xcb37aeb9e5d361ed, 0xe89c0f6ff369b427 } },
	{ 2367, P32, { 0x6f5360ae69c2f406, 0xd23aae4b76c31ecb } },
};

static const struct answer64 sanity64[] = {
	{ 0, 0x2d06800538d394c2 },
	{ 1, 0xc44bdff4074eecdb },
	{ 6, 0x27b56a84cd2d7325 },
	{ 12, 0xa713daf0dfbb77e7 },
	{ 24, 0xa3fe70bf9d3510eb },
	{ 48, 0x397da259ecba1f11 },
	{ 80, 0xbcdefbbb2c47c90a },
	{ 195, 0xcd94217ee362ec3a },
	{ 403, 0xcdeb804d65c6dea4 },
	{ 512, 0x617e49599013cb6b },
	{ 2048, 0xdd59e2c3a5f038e0 },
	{ 2240, 0x6e73a90539cf2948 },
	{ 2367, 0xcb37aeb9e5d361ed },
};

/*
 * The figures of zeebo/xxh3, compat_test.go (as of 4b2280e), which come from
 * xxHash's own C for the bytes that fill_counting makes; the seeds there are
 * the XXH3-64 of the same bytes.  They have what the list above lacks: 97 to
 * 128 bytes, and the last and first length of each path.
 */
static const struct answer128 counting128[] = {
	{ 3, 0, { 0xebce9b7632ae733b, 0xac77eb88cbc4b8d4 } },
	{ 3, 0xebce9b7632ae733b,
	    { 0xfb7293fb3dbdac25, 0xb0d9e32e570e9f22 } },
	{ 4, 0, { 0x537653a0d9955b86, 0x49a04899597a3567 } },
	{ 4, 0x988b7b9033ac4622,
	    { 0x5754a8527fe29706, 0x0e2783501d2791a3 } },
	{ 8, 0, { 0x3e8675c57268fb02, 0x2ab463fddb09a0b8 } },
	{ 8, 0x16f217ea16232297,
	    { 0x012f8c64e0dd7eeb, 0xb47216ae460a2dd1 } },
	{ 9, 0, { 0x3c4087b7dea54fc0, 0xe338e616502be361 } },
	{ 9, 0x17d143e7f447850a,
	    { 0x1b6795721e0ff4ad, 0xb71f28f317071c7e } },
	{ 16, 0, { 0xeada823104bd7174, 0x6d84a882f6411b41 } },
	{ 16, 0xeb5aeb9a32450f6a,
	    { 0xe0db3902ce4ddc50, 0xc56b786a273a82dc } },
	{ 17, 0, { 0xacda8373034d6aaf, 0x9ac14e2c3fe59a83 } },
	{ 17, 0x6d458e1fff494078,
	    { 0xb24b36021f73ccc1, 0xbc4f5e8e54acc774 } },
	{ 32, 0, { 0xd4e2dfc12b4b57ed, 0x6558716845a29a6c } },
	{ 32, 0xbfd49bed2d1502eb,
	    { 0xdae63ab67d89ed5d, 0xb143f9db699b27d1 } },
	{ 33, 0, { 0xe0e91dd44e49b7d0, 0x511310aba0443aac } },
	{ 33, 0xeaaad53957a947fc,
	    { 0xf333fbe241f26338, 0x2c5a2f65c0d5a458 } },
	{ 64, 0, { 0x639fbd9cf9bdfb51, 0x21bfcfd7d148a3df } },
	{ 64, 0xc82013245d8f2587,
	    { 0xefe802db83f1791d, 0x6eeafc6467246b3f } },
	{ 65, 0, { 0x839a6f242d0884a1, 0x2f2ef5c0f071aabf } },
	{ 65, 0x8810a33c748c6017,
	    { 0x65367c7a2d3b4209, 0xe8a663d00dcbe696 } },
	{ 96, 0, { 0xdf5af453c37a4873, 0x2c932ae1bf5ef99d } },
	{ 96, 0xd384b43b482e2615,
	    { 0xc281d43d22945e4b, 0x0ec33f6934c31711 } },
	{ 97, 0, { 0xfbe19870ccd77f9f, 0x3848b83ec10ae2b5 } },
	{ 97, 0xfa1c82bae72a1d59,
	    { 0x3af96195b67e301e, 0x55e2b92f43f36e8d } },
	{ 112, 0, { 0x37f7586034e83c17, 0x18f1f0f8d98c336a } },
	{ 112, 0x211d308aa575ced4,
	    { 0xd4ae33d5aa46860f, 0xdbfdbab9e6c20fdf } },
	{ 128, 0, { 0x7ac9e58028da0fc7, 0x763fdbd9fc602233 } },
	{ 128, 0xce22cae9106851df,
	    { 0x08bef7bf144a2bf8, 0x29d210dff1f84a0d } },
	{ 129, 0, { 0x88cb4305c9a32490, 0x4c8ce7bd2a6024b3 } },
	{ 129, 0x7d4fc663f5958d40,
	    { 0xd72dec8fb55284ff, 0x7ed34d8231f1ee2f } },
	{ 240, 0, { 0xdde80e1ba2971e09, 0x2007e6f83d506ea3 } },
	{ 240, 0xa5a910b2d7e065b0,
	    { 0x00022db7cc107adc, 0xea6d1795f8170090 } },
	{ 241, 0, { 0xb6515f490cdd4ce5, 0x956bc01534a3752b } },
	{ 241, 0xb6515f490cdd4ce5,
	    { 0x5d5615c096fc7d65, 0xfa32833bc92577f9 } },
	{ 1024, 0, { 0x546f61a5b0b850c1, 0x5810ff822ad52808 } },
	{ 1024, 0x546f61a5b0b850c1,
	    { 0x64e1b7584551d825, 0x532f2e36a9385c34 } },
	{ 1025, 0, { 0xa58696e72de6df58, 0xe1f3816b3e91c48a } },
	{ 1025, 0xa58696e72de6df58,
	    { 0xb9220915b62d7f85, 0x8f8210dafc2ee405 } },
	{ 4088, 0, { 0xfe2ea6e1b7592542, 0x6f73854d0625747f } },
	{ 4088, 0xfe2ea6e1b7592542,
	    { 0xfbd447e8615d241b, 0x82d6a812d3b28d66 } },
};

static const struct answer64 counting64[] = {
	{ 3, 0xebce9b7632ae733b },
	{ 4, 0x988b7b9033ac4622 },
	{ 8, 0x16f217ea16232297 },
	{ 9, 0x17d143e7f447850a },
	{ 16, 0xeb5aeb9a32450f6a },
	{ 17, 0x6d458e1fff494078 },
	{ 32, 0xbfd49bed2d1502eb },
	{ 33, 0xeaaad53957a947fc },
	{ 64, 0xc82013245d8f2587 },
	{ 65, 0x8810a33c748c6017 },
	{ 96, 0xd384b43b482e2615 },
	{ 97, 0xfa1c82bae72a1d59 },
	{ 112, 0x211d308aa575ced4 },
	{ 128, 0xce22cae9106851df },
	{ 129, 0x7d4fc663f5958d40 },
	{ 240, 0xa5a910b2d7e065b0 },
	{ 241, 0xb6515f490cdd4ce5 },
	{ 1024, 0x546f61a5b0b850c1 },
	{ 1025, 0xa58696e72de6df58 },
	{ 4088, 0xfe2ea6e1b7592542 },
};

static void
fill_sanity(uint8_t *buf, size_t len)
{
	uint64_t x = P32;

	for (size_t i = 0; i < len; i++, x *= P64)
		buf[i] = (uint8_t)(x >> 56);
}

static void
fill_counting(uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)((i + 1) % 251);
}

static void
known128(const uint8_t *buf, const struct answer128 *answers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct answer128 *a = &answers[i];
		const struct hash h = hash_key(buf, a->len, a->seed);
		OK(h.lo == a->wanted.lo && h.hi == a->wanted.hi,
		    "XXH3-128 of %zu bytes, seed 0x%" PRIx64, a->len, a->seed);
	}
}

static void
known64(const uint8_t *buf, const struct answer64 *answers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		OK(hash_checksum(buf, answers[i].len) == answers[i].wanted,
		    "XXH3-64 of %zu bytes", answers[i].len);
}

static void
anywhere_in_memory(const uint8_t *buf)
{
	struct tally t = { 0 };
	uint8_t moved[600];

	for (size_t len = 0; len <= 520; len++) {
		const struct hash wanted = hash_key(buf, len, P64);
		for (size_t at = 0; at < 65; at += 1 + at / 8) {
			memset(moved, 0xff, sizeof(moved));
			memcpy(moved + at, buf, len);
			const struct hash h = hash_key(moved + at, len, P64);
			CASE(&t, h.lo == wanted.lo && h.hi == wanted.hi,
			    "%zu bytes at %zu", len, at);
		}
	}
	OK_ALL(&t, "a key's hash depends on its bytes alone");
}

static void
lines_are_keys(const uint8_t *buf, size_t size)
{
	enum { MOST = 300 };
	struct tally t = { 0 };
	struct line lines[MOST];
	struct hash hashes[MOST + 1];
	uint64_t state = 3;

	for (int round = 0; round < 200; round++) {
		const size_t n = random_size(&state, MOST + 1);
		const uint64_t seed = random_next(&state);
		for (size_t i = 0; i < n; i++) {
			const size_t len = random_size(&state, 300);
			lines[i] = (struct line){
			    buf + random_size(&state, size - len), len,
			    len + random_size(&state, 2) };
		}
		const struct hash mark = { 0x5555, 0xaaaa };
		hashes[n] = mark;
		hash_lines(lines, n, seed, hashes);
		for (size_t i = 0; i < n; i++) {
			const struct hash h = hash_key(lines[i].bytes,
			    lines[i].len, seed);
			CASE(&t, h.lo == hashes[i].lo && h.hi == hashes[i].hi,
			    "line %zu of %zu, %zu bytes", i, n, lines[i].len);
		}
		CASE(&t, hashes[n].lo == mark.lo && hashes[n].hi == mark.hi,
		    "more than %zu answers", n);
	}
	OK_ALL(&t, "lines are hashed as their bytes without the separator");
}

int
main(void)
{
	static uint8_t buf[4096];

	fill_sanity(buf, sizeof(buf));
	known128(buf, sanity128, COUNT(sanity128));
	known64(buf, sanity64, COUNT(sanity64));
	anywhere_in_memory(buf);
	lines_are_keys(buf, sizeof(buf));
	fill_counting(buf, sizeof(buf));
	known128(buf, counting128, COUNT(counting128));
	known64(buf, counting64, COUNT(counting64));
	return done();
}
