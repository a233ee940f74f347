/*
 * Filters of other programs: their hash functions against known answers, and
 * that no file makes a place outside of it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "few.h"
#include "foreign/foreign.h"
#include "foreign/hashes.h"
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
	for (size_t at = 0; at < 80; at += 1 + random_below(state, 8)) {
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

static void
hostile_files(void)
{
	const unsigned rounds = cases(300000, 20000);
	struct tally inside = { 0 }, words = { 0 };
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
}

int
main(void)
{
	known_answers();
	many_at_once();
	encodings();
	hostile_files();
	return done();
}
