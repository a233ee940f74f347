/*
 * What is wrong with the header of a filter file, and the words for it.  Pure.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stddef.h>
#include <stdint.h>

enum fault_kind {
	FAULT_NONE,
	FAULT_EMPTY,
	FAULT_MAGIC,		/* something else */
	FAULT_TEXT_MODE,	/* ours, but line ends or bytes were changed */
	FAULT_SHORT,		/* ends inside the header */
	FAULT_OTHER_VERSION,
	FAULT_FEATURES,		/* an incompatible flag is set */
	FAULT_OTHER_SCHEME,
	FAULT_FIELD,		/* a number that cannot be */
	FAULT_UNEVEN,		/* probes are no multiple of groups */
	FAULT_RATE,
	FAULT_RESERVED,		/* bytes that must be zero are not */
	FAULT_CHECKSUM,
	FAULT_LAYER,		/* the entry of a layer is damaged */
	FAULT_FILE_SIZE		/* not the size that the header says */
};

/* The first thing wrong, and what was wanted in its place. */
struct fault {
	enum fault_kind kind;
	const char *field;	/* FAULT_FIELD: its name */
	uint64_t found;
	uint64_t min, max;
};

/* This one, found where wanted should be. */
struct fault fault_of(enum fault_kind kind, uint64_t found, uint64_t wanted);

/* FAULT_FIELD of this name, or FAULT_NONE if min <= found <= max. */
struct fault fault_field(const char *field, uint64_t found, uint64_t min,
    uint64_t max);

/* The first of n that is not FAULT_NONE; or that. */
struct fault fault_first(const struct fault *faults, size_t n);

/* In words, to stand after the file's name. */
#define FAULT_WORDS 160
const char *fault_words(const struct fault *fault, char buf[FAULT_WORDS]);

#endif
