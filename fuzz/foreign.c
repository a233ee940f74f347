/*
 * Fuzzes what recognises filters of other programs, and the places of keys in
 * them: none may lie outside of the file.  What is recognised can be a filter
 * of ours.
 *
 * Input: how its beginning is to look, then a file.  As its sizes hardly ever
 * fit, they are put right for each format, too.
 */
#include <math.h>

#include "../foreign/foreign.h"
#include "../page1.h"
#include "../parts.h"
#include "fuzz.h"

static uint8_t file[FOREIGN_HEAD + 4096];

/* Bytes that a format is known by, where it has such. */
static const struct {
	const char *bytes;
	size_t n;
} begins[] = {
	{ "", 0 }, { "libbloom2\x40\0", 11 }, { "MBITARRAY", 9 },
	{ "\1\0\0\0\0\0\0\0", 8 }, { "\0", 1 }, { "\1", 1 }
};

static void *
exactly(size_t size)
{
	void *p = malloc(size + (size == 0));

	MUST(p != NULL);
	return p;
}

/* Each part has its place, and none ends behind the file. */
static void
must_lie_in(const struct foreign *f, size_t size)
{
	uint64_t end = 0;

	MUST(f->head.nparts >= 1 && f->head.nparts <= LAYERS_MAX);
	for (unsigned i = 0; i < f->head.nparts; i++) {
		const struct format_part *p = &f->head.part[i];
		const struct shape *s = &p->plan.shape;
		MUST(s->probes >= 1 && s->probes <= SIZING_PROBES_MAX);
		MUST(s->groups == s->probes && s->spare < SIZING_BLOCK_BITS);
		MUST(sizing_bits(s) >= 1 && p->offset >= end);
		end = p->offset + (sizing_bits(s) + 7) / 8;
		MUST(end > p->offset && end <= size);
	}
	MUST(f->size == 0 || f->size == size);
}

/* Its parts as layers of a file of ours. */
static void
must_fit_us(const struct foreign *f)
{
	static const uint64_t none[LAYERS_MAX];
	static uint8_t buf[FORMAT_HEADER];
	static struct header h, got;

	h = f->head;
	h.nparts = 0;
	for (unsigned i = 0; i < f->head.nparts; i++)
		parts_append(&h, &f->head.part[i].plan);
	format_encode(&h, buf);
	page1_encode(&h, none, none, true, buf);
	MUST(format_decode(&got, buf, sizeof(buf), parts_end(&h)).kind ==
	    FAULT_NONE);
	MUST(got.nparts == h.nparts && got.keys == h.keys);
	MUST(scheme_same_rule(&got.rule, &h.rule));
}

/* Look up, add, look up again and count, in the file itself. */
static void
use(const struct foreign *f, uint8_t *bytes)
{
	static const struct line keys[] = { { (const uint8_t *)"", 0, 0 },
	    { (const uint8_t *)"key", 3, 3 },
	    { (const uint8_t *)"a key of 17 bytes", 17, 17 } };
	const struct rule *r = &f->head.rule;
	const size_t n = sizeof(keys) / sizeof(keys[0]);
	struct hash *h = exactly(n * r->width * sizeof(*h));
	bool in[3], fresh[3];
	uint64_t nfresh, nbits;

	r->scheme->hash(r, keys, n, h);
	for (unsigned i = 0; i < f->head.nparts; i++) {
		const struct format_part *p = &f->head.part[i];
		const struct filter part = { bytes + p->offset,
		    p->plan.shape, r };
		struct census before = { 0 }, after = { 0 };
		const size_t found = r->scheme->test(&part, h, n, in);
		MUST(found == (size_t)in[0] + in[1] + in[2]);
		r->scheme->census(&part, 0, part.shape.blocks, &before);
		r->scheme->set(&part, h, n, fresh, &nfresh, &nbits);
		r->scheme->census(&part, 0, part.shape.blocks, &after);
		MUST(nfresh <= n - found && nbits >= nfresh);
		MUST(after.ones <= sizing_bits(&part.shape));
		/* Bits behind the last may have been set. */
		MUST(after.ones == before.ones + nbits ||
		    after.ones == sizing_bits(&part.shape));
		MUST(r->scheme->test(&part, h, n, in) == n);
	}
	free(h);
}

/* What is recognised is used, in memory that ends where the file does. */
static void
try(size_t size)
{
	static struct foreign f;
	char why[WHY_SIZE] = "";
	uint8_t *copy = exactly(size);

	memcpy(copy, file, size);
	switch (foreign_recognise(&f, NULL, copy, size < FOREIGN_HEAD ? size :
	    FOREIGN_HEAD, size, why)) {
	case FOREIGN_SAME:
		must_lie_in(&f, size);
		must_fit_us(&f);
		use(&f, copy);
		break;
	case FOREIGN_BAD:
		MUST(why[0] != '\0' && strlen(why) < WHY_SIZE - 1);
		break;
	case FOREIGN_OTHER:
		break;
	}
	/* The parts of a stream may be too large to be one file. */
	if (foreign_recognise(&f, NULL, copy, size < FOREIGN_HEAD ? size :
	    FOREIGN_HEAD, FOREIGN_STREAM, why) == FOREIGN_SAME &&
	    f.head.nparts == 1)
		must_fit_us(&f);
	free(copy);
}

/* The sizes without which a file is of no format, for one of this size. */
static void
put_big_endian(uint8_t *p, uint64_t x, int n)
{
	for (int i = n - 1; i >= 0; i--, x >>= 8)
		p[i] = (uint8_t)x;
}

/* One sub-filter of RedisBloom in these bytes, of the head and of the file. */
static void
put_sub(uint8_t *p, uint64_t bytes)
{
	const double rate = le64_to_double(le64_get(p + 24));
	const unsigned probes = 1 + p[40];

	le64_put(p, bytes);
	le64_put(p + 8, 8 * bytes - p[8] % 8);
	if (!(rate > 0 && rate < 1))
		le64_put(p + 24, le64_of_double(0.01));
	le64_put(p + 32, le64_of_double((probes - 0.5) / M_LN2));
	le32_put(p + 40, probes);
	/* Often none, so that the bits are what they are. */
	p[52] %= 32;
	if (p[52] > 0 && UINT64_C(1) << p[52] > 8 * bytes)
		p[52] = 0;
}

/* As many as the first byte of their number says, of about the same size. */
static void
try_redisbloom(size_t size)
{
	const uint64_t n = 1 + file[8] % 60;
	uint64_t keys = 0;

	if (size < 20 + 54 * n)
		return;
	const uint64_t each = (size - 20 - 53 * n) / n;
	le32_put(file + 8, (uint32_t)n);
	le32_put(file + 12, file[12] % 16);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *p = file + 20 + 53 * i;
		put_sub(p, i + 1 < n ? each : size - 20 - 53 * n -
		    each * (n - 1));
		keys += le64_get(p + 16);
	}
	le64_put(file, keys);
	try(size);
}

static void
try_sizes(size_t size)
{
	if (size >= 14) {		/* Guava */
		file[0] &= 1;
		put_big_endian(file + 2, (size - 6) / 8, 4);
		try((size - 6) / 8 * 8 + 6);
	}
	if (size >= 32) {		/* bits-and-blooms */
		const uint64_t bits = (size - 24) / 8 * 64;
		put_big_endian(file, bits - file[7] % 64, 8);
		put_big_endian(file + 8, file[15], 8);
		put_big_endian(file + 16, bits, 8);
		try((size - 24) / 8 * 8 + 24);
	}
	if (size >= 48) {		/* DCSO */
		le64_put(file, 1);
		le64_put(file + 24, file[24]);
		le64_put(file + 32, (size - 48) * 8 - file[32] % 64);
		try(size);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	const uint64_t begin = bytes_number(&in, 1) %
	    (sizeof(begins) / sizeof(begins[0]));

	if (in.n > sizeof(file))
		in.n = sizeof(file);
	memset(file, 0, sizeof(file));
	memcpy(file, in.p, in.n);
	memcpy(file, begins[begin].bytes, begins[begin].n);
	try(in.n);
	try(sizeof(file));
	try_redisbloom(in.n);
	try_redisbloom(sizeof(file));
	try_sizes(in.n);
	return 0;
}
