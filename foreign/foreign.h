/*
 * Filters that other programs wrote, as they lie on disk: which program's a
 * file is, and which of its bits belong to a key.  Pure.
 *
 * Each format is a file in this folder.  bloomtool(1) says where each comes
 * from.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lines.h"
#include "../why.h"

/* Bytes at the beginning of a file that are enough to know it by. */
#define FOREIGN_HEAD 2048

#define FOREIGN_PROBES_MAX 255

struct foreign_format;

struct foreign {
	const struct foreign_format *format;
	uint64_t bits;		/* m: places are below it */
	unsigned probes;	/* k: places of a key, 1 to FOREIGN_PROBES_MAX */
	uint64_t offset;	/* of the bits, in the file */
	uint64_t flip;		/* bit i is number i ^ flip of these, where bit
				   0 is the lowest one of the first byte */
	unsigned variant;	/* what the format makes of it */
	uint32_t seeds[FOREIGN_PROBES_MAX];
	uint64_t keys;		/* made for so many; 0: not known */
	double rate;		/* at this rate; 0: not known */
	bool counted;		/* is keys_added known? */
	uint64_t keys_added;
};

enum foreign_match {
	FOREIGN_OTHER,		/* not of this format */
	FOREIGN_SAME,
	FOREIGN_BAD		/* of it, but cannot be used: why */
};

struct foreign_format {
	const char *name;	/* "dcso": one word */
	const char *words;	/* "DCSO bloom" */

	/* head[0..len) begins a file of this size; fills in *f. */
	enum foreign_match (*match)(struct foreign *f, const uint8_t *head,
	    size_t len, uint64_t size, char why[WHY_SIZE]);

	/*
	 * The places of the keys' bits: at[0..f->probes) of the first, and so
	 * on.
	 */
	void (*places)(const struct foreign *f, const struct line *keys,
	    size_t n, uint64_t *at);
};

/* The formats, in the order in which they are tried. */
extern const struct foreign_format foreign_libbloom, foreign_pybloom,
    foreign_dcso, foreign_bits_and_blooms, foreign_guava, foreign_dcso_old;

/*
 * Whose is it?  head[0..len), len up to FOREIGN_HEAD, begins a file of this
 * size.  On FOREIGN_SAME every place lies inside the file.  FOREIGN_BAD: known,
 * but it cannot be read; why says what it is.
 */
enum foreign_match foreign_recognise(struct foreign *f, const uint8_t *head,
    size_t len, uint64_t size, char why[WHY_SIZE]);

/*
 * Are the bits inside the file?  FOREIGN_SAME or FOREIGN_BAD; for the formats.
 */
enum foreign_match foreign_fits(const struct foreign *f, uint64_t size,
    char why[WHY_SIZE]);

/*
 * in[i] = key i is in the filter, probably; bits is where its bits begin.
 * Returns how many.
 */
size_t foreign_test(const struct foreign *f, const uint8_t *bits,
    const struct line *keys, size_t n, bool *in);

/* How many keys leave `ones` of the bits set, on average; may be infinite. */
double foreign_keys_in(const struct foreign *f, double ones);

/* The rate of wrong answers where `ones` of the bits are set. */
double foreign_rate(const struct foreign *f, double ones);

#endif
