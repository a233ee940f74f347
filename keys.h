/*
 * Which bytes of a line are its key.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"
#include "scheme.h"

/*
 * All zero: the whole line, without its separator.  A field between delimiters
 * may be empty, and a line with n of them has n + 1 fields.  Blanks are spaces,
 * tabs and newlines; a run of them parts two fields, and those at the ends of
 * the line part nothing, as in awk.
 */
struct key_spec {
	bool strip_cr;		/* first, off the end of the line */
	uint64_t field;		/* from 1; 0: not one field */
	bool delimited;		/* by this byte, not by blanks */
	uint8_t delimiter;
	uint64_t from, to;	/* bytes, from 1; to 0: not some bytes */
	bool fold;		/* A to Z are hashed as a to z; in filters of
				   other programs either will do */
};

/* Is the key the line as it is, so that keys_cut need not be called? */
bool keys_whole(const struct key_spec *s);

/*
 * keys[i] = the key of lines[i], within it and not folded.  Returns how many
 * lines have no such field, or none of such bytes; their keys are empty.
 */
size_t keys_cut(const struct key_spec *s, const struct line *lines, size_t n,
    struct line *keys);

/*
 * Hash keys, of which each gives r->width hashes, in the bytes that the spec
 * and the rule ask for: folded to lower case, encoded.  Ends the program if out
 * of memory.
 */
void keys_hash(const struct key_spec *s, const struct rule *r,
    const struct line *keys, size_t n, struct hash *out);

/* The same of all keys in these letters, whatever the spec says. */
void keys_hash_in(const struct rule *r, enum encode_case letters,
    const struct line *keys, size_t n, struct hash *out);

#endif
