/*
 * The index rule of the native scheme: which bits of which blocks belong to a
 * hash.  Pinned by tests/golden: a change here makes every filter in the world
 * answer "no".  bloomtool(5) has it in words.
 *
 * Group 0 takes the hash as it is, each further group takes both halves mixed
 * once more.  The block is the high word of lo * blocks (Lemire, "Fast Random
 * Integer Generation in an Interval", 2019).  The bits in it come from the low
 * 32 bits of hi, multiplied by the golden ratio from bit to bit, whose top
 * nine bits name the bit.
 */
#ifndef PROBE_H
#define PROBE_H

#include <stdint.h>

#include "hash.h"

#define PROBE_GOLDEN UINT32_C(0x9e3779b9)	/* 2^32 / golden ratio, odd */

/* The high word of a product. */
static inline uint64_t
probe_high(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
	__extension__ typedef unsigned __int128 wide;
	return (uint64_t)((wide)x * y >> 64);
#else
	const uint64_t a = x >> 32, b = x & UINT32_MAX;
	const uint64_t c = y >> 32, d = y & UINT32_MAX;
	const uint64_t ad = a * d + (b * d >> 32);
	const uint64_t bc = b * c + (ad & UINT32_MAX);
	return a * c + (ad >> 32) + (bc >> 32);
#endif
}

static inline uint64_t
probe_block(const struct hash *h, uint64_t blocks)
{
	return probe_high(h->lo, blocks);
}

/* The word that names the first bit in the block. */
static inline uint32_t
probe_word(const struct hash *h)
{
	return (uint32_t)h->hi;
}

static inline unsigned
probe_bit(uint32_t word)
{
	return word >> 23;
}

/* The finalizer of MurmurHash3 (A. Appleby, public domain): a bijection. */
static inline uint64_t
probe_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 33;
	return x;
}

static inline struct hash
probe_next_group(struct hash h)
{
	return (struct hash){ probe_mix(h.lo), probe_mix(h.hi) };
}

#endif
