/*
 * Looks once at processor and environment.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "simd.h"

static bool
look(void)
{
	const char *wanted = getenv("BLOOMTOOL_SIMD");

	if (wanted != NULL && strcmp(wanted, "plain") == 0)
		return false;
#if HAVE_AVX2
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("popcnt");
#else
	return HAVE_NEON;
#endif
}

bool
simd_usable(void)
{
	enum { UNKNOWN, NO, YES };
	static atomic_int known;

	int k = atomic_load_explicit(&known, memory_order_relaxed);
	if (k == UNKNOWN) {
		k = look() ? YES : NO;
		atomic_store_explicit(&known, k, memory_order_relaxed);
	}
	return k == YES;
}
