/*
 * The hot loops.  Keys come in batches, so that the cache lines of the keys
 * ahead are on their way while one is looked at.
 */
#include <math.h>

#include "filter.h"
#include "le.h"
#include "probe.h"
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
	return (struct view){ f->words, f->shape.blocks, f->shape.groups,
	    f->shape.probes / f->shape.groups };
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
static bool
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
static unsigned
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
 * How many bits are set in each byte (W. Mula, "SSSE3: fast popcount", 2008):
 * a table of the sixteen nibbles in a register.
 */
static TARGET_AVX2 inline __m256i
count_ones_avx2(__m256i v)
{
	const __m256i nibble = _mm256_set1_epi8(15);
	const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3,
	    1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3,
	    3, 4);
	const __m256i low = _mm256_shuffle_epi8(ones,
	    _mm256_and_si256(v, nibble));
	const __m256i high = _mm256_shuffle_epi8(ones,
	    _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));

	return _mm256_add_epi8(low, high);
}

static TARGET_AVX2 inline unsigned
count_changed_avx2(__m256i low, __m256i high)
{
	const __m256i sums = _mm256_sad_epu8(_mm256_add_epi8(
	    count_ones_avx2(low), count_ones_avx2(high)),
	    _mm256_setzero_si256());
	const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(sums),
	    _mm256_extracti128_si256(sums, 1));

	return (unsigned)(_mm_cvtsi128_si64(pair) + _mm_extract_epi64(pair, 1));
}

/*
 * The block in two registers.  A 32-bit word whose first bit is number b gets
 * 1 << (bit - b): for a bit in another word that shift is by 32 or more, as
 * an unsigned number, and gives 0.
 */
static TARGET_AVX2 inline unsigned
block_set_avx2(uint64_t *block, uint32_t word, unsigned depth)
{
	const __m256i one = _mm256_set1_epi32(1);
	const __m256i first_low = _mm256_setr_epi32(0, 32, 64, 96, 128, 160,
	    192, 224);
	const __m256i first_high = _mm256_add_epi32(first_low,
	    _mm256_set1_epi32(256));
	__m256i low = _mm256_setzero_si256(), high = low;

	__m256i bits = bits_avx2(word), lane = _mm256_setzero_si256();
	for (unsigned i = 0; i < depth; i++) {
		if (i > 0 && i % 8 == 0)
			bits = bits_avx2(word *= GOLDEN_8);
		const __m256i bit = _mm256_permutevar8x32_epi32(bits, lane);
		low = _mm256_or_si256(low, _mm256_sllv_epi32(one,
		    _mm256_sub_epi32(bit, first_low)));
		high = _mm256_or_si256(high, _mm256_sllv_epi32(one,
		    _mm256_sub_epi32(bit, first_high)));
		lane = _mm256_add_epi32(lane, one);
	}
	__m256i *p = (__m256i *)block;
	const __m256i old_low = _mm256_load_si256(p);
	const __m256i old_high = _mm256_load_si256(p + 1);
	if (_mm256_testc_si256(old_low, low) &&
	    _mm256_testc_si256(old_high, high))
		return 0;
	_mm256_store_si256(p, _mm256_or_si256(old_low, low));
	_mm256_store_si256(p + 1, _mm256_or_si256(old_high, high));
	return count_changed_avx2(_mm256_andnot_si256(old_low, low),
	    _mm256_andnot_si256(old_high, high));
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

size_t
filter_test(const struct filter *f, const struct hash *h, size_t n, bool *in)
{
#if HAVE_AVX2
	if (CPU_HAS_AVX2())
		return test_avx2(f, h, n, in);
#endif
	return test_all(f, h, n, in, block_has);
}

void
filter_set(const struct filter *f, const struct hash *h, size_t n, bool *fresh,
    uint64_t *nfresh, uint64_t *nbits)
{
#if HAVE_AVX2
	if (CPU_HAS_AVX2()) {
		set_avx2(f, h, n, fresh, nfresh, nbits);
		return;
	}
#endif
	set_all(f, h, n, fresh, nfresh, nbits, block_set);
}

static unsigned
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

void
filter_census(const struct filter *f, uint64_t first, uint64_t n,
    struct census *c)
{
	const unsigned depth = f->shape.probes / f->shape.groups;
	double rate[SIZING_BLOCK_BITS + 1];

	for (unsigned i = 0; i <= SIZING_BLOCK_BITS; i++)
		rate[i] = pow((double)i / SIZING_BLOCK_BITS, depth);
	const uint64_t *w = f->words + first * FILTER_BLOCK_WORDS;
	for (uint64_t i = 0; i < n; i++, w += FILTER_BLOCK_WORDS) {
		unsigned ones = 0;
		for (unsigned j = 0; j < FILTER_BLOCK_WORDS; j++)
			ones += count_ones(w[j]);
		c->ones += ones;
		c->part_rate += rate[ones];
	}
	c->blocks += n;
}

double
filter_rate(const struct filter *f, const struct census *c)
{
	return pow(c->part_rate / (double)c->blocks, f->shape.groups);
}
