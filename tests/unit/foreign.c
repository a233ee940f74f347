/*
 * Filters of other programs: their hash functions against known answers, and
 * that no file makes a place outside of it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "few.h"
#include "foreign/foreign.h"
#include "foreign/hashes.h"
#include "le.h"
#include "page1.h"
#include "parts.h"
#include "random.h"
#include "tally.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* "6f7a" or "-" for none. */
static size_t
bytes_of(const char *hex, uint8_t *out)
{
	size_t n = 0;

	for (; hex[0] != '-' && hex[0] != '\0'; hex += 2) {
		const char two[] = { hex[0], hex[1], '\0' };
		out[n++] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

struct answers {
	struct tally murmur64a, murmur2, murmur3, utf16, fnv1, more;
};

/* Of many keys at once, as of one after the other. */
static void
many_at_once(void)
{
	struct tally same = { 0 };
	uint8_t bytes[64];
	struct line keys[40] = { 0 };
	struct hash out[40];
	uint64_t state = 14;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_next(&state);
	for (size_t n = 0; n <= COUNT(keys); n++) {
		for (size_t i = 0; i < n; i++) {
			const size_t len = (size_t)random_below(&state, 40);
			keys[i] = (struct line){ bytes + random_below(&state,
			    24), len, len };
		}
		hashes_fnv1_many(keys, n, out);
		for (size_t i = 0; i < n; i++)
			CASE(&same, out[i].lo == hashes_fnv1(HASHES_FNV1_START,
			    keys[i].bytes, keys[i].len), "%zu of %zu", i, n);
	}
	OK_ALL(&same, "FNV-1 of many keys is that of each");
}

/* The columns are those of the file's first line. */
static void
one_key(struct answers *a, const char *hex, const uint64_t *x)
{
	uint8_t key[256], wide[512];
	const size_t len = bytes_of(hex, key);
	const struct line line = { key, len, len };
	const uint64_t ma = hashes_murmur64a(key, len,
	    UINT64_C(0xc6a4a7935bd1e995));
	const uint32_t mb = hashes_murmur2(key, len, UINT32_C(0x9747b28c));
	const struct hash m = hashes_murmur3(key, len, -1, 0);

	CASE(&a->murmur64a, ma == x[0] &&
	    hashes_murmur64a(key, len, ma) == x[1], "%.40s", hex);
	CASE(&a->murmur2, mb == x[2] && hashes_murmur2(key, len, mb) == x[3],
	    "%.40s", hex);
	CASE(&a->murmur3, m.lo == x[4] && m.hi == x[5], "%.40s", hex);
	const size_t units = encode_key(&line, ENCODE_AS_IS,
	    ENCODING_UTF16LE, wide);
	const struct hash w = hashes_murmur3(wide, units, -1, 0);
	CASE(&a->utf16, units <= encode_room(len, ENCODING_UTF16LE) &&
	    w.lo == x[6] && w.hi == x[7], "%.40s", hex);
	CASE(&a->fnv1, hashes_fnv1(HASHES_FNV1_START, key, len) == x[8], "%.40s",
	    hex);
	if (len > 0) {
		const struct hash n = hashes_murmur3(key, len - 1,
		    key[len - 1], 0);
		CASE(&a->more, n.lo == x[4] && n.hi == x[5], "%.40s", hex);
	}
}

static void
known_answers(void)
{
	struct answers a = { 0 };
	FILE *in = fopen("tests/interop/hashes.tsv", "r");
	char hex[512], names[4096];
	uint64_t x[10];

	if (in == NULL || fgets(names, sizeof(names), in) == NULL)
		abort();
	while (fscanf(in, "%511s", hex) == 1) {
		for (size_t i = 0; i < COUNT(x); i++)
			if (fscanf(in, "%" SCNx64, &x[i]) != 1)
				abort();
		one_key(&a, hex, x);
	}
	fclose(in);
	OK_ALL(&a.murmur64a, "MurmurHash64A");
	OK_ALL(&a.murmur2, "MurmurHash2");
	OK_ALL(&a.murmur3, "MurmurHash3, 128 bits");
	OK_ALL(&a.utf16, "the same of UTF-16");
	OK_ALL(&a.fnv1, "FNV-1");
	OK_ALL(&a.more, "MurmurHash3 of a key with a byte behind it");
}

static void
encodings(void)
{
	static const char mixed[] = "aZ@[`{\xc3\x84";	/* and capital A umlaut */
	static const uint8_t bad[] = { 'a', 0xff, 0xc3, 0xed, 0xa0, 0x80 };
	static const uint8_t bad16[] = { 'a', 0, 0xfd, 0xff, 0xfd, 0xff, 0xfd,
	    0xff, 0xfd, 0xff, 0xfd, 0xff };
	const struct line l = { (const uint8_t *)mixed, 8, 8 };
	const struct line b = { bad, sizeof(bad), sizeof(bad) };
	uint8_t out[64];

	OK(encode_key(&l, ENCODE_LOWER, ENCODING_BYTES, out) == 8 &&
	    memcmp(out, "az@[`{\xc3\x84", 8) == 0, "only A to Z are folded");
	OK(encode_key(&l, ENCODE_UPPER, ENCODING_BYTES, out) == 8 &&
	    memcmp(out, "AZ@[`{\xc3\x84", 8) == 0, "or a to z the other way");
	OK(encode_key(&l, ENCODE_AS_IS, ENCODING_BYTES, out) == 8 &&
	    memcmp(out, mixed, 8) == 0, "or nothing");
	OK(encode_key(&b, ENCODE_AS_IS, ENCODING_UTF16LE, out) ==
	    sizeof(bad16) && memcmp(out, bad16, sizeof(bad16)) == 0,
	    "what is no UTF-8 becomes U+FFFD, byte by byte");
}

/* Bytes as numbers are put, or the key itself. */
static void
numbers_of_64_bits(void)
{
	static const struct {
		const char *key;
		bool is;
		int64_t number;
	} list[] = {
		{ "0", true, 0 }, { "-0", true, 0 }, { "17", true, 17 },
		{ "-5", true, -5 }, { "1000000007", true, 1000000007 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "", false, 0 }, { "-", false, 0 }, { "--1", false, 0 },
		{ "+1", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 },
		{ "1-", false, 0 }, { "1a", false, 0 }, { "/", false, 0 },
		{ ":", false, 0 }, { "1.0", false, 0 },
	};
	struct tally t = { 0 };

	for (size_t i = 0; i < COUNT(list); i++) {
		const size_t len = strlen(list[i].key);
		const struct line key = { (const uint8_t *)list[i].key, len,
		    len };
		uint8_t out[64] = { 0 }, wanted[64] = { 0 };
		memcpy(wanted, list[i].key, len);
		if (list[i].is)
			le64_put(wanted, (uint64_t)list[i].number);
		const size_t n = encode_key(&key, ENCODE_AS_IS, ENCODING_INT64,
		    out);
		CASE(&t, n == (list[i].is ? 8 : len) &&
		    n <= encode_room(len, ENCODING_INT64) &&
		    memcmp(out, wanted, n) == 0, "\"%s\"", list[i].key);
	}
	OK_ALL(&t, "numbers of 64 bits become that, all else stays");
	OK(encode_of_name("int64") == ENCODING_INT64 &&
	    encode_of_name("bytes") == ENCODING_BYTES &&
	    encode_of_name("utf16le") == ENCODING_UTF16LE &&
	    encode_of_name("utf16") == -1 && encode_of_name("") == -1,
	    "encodings have names");
}

/* Bit by bit, and twice is not at all. */
static void
flips(void)
{
	static const uint64_t orders[] = { 0, 7, 56 };
	struct tally t = { 0 }, back = { 0 };
	uint8_t bytes[80], turned[80];
	uint64_t state = 17;

	for (size_t i = 0; i < 3 * 11; i++) {
		const uint64_t flip = orders[i % 3];
		const size_t n = i / 3 * 8;
		for (size_t j = 0; j < n; j++)
			turned[j] = bytes[j] = (uint8_t)random_next(&state);
		foreign_flip(flip, turned, n);
		for (uint64_t bit = 0; bit < n * 8; bit++) {
			const uint64_t at = bit ^ flip;
			CASE(&t, (turned[bit / 8] >> bit % 8 & 1) ==
			    (bytes[at / 8] >> at % 8 & 1), "flip %" PRIu64
			    ", bit %" PRIu64, flip, bit);
		}
		foreign_flip(flip, turned, n);
		CASE(&back, memcmp(turned, bytes, n) == 0, "%zu bytes", n);
	}
	OK_ALL(&t, "bytes of a file are turned round as the rule says");
	OK_ALL(&back, "and back");
}

/* Heads that look like those of a format, with numbers of all kinds. */
static size_t
some_head(uint64_t *state, uint8_t head[FOREIGN_HEAD])
{
	static const char *const begins[] = { "libbloom2\x40", "MBITARRAY",
	    "\1\0\0\0\0\0\0", "\0\5", "\1\7", "" };
	static const uint64_t numbers[] = { 0, 1, 7, 64, 255, 256, 1200, 5000,
	    UINT32_MAX, UINT64_C(1) << 60, UINT64_MAX };
	const char *begin = begins[random_below(state, COUNT(begins))];

	memset(head, 0, FOREIGN_HEAD);
	for (size_t at = 0; at < 80; at += 1 + (size_t)random_below(state, 8)) {
		const uint64_t x = numbers[random_below(state,
		    COUNT(numbers))];
		for (size_t i = 0; i < 8; i++)
			head[at + (random_below(state, 2) ? i : 7 - i)] =
			    (uint8_t)(x >> 8 * i);
	}
	memcpy(head, begin, strlen(begin));
	if (begin[0] == 1 && begin[1] == 0)
		memset(head + 1, 0, 7);
	return 1 + (size_t)random_below(state, FOREIGN_HEAD);
}

/* The places of a key in all parts: each bit has to lie in the file. */
static void
places_inside(const struct foreign *f, uint64_t size, struct tally *inside)
{
	const struct rule *r = &f->head.rule;
	const struct line key = { (const uint8_t *)"key", 3, 3 };
	uint64_t at[SIZING_PROBES_MAX];
	struct hash h[RULE_WIDTH_MAX];

	r->scheme->hash(r, &key, 1, h);
	for (unsigned i = 0; i < f->head.nparts; i++) {
		const struct format_part *p = &f->head.part[i];
		const struct filter part = { NULL, p->plan.shape, r };
		const uint64_t bits = sizing_bits(&part.shape);
		r->scheme->places(&part, h, 1, at);
		for (unsigned j = 0; j < part.shape.probes; j++)
			CASE(inside, at[j] < bits && p->offset +
			    (at[j] ^ r->flip) / 8 < size, "%s, part %u",
			    f->format->name, i);
	}
}

/* Filters of ours are made of them, which must be such as can be opened. */
static bool
can_be_ours(const struct foreign *f)
{
	uint8_t buf[FORMAT_HEADER];
	const uint64_t none[LAYERS_MAX] = { 0 };
	struct header h = f->head, got;

	h.nparts = 0;
	h.rule.flip = 0;
	for (unsigned i = 0; i < f->head.nparts; i++)
		parts_append(&h, &f->head.part[i].plan);
	format_encode(&h, buf);
	page1_encode(&h, none, none, true, buf);
	return format_decode(&got, buf, FORMAT_HEADER, parts_end(&h)).kind ==
	    FAULT_NONE && got.nparts == h.nparts;
}

static void
hostile_files(void)
{
	const unsigned rounds = cases(300000, 20000);
	struct tally inside = { 0 }, words = { 0 }, own = { 0 };
	uint8_t head[FOREIGN_HEAD];
	uint64_t state = 13;

	for (unsigned i = 0; i < rounds; i++) {
		struct foreign f;
		char why[WHY_SIZE] = "";
		const size_t len = some_head(&state, head);
		const uint64_t size = len < FOREIGN_HEAD ? len :
		    len + random_below(&state, 2000);
		switch (foreign_recognise(&f, NULL, head, len, size, why)) {
		case FOREIGN_SAME:
			places_inside(&f, size, &inside);
			CASE(&own, can_be_ours(&f), "%s, round %u",
			    f.format->name, i);
			break;
		case FOREIGN_BAD:
			CASE(&words, why[0] != '\0', "round %u", i);
			break;
		case FOREIGN_OTHER:
			break;
		}
	}
	OK_ALL(&inside, "places lie inside the file");
	OK_ALL(&words, "what is damaged is told in words");
	OK_ALL(&own, "what is known can be a filter of ours");
}

/* ---- RedisBloom ---- */

/* So many fit in a head. */
enum { SUBS_MAX = (FOREIGN_HEAD - 16) / 49 };

/* The head of a dump whose sums are right, and what was put into it. */
struct dump {
	uint8_t head[FOREIGN_HEAD];
	size_t len;
	uint64_t size;		/* of all */
	unsigned layout;	/* 0 is that of now */
	unsigned n;
	bool sound;		/* each has a number of probes that is read */
	uint64_t offset[SUBS_MAX], bits[SUBS_MAX], keys[SUBS_MAX];
	unsigned probes[SUBS_MAX];
};

static const struct { size_t head, each; bool wide; } layouts[] = {
	{ 20, 53, true }, { 20, 49, false }, { 16, 49, false }
};

/* Bits that are a power of two are given as that, sometimes. */
static void
put_sub(struct dump *d, uint64_t *state, unsigned i)
{
	const size_t each = layouts[d->layout].each;
	uint8_t *p = d->head + layouts[d->layout].head + i * each;
	const uint64_t bytes = 1 + random_below(state, UINT64_C(1) <<
	    random_below(state, 40));
	const bool odd = random_below(state, 2000) == 0;
	uint64_t bits = 1 + random_below(state, bytes * 8);
	uint8_t power = 0;

	if (random_below(state, 3) == 0) {
		while (UINT64_C(2) << power <= bits)
			power++;
		bits = power > 0 ? UINT64_C(1) << power : bits;
	}
	d->probes[i] = 1 + (unsigned)random_below(state, odd ? 1000 : 255);
	d->sound = d->sound && d->probes[i] <= 255;
	d->bits[i] = bits;
	d->keys[i] = random_next(state) >> (8 + random_below(state, 56));
	d->offset[i] = d->size;
	d->size += bytes;
	le64_put(p, bytes);
	le64_put(p + 8, power > 0 && random_below(state, 2) ? 0 : bits);
	le64_put(p + 16, d->keys[i]);
	le64_put(p + 24, le64_of_double((double)(1 + random_below(state,
	    999)) / 1000));
	le64_put(p + 32, le64_of_double((d->probes[i] - 0.5) / M_LN2));
	le32_put(p + 40, d->probes[i]);
	const uint64_t capacity = random_next(state) >>
	    random_below(state, 64);
	if (layouts[d->layout].wide)
		le64_put(p + 44, capacity);
	else
		le32_put(p + 44, (uint32_t)capacity);
	p[each - 1] = power;
}

/* Of few sub-filters, or as many as there is room for in a head. */
static void
make_dump(struct dump *d, uint64_t *state)
{
	uint64_t all = 0;

	*d = (struct dump){ .layout = (unsigned)random_below(state, 3),
	    .sound = true };
	const size_t head = layouts[d->layout].head;
	const size_t each = layouts[d->layout].each;
	const uint64_t most = (FOREIGN_HEAD - head) / each;
	d->n = 1 + (unsigned)random_below(state,
	    random_below(state, 4) == 0 ? most : 5);
	d->size = head + d->n * each;
	d->len = (size_t)d->size;
	le32_put(d->head + 8, d->n);
	le32_put(d->head + 12, (uint32_t)random_below(state, 16));
	if (d->layout < 2)
		le32_put(d->head + 16, (uint32_t)random_below(state, 4));
	for (unsigned i = 0; i < d->n; i++) {
		put_sub(d, state, i);
		all += d->keys[i];
	}
	le64_put(d->head, all);
}

/* Each sub-filter is a part, in order, with what it has. */
static bool
same_parts(const struct foreign *f, const struct dump *d)
{
	bool same = f->head.nparts == d->n && f->size == d->size && f->counted;

	for (unsigned i = 0; same && i < d->n; i++) {
		const struct format_part *p = &f->head.part[i];
		same = p->offset == d->offset[i] &&
		    sizing_bits(&p->plan.shape) == d->bits[i] &&
		    p->plan.shape.probes == d->probes[i] &&
		    p->plan.shape.groups == d->probes[i] &&
		    f->keys_added[i] == d->keys[i];
	}
	return same && sizing_same_shape(&f->head.shape,
	    &f->head.part[0].plan.shape);
}

struct dumps {
	struct tally read, refused, parts, inside, own, damaged;
};

static void
one_dump(const struct dump *d, uint64_t size, unsigned round, struct dumps *t)
{
	const struct foreign_format *old = d->layout == 2 ?
	    &foreign_redisbloom_2_0 : NULL;
	char why[WHY_SIZE] = "";
	struct foreign f;
	enum foreign_match m = foreign_recognise(&f, NULL, d->head, d->len,
	    size, why);

	if (old != NULL) {
		CASE(&t->refused, m == FOREIGN_BAD && strstr(why,
		    old->name) != NULL, "round %u: %.99s", round, why);
		m = foreign_recognise(&f, old, d->head, d->len, size, why);
	}
	if (!d->sound || d->n > LAYERS_MAX) {
		CASE(&t->refused, m == FOREIGN_BAD && strstr(why, "wanted") !=
		    NULL, "round %u: %.99s", round, why);
		return;
	}
	CASE(&t->read, m == FOREIGN_SAME &&
	    f.head.rule.scheme == &scheme_redisbloom, "round %u: %.99s", round,
	    why);
	if (m != FOREIGN_SAME)
		return;
	CASE(&t->parts, same_parts(&f, d), "round %u, %u parts", round, d->n);
	CASE(&t->own, can_be_ours(&f), "round %u, %u parts", round, d->n);
	places_inside(&f, d->size, &t->inside);
}

/* With one item, and only then, it may pass for a filter of DCSO bloom. */
static void
other_size(const struct dump *d, uint64_t size, unsigned round,
    struct dumps *t)
{
	char why[WHY_SIZE];
	struct foreign f;

	CASE(&t->refused, foreign_recognise(&f, NULL, d->head, d->len, size,
	    why) != FOREIGN_SAME || (f.format == &foreign_dcso &&
	    le64_get(d->head) == 1), "round %u, other size", round);
}

/* Some other number in the head: whatever it is then, it lies in the file. */
static void
damaged_dump(struct dump *d, uint64_t *state, struct dumps *t)
{
	char why[WHY_SIZE] = "";
	struct foreign f;

	d->head[random_below(state, d->len)] ^=
	    (uint8_t)(1 << random_below(state, 8));
	switch (foreign_recognise(&f, NULL, d->head, d->len, d->size, why)) {
	case FOREIGN_SAME:
		places_inside(&f, d->size, &t->inside);
		CASE(&t->own, can_be_ours(&f), "damaged, %u parts", d->n);
		break;
	case FOREIGN_BAD:
		CASE(&t->damaged, why[0] != '\0', "%u parts", d->n);
		break;
	case FOREIGN_OTHER:
		CASE(&t->damaged, true, "%u parts", d->n);
		break;
	}
}

static void
dumps_of_redisbloom(void)
{
	const unsigned rounds = cases(100000, 5000);
	struct dumps t = { 0 };
	uint64_t state = 16;
	struct dump d;

	for (unsigned i = 0; i < rounds; i++) {
		make_dump(&d, &state);
		one_dump(&d, d.size, i, &t);
		one_dump(&d, FOREIGN_STREAM, i, &t);
		other_size(&d, d.size - 1, i, &t);
		other_size(&d, d.size + 1, i, &t);
		damaged_dump(&d, &state, &t);
	}
	OK_ALL(&t.read, "dumps of RedisBloom are known by their sums");
	OK_ALL(&t.parts, "each sub-filter is where it lies, with its numbers");
	OK_ALL(&t.inside, "the places of keys lie in it");
	OK_ALL(&t.own, "it can be a filter of ours");
	OK_ALL(&t.refused, "too many probes, parts or bytes are refused, and "
	    "what is too old");
	OK_ALL(&t.damaged, "what is damaged is refused, or lies in the file");
}

int
main(void)
{
	known_answers();
	many_at_once();
	encodings();
	numbers_of_64_bits();
	flips();
	hostile_files();
	dumps_of_redisbloom();
	return done();
}
