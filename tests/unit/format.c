/*
 * The header of a filter file: its bytes, each refusal, and that no damage to
 * it goes unnoticed.  Numbers are put into bytes and taken out again by code
 * of its own here, so that le.h cannot be wrong the same way twice.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "few.h"
#include "format.h"
#include "hash.h"
#include "page1.h"
#include "parts.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char note[] = "top 10\nmillion domains, lower case";

static struct header
known_header(void)
{
	struct header h = {
		.rule = scheme_rule(&scheme_native, 12),
		.shape = { .blocks = 1000, .probes = 12, .groups = 2 },
		.growth = FORMAT_GROWTH,
		.keys = 2000000000,
		.rate = 1e-4,
		.full = FORMAT_FULL_WARN,
		.created = 1700000000,
		.note_len = sizeof(note) - 1,
	};

	h.rule.seed = UINT64_C(0x0123456789abcdef);
	memcpy(h.note, note, sizeof(note));
	return h;
}

#define KNOWN_SIZE (UINT64_C(8192) + 1000 * 64)

static uint64_t
number_at(const uint8_t *buf, size_t at, unsigned width)
{
	uint64_t x = 0;

	for (unsigned i = width; i-- > 0;)
		x = x * 256 + buf[at + i];
	return x;
}

static void
patch(uint8_t *buf, size_t at, unsigned width, uint64_t x)
{
	for (unsigned i = 0; i < width; i++, x /= 256)
		buf[at + i] = (uint8_t)(x % 256);
}

/* Make the checksum right again, so that other checks have to see damage. */
static void
seal(uint8_t *buf)
{
	patch(buf, 4088, 8, hash_checksum(buf, 4088));
}

static bool
same_rule(const struct rule *a, const struct rule *b)
{
	return a->scheme == b->scheme && a->seed == b->seed &&
	    a->variant == b->variant && a->encoding == b->encoding &&
	    a->width == b->width && a->flip == b->flip &&
	    memcmp(a->seeds, b->seeds, sizeof(a->seeds)) == 0;
}

static bool
same_shape(const struct shape *a, const struct shape *b)
{
	return a->blocks == b->blocks && a->probes == b->probes &&
	    a->groups == b->groups && a->spare == b->spare;
}

static bool
same_header(const struct header *a, const struct header *b)
{
	return same_rule(&a->rule, &b->rule) &&
	    same_shape(&a->shape, &b->shape) && a->growth == b->growth &&
	    a->keys == b->keys && memcmp(&a->rate, &b->rate, 8) == 0 &&
	    a->full == b->full && a->created == b->created &&
	    a->write_flags == b->write_flags &&
	    a->note_len == b->note_len &&
	    memcmp(a->note, b->note, a->note_len) == 0 &&
	    a->note[a->note_len] == '\0' && b->note[b->note_len] == '\0';
}

static struct fault
decode(const uint8_t *buf)
{
	struct header h;

	return format_decode(&h, buf, FORMAT_HEADER, KNOWN_SIZE);
}

/* The table of bloomtool(5), for known_header. */
static const struct {
	const char *name;
	size_t at;
	unsigned width;
	uint64_t wanted;
} layout[] = {
	{ "version", 8, 4, 1 },
	{ "header size", 12, 4, 8192 },
	{ "compatible flags", 16, 8, 0 },
	{ "incompatible flags", 24, 8, 0 },
	{ "scheme", 32, 4, 1 },
	{ "probes", 36, 4, 12 },
	{ "groups", 40, 4, 2 },
	{ "action when full", 44, 4, 0 },
	{ "blocks", 48, 8, 1000 },
	{ "bits", 56, 8, 512000 },
	{ "seed", 64, 8, UINT64_C(0x0123456789abcdef) },
	{ "keys", 72, 8, 2000000000 },
	{ "rate", 80, 8, UINT64_C(0x3f1a36e2eb1c432d) },	/* 1e-4 */
	{ "file size", 88, 8, 72192 },
	{ "creation time", 96, 8, 1700000000 },
	{ "length of the note", 104, 8, 34 },
	{ "writer flags", 112, 8, 0 },
	{ "shapes of further layers", 120, 4, 0 },
	{ "variant", 124, 4, 0 },
	{ "growth", 128, 4, 0 },
	{ "encoding of keys", 132, 4, 0 },
	/* Packed by hand in Python and hashed by libxxhash 0.8.1. */
	{ "checksum", 4088, 8, UINT64_C(0x95eef57ba641d839) },
};

static bool
only_zeros(const uint8_t *buf, size_t from, size_t to)
{
	while (from < to && buf[from] == 0)
		from++;
	return from == to;
}

static void
bytes_of_the_header(void)
{
	static const uint8_t magic[] =
	    { 0xbf, 0x42, 0x4c, 0x4f, 0x4f, 0x4d, 0x0d, 0x0a };
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];

	memset(buf, 0xff, sizeof(buf));
	format_encode(&h, buf);
	OK(memcmp(buf, magic, sizeof(magic)) == 0,
	    "bytes 0 to 7 are 0xbf BLOOM CR LF");
	for (size_t i = 0; i < COUNT(layout); i++) {
		const uint64_t x =
		    number_at(buf, layout[i].at, layout[i].width);
		OK(x == layout[i].wanted, "byte %zu: %s", layout[i].at,
		    layout[i].name);
		if (x != layout[i].wanted)
			printf("# got %" PRIu64 " = 0x%" PRIx64 "\n", x, x);
	}
	OK(memcmp(buf + 1024, note, sizeof(note) - 1) == 0,
	    "byte 1024: the note");
	OK(only_zeros(buf, 124, 1024) &&
	    only_zeros(buf, 1024 + sizeof(note) - 1, 4088),
	    "the rest of the first page is zero");
	OK(number_at(buf, 4088, 8) == hash_checksum(buf, 4088),
	    "the checksum is XXH3-64 of all before it");
	OK(only_zeros(buf, 4096, 8192), "the second page of a new filter is "
	    "zero: clean, no keys, no bits");
}

static void
words_of_the_second_page(void)
{
	const struct { const char *name; size_t at, wanted; } words[] = {
		{ "state", offsetof(struct format_live, state), 0 },
		{ "unclean", offsetof(struct format_live, unclean), 8 },
		{ "boot_id", offsetof(struct format_live, boot_id), 16 },
		{ "sync_failed", offsetof(struct format_live, sync_failed),
		    32 },
		{ "keys_added", offsetof(struct format_live, keys_added), 64 },
		{ "bits_set", offsetof(struct format_live, bits_set), 72 },
		{ "keys_estimated", offsetof(struct format_live,
		    keys_estimated), 80 },
		{ "synced_at", offsetof(struct format_live, synced_at), 128 },
		{ "keys_synced", offsetof(struct format_live, keys_synced),
		    136 },
		{ "more_layers", offsetof(struct format_live, more_layers),
		    144 },
		{ "layer", offsetof(struct format_live, layer), 208 },
		{ "layer 2", offsetof(struct format_live, layer[1]), 272 },
		{ "reserved4", offsetof(struct format_live, reserved4), 3216 },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		OK(words[i].at == words[i].wanted, "byte %zu: %s",
		    4096 + words[i].wanted, words[i].name);
	OK(FORMAT_LIVE == 4096 && FORMAT_HEADER == 8192 &&
	    sizeof(struct format_live) == 4096, "both pages have 4096 bytes");
	OK(FORMAT_CLEAN == 0 && FORMAT_DIRTYING == 1 && FORMAT_DIRTY == 2,
	    "the states have their numbers");
}

static void
counts_of_a_filter_made_of_others(void)
{
	struct header h = known_header();
	uint8_t buf[FORMAT_HEADER], empty[FORMAT_HEADER];
	const uint64_t keys[LAYERS_MAX] = { UINT64_C(0x1122334455667788) };
	const uint64_t bits[LAYERS_MAX] = { 512000 };

	format_encode(&h, empty);
	format_encode(&h, buf);
	h.nparts = 1;
	page1_encode(&h, keys, bits, true, buf);
	OK(number_at(buf, 4160, 8) == UINT64_C(0x1122334455667788) &&
	    number_at(buf, 4168, 8) == 512000 &&
	    number_at(buf, 4176, 8) == 1, "its keys, bits and mark");
	OK(decode(buf).kind == FAULT_NONE, "it is read");
	memset(buf + 4160, 0, 24);
	OK(memcmp(buf, empty, sizeof(buf)) == 0,
	    "all else is as in an empty one");
}

/* Layers of other filters, one behind the other. */
static void
counts_of_layers(void)
{
	struct header h = known_header(), got;
	uint8_t buf[FORMAT_HEADER];
	const uint64_t keys[LAYERS_MAX] = { 1, 20, 300 };
	const uint64_t bits[LAYERS_MAX] = { 4000, 50000, 500000 };
	const struct plan p = { h.shape, h.keys, h.rate / 2 };

	h.full = FORMAT_FULL_GROW;
	h.nparts = 0;
	for (int i = 0; i < 3; i++)
		parts_append(&h, &p);
	format_encode(&h, buf);
	page1_encode(&h, keys, bits, true, buf);
	OK(format_decode(&got, buf, sizeof(buf), parts_end(&h)).kind ==
	    FAULT_NONE && got.nparts == 3, "layers of others are read");
	OK(h.part[0].offset == 8192 && h.part[1].offset == 2 * 65536 &&
	    h.part[2].offset == 3 * 65536, "they do not overlap");
	OK(number_at(buf, 4160, 8) == 321 && number_at(buf, 4168, 8) == 554000,
	    "keys and bits are those of all");
	OK(number_at(buf, 4304 + 48, 8) == 20 &&
	    number_at(buf, 4304 + 56, 8) == 50000 &&
	    number_at(buf, 4368 + 48, 8) == 300 &&
	    number_at(buf, 4368 + 56, 8) == 500000, "and of each");
}

static bool
comes_back(const struct header *h)
{
	uint8_t buf[FORMAT_HEADER];
	struct header back;

	memset(&back, 0xff, sizeof(back));
	format_encode(h, buf);
	const struct fault f = format_decode(&back, buf, sizeof(buf),
	    format_file_size(h->shape.blocks));
	return f.kind == FAULT_NONE && same_header(h, &back);
}

static void
round_trips(void)
{
	struct header h = known_header();

	OK(comes_back(&h), "a header comes back as it was");
	h.note_len = 0;
	memset(h.note, 0, sizeof(h.note));
	OK(comes_back(&h), "without a note too");
	h.note_len = FORMAT_NOTE;
	memset(h.note, 'x', FORMAT_NOTE);
	OK(comes_back(&h), "with the longest note too");
	h.shape = (struct shape){ 1, 1, 1, 0 };
	h.keys = SIZING_KEYS_MIN;
	h.rate = SIZING_RATE_MAX;
	h.rule.seed = 0;
	h.created = 0;
	OK(comes_back(&h), "the smallest of all too");
	h.shape = (struct shape){ SIZING_BLOCKS_MAX, 255, 255, 0 };
	h.keys = SIZING_KEYS_MAX;
	h.rate = SIZING_RATE_MIN;
	h.rule.seed = UINT64_MAX;
	h.created = INT64_MAX;
	OK(comes_back(&h), "the largest of all too");
	h.created = INT64_MIN;
	OK(comes_back(&h), "one made before 1970 too");
}

static void
sizes(void)
{
	OK(format_file_size(1) == 8256, "a file of one block has 8256 bytes");
	OK(format_file_size(SIZING_BLOCKS_MAX) ==
	    (UINT64_C(1) << 60) + 8192, "the largest file has 2^60 bytes and "
	    "its header");
	OK(SIZING_BLOCKS_MAX * SIZING_BLOCK_BITS == UINT64_C(1) << 63,
	    "the largest number of bits fits in 64");
	OK(format_blocks(0) == 0 && format_blocks(8191) == 0 &&
	    format_blocks(8192) == 0 && format_blocks(8255) == 0,
	    "less than 8256 bytes have no room for a block");
	OK(format_blocks(8256) == 1 && format_blocks(8319) == 1 &&
	    format_blocks(8320) == 2, "each 64 bytes more are a block");
	OK(format_blocks(format_file_size(SIZING_BLOCKS_MAX)) ==
	    SIZING_BLOCKS_MAX, "the size of the largest file leads back");
}

/*
 * Each refusal by its own damage to the known header.  Whoever wrote the file
 * may have sealed it, so the checksum is made right again.
 */
static const struct damage {
	const char *what;
	size_t at;
	unsigned width;
	uint64_t value;
	enum fault_kind kind;
	const char *field;
	uint64_t min, max;	/* wanted, of a field */
} damages[] = {
	{ "another first byte", 0, 1, 0xbe, FAULT_MAGIC, NULL, 0, 0 },
	{ "another letter", 3, 1, 'A', FAULT_MAGIC, NULL, 0, 0 },
	{ "version 0", 8, 4, 0, FAULT_OTHER_VERSION, NULL, 1, 1 },
	{ "version 2", 8, 4, 2, FAULT_OTHER_VERSION, NULL, 1, 1 },
	{ "version 2^32-1", 8, 4, UINT32_MAX, FAULT_OTHER_VERSION, NULL, 1,
	    1 },
	{ "version 257", 8, 4, 257, FAULT_OTHER_VERSION, NULL, 1, 1 },
	{ "header of 4096 bytes", 12, 4, 4096, FAULT_FIELD, "header size",
	    8192, 8192 },
	{ "header of 8193 bytes", 12, 4, 8193, FAULT_FIELD, "header size",
	    8192, 8192 },
	{ "incompatible flag 1", 24, 8, 1, FAULT_FEATURES, NULL, 0, 0 },
	{ "incompatible flag 2^63", 24, 8, UINT64_C(1) << 63, FAULT_FEATURES,
	    NULL, 0, 0 },
	{ "scheme 0", 32, 4, 0, FAULT_OTHER_SCHEME, NULL, SCHEME_LAST,
	    SCHEME_LAST },
	{ "the scheme after the last", 32, 4, SCHEME_LAST + 1,
	    FAULT_OTHER_SCHEME, NULL, SCHEME_LAST, SCHEME_LAST },
	{ "scheme 257", 32, 4, 257, FAULT_OTHER_SCHEME, NULL, SCHEME_LAST,
	    SCHEME_LAST },
	{ "no probes", 36, 4, 0, FAULT_FIELD, "probes", 1, 255 },
	{ "256 probes", 36, 4, 256, FAULT_FIELD, "probes", 1, 255 },
	{ "2^32-2 probes", 36, 4, UINT32_MAX - 1, FAULT_FIELD, "probes", 1,
	    255 },
	{ "odd probes in two blocks", 36, 4, 13, FAULT_UNEVEN, NULL, 2, 2 },
	{ "no blocks a key", 40, 4, 0, FAULT_FIELD, "blocks a key", 1, 12 },
	{ "more blocks a key than probes", 40, 4, 13, FAULT_FIELD,
	    "blocks a key", 1, 12 },
	{ "twelve probes in five blocks", 40, 4, 5, FAULT_UNEVEN, NULL, 5,
	    5 },
	{ "action 3 when full", 44, 4, 3, FAULT_FIELD, "action when full", 0,
	    2 },
	{ "no blocks", 48, 8, 0, FAULT_FIELD, "blocks", 1,
	    SIZING_BLOCKS_MAX },
	{ "2^54+1 blocks", 48, 8, SIZING_BLOCKS_MAX + 1, FAULT_FIELD,
	    "blocks", 1, SIZING_BLOCKS_MAX },
	/* In 64 bits these have as many bits, and the last as many bytes. */
	{ "2^55+1000 blocks", 48, 8, (UINT64_C(1) << 55) + 1000, FAULT_FIELD,
	    "blocks", 1, SIZING_BLOCKS_MAX },
	{ "2^63+1000 blocks", 48, 8, (UINT64_C(1) << 63) + 1000, FAULT_FIELD,
	    "blocks", 1, SIZING_BLOCKS_MAX },
	{ "1001 blocks", 48, 8, 1001, FAULT_FIELD, "bits", 512512, 512512 },
	{ "999 blocks", 48, 8, 999, FAULT_FIELD, "bits", 511488, 511488 },
	{ "a bit less", 56, 8, 511999, FAULT_FIELD, "bits", 512000, 512000 },
	{ "a bit more", 56, 8, 512001, FAULT_FIELD, "bits", 512000, 512000 },
	{ "no bits", 56, 8, 0, FAULT_FIELD, "bits", 512000, 512000 },
	{ "made for no keys", 72, 8, 0, FAULT_FIELD, "keys", 1,
	    SIZING_KEYS_MAX },
	{ "made for 10^15+1 keys", 72, 8, SIZING_KEYS_MAX + 1, FAULT_FIELD,
	    "keys", 1, SIZING_KEYS_MAX },
	{ "made for 2^64-1 keys", 72, 8, UINT64_MAX, FAULT_FIELD, "keys", 1,
	    SIZING_KEYS_MAX },
	{ "rate 0", 80, 8, 0, FAULT_RATE, NULL, 0, 0 },
	{ "rate -0", 80, 8, UINT64_C(1) << 63, FAULT_RATE, NULL, 0, 0 },
	{ "rate 1", 80, 8, UINT64_C(0x3ff0000000000000), FAULT_RATE, NULL, 0,
	    0 },
	{ "rate -1e-4", 80, 8, UINT64_C(0xbf1a36e2eb1c432d), FAULT_RATE, NULL,
	    0, 0 },
	{ "rate infinity", 80, 8, UINT64_C(0x7ff0000000000000), FAULT_RATE,
	    NULL, 0, 0 },
	{ "rate not a number", 80, 8, UINT64_C(0x7ff8000000000000),
	    FAULT_RATE, NULL, 0, 0 },
	{ "rate a signalling not a number", 80, 8,
	    UINT64_C(0x7ff0000000000001), FAULT_RATE, NULL, 0, 0 },
	{ "a file of one byte less", 88, 8, KNOWN_SIZE - 1, FAULT_FIELD,
	    "file size", KNOWN_SIZE, KNOWN_SIZE },
	{ "a file of one block more", 88, 8, KNOWN_SIZE + 64, FAULT_FIELD,
	    "file size", KNOWN_SIZE, KNOWN_SIZE },
	{ "a note of 1025 bytes", 104, 8, 1025, FAULT_FIELD,
	    "length of the note", 0, 1024 },
	{ "a note of 2^32 bytes", 104, 8, UINT64_C(1) << 32, FAULT_FIELD,
	    "length of the note", 0, 1024 },
	{ "a note of 2^64-1 bytes", 104, 8, UINT64_MAX, FAULT_FIELD,
	    "length of the note", 0, 1024 },
	{ "preference 2", 120, 4, 2, FAULT_FIELD, "preference", 0, 1 },
	{ "variant 1", 124, 4, 1, FAULT_FIELD, "variant", 0, 0 },
	{ "variant 2^31", 124, 4, UINT32_C(1) << 31, FAULT_FIELD, "variant",
	    0, 0 },
	{ "growth 1", 128, 4, 1, FAULT_FIELD, "growth", 0, 0 },
	{ "growth 2", 128, 4, 2, FAULT_FIELD, "growth", 0, 0 },
	{ "encoding 1", 132, 4, 1, FAULT_FIELD, "encoding of keys", 0, 0 },
	{ "first reserved byte", 136, 1, 1, FAULT_RESERVED, NULL, 0, 0 },
	{ "last reserved byte before the seeds", 159, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "first byte of the seeds", 160, 1, 1, FAULT_RESERVED, NULL, 0, 0 },
	{ "last byte of the seeds", 415, 1, 1, FAULT_RESERVED, NULL, 0, 0 },
	{ "last reserved byte before the note", 1023, 1, 128, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "a note longer than its length", 1024 + 34, 1, 'x', FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "a note shorter than it was", 104, 8, 33, FAULT_RESERVED, NULL, 0,
	    0 },
	{ "first byte after the note's room", 2048, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "last byte before the checksum", 4087, 1, 1, FAULT_RESERVED, NULL,
	    0, 0 },
	{ "state 3", 4096, 8, 3, FAULT_FIELD, "state", 0, 2 },
	{ "state 2^32", 4096, 8, UINT64_C(1) << 32, FAULT_FIELD, "state", 0,
	    2 },
	{ "unclean mark 2", 4104, 8, 2, FAULT_FIELD, "unclean mark", 0, 1 },
	{ "unclean mark 2^63", 4104, 8, UINT64_C(1) << 63, FAULT_FIELD,
	    "unclean mark", 0, 1 },
	{ "sync mark 2", 4128, 8, 2, FAULT_FIELD, "sync mark", 0, 1 },
	{ "sync mark 2^32", 4128, 8, UINT64_C(1) << 32, FAULT_FIELD,
	    "sync mark", 0, 1 },
	{ "more ones than bits", 4168, 8, 512001, FAULT_FIELD, "bits set", 0,
	    512000 },
	{ "first reserved byte of the first gap", 4136, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "last reserved byte of the first gap", 4159, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "estimate mark 2", 4176, 8, 2, FAULT_FIELD, "estimate mark", 0, 1 },
	{ "estimate mark 2^63", 4176, 8, UINT64_C(1) << 63, FAULT_FIELD,
	    "estimate mark", 0, 1 },
	{ "first reserved byte of the second gap", 4184, 1, 1,
	    FAULT_RESERVED, NULL, 0, 0 },
	{ "last reserved byte of the second gap", 4223, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "a layer more, and it does not grow", 4240, 8, 1, FAULT_FIELD,
	    "further layers", 0, 0 },
	{ "first reserved byte of the third gap", 4248, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "last reserved byte of the third gap", 4303, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "first byte of the table of layers", 4304, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "last byte of the table of layers", 7311, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "first reserved byte behind it", 7312, 1, 1, FAULT_RESERVED,
	    NULL, 0, 0 },
	{ "the last byte of the header", 8191, 1, 1, FAULT_RESERVED, NULL, 0,
	    0 },
};

static void
is_refused(const struct damage *d)
{
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];

	format_encode(&h, buf);
	patch(buf, d->at, d->width, d->value);
	seal(buf);
	const struct fault f = decode(buf);
	const bool same_field = d->field == NULL || (f.field != NULL &&
	    strcmp(f.field, d->field) == 0);
	const uint64_t found = d->field != NULL && d->at == 48 &&
	    strcmp(d->field, "bits") == 0 ?
	    512000 : d->value;	/* of the field that is at odds with this */
	const bool counts = d->kind == FAULT_FIELD ||
	    d->kind == FAULT_OTHER_VERSION || d->kind == FAULT_OTHER_SCHEME;
	const bool same_numbers = !counts || (f.found == found &&
	    f.min == d->min && f.max == d->max);
	OK(f.kind == d->kind && same_field && same_numbers, "refused: %s",
	    d->what);
	if (f.kind != d->kind || !same_field || !same_numbers)
		printf("# error %d of %s: %" PRIu64 ", wanted %" PRIu64
		    " to %" PRIu64 "\n", f.kind,
		    f.field != NULL ? f.field : "no field", f.found, f.min,
		    f.max);
}

/*
 * Two damages at once: the first is the one that is reported, in the order
 * that bloomtool(5) gives.
 */
static const struct {
	const char *what;
	size_t at, then_at;
	enum fault_kind kind;
} ordered[] = {
	{ "magic before version", 0, 8, FAULT_MAGIC },
	{ "version before incompatible flags", 8, 24, FAULT_OTHER_VERSION },
	{ "incompatible flags before scheme", 24, 32, FAULT_FEATURES },
	{ "scheme before fields", 32, 48, FAULT_OTHER_SCHEME },
	{ "fields before reserved bytes", 48, 120, FAULT_FIELD },
	{ "reserved bytes before checksum", 136, 4088, FAULT_RESERVED },
	{ "checksum before state", 4088, 4103, FAULT_CHECKSUM },
	{ "state before reserved bytes of page 1", 4103, 8191, FAULT_FIELD },
};

static void
order_of_checks(void)
{
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];

	for (size_t i = 0; i < COUNT(ordered); i++) {
		format_encode(&h, buf);
		buf[ordered[i].at] ^= 0x10;
		if (ordered[i].at < 4088)
			seal(buf);
		buf[ordered[i].then_at] ^= 0x10;
		OK(decode(buf).kind == ordered[i].kind, "order: %s",
		    ordered[i].what);
	}
	format_encode(&h, buf);
	buf[8191] = 1;
	struct header back;
	OK(format_decode(&back, buf, sizeof(buf), 1 << 20).kind ==
	    FAULT_RESERVED, "order: reserved bytes before the file's size");
}

/* What only the checksum can notice. */
static const struct { const char *what; size_t at; uint8_t value; } unseen[] = {
	{ "another compatible flag", 16, 1 },
	{ "another number of probes", 36, 6 },
	{ "another number of blocks a key", 40, 3 },
	{ "another seed", 64, 0xee },
	{ "another number of keys", 72, 1 },
	{ "another rate", 80, 0 },
	{ "another time", 96, 1 },
	{ "a writer flag", 112, 1 },
	{ "another note", 1024, 'T' },
	{ "another checksum", 4095, 0 },
};

static void
checksum(void)
{
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];

	for (size_t i = 0; i < COUNT(unseen); i++) {
		format_encode(&h, buf);
		OK(buf[unseen[i].at] != unseen[i].value, "%s is another",
		    unseen[i].what);
		buf[unseen[i].at] = unseen[i].value;
		OK(decode(buf).kind == FAULT_CHECKSUM,
		    "the checksum notices %s", unseen[i].what);
	}
}

static void
accepted(void)
{
	static const struct {
		const char *what;
		size_t at;
		unsigned width;
		uint64_t value;
	} cases[] = {
		{ "unknown compatible flags", 16, 8, UINT64_MAX },
		{ "state dirtying", 4096, 8, 1 },
		{ "state dirty", 4096, 8, 2 },
		{ "mark unclean", 4104, 8, 1 },
		{ "any boot id", 4112, 8, UINT64_MAX },
		{ "mark sync failed", 4128, 8, 1 },
		{ "any number of keys added", 4160, 8, UINT64_MAX },
		{ "as many ones as bits", 4168, 8, 512000 },
		{ "any time of the last sync", 4224, 8, UINT64_MAX },
		{ "any number of keys then", 4232, 8, UINT64_MAX },
	};
	const struct header h = known_header();
	struct header back;
	uint8_t buf[FORMAT_HEADER];

	for (size_t i = 0; i < COUNT(cases); i++) {
		format_encode(&h, buf);
		patch(buf, cases[i].at, cases[i].width, cases[i].value);
		seal(buf);
		OK(format_decode(&back, buf, sizeof(buf), KNOWN_SIZE).kind ==
		    FAULT_NONE && same_header(&h, &back), "accepted: %s",
		    cases[i].what);
	}
}

/*
 * A later build's features that this one may ignore, or that only writers must
 * know, may use what is reserved here; a sealed header with the flag of one is
 * read all the same.
 */
static void
later_features(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint64_t value;
	} flags[] = {
		{ "the first compatible flag", 16, 1 },
		{ "the last compatible flag", 16, UINT64_C(1) << 63 },
		{ "the first writer flag", 112, 1 },
		{ "the last writer flag", 112, UINT64_C(1) << 63 },
	};
	static const size_t reserved[] = { 136, 159, 160, 415, 1023, 1024 + 34,
	    4087, 4136, 4159, 4184, 4223, 4248, 4304, 7312, 8191 };
	const struct header h = known_header();
	struct header back;
	uint8_t buf[FORMAT_HEADER];

	for (size_t i = 0; i < COUNT(flags); i++) {
		struct tally t = { 0 };
		for (size_t j = 0; j < COUNT(reserved); j++) {
			format_encode(&h, buf);
			patch(buf, flags[i].at, 8, flags[i].value);
			buf[reserved[j]] = 1;
			seal(buf);
			const struct fault f = format_decode(&back, buf,
			    sizeof(buf), KNOWN_SIZE);
			CASE(&t, f.kind == FAULT_NONE &&
			    back.shape.blocks == 1000, "byte %zu: error %d",
			    reserved[j], f.kind);
		}
		OK_ALL_OF(&t, flags[i].what,
		    "reserved bytes are left to a later build");
		format_encode(&h, buf);
		patch(buf, flags[i].at, 8, flags[i].value);
		patch(buf, 4096, 8, 3);
		seal(buf);
		OK(decode(buf).kind == FAULT_FIELD,
		    "%s: the fields are checked as ever", flags[i].what);
	}
	format_encode(&h, buf);
	patch(buf, 112, 8, UINT64_C(0x8000000000000001));
	seal(buf);
	OK(format_decode(&back, buf, sizeof(buf), KNOWN_SIZE).kind ==
	    FAULT_NONE && back.write_flags == UINT64_C(0x8000000000000001),
	    "writer flags are handed on, for writers to refuse");
}

static void
later_versions(void)
{
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];
	char words[FAULT_WORDS];

	format_encode(&h, buf);
	/* Everything behind the version may mean something else there. */
	memset(buf + 12, 0xa5, sizeof(buf) - 12);
	patch(buf, 8, 4, 7);
	const struct fault f = decode(buf);
	OK(f.kind == FAULT_OTHER_VERSION && f.found == 7,
	    "a later version is told from damage");
	fault_words(&f, words);
	OK(strcmp(words, "format version 7, this build reads 1") == 0,
	    "the message names both versions");
}

/* Every single bit of the first page is seen by one check or another. */
static void
flips_of_the_first_page(void)
{
	const struct header h = known_header();
	struct tally t = { 0 };
	uint8_t buf[FORMAT_HEADER];

	format_encode(&h, buf);
	for (size_t bit = 0; bit < FORMAT_LIVE * 8; bit++) {
		const uint8_t mask = (uint8_t)(1 << bit % 8);
		buf[bit / 8] ^= mask;
		CASE(&t, decode(buf).kind != FAULT_NONE, "bit %zu of byte %zu",
		    bit % 8, bit / 8);
		buf[bit / 8] ^= mask;
	}
	OK_ALL(&t, "each bit flip of the first page is refused");
	OK(decode(buf).kind == FAULT_NONE, "and without it all is well");
}

/* May this bit of the second page be set, all else being zero? */
static bool
may_be_set(size_t bit)
{
	static const struct { size_t at, nbits; } free_bits[] = {
		{ 4096, 2 },		/* state */
		{ 4104, 1 },		/* unclean */
		{ 4112, 128 },		/* boot id */
		{ 4128, 1 },		/* sync failed */
		{ 4160, 64 },		/* keys added */
		{ 4168, 19 },		/* bits set: 2^18 is below 512000 */
		{ 4176, 1 },		/* keys are an estimate */
		{ 4224, 64 },		/* time */
		{ 4232, 64 },		/* keys then */
	};

	for (size_t i = 0; i < COUNT(free_bits); i++)
		if (bit >= free_bits[i].at * 8 &&
		    bit < free_bits[i].at * 8 + free_bits[i].nbits)
			return true;
	return false;
}

static void
flips_of_the_second_page(void)
{
	const struct header h = known_header();
	struct tally refused = { 0 }, taken = { 0 };
	uint8_t buf[FORMAT_HEADER];
	struct header back;

	format_encode(&h, buf);
	for (size_t bit = FORMAT_LIVE * 8; bit < FORMAT_HEADER * 8; bit++) {
		const uint8_t mask = (uint8_t)(1 << bit % 8);
		buf[bit / 8] ^= mask;
		const enum fault_kind e = format_decode(&back, buf,
		    sizeof(buf), KNOWN_SIZE).kind;
		buf[bit / 8] ^= mask;
		if (may_be_set(bit))
			CASE(&taken, e == FAULT_NONE && same_header(&h, &back),
			    "bit %zu of byte %zu: error %d", bit % 8, bit / 8,
			    e);
		else
			CASE(&refused, e != FAULT_NONE, "bit %zu of byte %zu",
			    bit % 8, bit / 8);
	}
	OK_ALL(&refused, "each bit flip of the second page that no writer can "
	    "have left is refused");
	OK_ALL(&taken, "each other one leaves the header as it was");
}

static void
truncated(void)
{
	const struct header h = known_header();
	struct tally t = { 0 };
	uint8_t buf[FORMAT_HEADER];
	struct header back;

	format_encode(&h, buf);
	for (size_t len = 0; len <= FORMAT_HEADER; len++) {
		/* Of this very size, so that reading past it shows. */
		uint8_t *part = malloc(len > 0 ? len : 1);
		memcpy(part, buf, len);
		const struct fault f =
		    format_decode(&back, part, len, len);
		free(part);
		const enum fault_kind wanted = len == 0 ? FAULT_EMPTY :
		    len < 8 ? FAULT_MAGIC : len < FORMAT_HEADER ?
		    FAULT_SHORT : FAULT_FILE_SIZE;
		CASE(&t, f.kind == wanted && (f.kind < FAULT_SHORT ||
		    f.found == len), "%zu bytes: error %d", len, f.kind);
	}
	OK_ALL(&t, "a file cut off within its header is refused");
}

static void
file_sizes(void)
{
	static const uint64_t wrong[] = { 8192, 8193, KNOWN_SIZE - 64,
	    KNOWN_SIZE - 1, KNOWN_SIZE + 1, KNOWN_SIZE + 64, 2 * KNOWN_SIZE,
	    UINT64_C(1) << 62, UINT64_MAX };
	const struct header h = known_header();
	uint8_t buf[FORMAT_HEADER];
	struct header back;

	format_encode(&h, buf);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		const struct fault f =
		    format_decode(&back, buf, sizeof(buf), wrong[i]);
		OK(f.kind == FAULT_FILE_SIZE && f.found == wrong[i] &&
		    f.min == KNOWN_SIZE && f.max == KNOWN_SIZE,
		    "a file of %" PRIu64 " bytes, not 72192, is refused",
		    wrong[i]);
	}
}

/* What transfers in text mode do.  Each returns the new length. */
static size_t
drop_cr(uint8_t *buf, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (buf[i] != '\r' || i + 1 == len || buf[i + 1] != '\n')
			buf[n++] = buf[i];
	return n;
}

static size_t
add_cr(uint8_t *buf, size_t len)
{
	uint8_t out[2 * FORMAT_HEADER];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (buf[i] == '\n')
			out[n++] = '\r';
		out[n++] = buf[i];
	}
	memcpy(buf, out, n);
	return n;
}

static size_t
clear_top_bits(uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] &= 0x7f;
	return len;
}

static size_t
cr_for_lf(uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] == '\n')
			buf[i] = '\r';
	return len;
}

static size_t
all_of_it(uint8_t *buf, size_t len)
{
	return drop_cr(buf, clear_top_bits(buf, len));
}

static void
text_mode(void)
{
	static const struct {
		const char *what;
		size_t (*spoil)(uint8_t *, size_t);
	} ways[] = {
		{ "without its CR", drop_cr },
		{ "with a CR before each LF", add_cr },
		{ "without its top bits", clear_top_bits },
		{ "with CR for LF", cr_for_lf },
		{ "without top bits and CR", all_of_it },
	};
	const struct header h = known_header();
	uint8_t buf[2 * FORMAT_HEADER];
	struct header back;

	for (size_t i = 0; i < COUNT(ways); i++) {
		format_encode(&h, buf);
		/* Some of the blocks, for what was cut out before. */
		memset(buf + FORMAT_HEADER, 0x99, FORMAT_HEADER);
		const size_t len = ways[i].spoil(buf, FORMAT_HEADER);
		const uint64_t size = KNOWN_SIZE + len - FORMAT_HEADER;
		OK(format_decode(&back, buf, FORMAT_HEADER, size).kind ==
		    FAULT_TEXT_MODE, "a filter %s is known for one",
		    ways[i].what);
	}
}

static void
other_files(void)
{
	static const char *const others[] = { "BLOOM\r\n and more",
	    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "#!/bin/sh\n",
	    "https://example.com/\n", "\xbf\xbf\xbf\xbf\xbf\xbf\xbf\xbf" };
	uint8_t buf[FORMAT_HEADER];
	struct header back;

	for (size_t i = 0; i < COUNT(others); i++) {
		memset(buf, 0, sizeof(buf));
		memcpy(buf, others[i], strlen(others[i]));
		OK(decode(buf).kind == FAULT_MAGIC,
		    "a file of another kind is no filter (%zu)", i + 1);
	}
	const uint8_t *text = (const uint8_t *)"tiny\n";
	OK(format_decode(&back, text, 5, 5).kind == FAULT_MAGIC,
	    "neither is a tiny one");
}

/* An error, and what has to be in its words. */
static const struct {
	struct fault fault;
	const char *words;
} in_words[] = {
	{ { FAULT_EMPTY, NULL, 0, 0, 0 },
	    "empty file, not a bloomtool filter" },
	{ { FAULT_MAGIC, NULL, 0, 0, 0 }, "not a bloomtool filter" },
	{ { FAULT_TEXT_MODE, NULL, 0, 0, 0 }, "damaged by a transfer in text "
	    "mode, copy it again in binary mode" },
	{ { FAULT_SHORT, NULL, 100, 8192, 8192 },
	    "cut off: 100 bytes, the header alone has 8192" },
	{ { FAULT_OTHER_VERSION, NULL, 2, 1, 1 },
	    "format version 2, this build reads 1" },
	{ { FAULT_FEATURES, NULL, 0x8001, 0, 0 },
	    "needs features that this build lacks (flags 0x8001)" },
	{ { FAULT_OTHER_SCHEME, NULL, 17, 9, 9 },
	    "scheme 17, this build reads 1 to 9" },
	{ { FAULT_FIELD, "probes", 256, 1, 255 },
	    "header damaged: probes 256, wanted 1 to 255" },
	{ { FAULT_FIELD, "bits", 1, 512, 512 },
	    "header damaged: bits 1, wanted 512" },
	{ { FAULT_UNEVEN, NULL, 13, 2, 2 }, "header damaged: 13 probes in 2 "
	    "blocks a key, wanted as many in each" },
	{ { FAULT_RATE, NULL, 0, 0, 0 },
	    "header damaged: rate is not between 0 and 1" },
	{ { FAULT_RESERVED, NULL, 0, 0, 0 },
	    "header damaged: reserved bytes are not zero" },
	{ { FAULT_CHECKSUM, NULL, 0, 0, 0 },
	    "header damaged: checksum does not match" },
	{ { FAULT_LAYER, NULL, 5, 0, 0 },
	    "header damaged: the entry of layer 5" },
	{ { FAULT_FILE_SIZE, NULL, 9000, 72192, 72192 },
	    "wrong size: 9000 bytes, the header says 72192" },
};

static void
messages(void)
{
	char buf[FAULT_WORDS];

	for (size_t i = 0; i < COUNT(in_words); i++) {
		const char *text = fault_words(&in_words[i].fault, buf);
		OK(text == buf && strcmp(text, in_words[i].words) == 0,
		    "message: %s", in_words[i].words);
		if (strcmp(text, in_words[i].words) != 0)
			printf("# got '%s'\n", text);
	}
	/* The longest name with the longest numbers. */
	const struct fault longest = { FAULT_FIELD,
	    "length of the note", UINT64_MAX, UINT64_MAX - 1, UINT64_MAX };
	fault_words(&longest, buf);
	OK(strcmp(buf + strlen(buf) - 24, " to 18446744073709551615") == 0,
	    "the longest message is not cut off");
}

/* Every refusal of a damaged header has one line that names the field. */
static void
messages_of_damage(void)
{
	const struct header h = known_header();
	struct tally line = { 0 }, names = { 0 };
	uint8_t buf[FORMAT_HEADER];
	char words[FAULT_WORDS];

	for (size_t i = 0; i < COUNT(damages); i++) {
		const struct damage *d = &damages[i];
		format_encode(&h, buf);
		patch(buf, d->at, d->width, d->value);
		seal(buf);
		const struct fault f = decode(buf);
		memset(words, '\n', sizeof(words));
		fault_words(&f, words);
		const size_t len = strnlen(words, sizeof(words));
		CASE(&line, len > 0 && len < sizeof(words) - 1 &&
		    strchr(words, '\n') == NULL && words[len - 1] != '.',
		    "%s: '%s'", d->what, words);
		if (d->field != NULL)
			CASE(&names, strstr(words, d->field) != NULL,
			    "%s: '%s'", d->what, words);
	}
	OK_ALL(&line, "each message is one line without a full stop");
	OK_ALL(&names, "each message names its field");
}

/* ---- filters by the rules of other programs ---- */

static unsigned
most_probes(const struct scheme *s)
{
	return s->seeds ? 64 : 255;
}

static struct header
foreign_header(uint64_t id, uint64_t bits, unsigned probes)
{
	const struct scheme *s = scheme_of_id(id);
	struct header h = known_header();

	h.rule = scheme_rule(s, probes);
	h.shape = sizing_without_blocks(bits, probes);
	for (unsigned i = 0; s->seeds && i < probes; i++)
		h.rule.seeds[i] = UINT32_MAX - 77 * i;
	return h;
}

static void
schemes_have_names(void)
{
	struct tally t = { 0 };

	for (uint64_t id = 1; id <= SCHEME_LAST; id++) {
		const struct scheme *s = scheme_of_id(id);
		CASE(&t, s != NULL && s->id == id && s->foreign == (id > 1) &&
		    scheme_of_name(s->name) == s, "scheme %" PRIu64, id);
	}
	OK_ALL(&t, "schemes are found by number and by name");
	OK(scheme_of_id(0) == NULL && scheme_of_id(SCHEME_LAST + 1) == NULL &&
	    scheme_of_id(UINT64_C(1) << 32 | 1) == NULL &&
	    scheme_of_name("") == NULL && scheme_of_name("guav") == NULL,
	    "others are not");
}

/* What it was made for, or that nobody knows that. */
static bool
comes_back_unknown(struct header h)
{
	h.keys = 0;
	h.rate = 0;
	h.full = FORMAT_FULL_WARN;
	return comes_back(&h);
}

static void
schemes_come_back(void)
{
	static const unsigned growths[] = { 1, 2, 3, 1000, UINT32_MAX };
	struct tally sizes = { 0 }, rules = { 0 }, unknown = { 0 },
	    grows = { 0 };

	for (uint64_t id = 2; id <= SCHEME_LAST; id++) {
		const struct scheme *s = scheme_of_id(id);
		for (unsigned spare = 0; spare < 512; spare++) {
			struct header h = foreign_header(id, 51200 - spare,
			    1 + spare % most_probes(s));
			h.full = spare % 2 == 0 ? FORMAT_FULL_WARN :
			    FORMAT_FULL_STOP;
			CASE(&sizes, h.shape.spare == spare && comes_back(&h),
			    "scheme %s, %u bits less", s->name, spare);
			CASE(&unknown, comes_back_unknown(h), "scheme %s",
			    s->name);
		}
		for (unsigned i = 0; i < s->variants * 3; i++) {
			struct header h = foreign_header(id, 51200,
			    most_probes(s));
			h.rule.variant = i / 3;
			h.rule.encoding = (enum encoding)(i % 3);
			CASE(&rules, comes_back(&h), "scheme %s, variant %u",
			    s->name, i / 3);
		}
		for (size_t i = 0; s->layers && i < COUNT(growths); i++) {
			struct header h = foreign_header(id, 1001, 7);
			h.full = FORMAT_FULL_GROW;
			h.growth = growths[i];
			CASE(&grows, comes_back(&h), "scheme %s, growth %u",
			    s->name, h.growth);
		}
	}
	OK_ALL(&sizes, "filters of any number of bits come back");
	OK_ALL(&unknown, "those that nobody knows the keys of too");
	OK_ALL(&rules, "each variant and encoding too");
	OK_ALL(&grows, "how much a filter grows too");
}

/* The table of bloomtool(5) again. */
static void
bytes_of_a_scheme(void)
{
	uint8_t buf[FORMAT_HEADER];
	struct header h = foreign_header(8, 51100, 7);
	bool same = true;

	h.rule.encoding = ENCODING_INT64;
	format_encode(&h, buf);
	OK(number_at(buf, 32, 4) == 8 && number_at(buf, 36, 4) == 7 &&
	    number_at(buf, 40, 4) == 7 && number_at(buf, 48, 8) == 100 &&
	    number_at(buf, 56, 8) == 51100 && number_at(buf, 64, 8) == 0 &&
	    number_at(buf, 88, 8) == 14592 && number_at(buf, 132, 4) == 2,
	    "a filter without blocks has one for each probe, and its bits");
	for (size_t i = 0; i < 7; i++)
		same &= number_at(buf, 160 + 4 * i, 4) ==
		    UINT64_C(4294967295) - 77 * i;
	OK(same && only_zeros(buf, 188, 1024), "byte 160: seeds, one a probe");
	h = foreign_header(4, 51200, 7);
	h.rule.variant = 1;
	h.full = FORMAT_FULL_GROW;
	h.growth = 3;
	format_encode(&h, buf);
	OK(number_at(buf, 124, 4) == 1 && number_at(buf, 128, 4) == 3,
	    "byte 124: variant, byte 128: growth");
}

/* The header, damaged and sealed, is refused so. */
static bool
refuses(const struct header *h, const struct damage *d)
{
	uint8_t buf[FORMAT_HEADER];
	struct header got;

	format_encode(h, buf);
	patch(buf, d->at, d->width, d->value);
	seal(buf);
	const struct fault f = format_decode(&got, buf, FORMAT_HEADER,
	    format_file_size(h->shape.blocks));
	return f.kind == d->kind && (d->field == NULL || (f.field != NULL &&
	    strcmp(f.field, d->field) == 0 && f.found == d->value &&
	    f.min == d->min && f.max == d->max));
}

/* Numbers that no filter of the scheme has, which was one of 51100 bits. */
static void
scheme_refuses(const struct scheme *s, struct tally *t)
{
	const unsigned most = most_probes(s);
	const unsigned seeds_end = s->seeds ? 160 + 4 * 12 : 160;
	const struct damage list[] = {
		{ "a variant too many", 124, 4, s->variants, FAULT_FIELD,
		    "variant", 0, s->variants - 1 },
		{ "variant 2^32-1", 124, 4, UINT32_MAX, FAULT_FIELD,
		    "variant", 0, s->variants - 1 },
		{ "growth 1", 128, 4, 1, FAULT_FIELD, "growth", 0, 0 },
		{ "growth 2", 128, 4, 2, FAULT_FIELD, "growth", 0, 0 },
		{ "encoding 3", 132, 4, 3, FAULT_FIELD, "encoding of keys",
		    0, 2 },
		{ "seed 1", 64, 8, 1, FAULT_FIELD, "seed", 0, 0 },
		{ "seed 2^63", 64, 8, UINT64_C(1) << 63, FAULT_FIELD, "seed",
		    0, 0 },
		{ "one block a key", 40, 4, 1, FAULT_FIELD, "blocks a key",
		    12, 12 },
		{ "two probes a block", 40, 4, 6, FAULT_FIELD,
		    "blocks a key", 12, 12 },
		{ "more blocks a key than probes", 40, 4, 24, FAULT_FIELD,
		    "blocks a key", 12, 12 },
		{ "another number of probes", 36, 4, 13, FAULT_FIELD, NULL, 0,
		    0 },
		{ "no probes", 36, 4, 0, FAULT_FIELD, "probes", 1, most },
		{ "too many probes", 36, 4, most + 1, FAULT_FIELD, "probes",
		    1, most },
		{ "a block less", 56, 8, 50688, FAULT_FIELD, "bits", 50689,
		    51200 },
		{ "a bit more", 56, 8, 51201, FAULT_FIELD, "bits", 50689,
		    51200 },
		{ "no bits", 56, 8, 0, FAULT_FIELD, "bits", 50689, 51200 },
		{ "action 3 when full", 44, 4, 3, FAULT_FIELD,
		    "action when full", 0, s->layers ? 2 : 1 },
		{ "no keys but a rate", 72, 8, 0, FAULT_RATE, NULL, 0, 0 },
		{ "keys but no rate", 80, 8, 0, FAULT_RATE, NULL, 0, 0 },
		{ "10^15+1 keys", 72, 8, SIZING_KEYS_MAX + 1, FAULT_FIELD,
		    "keys", 0, SIZING_KEYS_MAX },
		{ "first reserved byte", 136, 1, 1, FAULT_RESERVED, NULL, 0,
		    0 },
		{ "last one before the seeds", 159, 1, 1, FAULT_RESERVED,
		    NULL, 0, 0 },
		{ "a seed of no probe", seeds_end, 1, 1, FAULT_RESERVED, NULL,
		    0, 0 },
		{ "the last byte of such seeds", 415, 1, 1, FAULT_RESERVED,
		    NULL, 0, 0 },
		{ "first byte behind all seeds", 416, 1, 1, FAULT_RESERVED,
		    NULL, 0, 0 },
		{ "a layer more, and it does not grow", 4240, 8, 1,
		    FAULT_FIELD, "further layers", 0, 0 },
	};
	const struct header h = foreign_header(s->id, 51100, 12);

	for (size_t i = 0; i < COUNT(list); i++)
		CASE(t, refuses(&h, &list[i]), "%s: %s", s->name,
		    list[i].what);
}

/* Fields that do not go together, and so cannot be patched by themselves. */
static void
scheme_refuses_together(const struct scheme *s, struct tally *t)
{
	static const struct damage no_keys = { "", 72, 8, 0, FAULT_FIELD,
	    "keys", 1, SIZING_KEYS_MAX };
	static const struct damage minus_0 = { "", 80, 8, UINT64_C(1) << 63,
	    FAULT_RATE, NULL, 0, 0 };
	static const struct damage grows = { "", 44, 4, 2, FAULT_FIELD,
	    "action when full", 0, 1 };
	static const struct damage no_growth = { "", 128, 4, 0, FAULT_FIELD,
	    "growth", 1, UINT32_MAX };
	struct header h = foreign_header(s->id, 51100, 12);

	h.full = s->layers ? FORMAT_FULL_GROW : FORMAT_FULL_STOP;
	CASE(t, refuses(&h, s->layers ? &no_growth : &grows), "%s, growing",
	    s->name);
	CASE(t, refuses(&h, &no_keys), "%s for unknown keys is never full",
	    s->name);
	h.full = FORMAT_FULL_STOP;
	CASE(t, refuses(&h, &no_keys), "%s for unknown keys never stops",
	    s->name);
	h.full = FORMAT_FULL_WARN;
	h.keys = 0;
	h.rate = 0;
	CASE(t, refuses(&h, &minus_0), "%s of rate -0", s->name);
}

static void
schemes_refuse(void)
{
	struct tally alone = { 0 }, together = { 0 }, native = { 0 };
	struct header h = known_header();

	for (uint64_t id = 2; id <= SCHEME_LAST; id++) {
		scheme_refuses(scheme_of_id(id), &alone);
		scheme_refuses_together(scheme_of_id(id), &together);
	}
	OK_ALL(&alone, "what no filter of its scheme can be is refused");
	OK_ALL(&together, "and what goes with no other field of it");
	h.full = FORMAT_FULL_GROW;
	for (uint64_t growth = 1; growth < 4; growth++) {
		const struct damage d = { "", 128, 4, growth, FAULT_FIELD,
		    "growth", 0, 0 };
		CASE(&native, refuses(&h, &d), "%" PRIu64, growth);
	}
	OK_ALL(&native, "native filters do not say how much they grow");
}

/* The seeds too are under the checksum. */
static void
flips_of_a_scheme(void)
{
	const struct header h = foreign_header(8, 51100, 7);
	const uint64_t size = format_file_size(h.shape.blocks);
	struct tally t = { 0 };
	uint8_t buf[FORMAT_HEADER];
	struct header got;

	format_encode(&h, buf);
	for (size_t bit = 0; bit < FORMAT_LIVE * 8; bit++) {
		const uint8_t mask = (uint8_t)(1 << bit % 8);
		buf[bit / 8] ^= mask;
		CASE(&t, format_decode(&got, buf, sizeof(buf), size).kind !=
		    FAULT_NONE, "bit %zu of byte %zu", bit % 8, bit / 8);
		buf[bit / 8] ^= mask;
	}
	OK_ALL(&t, "each bit flip is refused where there are seeds");
}

/* ---- layers ---- */

/* The filter grows, to so many layers; its header as it was encoded. */
static struct header
grown(struct header h, unsigned layers, uint8_t buf[FORMAT_HEADER])
{
	struct format_layer entry;
	uint8_t *live = buf + FORMAT_LIVE;

	h.full = FORMAT_FULL_GROW;
	h.keys = 1000;
	h.nparts = 1;
	h.part[0] = (struct format_part){ FORMAT_HEADER,
	    { h.shape, h.keys, h.rate / 2 } };
	format_encode(&h, buf);
	for (unsigned i = 1; i < layers; i++) {
		struct format_part next;
		if (parts_next(&h, &next) != SIZING_OK)
			abort();
		page1_layer(&h, &next, i, &entry);
		memcpy(live + 208 + 64 * (i - 1), &entry, sizeof(entry));
		h.part[h.nparts++] = next;
	}
	patch(live, 144, 8, layers - 1);
	return h;
}

static struct header
grown_header(unsigned layers, uint8_t buf[FORMAT_HEADER])
{
	return grown(known_header(), layers, buf);
}

static bool
same_part(const struct format_part *a, const struct format_part *b)
{
	return a->offset == b->offset && a->plan.keys == b->plan.keys &&
	    memcmp(&a->plan.rate, &b->plan.rate, 8) == 0 &&
	    same_shape(&a->plan.shape, &b->plan.shape);
}

/* Up to the last: each twice the keys at half the rate, behind the other. */
static void
layers_come_back(void)
{
	struct tally back = { 0 }, double_keys = { 0 }, apart = { 0 };
	uint8_t buf[FORMAT_HEADER];
	struct header got;
	struct format_part next;

	for (unsigned n = 1; n <= cases(40, 10); n += 1 + n / 2) {
		const struct header h = grown_header(n, buf);
		const struct fault f = format_decode(&got, buf,
		    FORMAT_HEADER, parts_end(&h));
		bool same = f.kind == FAULT_NONE && got.nparts == n;
		for (unsigned i = 0; same && i < n; i++)
			same = same_part(&got.part[i], &h.part[i]);
		CASE(&back, same, "%u layers", n);
		const struct format_part *p = &h.part[n - 1];
		CASE(&double_keys, p->plan.keys == 1000 * (UINT64_C(1) <<
		    (n - 1)) && (n > 20 || p->plan.rate == 1e-4 / 2 /
		    (double)(UINT64_C(1) << (n - 1))), "%u layers", n);
		CASE(&apart, n == 1 || (p->offset % 65536 == 0 &&
		    p->offset >= h.part[n - 2].offset + 64 *
		    h.part[n - 2].plan.shape.blocks), "%u layers", n);
	}
	OK_ALL(&back, "layers come back");
	OK_ALL(&double_keys, "a layer is for twice the keys at half the rate");
	OK_ALL(&apart, "layers do not overlap and begin at 64 KiB");
	const struct header full = grown_header(40, buf);
	OK(parts_next(&full, &next) == SIZING_TOO_LARGE,
	    "beyond 10^15 keys there is no layer");
}

/* Behind the last layer there may be more; before its end it is cut off. */
static void
sizes_of_what_grows(void)
{
	uint8_t buf[FORMAT_HEADER];
	const struct header h = grown_header(3, buf);
	const uint64_t end = parts_end(&h);
	struct header got;

	OK(format_decode(&got, buf, FORMAT_HEADER, end - 1).kind ==
	    FAULT_FILE_SIZE, "a byte of the last layer is missing");
	OK(format_decode(&got, buf, FORMAT_HEADER, end + 1).kind == FAULT_NONE,
	    "bytes behind the last layer");
}

/* A bit that flips in an entry that counts; elsewhere it may be a leftover. */
static void
damaged_entries(void)
{
	struct tally seen = { 0 }, left = { 0 };
	uint8_t buf[FORMAT_HEADER];
	const struct header h = grown_header(3, buf);
	struct header got;

	for (size_t bit = 0; bit < 3 * 64 * 8; bit++) {
		uint8_t *byte = buf + 4096 + 208 + bit / 8;
		*byte ^= (uint8_t)(1 << bit % 8);
		const struct fault f = format_decode(&got, buf,
		    FORMAT_HEADER, parts_end(&h));
		const bool counts = bit < 2 * 64 * 8;
		const bool counter = bit / 8 % 64 >= 48;
		if (counts && !counter)
			CASE(&seen, f.kind == FAULT_LAYER &&
			    f.found == 1 + bit / 8 / 64, "bit %zu", bit);
		else
			CASE(&left, f.kind == FAULT_NONE && got.nparts == 3,
			    "bit %zu", bit);
		*byte ^= (uint8_t)(1 << bit % 8);
	}
	OK_ALL(&seen, "a bit that flips in the entry of a layer is seen");
	OK_ALL(&left, "what is in an entry that does not count does not matter");
	/* Entries that trade places. */
	uint8_t first[64];
	memcpy(first, buf + 4096 + 208, 64);
	memmove(buf + 4096 + 208, buf + 4096 + 272, 64);
	memcpy(buf + 4096 + 272, first, 64);
	OK(format_decode(&got, buf, FORMAT_HEADER, parts_end(&h)).kind ==
	    FAULT_LAYER, "an entry in another's place is seen");
	grown_header(3, buf);
	patch(buf, 4096 + 144, 8, 48);
	OK(format_decode(&got, buf, FORMAT_HEADER, UINT64_MAX / 2).kind ==
	    FAULT_FIELD, "49 layers are too many");
	patch(buf, 4096 + 144, 8, 47);
	OK(format_decode(&got, buf, FORMAT_HEADER, UINT64_MAX / 2).kind ==
	    FAULT_LAYER, "a layer without an entry is seen");
}

/* Entries with a checksum that fits, by one who knows the seed. */
static void
forged_entries(void)
{
	uint8_t buf[FORMAT_HEADER];
	const struct header h = grown_header(2, buf);
	const struct plan p = h.part[1].plan;
	const uint64_t at = h.part[1].offset;
	const struct shape s = p.shape;
	const uint64_t most = SIZING_BLOCKS_MAX - at / SIZING_BLOCK_BYTES;
	const struct format_part forged[] = {
		{ FORMAT_HEADER, p }, { at - 1, p }, { at - FORMAT_ALIGN, p },
		{ at + FORMAT_ALIGN, p }, { 0, p }, { UINT64_MAX, p },
		{ at, { { 0, s.probes, s.groups, 0 }, p.keys, p.rate } },
		{ at, { { most + 1, s.probes, s.groups, 0 }, p.keys, p.rate } },
		{ at, { { UINT64_MAX, s.probes, s.groups, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, 0, s.groups, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, 256, s.groups, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, s.probes, 0, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, 12, 5, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, 2, 3, 0 }, p.keys, p.rate } },
		{ at, { { s.blocks, s.probes, s.groups, 1 }, p.keys, p.rate } },
		{ at, { { s.blocks, s.probes, s.groups, 65535 }, p.keys,
		    p.rate } },
		{ at, { s, 0, p.rate } }, { at, { s, UINT64_MAX, p.rate } },
		{ at, { s, p.keys, 0 } }, { at, { s, p.keys, -p.rate } },
		{ at, { s, p.keys, 1 } }, { at, { s, p.keys, NAN } },
	};
	struct tally refused = { 0 };
	struct format_layer entry;
	struct header got;

	for (size_t i = 0; i < COUNT(forged); i++) {
		page1_layer(&h, &forged[i], 1, &entry);
		memcpy(buf + FORMAT_LIVE + 208, &entry, sizeof(entry));
		CASE(&refused, format_decode(&got, buf, FORMAT_HEADER,
		    UINT64_MAX / 2).kind == FAULT_LAYER, "number %zu", i);
	}
	OK_ALL(&refused, "what no layer can be is refused");
}

/* Of a filter of RedisBloom, whose layers have spare bits. */
static void
layers_of_a_scheme(void)
{
	static const unsigned growths[] = { 1, 2, 3, 1000 };
	struct tally back = { 0 }, keys = { 0 };
	uint8_t buf[FORMAT_HEADER];
	struct header got;
	unsigned nspare = 0;

	for (unsigned i = 0; i < 48 * COUNT(growths); i++) {
		const unsigned n = 1 + i % 48, growth = growths[i / 48];
		if (pow(growth, n) * 1000 > 1e15)
			continue;
		struct header h = foreign_header(4, 14400, 11);
		h.growth = growth;
		h = grown(h, n, buf);
		const struct fault f = format_decode(&got, buf,
		    FORMAT_HEADER, parts_end(&h));
		bool same = f.kind == FAULT_NONE && got.nparts == n;
		for (unsigned j = 0; same && j < n; j++)
			same = same_part(&got.part[j], &h.part[j]);
		CASE(&back, same, "growth %u, %u layers", growth, n);
		CASE(&keys, (double)h.part[n - 1].plan.keys == 1000 *
		    pow(growth, n - 1), "growth %u, %u layers", growth, n);
		nspare += h.part[n - 1].plan.shape.spare > 0;
	}
	OK_ALL(&back, "layers of another scheme come back");
	OK_ALL(&keys, "each is for the keys of the last one times the growth");
	OK(nspare > 10, "they have spare bits");
	struct header h = foreign_header(4, 14400, 11);
	struct format_part next;
	h.growth = 1;
	h = grown(h, 48, buf);
	OK(parts_next(&h, &next) == SIZING_TOO_LARGE,
	    "beyond 48 layers there is none");
	h = foreign_header(4, 14400, 11);
	h.growth = UINT32_MAX;
	h = grown(h, 2, buf);
	OK(h.part[1].plan.keys == UINT64_C(4294967295000) &&
	    parts_next(&h, &next) == SIZING_TOO_LARGE,
	    "the keys of a layer do not wrap around");
}

/* As forged_entries, where blocks, groups and spare bits are others. */
static void
forged_entries_of_a_scheme(void)
{
	struct header h = foreign_header(4, 14400, 11);
	uint8_t buf[FORMAT_HEADER];

	h.growth = 2;
	h = grown(h, 2, buf);
	const struct plan p = h.part[1].plan;
	const struct shape s = p.shape;
	const struct shape forged[] = {
		{ s.blocks, s.probes, 1, s.spare },
		{ s.blocks, s.probes, s.probes - 1, s.spare },
		{ s.blocks, 12, 6, s.spare },
		{ s.blocks, 0, 0, s.spare }, { s.blocks, 256, 256, s.spare },
		{ s.blocks, s.probes, s.probes, 512 },
		{ s.blocks, s.probes, s.probes, 65535 },
		{ 0, s.probes, s.probes, s.spare },
		{ 0, s.probes, s.probes, 0 },
	};
	struct tally refused = { 0 };
	struct format_layer entry;
	struct header got;

	for (size_t i = 0; i < COUNT(forged); i++) {
		const struct format_part part = { h.part[1].offset,
		    { forged[i], p.keys, p.rate } };
		page1_layer(&h, &part, 1, &entry);
		memcpy(buf + FORMAT_LIVE + 208, &entry, sizeof(entry));
		CASE(&refused, format_decode(&got, buf, FORMAT_HEADER,
		    UINT64_MAX / 2).kind == FAULT_LAYER, "number %zu", i);
	}
	OK_ALL(&refused, "what no layer of another scheme can be is refused");
}

/* Behind it there is no offset that fits, and sizes would wrap around. */
static void
largest_first_layer(void)
{
	const uint64_t blocks = SIZING_BLOCKS_MAX;
	const uint64_t end = format_file_size(blocks);
	struct header h = known_header(), got;
	uint8_t buf[FORMAT_HEADER];
	struct format_layer entry;
	struct format_part next;

	h.full = FORMAT_FULL_GROW;
	h.shape.blocks = blocks;
	h.nparts = 1;
	h.part[0] = (struct format_part){ FORMAT_HEADER,
	    { h.shape, h.keys, h.rate / 2 } };
	format_encode(&h, buf);
	OK(format_decode(&got, buf, FORMAT_HEADER, end).kind == FAULT_NONE,
	    "the largest filter may grow");
	OK(parts_next(&h, &next) == SIZING_TOO_LARGE,
	    "but there is no room for a layer");
	next = (struct format_part){ (end + FORMAT_ALIGN - 1) / FORMAT_ALIGN *
	    FORMAT_ALIGN, { h.shape, h.keys, h.rate / 4 } };
	/* Its end is at 64 KiB, modulo 2^64. */
	next.plan.shape.blocks = (0 - next.offset + FORMAT_ALIGN) /
	    SIZING_BLOCK_BYTES;
	page1_layer(&h, &next, 1, &entry);
	memcpy(buf + FORMAT_LIVE + 208, &entry, sizeof(entry));
	patch(buf, FORMAT_LIVE + 144, 8, 1);
	OK(format_decode(&got, buf, FORMAT_HEADER, end).kind == FAULT_LAYER,
	    "nor for one whose size wraps around");
}

int
main(void)
{
	bytes_of_the_header();
	words_of_the_second_page();
	counts_of_a_filter_made_of_others();
	counts_of_layers();
	round_trips();
	sizes();
	for (size_t i = 0; i < COUNT(damages); i++)
		is_refused(&damages[i]);
	order_of_checks();
	checksum();
	accepted();
	later_features();
	later_versions();
	flips_of_the_first_page();
	flips_of_the_second_page();
	truncated();
	file_sizes();
	text_mode();
	other_files();
	messages();
	messages_of_damage();
	schemes_have_names();
	schemes_come_back();
	bytes_of_a_scheme();
	schemes_refuse();
	flips_of_a_scheme();
	layers_come_back();
	sizes_of_what_grows();
	damaged_entries();
	forged_entries();
	layers_of_a_scheme();
	forged_entries_of_a_scheme();
	largest_first_layer();
	return done();
}
