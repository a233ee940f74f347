/*
 * Page 0, and what pages and file size must have in common.  The offsets below
 * are the table of bloomtool(5); all numbers are little-endian.
 */
#include <string.h>

#include "format.h"
#include "hash.h"
#include "le.h"
#include "page1.h"
#include "parts.h"
#include "zeros.h"

/*
 * A byte over 127 shows a transfer that strips the eighth bit, CR LF one that
 * changes line ends, and neither begins a text file.
 */
static const uint8_t magic[FORMAT_MAGIC_SIZE] =
    { 0xbf, 'B', 'L', 'O', 'O', 'M', '\r', '\n' };

enum {
	AT_MAGIC = 0,
	AT_VERSION = 8,			/* 32 bits */
	AT_HEADER_SIZE = 12,		/* 32 bits */
	AT_COMPATIBLE = 16,		/* flags that old builds may ignore */
	AT_INCOMPATIBLE = 24,		/* flags that they may not */
	AT_SCHEME = 32,			/* 32 bits */
	AT_PROBES = 36,			/* 32 bits */
	AT_GROUPS = 40,			/* 32 bits */
	AT_FULL = 44,			/* 32 bits */
	AT_BLOCKS = 48,
	AT_BITS = 56,
	AT_SEED = 64,
	AT_KEYS = 72,
	AT_RATE = 80,			/* IEEE 754 binary64 */
	AT_FILE_SIZE = 88,
	AT_CREATED = 96,
	AT_NOTE_LEN = 104,
	AT_WRITE_FLAGS = 112,		/* flags that old writers may not */
	AT_PREFER = 120,		/* 32 bits */
	AT_VARIANT = 124,		/* 32 bits */
	AT_GROWTH = 128,		/* 32 bits; 0 if native: FORMAT_GROWTH */
	AT_ENCODING = 132,		/* of keys, 32 bits */
	AT_RESERVED1 = 136,
	AT_SEEDS = 160,			/* of 32 bits, one a probe */
	AT_NOTE = 1024,
	AT_CHECKSUM = FORMAT_LIVE - 8	/* XXH3-64 of all before it */
};

bool
format_has_magic(const uint8_t buf[FORMAT_MAGIC_SIZE])
{
	return memcmp(buf, magic, sizeof(magic)) == 0;
}

uint64_t
format_file_size(uint64_t blocks)
{
	return FORMAT_HEADER + blocks * SIZING_BLOCK_BYTES;
}

uint64_t
format_blocks(uint64_t file_size)
{
	return file_size < FORMAT_HEADER ? 0 :
	    (file_size - FORMAT_HEADER) / SIZING_BLOCK_BYTES;
}

void
format_note(struct header *h, const char *note)
{
	h->note_len = strlen(note);
	memcpy(h->note, note, h->note_len);
}

void
format_encode(const struct header *h, uint8_t buf[FORMAT_HEADER])
{
	memset(buf, 0, FORMAT_HEADER);
	memcpy(buf + AT_MAGIC, magic, sizeof(magic));
	le32_put(buf + AT_VERSION, FORMAT_VERSION);
	le32_put(buf + AT_HEADER_SIZE, FORMAT_HEADER);
	le32_put(buf + AT_SCHEME, h->rule.scheme->id);
	le32_put(buf + AT_PROBES, h->shape.probes);
	le32_put(buf + AT_GROUPS, h->shape.groups);
	le32_put(buf + AT_FULL, h->full);
	le64_put(buf + AT_BLOCKS, h->shape.blocks);
	le64_put(buf + AT_BITS, sizing_bits(&h->shape));
	le64_put(buf + AT_SEED, h->rule.seed);
	le64_put(buf + AT_KEYS, h->keys);
	le64_put(buf + AT_RATE, le64_of_double(h->rate));
	le64_put(buf + AT_FILE_SIZE, format_file_size(h->shape.blocks));
	le64_put(buf + AT_CREATED, (uint64_t)h->created);
	le64_put(buf + AT_NOTE_LEN, h->note_len);
	le32_put(buf + AT_PREFER, h->prefer);
	le32_put(buf + AT_VARIANT, h->rule.variant);
	le32_put(buf + AT_ENCODING, h->rule.encoding);
	if (h->full == FORMAT_FULL_GROW && h->rule.scheme->foreign)
		le32_put(buf + AT_GROWTH, h->growth);
	for (unsigned i = 0; i < RULE_SEEDS_MAX; i++)
		le32_put(buf + AT_SEEDS + 4 * i, h->rule.seeds[i]);
	memcpy(buf + AT_NOTE, h->note, h->note_len);
	le64_put(buf + AT_CHECKSUM, hash_checksum(buf, AT_CHECKSUM));
}

/*
 * A transfer in text mode drops the CR, adds a second one, or clears the top
 * bit; what remains is still recognized as ours.
 */
static bool
was_text_mode(const uint8_t *buf)
{
	return (buf[0] == 0xbf || buf[0] == 0x3f) &&
	    memcmp(buf + 1, "BLOOM", 5) == 0;
}

/* Is it a filter, and of a kind that this build knows? */
static struct fault
check_kind(const uint8_t *buf, size_t len)
{
	if (len == 0)
		return fault_of(FAULT_EMPTY, 0, 0);
	if (len < sizeof(magic) || !format_has_magic(buf))
		return fault_of(len >= sizeof(magic) && was_text_mode(buf) ?
		    FAULT_TEXT_MODE : FAULT_MAGIC, 0, 0);
	if (len < FORMAT_HEADER)
		return fault_of(FAULT_SHORT, len, FORMAT_HEADER);
	const uint32_t version = le32_get(buf + AT_VERSION);
	if (version != FORMAT_VERSION)
		return fault_of(FAULT_OTHER_VERSION, version, FORMAT_VERSION);
	const uint64_t flags = le64_get(buf + AT_INCOMPATIBLE);
	if (flags != 0)
		return fault_of(FAULT_FEATURES, flags, 0);
	const uint32_t scheme = le32_get(buf + AT_SCHEME);
	if (scheme_of_id(scheme) == NULL)
		return fault_of(FAULT_OTHER_SCHEME, scheme, SCHEME_LAST);
	return fault_of(FAULT_NONE, 0, 0);
}

/*
 * Features of later builds that this one may ignore: they may use bytes that
 * are reserved here.
 */
static bool
has_features(const uint8_t *buf)
{
	return (le64_get(buf + AT_COMPATIBLE) |
	    le64_get(buf + AT_WRITE_FLAGS)) != 0;
}

/* Is each field of page 0 possible by itself and with the others? */
static struct fault
check_fields(const uint8_t *buf)
{
	const uint64_t header_size = le32_get(buf + AT_HEADER_SIZE);
	const struct scheme *s = scheme_of_id(le32_get(buf + AT_SCHEME));
	const uint64_t probes = le32_get(buf + AT_PROBES);
	const uint64_t groups = le32_get(buf + AT_GROUPS);
	const uint64_t blocks = le64_get(buf + AT_BLOCKS);
	const uint64_t bits = blocks * SIZING_BLOCK_BITS;
	const uint64_t spare = s->foreign ? SIZING_BLOCK_BITS - 1 : 0;
	const uint64_t size = format_file_size(blocks);
	const uint64_t keys = le64_get(buf + AT_KEYS);
	const uint64_t full = le32_get(buf + AT_FULL);
	const uint64_t note_len = le64_get(buf + AT_NOTE_LEN);
	const double rate = le64_to_double(le64_get(buf + AT_RATE));
	const bool says_growth = s->foreign && full == FORMAT_FULL_GROW;
	const size_t nseeds = s->seeds ? (size_t)probes : 0;
	const struct fault fields[] = {
		fault_field("header size", header_size, FORMAT_HEADER,
		    FORMAT_HEADER),
		fault_field("probes", probes, 1, s->seeds ? RULE_SEEDS_MAX :
		    SIZING_PROBES_MAX),
		fault_field("blocks a key", groups, s->foreign ? probes : 1,
		    probes),
		fault_field("blocks", blocks, 1, SIZING_BLOCKS_MAX),
		fault_field("bits", le64_get(buf + AT_BITS), bits - spare,
		    bits),
		fault_field("action when full", full, FORMAT_FULL_WARN,
		    s->layers ? FORMAT_FULL_GROW : FORMAT_FULL_STOP),
		fault_field("keys", keys, s->foreign &&
		    full == FORMAT_FULL_WARN ? 0 : SIZING_KEYS_MIN,
		    SIZING_KEYS_MAX),
		fault_field("variant", le32_get(buf + AT_VARIANT), 0,
		    s->variants - 1),
		fault_field("encoding of keys", le32_get(buf + AT_ENCODING), 0,
		    s->foreign ? ENCODING_LAST : 0),
		fault_field("seed", le64_get(buf + AT_SEED), 0,
		    s->seed ? UINT64_MAX : 0),
		fault_field("growth", le32_get(buf + AT_GROWTH), says_growth,
		    says_growth ? UINT32_MAX : 0),
		fault_field("preference", le32_get(buf + AT_PREFER),
		    SIZING_SPEED, SIZING_SPACE),
		fault_field("length of the note", note_len, 0, FORMAT_NOTE),
		fault_field("file size", le64_get(buf + AT_FILE_SIZE), size,
		    size),
	};
	const struct fault f = fault_first(fields,
	    sizeof(fields) / sizeof(fields[0]));

	if (f.kind != FAULT_NONE)
		return f;
	if (probes % groups != 0)
		return fault_of(FAULT_UNEVEN, probes, groups);
	if (keys == 0 ? le64_get(buf + AT_RATE) != 0 : !(rate > 0 && rate < 1))
		return fault_of(FAULT_RATE, 0, 0);
	if (!has_features(buf) &&
	    (!zeros_only(buf, AT_RESERVED1, AT_SEEDS) ||
	    !zeros_only(buf, AT_SEEDS + 4 * nseeds, AT_NOTE) ||
	    !zeros_only(buf, AT_NOTE + (size_t)note_len, AT_CHECKSUM)))
		return fault_of(FAULT_RESERVED, 0, 0);
	if (le64_get(buf + AT_CHECKSUM) != hash_checksum(buf, AT_CHECKSUM))
		return fault_of(FAULT_CHECKSUM, 0, 0);
	return fault_of(FAULT_NONE, 0, 0);
}

/* Page 0 into *h; the first layer is its first part. */
static void
take_fields(struct header *h, const uint8_t *buf)
{
	const uint64_t blocks = le64_get(buf + AT_BLOCKS);
	const unsigned probes = le32_get(buf + AT_PROBES);
	const unsigned growth = le32_get(buf + AT_GROWTH);

	*h = (struct header){
		.rule = scheme_rule(scheme_of_id(le32_get(buf + AT_SCHEME)),
		    probes),
		.shape = {
			.blocks = blocks,
			.probes = probes,
			.groups = le32_get(buf + AT_GROUPS),
			.spare = (unsigned)(blocks * SIZING_BLOCK_BITS -
			    le64_get(buf + AT_BITS)),
		},
		.growth = growth != 0 ? growth : FORMAT_GROWTH,
		.keys = le64_get(buf + AT_KEYS),
		.rate = le64_to_double(le64_get(buf + AT_RATE)),
		.full = (enum format_full)le32_get(buf + AT_FULL),
		.prefer = (enum sizing_prefer)le32_get(buf + AT_PREFER),
		.created = (int64_t)le64_get(buf + AT_CREATED),
		.write_flags = le64_get(buf + AT_WRITE_FLAGS),
		.note_len = (size_t)le64_get(buf + AT_NOTE_LEN),
		.nparts = 1,
	};
	h->rule.seed = le64_get(buf + AT_SEED);
	h->rule.variant = le32_get(buf + AT_VARIANT);
	h->rule.encoding = (enum encoding)le32_get(buf + AT_ENCODING);
	for (unsigned i = 0; h->rule.scheme->seeds && i < probes; i++)
		h->rule.seeds[i] = le32_get(buf + AT_SEEDS + 4 * i);
	memcpy(h->note, buf + AT_NOTE, h->note_len);
	h->part[0] = (struct format_part){ FORMAT_HEADER, {
	    .shape = h->shape, .keys = h->keys,
	    .rate = h->full == FORMAT_FULL_GROW ? h->rate / 2 : h->rate } };
}

/* The size of the file has to be right, or with more to come large enough. */
static struct fault
check_size(const struct header *h, uint64_t file_size)
{
	const uint64_t wanted = parts_end(h);

	if (file_size == wanted ||
	    (h->full == FORMAT_FULL_GROW && file_size > wanted))
		return fault_of(FAULT_NONE, 0, 0);
	return fault_of(FAULT_FILE_SIZE, file_size, wanted);
}

struct fault
format_decode(struct header *h, const uint8_t *buf, size_t len,
    uint64_t file_size)
{
	struct fault f = check_kind(buf, len);

	if (f.kind == FAULT_NONE)
		f = check_fields(buf);
	if (f.kind != FAULT_NONE)
		return f;
	take_fields(h, buf);
	f = page1_decode(h, buf, has_features(buf));
	if (f.kind == FAULT_NONE)
		f = check_size(h, file_size);
	return f;
}
