/*
 * What the hot loops need of the compiler beyond C11, in one place.  Vector
 * code is chosen when the program runs, so that one binary does for all
 * processors of a kind; without any of this, plain C does the same.
 */
#ifndef SIMD_H
#define SIMD_H

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define ALWAYS_INLINE inline
#define PREFETCH(p) ((void)(p))
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#define TARGET_AVX2 __attribute__((target("avx2")))
#define CPU_HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define HAVE_AVX2 0
#endif

#endif
