/*
 * A hash table from blocks of the filter to the bits that will be set there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

	/* Of the key at hand. */
	struct filter_part parts[SIZING_PROBES_MAX];
	size_t at[SIZING_PROBES_MAX];	/* the slots of their blocks */
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

static struct entry *
entry_at(const struct pending *p, size_t slot)
{
	return p->slots[slot] == 0 ? NULL : &p->entries[p->slots[slot] - 1];
}

/* Does any part of the key share its block with keys noted so far? */
static bool
shares_block(struct pending *p, unsigned nparts)
{
	bool any = false;

	for (unsigned i = 0; i < nparts; i++) {
		p->at[i] = slot_of(p, p->parts[i].block);
		any |= p->slots[p->at[i]] != 0;
	}
	return any;
}

/* Is each of its bits set in the filter, or noted? */
static bool
all_in(const struct pending *p, const struct filter *f, unsigned nparts)
{
	uint64_t lacking = 0;

	for (unsigned i = 0; i < nparts && lacking == 0; i++) {
		const struct filter_part *part = &p->parts[i];
		const struct entry *e = entry_at(p, p->at[i]);
		const uint64_t *set = (const uint64_t *)f->bits +
		    part->block * FILTER_BLOCK_WORDS;
		for (unsigned j = 0; j < FILTER_BLOCK_WORDS; j++)
			lacking |= part->bits[j] & ~le64_word(set[j]) &
			    (e == NULL ? UINT64_MAX : ~e->bits[j]);
	}
	return lacking == 0;
}

/* Another part of the key may have taken the slot that was free. */
static void
note(struct pending *p, const struct filter_part *part, size_t slot)
{
	struct entry *e = entry_at(p, slot);

	if (e != NULL && e->block != part->block) {
		slot = slot_of(p, part->block);
		e = entry_at(p, slot);
	}
	if (e == NULL) {
		p->entries[p->used].block = part->block;
		p->entries[p->used].slot = slot;
		memcpy(p->entries[p->used].bits, part->bits,
		    sizeof(part->bits));
		p->slots[slot] = (uint32_t)++p->used;
		return;
	}
	for (unsigned j = 0; j < FILTER_BLOCK_WORDS; j++)
		e->bits[j] |= part->bits[j];
}

bool
pending_add(struct pending *p, const struct filter *f, const struct hash *key)
{
	const unsigned nparts = f->rule->scheme->parts(f, key, p->parts);

	/* The filter alone lacks it, so a key with blocks of its own is new. */
	if (shares_block(p, nparts) && all_in(p, f, nparts))
		return false;
	for (unsigned i = 0; i < nparts; i++)
		note(p, &p->parts[i], p->at[i]);
	return true;
}
