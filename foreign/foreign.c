/*
 * What all formats share: who is asked first, and the loop over a batch.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../simd.h"
#include "foreign.h"

static const struct foreign_format *const formats[] = {
	&foreign_libbloom, &foreign_pybloom, &foreign_dcso,
	&foreign_bits_and_blooms, &foreign_guava, &foreign_dcso_old
};

/* What is known by its first bytes, but not read. */
static const struct {
	const char *bytes;
	size_t n;
	const char *what;
} unread[] = {
	{ "\x1f\x8b", 2, "compressed by gzip; decompress it first" },
	{ "\xac\xed\x00\x05", 4, "a serialised Java object; a file that "
	    "Guava's writeTo has written can be read" },
	{ "\x02\0\0\0\0\0\0\0", 8, "a filter of Poppy 2, which cannot be "
	    "read" },
	{ "PAR1", 4, "a Parquet file, whose filters cannot be read" },
	{ "*4\r\n$", 5, "a stream of Redis commands" },
};

static enum foreign_match
match_unread(const uint8_t *head, size_t len, char why[WHY_SIZE])
{
	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++)
		if (len >= unread[i].n &&
		    memcmp(head, unread[i].bytes, unread[i].n) == 0) {
			snprintf(why, WHY_SIZE, "%s", unread[i].what);
			return FOREIGN_BAD;
		}
	return FOREIGN_OTHER;
}

enum foreign_match
foreign_recognise(struct foreign *f, const uint8_t *head, size_t len,
    uint64_t size, char why[WHY_SIZE])
{
	enum foreign_match m = match_unread(head, len, why);

	for (size_t i = 0; m == FOREIGN_OTHER &&
	    i < sizeof(formats) / sizeof(formats[0]); i++) {
		*f = (struct foreign){ .format = formats[i] };
		m = formats[i]->match(f, head, len, size, why);
	}
	return m;
}

enum foreign_match
foreign_fits(const struct foreign *f, uint64_t size, char why[WHY_SIZE])
{
	const uint64_t room = size < f->offset ? 0 : size - f->offset;

	/* Whole words of 64 bits where they are turned round. */
	if (f->bits >= 1 && f->bits <= UINT64_MAX - 63 &&
	    (f->bits + 7) / 8 <= room &&
	    (f->flip == 0 || (f->bits + 63) / 64 <= room / 8))
		return FOREIGN_SAME;
	snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu64 " bits in a "
	    "file of %" PRIu64 " bytes", f->format->words, f->bits, size);
	return FOREIGN_BAD;
}

/* Places that are known before the first of them is looked at. */
#define AHEAD 1024

static bool
all_set(const struct foreign *f, const uint8_t *bits, const uint64_t *at)
{
	for (unsigned i = 0; i < f->probes; i++) {
		const uint64_t place = at[i] ^ f->flip;
		if (!(bits[place / 8] >> place % 8 & 1))
			return false;
	}
	return true;
}

size_t
foreign_test(const struct foreign *f, const uint8_t *bits,
    const struct line *keys, size_t n, bool *in)
{
	uint64_t at[AHEAD];
	const size_t batch = AHEAD / f->probes;
	size_t found = 0;

	for (size_t i = 0; i < n; i += batch) {
		const size_t some = n - i < batch ? n - i : batch;
		f->format->places(f, keys + i, some, at);
		for (size_t j = 0; j < some * f->probes; j++)
			PREFETCH(bits + (at[j] ^ f->flip) / 8);
		for (size_t j = 0; j < some; j++)
			found += in[i + j] = all_set(f, bits,
			    at + j * f->probes);
	}
	return found;
}

/* Bloom 1970, as all of these programs have it. */
double
foreign_keys_in(const struct foreign *f, double ones)
{
	return -(double)f->bits / f->probes *
	    log1p(-ones / (double)f->bits);
}

double
foreign_rate(const struct foreign *f, double ones)
{
	return pow(ones / (double)f->bits, f->probes);
}
