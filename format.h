/*
 * What stands in a filter file, and its header's bytes <-> struct header, with
 * every check on one that comes from outside.  Pure.  bloomtool(5) describes
 * the file byte by byte.
 *
 * The file is FORMAT_HEADER bytes of header, then the blocks, and in a filter
 * that grows those of further layers.  Page 0 of the header is written once,
 * when the file is made.  Page 1 is struct format_live: it changes under its
 * readers.  What it says of layers is taken, once they count; the rest of it is
 * only looked at here to refuse a file that no writer can have left.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "layers.h"
#include "scheme.h"
#include "sizing.h"

#define FORMAT_VERSION 1
#define FORMAT_HEADER 8192	/* bytes before the first block */
#define FORMAT_LIVE 4096	/* where page 1 begins */
#define FORMAT_NOTE 1024	/* bytes of note at most */
#define FORMAT_ALIGN 65536	/* layers begin at multiples of it, so that
				   they can be mapped whatever the page size */

enum format_full {
	FORMAT_FULL_WARN = 0,	/* go on adding, and say so */
	FORMAT_FULL_STOP = 1,	/* refuse new keys */
	FORMAT_FULL_GROW = 2	/* add a layer */
};

enum format_state {
	FORMAT_CLEAN = 0,	/* all of it is on stable storage */
	FORMAT_DIRTYING = 1,	/* about to be; may not be stored yet */
	FORMAT_DIRTY = 2	/* being written, and the mark is stored */
};

/* Where a layer lies, and what it is made for. */
struct format_part {
	uint64_t offset;	/* in the file */
	struct plan plan;
};

/*
 * keys and rate are both 0 if nobody knows what a filter that came from another
 * program was made for.
 */
struct header {
	struct rule rule;
	struct shape shape;	/* of the first layer */
	uint64_t keys;		/* the first layer is made for this many */
	double rate;		/* and all together for this rate */
	enum format_full full;
	unsigned growth;	/* if it grows: a layer is made for so many
				   times the keys of the last one */
	enum sizing_prefer prefer;	/* for the shapes of further layers */
	unsigned nparts;	/* layers; 0 before the file is made */
	struct format_part part[LAYERS_MAX];	/* [0] repeats shape and keys */
	int64_t created;	/* seconds since 1970, UTC */
	uint64_t write_flags;	/* not 0: this build must not write to it */
	size_t note_len;
	char note[FORMAT_NOTE + 1];	/* NUL-ended here */
};

/*
 * A layer after the first, in page 1.  What comes before the checksum is
 * written before the layer counts, and never again.
 */
struct format_layer {
	uint64_t offset;
	uint64_t blocks;
	uint64_t probes_groups;		/* probes + (spare bits << 16) +
					   (groups << 32) */
	uint64_t keys;
	uint64_t rate;			/* IEEE 754 binary64 */
	uint64_t checksum;
	uint64_t keys_added;
	uint64_t bits_set;
};

/*
 * Page 1: 64-bit little-endian words of the mapped file (le64_word).  What
 * readers rely on, state and marks, fits in half a word, so that it does not
 * matter if a 32-bit machine takes two loads; the boot id is read only after
 * the state, and written before it.
 */
struct format_live {
	uint64_t state;			/* enum format_state */
	uint64_t unclean;		/* 1: a boot ended while it was dirty */
	uint64_t boot_id[2];		/* the boot that made it dirty */
	uint64_t sync_failed;		/* 1: a sync failed */
	uint64_t reserved1[3];
	uint64_t keys_added;		/* that were not in when added */
	uint64_t bits_set;
	uint64_t keys_estimated;	/* 1: keys_added is, in part */
	uint64_t reserved2[5];
	uint64_t synced_at;		/* seconds since 1970; 0 never */
	uint64_t keys_synced;		/* keys_added at that time */
	uint64_t more_layers;		/* after the first */
	uint64_t reserved3[7];
	struct format_layer layer[LAYERS_MAX - 1];
	uint64_t reserved4[110];
};

/* Do these bytes, the first of a file, begin as those of a filter do? */
#define FORMAT_MAGIC_SIZE 8
bool format_has_magic(const uint8_t buf[FORMAT_MAGIC_SIZE]);

#define FORMAT_GROWTH 2		/* of native filters */

/* The size in bytes of a file of this many blocks; blocks <= 2^54. */
uint64_t format_file_size(uint64_t blocks);

/* The most blocks that fit into a file of this many bytes, 0 if none. */
uint64_t format_blocks(uint64_t file_size);

/* Put this note, of at most FORMAT_NOTE bytes, into it. */
void format_note(struct header *h, const char *note);

/* Fill buf[0..FORMAT_HEADER) for a new, empty, clean filter. */
void format_encode(const struct header *h, uint8_t buf[FORMAT_HEADER]);

/*
 * Decode and check buf[0..len), the first bytes of a file of file_size bytes;
 * len is FORMAT_HEADER, or file_size if that is less.  On FAULT_NONE every
 * block of every part lies inside the file; behind the last one there may be
 * more bytes only if the filter grows.
 */
struct fault format_decode(struct header *h, const uint8_t *buf,
    size_t len, uint64_t file_size);

#endif
