/*
 * Numbers as people type them <-> numbers.  Pure.
 *
 * What is read: decimal digits, a decimal point, an exponent (2e9), then a
 * power of 1000 (k or K, M, G, T, P, E) or of 1024 (Ki, Mi, Gi, Ti, Pi, Ei);
 * sizes may end in B, rates in %.  Nothing else: no sign, blank, hexadecimal,
 * "inf" or "nan".  Whole numbers are exact or refused, never rounded.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum number_err {
	NUMBER_OK,
	NUMBER_SYNTAX,		/* not a number as above */
	NUMBER_INEXACT,		/* a whole number was wanted */
	NUMBER_RANGE		/* below min or above max */
};

/* A whole number of things, min <= *out <= max. */
enum number_err number_count(const char *s, uint64_t min, uint64_t max,
    uint64_t *out);

/* A whole number of bytes, min <= *out <= max. */
enum number_err number_size(const char *s, uint64_t min, uint64_t max,
    uint64_t *out);

/* A rate or probability, min <= *out <= max, as the nearest double. */
enum number_err number_rate(const char *s, double min, double max,
    double *out);

/* Seconds, 0 <= *out <= max, as the nearest double. */
enum number_err number_seconds(const char *s, double max, double *out);

/* 64 bits: as number_count, or 0x and up to 16 hexadecimal digits. */
enum number_err number_seed(const char *s, uint64_t *out);

/* What is wrong, to stand after the text that was given. */
const char *number_strerror(enum number_err e);

/*
 * Bytes for people, rounded to three digits: "118 MiB".  Always fits in
 * NUMBER_WORDS bytes.
 */
#define NUMBER_WORDS 32
const char *number_bytes(uint64_t nbytes, char buf[NUMBER_WORDS]);

/* The same for a number of things: "12.3M". */
const char *number_short(uint64_t x, char buf[NUMBER_WORDS]);

#endif
