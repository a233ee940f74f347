/*
 * The header of a filter file.  The offsets below are the table of
 * bloomtool(5); all numbers are little-endian.
 */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "hash.h"
#include "le.h"

/*
 * A byte over 127 shows a transfer that strips the eighth bit, CR LF one that
 * changes line ends, and neither begins a text file.
 */
static const uint8_t magic[FORMAT_MAGIC_SIZE] =
    { 0xbf, 'B', 'L', 'O', 'O', 'M', '\r', '\n' };

/* Page 0. */
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

/* The gaps between the fields of page 1. */
#define GAP(name) { FORMAT_LIVE + offsetof(struct format_live, name), \
	FORMAT_LIVE + offsetof(struct format_live, name) + \
	sizeof(((struct format_live *)NULL)->name) }
static const struct gap { size_t from, to; } layer_table = GAP(layer);
static const struct gap reserved[] = {
	GAP(reserved1), GAP(reserved2), GAP(reserved3), GAP(reserved4)
};

static_assert(sizeof(struct format_live) == FORMAT_HEADER - FORMAT_LIVE,
    "page 1 has no padding");

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

uint64_t
format_end(const struct header *h)
{
	const struct format_part *last = &h->part[h->nparts - 1];

	return last->offset + last->plan.shape.blocks * SIZING_BLOCK_BYTES;
}

static uint64_t
next_offset(const struct header *h)
{
	return h->nparts == 0 ? FORMAT_HEADER :
	    (format_end(h) + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
}

void
format_append(struct header *h, const struct plan *p)
{
	h->part[h->nparts] = (struct format_part){ next_offset(h), *p };
	h->nparts++;
}

/* How many blocks there may be from there on; 0 behind the largest filter. */
static uint64_t
most_blocks(uint64_t offset)
{
	const uint64_t before = offset / SIZING_BLOCK_BYTES;

	return before < SIZING_BLOCKS_MAX ? SIZING_BLOCKS_MAX - before : 0;
}

enum sizing_err
format_next_part(const struct header *h, struct format_part *next)
{
	const struct plan *last = &h->part[h->nparts - 1].plan;

	if (h->nparts == LAYERS_MAX || last->keys > SIZING_KEYS_MAX / h->growth)
		return SIZING_TOO_LARGE;
	*next = (struct format_part){
		.offset = next_offset(h),
		.plan = {
			.keys = last->keys * h->growth,
			/* From there on the halves no longer count. */
			.rate = last->rate / 2 > SIZING_RATE_MIN ?
			    last->rate / 2 : SIZING_RATE_MIN,
		},
	};
	const enum sizing_err e = h->rule.scheme->size(&next->plan, h->prefer);
	if (e == SIZING_OK && next->plan.shape.blocks >
	    most_blocks(next->offset))
		return SIZING_TOO_LARGE;
	return e;
}

/*
 * XXH3 of the entry up to here, with its number and the seed: an entry that was
 * moved, or comes from another filter, does not pass.
 */
static uint64_t
layer_checksum(const struct format_layer *e, unsigned number, uint64_t seed)
{
	uint64_t words[7];

	memcpy(words, e, offsetof(struct format_layer, checksum));
	words[5] = le64_word(number);
	words[6] = le64_word(seed);
	return hash_checksum(words, sizeof(words));
}

void
format_layer_encode(const struct header *h, const struct format_part *p,
    unsigned number, struct format_layer *entry)
{
	struct format_layer e = {
		.offset = le64_word(p->offset),
		.blocks = le64_word(p->plan.shape.blocks),
		.probes_groups = le64_word(p->plan.shape.probes |
		    (uint64_t)p->plan.shape.spare << 16 |
		    (uint64_t)p->plan.shape.groups << 32),
		.keys = le64_word(p->plan.keys),
		.rate = le64_word(le64_of_double(p->plan.rate)),
	};

	e.checksum = le64_word(layer_checksum(&e, number, h->rule.seed));
	*entry = e;
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

void
format_put_counts(const struct header *h, const uint64_t keys[LAYERS_MAX],
    const uint64_t bits[LAYERS_MAX], bool estimated,
    uint8_t buf[FORMAT_HEADER])
{
	struct format_live live = {
		.keys_estimated = le64_word(estimated),
		.more_layers = le64_word(h->nparts - 1),
	};
	uint64_t all_keys = keys[0], all_bits = bits[0];

	for (unsigned i = 1; i < h->nparts; i++) {
		struct format_layer *e = &live.layer[i - 1];
		format_layer_encode(h, &h->part[i], i, e);
		e->keys_added = le64_word(keys[i]);
		e->bits_set = le64_word(bits[i]);
		all_keys += keys[i];
		all_bits += bits[i];
	}
	live.keys_added = le64_word(all_keys);
	live.bits_set = le64_word(all_bits);
	memcpy(buf + FORMAT_LIVE, &live, sizeof(live));
}

static bool
all_zero(const uint8_t *buf, size_t from, size_t to)
{
	uint8_t any = 0;

	/* No early end: so the compiler takes many bytes at a time. */
	for (size_t i = from; i < to; i++)
		any |= buf[i];
	return any == 0;
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

static struct format_fault
fault(enum format_err err, uint64_t found, uint64_t wanted)
{
	return (struct format_fault){ err, NULL, found, wanted, wanted };
}

/* FORMAT_FIELD unless min <= found <= max. */
static struct format_fault
within(const char *field, uint64_t found, uint64_t min, uint64_t max)
{
	const bool ok = found >= min && found <= max;

	return (struct format_fault){ ok ? FORMAT_OK : FORMAT_FIELD, field,
	    found, min, max };
}

/* Is it a filter, and of a kind that this build knows? */
static struct format_fault
check_kind(const uint8_t *buf, size_t len)
{
	if (len == 0)
		return fault(FORMAT_EMPTY, 0, 0);
	if (len < sizeof(magic) || !format_has_magic(buf))
		return fault(len >= sizeof(magic) && was_text_mode(buf) ?
		    FORMAT_TEXT_MODE : FORMAT_MAGIC, 0, 0);
	if (len < FORMAT_HEADER)
		return fault(FORMAT_SHORT, len, FORMAT_HEADER);
	const uint32_t version = le32_get(buf + AT_VERSION);
	if (version != FORMAT_VERSION)
		return fault(FORMAT_OTHER_VERSION, version, FORMAT_VERSION);
	const uint64_t flags = le64_get(buf + AT_INCOMPATIBLE);
	if (flags != 0)
		return fault(FORMAT_FEATURES, flags, 0);
	const uint32_t scheme = le32_get(buf + AT_SCHEME);
	if (scheme_of_id(scheme) == NULL)
		return fault(FORMAT_OTHER_SCHEME, scheme, SCHEME_LAST);
	return fault(FORMAT_OK, 0, 0);
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
static struct format_fault
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
	const struct format_fault fields[] = {
		within("header size", header_size, FORMAT_HEADER,
		    FORMAT_HEADER),
		within("probes", probes, 1, s->seeds ? RULE_SEEDS_MAX :
		    SIZING_PROBES_MAX),
		within("blocks a key", groups, s->foreign ? probes : 1, probes),
		within("blocks", blocks, 1, SIZING_BLOCKS_MAX),
		within("bits", le64_get(buf + AT_BITS), bits - spare, bits),
		within("action when full", full, FORMAT_FULL_WARN,
		    s->layers ? FORMAT_FULL_GROW : FORMAT_FULL_STOP),
		within("keys", keys, s->foreign && full == FORMAT_FULL_WARN ?
		    0 : SIZING_KEYS_MIN, SIZING_KEYS_MAX),
		within("variant", le32_get(buf + AT_VARIANT), 0,
		    s->variants - 1),
		within("encoding of keys", le32_get(buf + AT_ENCODING), 0,
		    s->foreign ? ENCODING_LAST : 0),
		within("seed", le64_get(buf + AT_SEED), 0,
		    s->seed ? UINT64_MAX : 0),
		within("growth", le32_get(buf + AT_GROWTH), says_growth,
		    says_growth ? UINT32_MAX : 0),
		within("preference", le32_get(buf + AT_PREFER),
		    SIZING_SPEED, SIZING_SPACE),
		within("length of the note", note_len, 0, FORMAT_NOTE),
		within("file size", le64_get(buf + AT_FILE_SIZE), size, size),
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].err != FORMAT_OK)
			return fields[i];
	if (probes % groups != 0)
		return fault(FORMAT_UNEVEN, probes, groups);
	if (keys == 0 ? le64_get(buf + AT_RATE) != 0 : !(rate > 0 && rate < 1))
		return fault(FORMAT_RATE, 0, 0);
	if (!has_features(buf) &&
	    (!all_zero(buf, AT_RESERVED1, AT_SEEDS) ||
	    !all_zero(buf, AT_SEEDS + 4 * nseeds, AT_NOTE) ||
	    !all_zero(buf, AT_NOTE + (size_t)note_len, AT_CHECKSUM)))
		return fault(FORMAT_RESERVED, 0, 0);
	if (le64_get(buf + AT_CHECKSUM) != hash_checksum(buf, AT_CHECKSUM))
		return fault(FORMAT_CHECKSUM, 0, 0);
	return fault(FORMAT_OK, 0, 0);
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

/* The entry of the next layer: can it be one, and where it has to be? */
static struct format_fault
take_layer(struct header *h, const struct format_layer *e)
{
	const uint64_t both = le64_word(e->probes_groups);
	const struct format_part p = {
		.offset = le64_word(e->offset),
		.plan = {
			.shape = {
				.blocks = le64_word(e->blocks),
				.probes = (unsigned)(both & UINT16_MAX),
				.spare = (unsigned)(both >> 16 & UINT16_MAX),
				.groups = (unsigned)(both >> 32),
			},
			.keys = le64_word(e->keys),
			.rate = le64_to_double(le64_word(e->rate)),
		},
	};
	const struct shape *s = &p.plan.shape;

	if (le64_word(e->checksum) != layer_checksum(e, h->nparts, h->rule.seed) ||
	    p.offset != next_offset(h) || s->blocks < 1 ||
	    s->blocks > most_blocks(p.offset) ||
	    s->probes < 1 || s->probes > SIZING_PROBES_MAX || s->groups < 1 ||
	    s->groups > s->probes || s->probes % s->groups != 0 ||
	    (h->rule.scheme->foreign ? s->spare >= SIZING_BLOCK_BITS ||
	    s->groups != s->probes : s->spare != 0) ||
	    p.plan.keys < SIZING_KEYS_MIN || p.plan.keys > SIZING_KEYS_MAX ||
	    !(p.plan.rate > 0 && p.plan.rate < 1))
		return fault(FORMAT_LAYER, h->nparts, 0);
	h->part[h->nparts++] = p;
	return fault(FORMAT_OK, 0, 0);
}

static struct format_fault
take_layers(struct header *h, const struct format_live *live)
{
	const uint64_t more = le64_word(live->more_layers);
	struct format_fault f = within("further layers", more, 0,
	    h->full == FORMAT_FULL_GROW ? LAYERS_MAX - 1 : 0);

	for (uint64_t i = 0; f.err == FORMAT_OK && i < more; i++)
		f = take_layer(h, &live->layer[i]);
	return f;
}

static uint64_t
bits_of(const struct header *h)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < h->nparts; i++)
		bits += sizing_bits(&h->part[i].plan.shape);
	return bits;
}

static struct format_fault
check_live(const uint8_t *buf, const struct format_live *live,
    const struct header *h)
{
	const struct format_fault fields[] = {
		within("state", le64_word(live->state), FORMAT_CLEAN,
		    FORMAT_DIRTY),
		within("unclean mark", le64_word(live->unclean), 0, 1),
		within("sync mark", le64_word(live->sync_failed), 0, 1),
		within("estimate mark", le64_word(live->keys_estimated), 0, 1),
		within("bits set", le64_word(live->bits_set), 0, bits_of(h)),
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].err != FORMAT_OK)
			return fields[i];
	if (has_features(buf))
		return fault(FORMAT_OK, 0, 0);
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!all_zero(buf, reserved[i].from, reserved[i].to))
			return fault(FORMAT_RESERVED, 0, 0);
	/* One that grows may have died over the entry of a layer. */
	if (h->full != FORMAT_FULL_GROW && !all_zero(buf, layer_table.from,
	    layer_table.to))
		return fault(FORMAT_RESERVED, 0, 0);
	return fault(FORMAT_OK, 0, 0);
}

/* The size of the file has to be right, or with more to come large enough. */
static struct format_fault
check_size(const struct header *h, uint64_t file_size)
{
	const uint64_t wanted = format_end(h);

	if (file_size == wanted ||
	    (h->full == FORMAT_FULL_GROW && file_size > wanted))
		return fault(FORMAT_OK, 0, 0);
	return fault(FORMAT_FILE_SIZE, file_size, wanted);
}

struct format_fault
format_decode(struct header *h, const uint8_t *buf, size_t len,
    uint64_t file_size)
{
	struct format_live live;
	struct format_fault f = check_kind(buf, len);

	if (f.err == FORMAT_OK)
		f = check_fields(buf);
	if (f.err != FORMAT_OK)
		return f;
	take_fields(h, buf);
	memcpy(&live, buf + FORMAT_LIVE, sizeof(live));
	f = take_layers(h, &live);
	if (f.err == FORMAT_OK)
		f = check_live(buf, &live, h);
	if (f.err == FORMAT_OK)
		f = check_size(h, file_size);
	return f;
}

const char *
format_strerror(const struct format_fault *f, char buf[FORMAT_WORDS])
{
#define SAY(...) snprintf(buf, FORMAT_WORDS, __VA_ARGS__)
	switch (f->err) {
	case FORMAT_OK:
		SAY("fine");
		break;
	case FORMAT_EMPTY:
		SAY("empty file, not a bloomtool filter");
		break;
	case FORMAT_MAGIC:
		SAY("not a bloomtool filter");
		break;
	case FORMAT_TEXT_MODE:
		SAY("damaged by a transfer in text mode, "
		    "copy it again in binary mode");
		break;
	case FORMAT_SHORT:
		SAY("cut off: %" PRIu64 " bytes, the header alone has %"
		    PRIu64, f->found, f->min);
		break;
	case FORMAT_OTHER_VERSION:
		SAY("format version %" PRIu64 ", this build reads %" PRIu64,
		    f->found, f->min);
		break;
	case FORMAT_FEATURES:
		SAY("needs features that this build lacks (flags 0x%" PRIx64
		    ")", f->found);
		break;
	case FORMAT_OTHER_SCHEME:
		SAY("scheme %" PRIu64 ", this build reads 1 to %" PRIu64,
		    f->found, f->min);
		break;
	case FORMAT_FIELD:
		if (f->min == f->max)
			SAY("header damaged: %s %" PRIu64 ", wanted %" PRIu64,
			    f->field, f->found, f->min);
		else
			SAY("header damaged: %s %" PRIu64 ", wanted %" PRIu64
			    " to %" PRIu64, f->field, f->found, f->min, f->max);
		break;
	case FORMAT_UNEVEN:
		SAY("header damaged: %" PRIu64 " probes in %" PRIu64
		    " blocks a key, wanted as many in each", f->found, f->min);
		break;
	case FORMAT_RATE:
		SAY("header damaged: rate is not between 0 and 1");
		break;
	case FORMAT_RESERVED:
		SAY("header damaged: reserved bytes are not zero");
		break;
	case FORMAT_CHECKSUM:
		SAY("header damaged: checksum does not match");
		break;
	case FORMAT_LAYER:
		SAY("header damaged: the entry of layer %" PRIu64, f->found);
		break;
	case FORMAT_FILE_SIZE:
		SAY("wrong size: %" PRIu64 " bytes, the header says %" PRIu64,
		    f->found, f->min);
		break;
	}
#undef SAY
	return buf;
}
