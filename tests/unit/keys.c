/*
 * Keys inside lines against a slow reference, which looks at one byte after
 * the other and knows nothing but what keys.h says.
 */
#include <stdlib.h>
#include <string.h>

#include "few.h"
#include "keys.h"
#include "random.h"
#include "tally.h"

enum { LINE_MOST = 5000 };

/* ---- the reference ---- */

/* Which field each byte is in, from 1; 0 for what parts fields. */
static uint64_t
number_fields(const struct key_spec *s, const struct line *l, size_t len,
    uint64_t *in)
{
	uint64_t field = s->delimited ? 1 : 0;
	bool parted = true;

	for (size_t i = 0; i < len; i++) {
		const uint8_t c = l->bytes[i];
		const bool parts = s->delimited ? c == s->delimiter :
		    c == ' ' || c == '\t' || c == '\n';
		if (s->delimited ? parts : parted && !parts)
			field++;
		in[i] = parts ? 0 : field;
		parted = parts;
	}
	return field;
}

/* The key's bytes; how many, and whether there was such a field. */
static size_t
slow_key(const struct key_spec *s, const struct line *l, uint8_t *key,
    bool *missing)
{
	static uint64_t in[LINE_MOST];
	size_t len = l->len, n = 0;

	if (s->strip_cr && len > 0 && l->bytes[len - 1] == '\r')
		len--;
	*missing = s->to != 0 ? len < s->from : s->field != 0 &&
	    number_fields(s, l, len, in) < s->field;
	for (size_t i = 0; i < len; i++)
		if (s->to != 0 ? i + 1 >= s->from && i + 1 <= s->to :
		    s->field == 0 || in[i] == s->field)
			key[n++] = l->bytes[i];
	return n;
}

/* ---- lines and specs ---- */

static size_t
some_line(uint64_t *state, uint8_t *to)
{
	static const uint8_t few[] = " \t\n\r,,AZaz@[`{\0\xc3\x84\xff:";
	const size_t most = random_below(state, 50) == 0 ? LINE_MOST :
	    random_below(state, 3) == 0 ? 200 : 20;
	const size_t len = random_size(state, most);
	const uint64_t dense = random_below(state, 20) + 1;

	for (size_t i = 0; i < len; i++)
		to[i] = random_below(state, dense) == 0 ?
		    few[random_size(state, sizeof(few) - 1)] :
		    (uint8_t)random_next(state);
	if (len > 0 && random_below(state, 3) == 0)
		to[len - 1] = '\r';
	return len;
}

static struct key_spec
some_spec(uint64_t *state)
{
	static const uint8_t delimiters[] = { ',', ' ', '\t', '\0', 0xc3, 'a' };
	struct key_spec s = { .strip_cr = random_below(state, 2) == 0,
	    .fold = random_below(state, 2) == 0 };

	switch (random_below(state, 4)) {
	case 0:
		s.from = random_below(state, 30) + 1;
		s.to = random_below(state, 3) == 0 ? UINT64_MAX :
		    s.from + random_below(state, 30);
		break;
	case 1:
		s.delimited = true;
		s.delimiter = delimiters[random_below(state,
		    sizeof(delimiters))];
		/* FALLTHROUGH */
	case 2:
		s.field = random_below(state, 9) == 0 ? LINES_MAX :
		    random_below(state, 6) + 1;
		break;
	}
	return s;
}

/* As the C locale has it. */
static void
slow_fold(uint8_t *key, size_t n)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < n; i++) {
		const char *at = memchr(upper, key[i], sizeof(upper) - 1);
		if (at != NULL)
			key[i] = (uint8_t)("abcdefghijklmnopqrstuvwxyz"[
			    at - upper]);
	}
}

struct tallies {
	struct tally bytes, missing, hashes, within;
};

/* The line lies at the very end of what may be read. */
static void
one_line(uint64_t *state, struct tallies *t)
{
	static uint8_t text[LINE_MOST], slow[LINE_MOST];
	const size_t len = some_line(state, text);
	const struct key_spec s = some_spec(state);
	const uint64_t seed = random_below(state, 4) * random_next(state);
	struct rule rule = scheme_rule(&scheme_native, 1);
	uint8_t *copy = malloc(len + (len == 0));
	struct line key;
	struct hash h;
	bool missing;

	if (copy == NULL)
		abort();
	memcpy(copy, text, len);
	const struct line l = { copy, len, len };
	const size_t n = slow_key(&s, &l, slow, &missing);
	const size_t nmissing = keys_cut(&s, &l, 1, &key);
	CASE(&t->missing, nmissing == missing, "field %llu, %zu bytes",
	    (unsigned long long)s.field, len);
	CASE(&t->within, key.bytes >= copy && key.bytes + key.len <= copy + len,
	    "%zu bytes of %zu", key.len, len);
	CASE(&t->bytes, key.len == n && memcmp(key.bytes, slow, n) == 0,
	    "field %llu, bytes %llu to %llu: %zu bytes, wanted %zu of %zu",
	    (unsigned long long)s.field, (unsigned long long)s.from,
	    (unsigned long long)s.to, key.len, n, len);
	rule.seed = seed;
	keys_hash(&s, &rule, &key, 1, &h);
	if (s.fold)
		slow_fold(slow, n);
	const struct hash wanted = hash_key(slow, n, seed);
	CASE(&t->hashes, h.lo == wanted.lo && h.hi == wanted.hi,
	    "%zu bytes, fold %d", n, s.fold);
	free(copy);
}

static void
random_lines(void)
{
	const unsigned n = cases(200000, 2000);
	struct tallies t = { 0 };
	uint64_t state = 11;

	for (unsigned i = 0; i < n; i++)
		one_line(&state, &t);
	OK_ALL(&t.bytes, "the key is what the reference finds");
	OK_ALL(&t.missing, "a missing field is counted");
	OK_ALL(&t.within, "a key lies within its line");
	OK_ALL(&t.hashes, "a key's hash is that of its bytes, folded or not");
}

/* Around the sizes at which the hash and its copies change their ways. */
static void
folded_lengths(void)
{
	static uint8_t text[5000], folded[5000];
	const struct key_spec s = { .fold = true };
	struct rule rule = scheme_rule(&scheme_native, 1);
	struct tally t = { 0 };
	uint64_t state = 12;

	for (size_t i = 0; i < sizeof(text); i++)
		folded[i] = text[i] = (uint8_t)random_next(&state);
	slow_fold(folded, sizeof(folded));
	for (size_t len = 0; len <= sizeof(text); len += 1 + len / 300) {
		const struct line l = { text, len, len };
		for (uint64_t seed = 0; seed < 2; seed++) {
			const struct hash wanted = hash_key(folded, len, seed);
			struct hash h;
			rule.seed = seed;
			keys_hash(&s, &rule, &l, 1, &h);
			CASE(&t, h.lo == wanted.lo && h.hi == wanted.hi,
			    "%zu bytes", len);
		}
	}
	OK_ALL(&t, "keys of any length are folded");
}

static void
whole_lines(void)
{
	const struct key_spec none = { 0 }, folded = { .fold = true },
	    stripped = { .strip_cr = true }, field = { .field = 1 },
	    bytes = { .from = 1, .to = UINT64_MAX };

	OK(keys_whole(&none) && keys_whole(&folded), "lines that are keys");
	OK(!keys_whole(&stripped) && !keys_whole(&field) &&
	    !keys_whole(&bytes), "lines that have keys");
}

int
main(void)
{
	whole_lines();
	random_lines();
	folded_lengths();
	return done();
}
