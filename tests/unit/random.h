/*
 * Random numbers that are the same in every run and on every machine:
 * splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014).
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t
random_next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* 0 <= result < n; the bias is too small to matter here. */
static inline uint64_t
random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}

/* The same for sizes in memory. */
static inline size_t
random_size(uint64_t *state, size_t n)
{
	return (size_t)random_below(state, n);
}

#endif
