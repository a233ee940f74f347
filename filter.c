/*
 * The hot loops.  Keys come in batches, so that the cache lines of the keys
 * ahead are on their way while one is looked at.
 */
#include <math.h>

#include "filter.h"
#include "le.h"
#include "probe.h"
#include "scheme.h"
#include "simd.h"

/*
 * How many keys the prefetches run ahead: enough to cover a miss in all
 * caches (100 ns and more) at some 10 ns a key, few enough to stay in the
 * first-level cache and within the line fill buffers.
 */
#define AHEAD 24

/*
 * What the loops need of a struct filter, by value: the compiler cannot know
 * that storing an answer leaves the struct alone, and would load it again for
 * each key.
 */
struct view {
	uint64_t *words;
	uint64_t blocks;
	unsigned groups;
	unsigned depth;		/* bits a key sets in each of its blocks */
};

static struct view
view_of(const struct filter *f)
{
	return (struct view){ f->bits, f->shape.blocks, f->shape.groups,
	    f->shape.probes / f->shape.groups };
}

static ALWAYS_INLINE unsigned
count_ones(uint64_t x)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_popcountll(x);
#else
	unsigned n = 0;
	for (; x != 0; x &= x - 1)
		n++;
	return n;
#endif
}

static ALWAYS_INLINE uint64_t *
block_of(struct view v, const struct hash *h)
{
	return v.words + probe_block(h, v.blocks) * FILTER_BLOCK_WORDS;
}

/*
 * Inlined by force: gcc takes a function that only prefetches for one without
 * effect, and drops the call.
 */
static ALWAYS_INLINE void
prefetch_key(struct view v, const struct hash *key)
{
	struct hash h = *key;

	PREFETCH(block_of(v, &h));
	for (unsigned g = 1; g < v.groups; g++) {
		h = probe_next_group(h);
		PREFETCH(block_of(v, &h));
	}
}

/* Are all `depth` bits that follow from word set in this block? */
static inline bool
block_has(const uint64_t *block, uint32_t word, unsigned depth)
{
	uint64_t all = 1;

	for (unsigned i = 0; i < depth; i++, word *= PROBE_GOLDEN) {
		const unsigned bit = probe_bit(word);
		all &= le64_word(block[bit / 64]) >> bit % 64;
	}
	return all & 1;
}

/*
 * Set them; returns how many were not set before.  A block that has them all,
 * as that of a known key does, is not written: that would dirty its page.
 */
static inline unsigned
block_set(uint64_t *block, uint32_t word, unsigned depth)
{
	unsigned changed = 0;

	if (block_has(block, word, depth))
		return 0;
	for (unsigned i = 0; i < depth; i++, word *= PROBE_GOLDEN) {
		const unsigned bit = probe_bit(word);
		const uint64_t old = le64_word(block[bit / 64]);
		changed += !(old >> bit % 64 & 1);
		block[bit / 64] = le64_word(old | UINT64_C(1) << bit % 64);
	}
	return changed;
}

/* block_has and block_set, or the same for an instruction set. */
typedef bool has_fn(const uint64_t *block, uint32_t word, unsigned depth);
typedef unsigned set_fn(uint64_t *block, uint32_t word, unsigned depth);

static ALWAYS_INLINE bool
key_in(struct view v, const struct hash *key, has_fn *has)
{
	struct hash h = *key;
	bool in = has(block_of(v, &h), probe_word(&h), v.depth);

	for (unsigned g = 1; in && g < v.groups; g++) {
		h = probe_next_group(h);
		in = has(block_of(v, &h), probe_word(&h), v.depth);
	}
	return in;
}

static ALWAYS_INLINE unsigned
key_set(struct view v, const struct hash *key, set_fn *set)
{
	struct hash h = *key;
	unsigned changed = set(block_of(v, &h), probe_word(&h), v.depth);

	for (unsigned g = 1; g < v.groups; g++) {
		h = probe_next_group(h);
		changed += set(block_of(v, &h), probe_word(&h), v.depth);
	}
	return changed;
}

static ALWAYS_INLINE size_t
test_view(struct view v, const struct hash *h, size_t n, bool *in,
    has_fn *has)
{
	size_t found = 0;

	for (size_t i = 0; i < AHEAD && i < n; i++)
		prefetch_key(v, &h[i]);
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			prefetch_key(v, &h[i + AHEAD]);
		in[i] = key_in(v, &h[i], has);
		found += in[i];
	}
	return found;
}

/* One group is the usual case, and the loops over groups then vanish. */
static ALWAYS_INLINE size_t
test_all(const struct filter *f, const struct hash *h, size_t n, bool *in,
    has_fn *has)
{
	struct view v = view_of(f);

	if (v.groups > 1)
		return test_view(v, h, n, in, has);
	v.groups = 1;
	return test_view(v, h, n, in, has);
}

static ALWAYS_INLINE void
set_view(struct view v, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits, set_fn *set)
{
	uint64_t keys = 0, bits = 0;

	for (size_t i = 0; i < AHEAD && i < n; i++)
		prefetch_key(v, &h[i]);
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			prefetch_key(v, &h[i + AHEAD]);
		const unsigned changed = key_set(v, &h[i], set);
		fresh[i] = changed > 0;
		keys += changed > 0;
		bits += changed;
	}
	*nfresh = keys;
	*nbits = bits;
}

static ALWAYS_INLINE void
set_all(const struct filter *f, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits, set_fn *set)
{
	struct view v = view_of(f);

	if (v.groups > 1) {
		set_view(v, h, n, fresh, nfresh, nbits, set);
	} else {
		v.groups = 1;
		set_view(v, h, n, fresh, nfresh, nbits, set);
	}
}

#if HAVE_AVX2
/* PROBE_GOLDEN to the power of 8, modulo 2^32. */
#define GOLDEN_8 UINT32_C(0xab25f4c1)

/* The numbers of the next eight bits: lane i has that of word * golden^i. */
static TARGET_AVX2 inline __m256i
bits_avx2(uint32_t word)
{
	const __m256i powers = _mm256_setr_epi32(0x00000001, (int)0x9e3779b9,
	    (int)0xe35e67b1, 0x734297e9, 0x35fbe861, (int)0xdeb7c719,
	    0x0448b211, 0x3459b749);

	return _mm256_srli_epi32(_mm256_mullo_epi32(
	    _mm256_set1_epi32((int)word), powers), 23);
}

/*
 * Eight probes at a time.  The top four bits of a bit's number name one of
 * the block's sixteen 32-bit words: three of them permute within each half of
 * the block, the topmost, moved to where the lane's sign is, blends the
 * halves.  Everything is little-endian here, so that 32-bit and 64-bit words
 * agree on which bit is which.
 */
static TARGET_AVX2 inline bool
block_has_avx2(const uint64_t *block, uint32_t word, unsigned depth)
{
	const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i low = _mm256_load_si256((const __m256i *)block);
	const __m256i high = _mm256_load_si256((const __m256i *)block + 1);

	for (;; depth -= 8, word *= GOLDEN_8) {
		const __m256i bits = bits_avx2(word);
		const __m256i index = _mm256_srli_epi32(bits, 5);
		const __m256i picked = _mm256_castps_si256(_mm256_blendv_ps(
		    _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, index)),
		    _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, index)),
		    _mm256_castsi256_ps(_mm256_slli_epi32(bits, 23))));
		const __m256i used = _mm256_srli_epi32(_mm256_cmpgt_epi32(
		    _mm256_set1_epi32((int)depth), lanes), 31);
		const __m256i wanted = _mm256_sllv_epi32(used,
		    _mm256_and_si256(bits, _mm256_set1_epi32(31)));
		if (!_mm256_testc_si256(picked, wanted))
			return false;
		if (depth <= 8)
			return true;
	}
}

/*
 * The bits of a block's words that follow from `word`.  A 32-bit word whose
 * first bit is number b gets 1 << (bit - b): for a bit in another word that
 * shift is by 32 or more, as an unsigned number, and gives 0.
 */
static TARGET_AVX2 inline void
mask_avx2(uint32_t word, unsigned depth, __m256i *low, __m256i *high)
{
	const __m256i one = _mm256_set1_epi32(1);
	const __m256i first = _mm256_setr_epi32(0, 32, 64, 96, 128, 160, 192,
	    224);
	const __m256i first_high = _mm256_add_epi32(first,
	    _mm256_set1_epi32(256));

	*low = *high = _mm256_setzero_si256();
	for (unsigned i = 0; i < depth; i++, word *= PROBE_GOLDEN) {
		const __m256i bit = _mm256_set1_epi32((int)probe_bit(word));
		*low = _mm256_or_si256(*low, _mm256_sllv_epi32(one,
		    _mm256_sub_epi32(bit, first)));
		*high = _mm256_or_si256(*high, _mm256_sllv_epi32(one,
		    _mm256_sub_epi32(bit, first_high)));
	}
}

static TARGET_AVX2 inline unsigned
count_ones_avx2(__m256i v)
{
	return count_ones((uint64_t)_mm256_extract_epi64(v, 0)) +
	    count_ones((uint64_t)_mm256_extract_epi64(v, 1)) +
	    count_ones((uint64_t)_mm256_extract_epi64(v, 2)) +
	    count_ones((uint64_t)_mm256_extract_epi64(v, 3));
}

/* Most known keys are told by the test, at a third of the cost. */
static TARGET_AVX2 inline unsigned
block_set_avx2(uint64_t *block, uint32_t word, unsigned depth)
{
	__m256i *p = (__m256i *)block;
	__m256i low, high;

	if (block_has_avx2(block, word, depth))
		return 0;
	mask_avx2(word, depth, &low, &high);
	const __m256i old_low = _mm256_load_si256(p);
	const __m256i old_high = _mm256_load_si256(p + 1);
	_mm256_store_si256(p, _mm256_or_si256(old_low, low));
	_mm256_store_si256(p + 1, _mm256_or_si256(old_high, high));
	return count_ones_avx2(_mm256_andnot_si256(old_low, low)) +
	    count_ones_avx2(_mm256_andnot_si256(old_high, high));
}

static TARGET_AVX2 size_t
test_avx2(const struct filter *f, const struct hash *h, size_t n, bool *in)
{
	return test_all(f, h, n, in, block_has_avx2);
}

static TARGET_AVX2 void
set_avx2(const struct filter *f, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits)
{
	set_all(f, h, n, fresh, nfresh, nbits, block_set_avx2);
}
#endif

#if HAVE_NEON
/* The numbers of four more bits, those of word * golden^0..3. */
static inline uint32x4_t
bits_neon(uint32_t word)
{
	static const uint32_t powers[4] = { 0x00000001, 0x9e3779b9, 0xe35e67b1,
	    0x734297e9 };

	return vshrq_n_u32(vmulq_n_u32(vld1q_u32(powers), word), 23);
}

/* PROBE_GOLDEN to the powers of 4, 8, 12 and 16, modulo 2^32. */
#define GOLDEN_4 UINT32_C(0x35fbe861)
#define GOLDEN_8 UINT32_C(0xab25f4c1)
#define GOLDEN_12 (GOLDEN_8 * GOLDEN_4)
#define GOLDEN_16 (GOLDEN_8 * GOLDEN_8)

/*
 * Sixteen probes at a time: the block is a table of 64 bytes, out of which one
 * instruction picks the bytes that the bits are in.  Little-endian, so bit b
 * of the block is bit b % 8 of byte b / 8.
 */
static inline bool
block_has_neon(const uint64_t *block, uint32_t word, unsigned depth)
{
	static const uint8_t count[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	    12, 13, 14, 15 };
	const uint8x16x4_t bytes = vld1q_u8_x4((const uint8_t *)block);

	for (;; depth -= 16, word *= GOLDEN_16) {
		const uint16x8_t low = vcombine_u16(
		    vmovn_u32(bits_neon(word)),
		    vmovn_u32(bits_neon(word * GOLDEN_4)));
		const uint16x8_t high = vcombine_u16(
		    vmovn_u32(bits_neon(word * GOLDEN_8)),
		    vmovn_u32(bits_neon(word * GOLDEN_12)));
		const uint8x16_t at = vcombine_u8(vshrn_n_u16(low, 3),
		    vshrn_n_u16(high, 3));
		const uint8x16_t bit = vandq_u8(vcombine_u8(vmovn_u16(low),
		    vmovn_u16(high)), vdupq_n_u8(7));
		const uint8x16_t wanted = vshlq_u8(vdupq_n_u8(1),
		    vreinterpretq_s8_u8(bit));
		const uint8x16_t unused = vcgeq_u8(vld1q_u8(count),
		    vdupq_n_u8((uint8_t)(depth < 16 ? depth : 16)));
		if (vminvq_u8(vorrq_u8(unused, vtstq_u8(wanted,
		    vqtbl4q_u8(bytes, at)))) == 0)
			return false;
		if (depth <= 16)
			return true;
	}
}

static inline unsigned
block_set_neon(uint64_t *block, uint32_t word, unsigned depth)
{
	return block_has_neon(block, word, depth) ? 0 :
	    block_set(block, word, depth);
}
#endif

size_t
filter_test(const struct filter *f, const struct hash *h, size_t n, bool *in)
{
#if HAVE_AVX2
	if (simd_usable())
		return test_avx2(f, h, n, in);
#elif HAVE_NEON
	if (simd_usable())
		return test_all(f, h, n, in, block_has_neon);
#endif
	return test_all(f, h, n, in, block_has);
}

void
filter_set(const struct filter *f, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits)
{
#if HAVE_AVX2
	if (simd_usable()) {
		set_avx2(f, h, n, fresh, nfresh, nbits);
		return;
	}
#elif HAVE_NEON
	if (simd_usable()) {
		set_all(f, h, n, fresh, nfresh, nbits, block_set_neon);
		return;
	}
#endif
	set_all(f, h, n, fresh, nfresh, nbits, block_set);
}

static void
put_part(struct filter_part *p, struct view v, const struct hash *h)
{
	uint32_t word = probe_word(h);

	*p = (struct filter_part){ .block = probe_block(h, v.blocks) };
	for (unsigned i = 0; i < v.depth; i++, word *= PROBE_GOLDEN) {
		const unsigned bit = probe_bit(word);
		p->bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

unsigned
filter_parts(const struct filter *f, const struct hash *key,
    struct filter_part *parts)
{
	const struct view v = view_of(f);
	struct hash h = *key;

	put_part(parts, v, &h);
	for (unsigned g = 1; g < v.groups; g++) {
		h = probe_next_group(h);
		put_part(&parts[g], v, &h);
	}
	return v.groups;
}

uint64_t
filter_block(const struct filter *f, const struct hash *h)
{
	return probe_block(h, f->shape.blocks);
}

void
filter_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c)
{
	const unsigned depth = f->shape.probes / f->shape.groups;
	double rate[SIZING_BLOCK_BITS + 1];

	for (unsigned i = 0; i <= SIZING_BLOCK_BITS; i++)
		rate[i] = pow((double)i / SIZING_BLOCK_BITS, depth);
	const uint64_t *w = (const uint64_t *)f->bits +
	    first * FILTER_BLOCK_WORDS;
	for (uint64_t i = 0; i < n; i++, w += FILTER_BLOCK_WORDS) {
		unsigned ones = 0;
		for (unsigned j = 0; j < FILTER_BLOCK_WORDS; j++)
			ones += count_ones(w[j]);
		c->ones += ones;
		c->part_rate += rate[ones];
	}
	c->blocks += n;
}

void
filter_unite(uint64_t *restrict to, const uint64_t *restrict from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] |= from[i];
}

void
filter_intersect(uint64_t *restrict to, const uint64_t *restrict from,
    size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] &= from[i];
}

/* With the machine's own instruction, where there is one. */
static ALWAYS_INLINE uint64_t
ones_of(const uint64_t *words, size_t n)
{
	uint64_t ones = 0;

	for (size_t i = 0; i < n; i++)
		ones += count_ones(words[i]);
	return ones;
}

#if HAVE_AVX2
static TARGET_AVX2 uint64_t
ones_avx2(const uint64_t *words, size_t n)
{
	return ones_of(words, n);
}
#endif

uint64_t
filter_ones(const uint64_t *words, size_t n)
{
#if HAVE_AVX2
	if (simd_usable())
		return ones_avx2(words, n);
#endif
	return ones_of(words, n);
}

double
filter_rate(const struct shape *s, const struct census *c)
{
	const double blocks = c->blocks == s->blocks ? sizing_blocks(s) :
	    (double)c->blocks;

	return pow(c->part_rate / blocks, s->groups);
}

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	hash_lines(keys, n, r->seed, out);
}

static void
hash_folded(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	hash_lines_folded(keys, n, r->seed, out);
}

const struct scheme scheme_native = {
	.id = 1,
	.name = "native",
	.words = "native",
	.width = 1,
	.variants = 1,
	.seed = true,
	.hash = hash,
	.hash_folded = hash_folded,
	.test = filter_test,
	.set = filter_set,
	.parts = filter_parts,
	.block = filter_block,
	.census = filter_census,
	.size = sizing_shape,
	.layers = true,
};
