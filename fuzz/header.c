/*
 * Fuzzes the decoder of headers.  What decodes must promise only what the file
 * has, and come out as the same bytes when it is encoded again; no change of
 * page 0 and no other size may go unnoticed; a refusal must be in words.
 *
 * Input: two bytes that say where to cut and which bit to flip, then changes
 * of a valid header.  Each input is decoded as it is, with its checksum put
 * right, and with its sizes put right too, as a filter that grows and as one of
 * another scheme: without that, hardly any would get past them.
 */
#include <sys/mman.h>

#include <inttypes.h>
#include <unistd.h>

#include "../foreign/foreign.h"
#include "fuzz.h"

static uint64_t decodes;
static uint8_t *buf, *cut;
static struct header *header;

static void
print_decodes(void)
{
	printf("headers decoded: %" PRIu64 "\n", decodes);
}

/*
 * Memory that ends where touching more is a crash, and for whole pages begins
 * so: as strict as the address sanitizer here, at a third of its time.
 */
static void *
guarded(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t pages = (size + page - 1) / page * page;
	uint8_t *p = mmap(NULL, pages + 2 * page, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(p != MAP_FAILED);
	MUST(mprotect(p + page, pages, PROT_READ | PROT_WRITE) == 0);
	return p + page + pages - size;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	buf = guarded(FORMAT_HEADER);
	cut = guarded(FORMAT_HEADER);
	header = guarded(sizeof(*header));
	return atexit(print_decodes);
}

static void
must_refuse_in_words(const struct fault *f)
{
	char words[FAULT_WORDS];

	memset(words, 'x', sizeof(words));
	MUST(fault_words(f, words) == words);
	const size_t len = strnlen(words, sizeof(words));
	MUST(len > 0 && len < sizeof(words) - 1);	/* not cut off */
	MUST(strchr(words, '\n') == NULL && strcmp(words, "fine") != 0);
	MUST(f->kind != FAULT_FIELD || strstr(words, f->field) != NULL);
}

/* Into *header. */
static enum fault_kind
decode(const uint8_t *p, size_t len, uint64_t file_size)
{
	decodes++;
	const struct fault f = format_decode(header, p, len, file_size);
	if (f.kind != FAULT_NONE)
		must_refuse_in_words(&f);
	return f.kind;
}

/* Of another scheme: a block for each probe, any number of bits. */
static void
must_fit_scheme(const struct scheme *s, const struct shape *shape)
{
	if (s->foreign)
		MUST(shape->groups == shape->probes);
	else
		MUST(shape->spare == 0);
	MUST(!s->seeds || shape->probes <= RULE_SEEDS_MAX);
}

/* What is hashed and looked up by it relies on these. */
static void
must_be_rule(const struct rule *r, const struct shape *shape)
{
	const struct scheme *s = r->scheme;

	MUST(r->variant < s->variants && r->flip == 0);
	MUST(r->width == (s->width != 0 ? s->width : (shape->probes + 1) / 2));
	MUST(r->width <= RULE_WIDTH_MAX && r->encoding <= ENCODING_LAST);
	MUST(s->foreign || r->encoding == ENCODING_BYTES);
	MUST(s->seed || r->seed == 0);
	for (unsigned i = s->seeds ? shape->probes : 0; i < RULE_SEEDS_MAX; i++)
		MUST(r->seeds[i] == 0);
}

static void
must_fit_file(const struct header *h, uint64_t file_size)
{
	uint64_t end = FORMAT_HEADER, bits = 0;

	MUST(h->nparts >= 1 && h->nparts <= LAYERS_MAX);
	MUST(h->nparts == 1 || h->full == FORMAT_FULL_GROW);
	MUST(h->full != FORMAT_FULL_GROW || h->rule.scheme->layers);
	MUST(h->growth >= 1);
	must_be_rule(&h->rule, &h->shape);
	for (unsigned i = 0; i < h->nparts; i++) {
		const struct format_part *p = &h->part[i];
		MUST(p->offset >= end && p->plan.shape.blocks >= 1);
		end = p->offset + p->plan.shape.blocks * 64;
		MUST(end > p->offset && end <= file_size);
		bits += sizing_bits(&p->plan.shape);
		MUST(p->plan.shape.spare < 512);
		must_fit_scheme(h->rule.scheme, &p->plan.shape);
		MUST(p->plan.shape.probes >= 1 && p->plan.shape.probes <= 255);
		MUST(p->plan.shape.groups >= 1);
		MUST(p->plan.shape.probes % p->plan.shape.groups == 0);
	}
	MUST(end == file_size || h->full == FORMAT_FULL_GROW);
	MUST(h->part[0].plan.shape.blocks == h->shape.blocks);
	MUST(h->shape.probes >= 1 && h->shape.probes <= 255);
	MUST(h->shape.groups >= 1);
	MUST(h->shape.probes % h->shape.groups == 0);
	if (h->keys == 0)
		MUST(h->rule.scheme->foreign && h->full == FORMAT_FULL_WARN);
	else
		MUST(h->rate > 0 && h->rate < 1);
	MUST(h->note_len <= FORMAT_NOTE && h->note[h->note_len] == '\0');
	MUST(le64_get(buf + AT_STATE) <= FORMAT_DIRTY);
	MUST(le64_get(buf + AT_UNCLEAN) <= 1);
	MUST(le64_get(buf + AT_SYNC_FAILED) <= 1);
	MUST(le64_get(buf + AT_BITS_SET) <= bits);
}

/* Only later builds, which set flags, use bytes that this one does not. */
static void
must_come_back(const struct header *h, uint64_t file_size)
{
	static uint8_t again[FORMAT_HEADER];

	MUST(h->write_flags == le64_get(buf + AT_WRITE_FLAGS));
	format_encode(h, again);
	if ((le64_get(buf + AT_COMPATIBLE) | h->write_flags) == 0) {
		MUST(memcmp(again, buf, FORMAT_LIVE) == 0);
		for (size_t at = AT_KEYS_SYNCED + 8; at < FORMAT_HEADER;
		    at += 8)
			MUST(le64_get(buf + at) == 0 ||
			    (h->full == FORMAT_FULL_GROW &&
			    (at == AT_MORE_LAYERS || (at >= AT_LAYERS &&
			    at < AT_LAYERS + 47 * 64))));
	}
	memcpy(again + AT_MORE_LAYERS, buf + AT_MORE_LAYERS, 8);
	memcpy(again + AT_LAYERS, buf + AT_LAYERS, 47 * 64);
	if ((le64_get(buf + AT_COMPATIBLE) | h->write_flags) != 0 &&
	    h->full != FORMAT_FULL_GROW)
		memset(again + AT_LAYERS, 0, 47 * 64);
	MUST(decode(again, FORMAT_HEADER, file_size) == FAULT_NONE);
	header->write_flags = h->write_flags;
	MUST(memcmp(h, header, sizeof(*h)) == 0);
}

/* What the file of the header in buf has to have, if all of that is right. */
static uint64_t
size_wanted(void)
{
	const uint64_t more = le64_get(buf + AT_MORE_LAYERS);
	const uint8_t *last = buf + AT_LAYERS + 64 * (more - 1);

	return more == 0 || more > 47 ? le64_get(buf + AT_FILE_SIZE) :
	    le64_get(last) + 64 * le64_get(last + 8);
}

/* What is in buf. */
static void
try(size_t where)
{
	static struct header h;
	const uint64_t file_size = size_wanted();

	if (decode(buf, FORMAT_HEADER, file_size) != FAULT_NONE)
		return;
	h = *header;
	must_fit_file(&h, file_size);
	must_come_back(&h, file_size);
	const uint64_t other = file_size ^ UINT64_C(1) << where % 64;
	MUST(decode(buf, FORMAT_HEADER, other) ==
	    (h.full == FORMAT_FULL_GROW && other > file_size ? FAULT_NONE :
	    FAULT_FILE_SIZE));
	uint8_t *byte = &buf[where / 8 % FORMAT_LIVE];
	const uint8_t bit = (uint8_t)(1 << where % 8);
	*byte ^= bit;
	MUST(decode(buf, FORMAT_HEADER, file_size) != FAULT_NONE);
	*byte ^= bit;
}

static void
try_cut(size_t len)
{
	uint8_t *p = cut + FORMAT_HEADER - len;

	memcpy(p, buf, len);
	MUST(decode(p, len, len) != FAULT_NONE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	const size_t where = (size_t)bytes_number(&in, 2);

	put_header(buf, 3);
	if (in.n == 0)
		MUST(decode(buf, FORMAT_HEADER, FORMAT_HEADER + 3 * 64) ==
		    FAULT_NONE);
	put_changes(buf, FORMAT_HEADER, in);
	try(where);
	try_cut(where % FORMAT_HEADER);
	put_checksum(buf);
	try(where);
	put_sizes(buf, le64_get(buf + AT_BLOCKS));
	put_checksum(buf);
	try(where);
	put_layers(buf, (unsigned)where % 4);
	put_checksum(buf);
	try(where);
	put_scheme(buf, 2 + (unsigned)where % (SCHEME_LAST - 1));
	put_checksum(buf);
	try(where);
	put_scheme(buf, scheme_redisbloom.id);
	put_layers(buf, (unsigned)where % 4);
	put_checksum(buf);
	try(where);
	return 0;
}
