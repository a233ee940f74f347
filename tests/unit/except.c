/*
 * Exceptions against a list that is searched from front to back, with the hash
 * as it is and with one that has few values, so that bytes must decide.
 */
#include <stdlib.h>
#include <string.h>

#include "except.h"
#include "few.h"
#include "random.h"
#include "tally.h"

/* The table once more, with that hash. */
static struct except *weak_new(const struct key_spec *s, uint64_t seed);
static const struct rule *weak_rule(const struct except *e);
static void weak_free(struct except *e);
static enum except_err weak_add(struct except *e, const struct line *keys,
    size_t n);
static void weak_clear(const struct except *e, const struct line *keys,
    const struct hash *hashes, size_t n, bool *in);

static void
weak_hash(const struct key_spec *s, const struct rule *r,
    const struct line *keys, size_t n, struct hash *out)
{
	(void)s, (void)r;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct hash){ UINT64_MAX - keys[i].len % 2, 0 };
}

#define except_new(a, b) weak_new(a, b)
#define except_rule(a) weak_rule(a)
#define except_free(a) weak_free(a)
#define except_add(a, b, c) weak_add(a, b, c)
#define except_clear(a, b, c, d, e) weak_clear(a, b, c, d, e)
#define keys_hash(a, b, c, d, e) weak_hash(a, b, c, d, e)
#include "../../except.c"
#undef except_new
#undef except_rule
#undef except_free
#undef except_add
#undef except_clear
#undef keys_hash

static const struct code {
	const char *name;
	struct except *(*new)(const struct key_spec *, uint64_t);
	const struct rule *(*rule)(const struct except *);
	void (*free)(struct except *);
	enum except_err (*add)(struct except *, const struct line *, size_t);
	void (*clear)(const struct except *, const struct line *,
	    const struct hash *, size_t, bool *);
	void (*hash)(const struct key_spec *, const struct rule *,
	    const struct line *, size_t, struct hash *);
} codes[] = {
	{ "as built", except_new, except_rule, except_free, except_add,
	    except_clear, keys_hash },
	{ "weak hash", weak_new, weak_rule, weak_free, weak_add, weak_clear,
	    weak_hash },
};

enum { KEYS_MOST = 3000, KEY_MOST = 12, SEED = 7 };

struct list {
	uint8_t bytes[KEYS_MOST][KEY_MOST];
	struct line keys[KEYS_MOST];
	size_t n;
};

static void
fill(struct list *l, uint64_t *state, size_t n)
{
	static const uint8_t few[] = "aAbB\0\xc4\xe4";

	l->n = n;
	for (size_t i = 0; i < n; i++) {
		const size_t len = random_size(state, KEY_MOST);
		for (size_t j = 0; j < len; j++)
			l->bytes[i][j] =
			    few[random_size(state, sizeof(few) - 1)];
		l->keys[i] = (struct line){ l->bytes[i], len, len };
	}
}

static uint8_t
slow_fold(uint8_t c, bool fold)
{
	return fold && (c == 'A' || c == 'B') ? (uint8_t)(c - 'A' + 'a') : c;
}

static bool
slow_has(const struct list *l, const struct line *key, bool fold)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t same = 0;
		if (l->keys[i].len != key->len)
			continue;
		while (same < key->len &&
		    slow_fold(l->bytes[i][same], fold) ==
		    slow_fold(key->bytes[same], fold))
			same++;
		if (same == key->len)
			return true;
	}
	return false;
}

static void
random_lists(const struct code *code)
{
	static struct list list, asked;
	static struct hash hashes[KEYS_MOST];
	struct tally t = { 0 };
	uint64_t state = 21;
	bool in[KEYS_MOST];

	for (unsigned round = 0; round < cases(40, 4); round++) {
		const struct key_spec s = { .fold = round % 2 };
		const size_t most = round % 4 < 2 ? 50 : KEYS_MOST;
		const uint64_t seed = random_next(&state);
		struct except *e = code->new(&s, seed);
		if (e == NULL)
			abort();
		fill(&list, &state, random_size(&state, most));
		fill(&asked, &state, 500);
		const size_t half = list.n / 2;
		CASE(&t, code->add(e, list.keys, half) == EXCEPT_OK &&
		    code->add(e, list.keys + half, list.n - half) ==
		    EXCEPT_OK, "round %u: adding", round);
		for (size_t i = 0; i < asked.n; i++)
			in[i] = i % 8 != 0;
		code->hash(&s, code->rule(e), asked.keys, asked.n, hashes);
		code->clear(e, asked.keys, hashes, asked.n, in);
		for (size_t i = 0; i < asked.n; i++)
			CASE(&t, in[i] == (i % 8 != 0 &&
			    !slow_has(&list, &asked.keys[i], s.fold)),
			    "round %u, key %zu", round, i);
		code->free(e);
	}
	OK_ALL_OF(&t, code->name, "what is in the list is not in");
}

/* Keys of 8 bytes that differ. */
static enum except_err
add_numbers(struct except *e, uint64_t from, uint64_t to)
{
	enum except_err error = EXCEPT_OK;

	for (uint64_t i = from; i < to && error == EXCEPT_OK; i++) {
		const struct line key = { (const uint8_t *)&i, sizeof(i),
		    sizeof(i) };
		error = except_add(e, &key, 1);
	}
	return error;
}

static bool
has_number(const struct except *e, uint64_t i)
{
	const struct hash h = hash_key(&i, sizeof(i), SEED);
	const struct line key = { (const uint8_t *)&i, sizeof(i), sizeof(i) };
	bool in = true;

	except_clear(e, &key, &h, 1, &in);
	return !in;
}

static void
limits(void)
{
	const struct key_spec s = { 0 };
	struct except *e = except_new(&s, SEED);
	uint8_t *large = calloc(EXCEPT_BYTES_MAX + 1, 1);
	struct tally t = { 0 };

	if (e == NULL || large == NULL)
		abort();
	OK(add_numbers(e, 0, EXCEPT_KEYS_MAX) == EXCEPT_OK, "as many keys");
	OK(add_numbers(e, 7, 9) == EXCEPT_OK, "known ones need no room");
	OK(add_numbers(e, EXCEPT_KEYS_MAX, EXCEPT_KEYS_MAX + 1) ==
	    EXCEPT_FULL, "one more is refused");
	for (uint64_t i = 0; i < EXCEPT_KEYS_MAX; i += 101)
		CASE(&t, has_number(e, i) &&
		    !has_number(e, i + EXCEPT_KEYS_MAX), "%zu", (size_t)i);
	OK_ALL(&t, "a full list is right");
	except_free(e);

	e = except_new(&s, SEED);
	struct line key = { large, EXCEPT_BYTES_MAX + 1, 0 };
	if (e == NULL)
		abort();
	OK(except_add(e, &key, 1) == EXCEPT_FULL, "a byte too many");
	key.len--;
	OK(except_add(e, &key, 1) == EXCEPT_OK, "as many bytes");
	key.len = 1;
	OK(except_add(e, &key, 1) == EXCEPT_FULL, "and one more");
	key.len = 0;
	OK(except_add(e, &key, 1) == EXCEPT_OK, "the empty key fits");
	except_free(e);
	except_free(NULL);
	free(large);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		random_lists(&codes[i]);
	limits();
	return done();
}
