/*
 * A hash table from blocks of the filter to the bits that will be set there.
 */
#include <stdint.h>
#include <stdlib.h>

#include "le.h"
#include "pending.h"
#include "probe.h"
#include "scheme.h"

struct entry {
	uint64_t block;
	size_t slot;
	uint64_t bits[FILTER_BLOCK_WORDS];	/* this machine's order */
};

struct pending {
	size_t used;			/* entries */
	size_t mask;			/* slots - 1; at most half are taken */
	uint32_t *slots;		/* index of an entry + 1, 0 for none */
	struct entry *entries;
	uint64_t places[SIZING_PROBES_MAX];	/* of the key at hand */
};

struct pending *
pending_new(const struct shape *shape, size_t max_keys)
{
	struct pending *p = calloc(1, sizeof(*p));
	const size_t most = max_keys * shape->groups;
	size_t slots = 2;

	if (p == NULL)
		return NULL;
	while (slots < 2 * most)
		slots *= 2;
	p->mask = slots - 1;
	p->slots = calloc(slots, sizeof(*p->slots));
	p->entries = calloc(most, sizeof(*p->entries));
	if (p->slots == NULL || p->entries == NULL) {
		pending_free(p);
		return NULL;
	}
	return p;
}

void
pending_free(struct pending *p)
{
	free(p->slots);
	free(p->entries);
	free(p);
}

void
pending_clear(struct pending *p)
{
	for (size_t i = 0; i < p->used; i++)
		p->slots[p->entries[i].slot] = 0;
	p->used = 0;
}

/* The slot of this block, or the free one where it belongs. */
static size_t
slot_of(const struct pending *p, uint64_t block)
{
	size_t slot = (size_t)probe_mix(block) & p->mask;

	while (p->slots[slot] != 0 &&
	    p->entries[p->slots[slot] - 1].block != block)
		slot = (slot + 1) & p->mask;
	return slot;
}

/* What is noted for the block, or NULL. */
static struct entry *
find(struct pending *p, uint64_t block)
{
	const uint32_t at = p->slots[slot_of(p, block)];

	return at == 0 ? NULL : &p->entries[at - 1];
}

static struct entry *
find_or_make(struct pending *p, uint64_t block)
{
	const size_t slot = slot_of(p, block);

	if (p->slots[slot] == 0) {
		p->entries[p->used] = (struct entry){ .block = block,
		    .slot = slot };
		p->slots[slot] = (uint32_t)++p->used;
	}
	return &p->entries[p->slots[slot] - 1];
}

static bool
is_set(const struct filter *f, uint64_t place)
{
	const uint64_t *words = f->bits;

	return le64_word(words[place / 64]) >> place % 64 & 1;
}

/* Does each bit that the filter lacks stand in an entry? */
static bool
all_in(struct pending *p, const struct filter *f)
{
	const struct entry *e = NULL;

	for (unsigned i = 0; i < f->shape.probes; i++) {
		const uint64_t block = p->places[i] / SIZING_BLOCK_BITS;
		const unsigned bit = p->places[i] % SIZING_BLOCK_BITS;
		if (e == NULL || e->block != block)
			e = find(p, block);
		if ((e == NULL || !(e->bits[bit / 64] >> bit % 64 & 1)) &&
		    !is_set(f, p->places[i]))
			return false;
	}
	return true;
}

static void
note(struct pending *p, unsigned probes)
{
	struct entry *e = NULL;

	for (unsigned i = 0; i < probes; i++) {
		const uint64_t block = p->places[i] / SIZING_BLOCK_BITS;
		const unsigned bit = p->places[i] % SIZING_BLOCK_BITS;
		if (e == NULL || e->block != block)
			e = find_or_make(p, block);
		e->bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

bool
pending_add(struct pending *p, const struct filter *f, const struct hash *key)
{
	f->rule->scheme->places(f, key, 1, p->places);
	if (all_in(p, f))
		return false;
	note(p, f->shape.probes);
	return true;
}
