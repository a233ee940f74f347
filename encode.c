/*
 * Letters and UTF-16.
 */
#include "encode.h"
#include "fold.h"
#include "text.h"

size_t
encode_room(size_t len, bool utf16le)
{
	return utf16le ? 2 * len : len;
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

size_t
encode_key(const struct line *key, enum encode_case letters, bool utf16le,
    uint8_t *to)
{
	if (utf16le)
		return encode_utf16le(key, letters, to);
	for (size_t i = 0; i < key->len; i++)
		to[i] = letter(key->bytes[i], letters);
	return key->len;
}
