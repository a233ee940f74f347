/*
 * A hash table with linear probing, less than half full, whose keys lie behind
 * each other.  Equal hashes name a candidate; its bytes decide.
 */
#include <stdlib.h>
#include <string.h>

#include "except.h"
#include "fold.h"

#define SLOTS_FIRST ((size_t)1024)	/* a power of two */

struct entry {
	uint64_t hash;
	uint32_t at;		/* in the text */
	uint32_t len;
};

struct except {
	struct key_spec spec;
	struct rule rule;
	uint8_t *text;
	size_t used, text_room;
	struct entry *entries;
	size_t n, nslots;	/* there is room for half as many entries */
	uint32_t *slots;	/* an entry's index + 1, or 0 */
};

struct except *
except_new(const struct key_spec *s, uint64_t seed)
{
	struct except *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->spec = (struct key_spec){ .fold = s->fold };
	e->rule = scheme_rule(&scheme_native, 0);
	e->rule.seed = seed;
	e->nslots = SLOTS_FIRST;
	e->text_room = SLOTS_FIRST;
	e->text = malloc(e->text_room);
	e->entries = malloc(e->nslots / 2 * sizeof(*e->entries));
	e->slots = calloc(e->nslots, sizeof(*e->slots));
	if (e->text != NULL && e->entries != NULL && e->slots != NULL)
		return e;
	except_free(e);
	return NULL;
}

const struct rule *
except_rule(const struct except *e)
{
	return &e->rule;
}

void
except_free(struct except *e)
{
	if (e == NULL)
		return;
	free(e->text);
	free(e->entries);
	free(e->slots);
	free(e);
}

static bool
same(const struct except *e, const struct entry *x, const struct line *key)
{
	const uint8_t *text = e->text + x->at;

	if (x->len != key->len)
		return false;
	if (!e->spec.fold)
		return memcmp(text, key->bytes, key->len) == 0;
	for (size_t i = 0; i < key->len; i++)
		if (text[i] != fold_byte(key->bytes[i]))
			return false;
	return true;
}

/* The slot of this key, or the free one where it belongs. */
static size_t
find(const struct except *e, const struct line *key, uint64_t hash)
{
	size_t i = (size_t)hash & (e->nslots - 1);

	for (; e->slots[i] != 0; i = (i + 1) & (e->nslots - 1)) {
		const struct entry *x = &e->entries[e->slots[i] - 1];
		if (x->hash == hash && same(e, x, key))
			break;
	}
	return i;
}

/* Twice the slots, for the entries that are there. */
static bool
grow_table(struct except *e)
{
	const size_t nslots = e->nslots * 2;
	uint32_t *slots = calloc(nslots, sizeof(*slots));
	struct entry *entries = realloc(e->entries,
	    nslots / 2 * sizeof(*entries));

	if (entries != NULL)
		e->entries = entries;
	if (slots == NULL || entries == NULL) {
		free(slots);
		return false;
	}
	for (size_t n = 0; n < e->n; n++) {
		size_t i = (size_t)entries[n].hash & (nslots - 1);
		while (slots[i] != 0)
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)n + 1;
	}
	free(e->slots);
	e->slots = slots;
	e->nslots = nslots;
	return true;
}

static bool
grow_text(struct except *e, size_t wanted)
{
	size_t room = e->text_room;

	while (room < wanted)
		room *= 2;
	if (room == e->text_room)
		return true;
	uint8_t *text = realloc(e->text, room);
	if (text == NULL)
		return false;
	e->text = text;
	e->text_room = room;
	return true;
}

static enum except_err
add(struct except *e, const struct line *key)
{
	struct hash h;

	keys_hash(&e->spec, &e->rule, key, 1, &h);
	if (e->slots[find(e, key, h.lo)] != 0)
		return EXCEPT_OK;
	if (e->n == EXCEPT_KEYS_MAX || key->len > EXCEPT_BYTES_MAX - e->used)
		return EXCEPT_FULL;
	if (!grow_text(e, e->used + key->len) ||
	    (e->n == e->nslots / 2 && !grow_table(e)))
		return EXCEPT_MEMORY;
	uint8_t *to = e->text + e->used;
	if (e->spec.fold)
		fold_bytes(to, key->bytes, key->len);
	else
		memcpy(to, key->bytes, key->len);
	e->entries[e->n] = (struct entry){ h.lo, (uint32_t)e->used,
	    (uint32_t)key->len };
	e->used += key->len;
	e->n++;
	e->slots[find(e, key, h.lo)] = (uint32_t)e->n;
	return EXCEPT_OK;
}

enum except_err
except_add(struct except *e, const struct line *keys, size_t n)
{
	enum except_err error = EXCEPT_OK;

	for (size_t i = 0; i < n && error == EXCEPT_OK; i++)
		error = add(e, &keys[i]);
	return error;
}

void
except_clear(const struct except *e, const struct line *keys,
    const struct hash *hashes, size_t n, bool *in)
{
	for (size_t i = 0; i < n; i++)
		if (in[i])
			in[i] = e->slots[find(e, &keys[i], hashes[i].lo)] == 0;
}
