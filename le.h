/*
 * Numbers in byte buffers, put and taken by shifts, so that a file means the
 * same on every machine: little-endian ones, as in filters of ours, and
 * big-endian ones.  Compilers turn each of these into a single load or store
 * where the machine allows it.
 */
#ifndef LE_H
#define LE_H

#include <stdint.h>
#include <string.h>

static inline uint32_t
le32_get(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
}

static inline uint64_t
le64_get(const uint8_t *p)
{
	return (uint64_t)le32_get(p) | (uint64_t)le32_get(p + 4) << 32;
}

static inline void
le32_put(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> 8 * i);
}

static inline void
le64_put(uint8_t *p, uint64_t x)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(x >> 8 * i);
}

static inline uint32_t
be32_get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint64_t
be64_get(const uint8_t *p)
{
	return (uint64_t)be32_get(p) << 32 | (uint64_t)be32_get(p + 4);
}

static inline void
be32_put(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static inline void
be64_put(uint8_t *p, uint64_t x)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(x >> (56 - 8 * i));
}

/* The bits of an IEEE 754 binary64, as a number, and back. */
static inline uint64_t
le64_of_double(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double
le64_to_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/*
 * A 64-bit word of a mapped file <-> this machine's order.
 */
static inline uint64_t
le64_word(uint64_t x)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return x;
#else
	uint8_t bytes[8];

	le64_put(bytes, x);
	const union { uint8_t bytes[8]; uint64_t word; } u = { .bytes = {
	    bytes[0], bytes[1], bytes[2], bytes[3],
	    bytes[4], bytes[5], bytes[6], bytes[7] } };
	return u.word;
#endif
}

#endif
