/*
 * Filters of other programs: whose a file is, what is in it, and how to write
 * one.  Pure.
 *
 * Each program is a file in this folder, with its scheme and its format.
 * bloomtool(1) says where each comes from.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../format.h"
#include "../scheme.h"
#include "../why.h"

/* Bytes at the beginning of a file that are enough to know it by. */
#define FOREIGN_HEAD 4096

/* The size of a stream whose end is not known yet. */
#define FOREIGN_STREAM UINT64_MAX

struct foreign_format;

struct foreign {
	const struct foreign_format *format;
	uint64_t file_size;	/* as it was told */

	/*
	 * The rule, and each part where it lies in the file, at any offset.
	 * keys and rate are 0 if they are not known.
	 */
	struct header head;
	uint64_t size;		/* of the file, to the byte; 0: what follows
				   the last part does not matter */
	bool open_end;		/* or it may be shorter: what it lacks is 0 */
	bool counted;		/* are these known? */
	uint64_t keys_added[LAYERS_MAX];	/* to each part */
};

enum foreign_match {
	FOREIGN_OTHER,		/* not of this format */
	FOREIGN_SAME,
	FOREIGN_BAD		/* of it, but cannot be used: why */
};

struct foreign_format {
	const char *name;	/* "dcso": one word */
	const char *words;	/* "DCSO bloom" */

	/*
	 * head[0..len) begins a file of this size, or FOREIGN_STREAM; fills in
	 * *f.
	 */
	enum foreign_match (*match)(struct foreign *f, const uint8_t *head,
	    size_t len, uint64_t size, char why[WHY_SIZE]);

	/*
	 * Write the head of a file for a filter to head, with *n bytes; keys
	 * are those added to each layer.  -1: it cannot have that, why.  NULL
	 * if bloomtool writes no such files.
	 */
	int (*encode)(const struct header *h, const uint64_t keys[LAYERS_MAX],
	    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE]);

	uint64_t flip;		/* rule.flip of such a file */
	unsigned unit;		/* bytes in which layers are written */

	/*
	 * The command of Redis that loads a piece of the bits, NULL for a file
	 * of its own.  It has a number: the byte where the piece begins, or,
	 * by_end, 1 more than that where it ends; of the head that is 1.
	 */
	const char *command;
	bool by_end;
};

/* In the order in which they are tried. */
extern const struct foreign_format foreign_libbloom, foreign_pybloom,
    foreign_redisbloom, foreign_dcso, foreign_bits_and_blooms, foreign_guava,
    foreign_dcso_old;

/* And those that only their names are enough for. */
extern const struct foreign_format foreign_redisbloom_2_0,
    foreign_redisbloom_1_1, foreign_redis_bitmap;

extern const struct scheme scheme_libbloom, scheme_pybloom, scheme_dcso,
    scheme_bits_and_blooms, scheme_guava, scheme_redisbloom, scheme_dcso_old,
    scheme_go_zero, scheme_guava_bitmap;

/* The format of this name, or NULL. */
const struct foreign_format *foreign_of_name(const char *name);

/*
 * Whose is it?  head[0..len), len up to FOREIGN_HEAD, begins a file of this
 * size, or FOREIGN_STREAM.  Only this format, unless it is NULL, comes into
 * question.  On FOREIGN_SAME every bit lies inside the file.  FOREIGN_BAD:
 * known, but it cannot be read; why says what it is.
 */
enum foreign_match foreign_recognise(struct foreign *f,
    const struct foreign_format *only, const uint8_t *head, size_t len,
    uint64_t size, char why[WHY_SIZE]);

/*
 * "dcso, guava ...": all that have a name, or those that bloomtool writes, as
 * far as there is room.
 */
const char *foreign_names(char *buf, size_t size, bool written);

/* The scheme of bitmaps of Redis by this rule: guava or go-zero; or NULL. */
const struct scheme *foreign_bitmap_rule(const char *name);

/* A string in Redis has 512 MiB. */
#define FOREIGN_BITMAP_BITS (UINT64_C(1) << 32)

/* A bitmap of Redis, which does not say what it is. */
enum foreign_match foreign_bitmap(struct foreign *f, const struct scheme *s,
    uint64_t bits, unsigned probes, char why[WHY_SIZE]);

/*
 * Bytes of a file whose rule has this flip -> bits one after the other, the
 * lowest of the first byte first, or back; n is a multiple of 8.
 */
void foreign_flip(uint64_t flip, uint8_t *bytes, size_t n);

/*
 * Is it something else that is known, but not read, or not in place?  Then
 * FOREIGN_BAD, and why says what.
 */
enum foreign_match foreign_unread(const uint8_t *head, size_t len,
    uint64_t size, char why[WHY_SIZE]);

/*
 * For the formats: *f is a filter of this scheme, whose next part is so large
 * and begins at this offset.  FOREIGN_SAME, or FOREIGN_BAD if it does not lie
 * in a file of this size, or is none.
 */
enum foreign_match foreign_part(struct foreign *f, const struct scheme *s,
    uint64_t flip, uint64_t bits, uint64_t probes, uint64_t offset,
    uint64_t size, char why[WHY_SIZE]);

/*
 * For the formats: has the filter this scheme?  Has it one layer?  -1: why not,
 * and what to do.
 */
int foreign_has(const struct header *h, const struct scheme *s,
    char why[WHY_SIZE]);
int foreign_has_one(const struct header *h, char why[WHY_SIZE]);

/* For the formats: what it was made for, if that can be. */
void foreign_made_for(struct foreign *f, uint64_t keys, double rate);

#endif
