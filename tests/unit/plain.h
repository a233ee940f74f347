/*
 * In place of simd.h: the code for machines without vector instructions.  A
 * test that includes this and then a .c of the program gets that code to test,
 * whatever the processor.
 */
#ifndef SIMD_H
#define SIMD_H

#define ALWAYS_INLINE inline
#define PREFETCH(p) ((void)(p))
#define HAVE_AVX2 0
#define HAVE_NEON 0
#define simd_usable() false

#endif
