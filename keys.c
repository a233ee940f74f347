/*
 * Fields are found from the front of the line, and no further than needed.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "encode.h"
#include "keys.h"
#include "warn.h"

/* Bytes of a line; p is NULL if there are no such. */
struct part {
	const uint8_t *p, *end;
};

static const struct part none;

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static const uint8_t *
skip_blanks(const uint8_t *p, const uint8_t *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Eight bytes at a time while none of them is a space or less. */
static const uint8_t *
skip_word(const uint8_t *p, const uint8_t *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x;

	for (; end - p >= 8; p += 8) {
		memcpy(&x, p, sizeof(x));
		if (((x - ones * (' ' + 1)) & ~x & ones * 0x80) != 0)
			break;
	}
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

static struct part
between_blanks(struct part line, uint64_t field)
{
	const uint8_t *p = skip_blanks(line.p, line.end);

	for (; field > 1 && p < line.end; field--)
		p = skip_blanks(skip_word(p, line.end), line.end);
	if (p == line.end)
		return none;
	return (struct part){ p, skip_word(p, line.end) };
}

static struct part
between_delimiters(struct part line, uint64_t field, uint8_t delimiter)
{
	const uint8_t *p = line.p, *found;

	for (;; field--) {
		found = memchr(p, delimiter, (size_t)(line.end - p));
		if (field == 1)
			break;
		if (found == NULL)
			return none;
		p = found + 1;
	}
	return (struct part){ p, found != NULL ? found : line.end };
}

static struct part
some_bytes(struct part line, uint64_t from, uint64_t to)
{
	const uint64_t len = (uint64_t)(line.end - line.p);

	if (from > len)
		return none;
	return (struct part){ line.p + (from - 1),
	    line.p + (to < len ? to : len) };
}

static struct part
cut(const struct key_spec *s, const struct line *l)
{
	struct part line = { l->bytes, l->bytes + l->len };

	if (s->strip_cr && l->len > 0 && line.end[-1] == '\r')
		line.end--;
	if (s->to != 0)
		return some_bytes(line, s->from, s->to);
	if (s->field == 0)
		return line;
	if (s->delimited)
		return between_delimiters(line, s->field, s->delimiter);
	return between_blanks(line, s->field);
}

bool
keys_whole(const struct key_spec *s)
{
	return s->field == 0 && s->to == 0 && !s->strip_cr;
}

size_t
keys_cut(const struct key_spec *s, const struct line *lines, size_t n,
    struct line *keys)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++) {
		struct part key = cut(s, &lines[i]);
		if (key.p == NULL) {
			missing++;
			key.p = key.end = lines[i].bytes;
		}
		const size_t len = (size_t)(key.end - key.p);
		keys[i] = (struct line){ key.p, len, len };
	}
	return missing;
}

/* In the bytes that the program of the scheme hashes. */
static void
hash_encoded(const struct rule *r, const struct line *keys, size_t n,
    enum encode_case letters, struct hash *out)
{
	struct line *encoded = malloc(n * sizeof(*encoded) + 1);
	size_t room = 0;

	for (size_t i = 0; i < n; i++)
		room += encode_room(keys[i].len, r->encoding);
	uint8_t *bytes = malloc(room + 1), *to = bytes;
	if (encoded == NULL || bytes == NULL)
		err(EXIT_TROUBLE, NULL);
	for (size_t i = 0; i < n; i++) {
		const size_t len = encode_key(&keys[i], letters, r->encoding,
		    to);
		encoded[i] = (struct line){ to, len, len };
		to += len;
	}
	r->scheme->hash(r, encoded, n, out);
	free(encoded);
	free(bytes);
}

void
keys_hash(const struct key_spec *s, const struct rule *r,
    const struct line *keys, size_t n, struct hash *out)
{
	if (r->encoding != ENCODING_BYTES ||
	    (s->fold && r->scheme->hash_folded == NULL))
		hash_encoded(r, keys, n, s->fold ? ENCODE_LOWER : ENCODE_AS_IS,
		    out);
	else if (s->fold)
		r->scheme->hash_folded(r, keys, n, out);
	else
		r->scheme->hash(r, keys, n, out);
}

void
keys_hash_in(const struct rule *r, enum encode_case letters,
    const struct line *keys, size_t n, struct hash *out)
{
	hash_encoded(r, keys, n, letters, out);
}
