/*
 * Bloom filters of RedisBloom as its tools hand them on: what redis-cli prints
 * of BF.SCANDUMP, and commands that have BF.LOADCHUNK.  Of a filter there is
 * first a header, then the bits of its sub-filters without anything between,
 * all of it in chunks, of any size: the caller takes them out of the stream.
 */
#ifndef DUMP_H
#define DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"
#include "why.h"

#define DUMP_NAME_MAX 1024	/* bytes of a key's name */

/* How far reading is; its fields are dump.c's. */
struct dump {
	bool printed;		/* by redis-cli; otherwise commands */
	bool chosen;		/* name is the caller's */
	bool begun;		/* the header has come */
	bool inside;		/* of a command, whose chunk was given */
	size_t header_len;	/* if printed */
	uint64_t bits;		/* bytes of them so far */
	const char *other;	/* what else was there, in words */
	size_t name_len;	/* SIZE_MAX: no name yet */
	uint8_t name[DUMP_NAME_MAX];
};

/*
 * Does the stream begin as one of these?  name: that of the filter's key, if
 * commands are about several, or NULL.  1; 0: no; -1: why, also of what is
 * known but cannot be read.
 */
int dump_begin(struct dump *d, struct stream *s, const char *name,
    char why[WHY_SIZE]);

/*
 * The next chunk: *n bytes of the stream from here on, which the caller takes.
 * 0: there is none, and all of the stream has been seen; -1: why.
 */
int dump_chunk(struct dump *d, struct stream *s, uint64_t *n,
    char why[WHY_SIZE]);

#endif
