/*
 * Fuzzes what recognises filters of other programs, and the places of keys in
 * them: none may lie outside of the file.
 *
 * Input: how its beginning is to look, then a file.  As its sizes hardly ever
 * fit, they are put right for the format that was chosen, too.
 */
#include "../foreign/foreign.h"
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

/* What is recognised is used, in memory that ends where the file does. */
static void
try(size_t size)
{
	static const struct line keys[] = { { (const uint8_t *)"", 0, 0 },
	    { (const uint8_t *)"key", 3, 3 } };
	struct foreign f;
	char why[WHY_SIZE] = "";
	bool in[2];

	uint8_t *copy = malloc(size + 1);
	MUST(copy != NULL);
	memcpy(copy, file, size);
	switch (foreign_recognise(&f, copy, size < FOREIGN_HEAD ? size :
	    FOREIGN_HEAD, size, why)) {
	case FOREIGN_SAME:
		MUST(f.bits > 0 && f.probes >= 1);
		MUST(f.probes <= FOREIGN_PROBES_MAX && f.offset < size);
		foreign_test(&f, copy + f.offset, keys, 2, in);
		break;
	case FOREIGN_BAD:
		MUST(why[0] != '\0' && strlen(why) < WHY_SIZE - 1);
		break;
	case FOREIGN_OTHER:
		break;
	}
	free(copy);
}

/* The sizes without which a file is of no format, for one of this size. */
static void
put_big_endian(uint8_t *p, uint64_t x, int n)
{
	for (int i = n - 1; i >= 0; i--, x >>= 8)
		p[i] = (uint8_t)x;
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
	try_sizes(in.n);
	return 0;
}
