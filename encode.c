/*
 * Letters, UTF-16 and numbers.
 */
#include <string.h>

#include "encode.h"
#include "fold.h"
#include "le.h"
#include "text.h"

size_t
encode_room(size_t len, enum encoding as)
{
	if (as == ENCODING_UTF16LE)
		return 2 * len;
	return as == ENCODING_INT64 && len < 8 ? 8 : len;
}

static uint8_t
letter(uint8_t c, enum encode_case letters)
{
	if (letters == ENCODE_LOWER)
		return fold_byte(c);
	return letters == ENCODE_UPPER && c >= 'a' && c <= 'z' ?
	    (uint8_t)(c - ('a' - 'A')) : c;
}

/* The character of a sequence of n bytes that text_utf8 has taken. */
static uint32_t
character(const uint8_t *p, size_t n)
{
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static uint8_t *
put_unit(uint8_t *to, uint32_t unit)
{
	*to++ = (uint8_t)unit;
	*to++ = (uint8_t)(unit >> 8);
	return to;
}

static uint8_t *
put_character(uint8_t *to, uint32_t c)
{
	if (c < 0x10000)
		return put_unit(to, c);
	to = put_unit(to, 0xd800 + ((c - 0x10000) >> 10));
	return put_unit(to, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

static size_t
encode_utf16le(const struct line *key, enum encode_case letters, uint8_t *to)
{
	uint8_t *const begin = to;
	size_t n;

	for (size_t i = 0; i < key->len; i += n) {
		const uint8_t *p = key->bytes + i;
		uint32_t c = 0xfffd;
		n = text_utf8((const char *)p, key->len - i);
		if (n == 1)
			c = letter(*p, letters);
		else if (n > 1)
			c = character(p, n);
		else
			n = 1;
		to = put_character(to, c);
	}
	return (size_t)(to - begin);
}

/* As Java reads a long, but no plus sign: -5, 0, 17.  False: it is none. */
static bool
number_of(const struct line *key, uint64_t *x)
{
	const bool minus = key->len > 0 && key->bytes[0] == '-';
	const uint64_t most = (uint64_t)INT64_MAX + minus;

	*x = 0;
	if (key->len == minus)
		return false;
	for (size_t i = minus; i < key->len; i++) {
		const unsigned digit = key->bytes[i] - (unsigned)'0';
		if (digit > 9 || *x > (most - digit) / 10)
			return false;
		*x = *x * 10 + digit;
	}
	if (minus)
		*x = -*x;
	return true;
}

size_t
encode_key(const struct line *key, enum encode_case letters,
    enum encoding as, uint8_t *to)
{
	uint64_t number;

	if (as == ENCODING_UTF16LE)
		return encode_utf16le(key, letters, to);
	if (as == ENCODING_INT64 && number_of(key, &number)) {
		le64_put(to, number);
		return sizeof(number);
	}
	for (size_t i = 0; i < key->len; i++)
		to[i] = letter(key->bytes[i], letters);
	return key->len;
}

static const char *const names[] = {
	[ENCODING_BYTES] = "bytes",
	[ENCODING_UTF16LE] = "utf16le",
	[ENCODING_INT64] = "int64",
};

int
encode_of_name(const char *name)
{
	for (int i = 0; i <= ENCODING_LAST; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

const char *
encode_name(enum encoding as)
{
	return names[as];
}
