/*
 * What the hot loops need of the compiler beyond C11, in one place.  Vector
 * code is chosen when the program runs, so that one binary does for all
 * processors of a kind; without any of this, plain C does the same.
 */
#ifndef SIMD_H
#define SIMD_H

#include <stdbool.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define ALWAYS_INLINE inline
#define NOINLINE
#define PREFETCH(p) ((void)(p))
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#define TARGET_AVX2 __attribute__((target("avx2,popcnt")))
#else
#define HAVE_AVX2 0
#endif

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#define HAVE_NEON 1
#else
#define HAVE_NEON 0
#endif

/*
 * May the vector code of this build be used?  The processor has to have what
 * it takes, and BLOOMTOOL_SIMD must not be "plain", which tests set.
 */
bool simd_usable(void);

#endif
