/*
 * The lesser of two numbers.
 */
#ifndef LEAST_H
#define LEAST_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline size_t
least_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
