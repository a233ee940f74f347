/*
 * What the fuzzers share: how they say what must hold, how they take an input
 * apart, and headers made out of few bytes.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <sys/types.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../format.h"
#include "../hash.h"
#include "../le.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,	\
		    #condition);					\
		abort();						\
	}								\
} while (0)

struct bytes {
	const uint8_t *p;
	size_t n;
};

/* The first n bytes, or what there is of them. */
static inline struct bytes
bytes_take(struct bytes *from, size_t n)
{
	const struct bytes b = { from->p, n < from->n ? n : from->n };

	from->p += b.n;
	from->n -= b.n;
	return b;
}

/* Nothing there yet, if s is 250 or more?  Not for ever: waits counts. */
static inline bool
bytes_late(unsigned s, unsigned *waits)
{
	return s >= 250 && (*waits)++ < 100;
}

/* As read(2) may bring them: for s below 240 a few only. */
static inline ssize_t
bytes_arrive(struct bytes *from, unsigned s, unsigned *waits, void *to,
    size_t n)
{
	MUST(n > 0);
	if (bytes_late(s, waits)) {
		errno = s % 2 == 0 ? EAGAIN : EINTR;
		return -1;
	}
	const size_t most = s < 240 ? s + 1 : n;
	const struct bytes b = bytes_take(from, most < n ? most : n);
	if (b.n > 0)
		memcpy(to, b.p, b.n);
	return (ssize_t)b.n;
}

/* A number of up to 8 bytes; what lacks is 0. */
static inline uint64_t
bytes_number(struct bytes *from, size_t n)
{
	const struct bytes b = bytes_take(from, n);
	uint64_t x = 0;

	for (size_t i = 0; i < b.n; i++)
		x |= (uint64_t)b.p[i] << 8 * i;
	return x;
}

/* As bloomtool(5) has them, not as format.c does. */
enum {
	AT_COMPATIBLE = 16,
	AT_SCHEME = 32,
	AT_PROBES = 36,
	AT_GROUPS = 40,
	AT_FULL = 44,
	AT_BLOCKS = 48,
	AT_BITS = 56,
	AT_SEED = 64,
	AT_FILE_SIZE = 88,
	AT_WRITE_FLAGS = 112,
	AT_VARIANT = 124,
	AT_GROWTH = 128,
	AT_ENCODING = 132,
	AT_SEEDS = 160,
	AT_CHECKSUM = 4088,
	AT_STATE = 4096,
	AT_UNCLEAN = 4104,
	AT_BOOT_ID = 4112,
	AT_SYNC_FAILED = 4128,
	AT_KEYS_ADDED = 4160,
	AT_BITS_SET = 4168,
	AT_KEYS_SYNCED = 4232,
	AT_MORE_LAYERS = 4240,
	AT_LAYERS = 4304
};

static inline void
put_sizes(uint8_t buf[FORMAT_HEADER], uint64_t blocks)
{
	le64_put(buf + AT_BLOCKS, blocks);
	le64_put(buf + AT_BITS, blocks * 512);
	le64_put(buf + AT_FILE_SIZE, FORMAT_HEADER + blocks * 64);
}

static inline void
put_checksum(uint8_t buf[FORMAT_HEADER])
{
	le64_put(buf + AT_CHECKSUM, hash_checksum(buf, AT_CHECKSUM));
}

/* Make it one of another scheme, as alike as can be; seed bits are spare. */
static inline void
put_scheme(uint8_t buf[FORMAT_HEADER], unsigned id)
{
	const struct scheme *s = scheme_of_id(id);
	const uint32_t probes = le32_get(buf + AT_PROBES) %
	    (s->seeds ? RULE_SEEDS_MAX : SIZING_PROBES_MAX) + 1;
	const size_t nseeds = s->seeds ? probes : 0;
	const bool grows = s->layers && le32_get(buf + AT_FULL) ==
	    FORMAT_FULL_GROW;

	le32_put(buf + AT_SCHEME, id);
	le32_put(buf + AT_PROBES, probes);
	le32_put(buf + AT_GROUPS, probes);
	if (!grows)
		le32_put(buf + AT_FULL, le32_get(buf + AT_FULL) % 2);
	le64_put(buf + AT_BITS, le64_get(buf + AT_BLOCKS) * 512 -
	    le64_get(buf + AT_SEED) % 512);
	le64_put(buf + AT_SEED, 0);
	le32_put(buf + AT_VARIANT, le32_get(buf + AT_VARIANT) % s->variants);
	le32_put(buf + AT_GROWTH, grows ? le32_get(buf + AT_GROWTH) | 1 : 0);
	le32_put(buf + AT_ENCODING, le32_get(buf + AT_ENCODING) %
	    (ENCODING_LAST + 1));
	memset(buf + AT_SEEDS + 4 * nseeds, 0, 4 * (RULE_SEEDS_MAX - nseeds));
}

/* Make it grow, with so many layers more; sizes as they are, in their place. */
static inline void
put_layers(uint8_t buf[FORMAT_HEADER], unsigned more)
{
	uint64_t end = le64_get(buf + AT_FILE_SIZE);

	le32_put(buf + AT_FULL, FORMAT_FULL_GROW);
	le64_put(buf + AT_MORE_LAYERS, more);
	for (unsigned i = 0; i < more; i++) {
		uint8_t *e = buf + AT_LAYERS + 64 * i, summed[56];
		if (le32_get(buf + AT_SCHEME) != 1)
			le32_put(e + 20, le32_get(e + 16) & UINT16_MAX);
		le64_put(e, (end + 65535) / 65536 * 65536);
		end = le64_get(e) + 64 * le64_get(e + 8);
		memcpy(summed, e, 40);
		le64_put(summed + 40, i + 1);
		memcpy(summed + 48, buf + AT_SEED, 8);
		le64_put(e + 40, hash_checksum(summed, sizeof(summed)));
	}
}

/*
 * Change buf[0..size), where a header begins.  A change is a byte and what
 * follows it: 0 to 31, a word of page 0 and its 8 bytes; 32 to 63, the same of
 * page 1; more, two bytes of an offset and the byte to put there.
 */
static inline void
put_changes(uint8_t *buf, size_t size, struct bytes in)
{
	while (in.n > 0) {
		const size_t what = (size_t)bytes_number(&in, 1);
		if (what < 64) {
			const struct bytes b = bytes_take(&in, 8);
			memcpy(buf + what / 32 * FORMAT_LIVE + what % 32 * 8,
			    b.p, b.n);
		} else {
			const size_t at = (size_t)bytes_number(&in, 2);
			buf[at % size] = (uint8_t)bytes_number(&in, 1);
		}
	}
}

/* A valid header, to change. */
static inline void
put_header(uint8_t buf[FORMAT_HEADER], uint64_t blocks)
{
	struct header h = { .rule = scheme_rule(&scheme_native, 6),
	    .shape = { .blocks = blocks, .probes = 6, .groups = 1 },
	    .keys = 50, .rate = 0.01, .growth = FORMAT_GROWTH, .created = 1,
	    .note_len = 3, .note = "abc" };

	h.rule.seed = 1;
	format_encode(&h, buf);
}

#endif
