/*
 * A hash table from blocks of the filter to the bits that will be set there.
 */
#include <stdint.h>
#include <stdlib.h>

#include "le.h"
#include "pending.h"
#include "probe.h"

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

static bool
part_in(const struct pending *p, const struct filter *f, uint64_t block,
    uint32_t word, unsigned depth)
{
	const uint64_t *set = f->words + block * FILTER_BLOCK_WORDS;
	const uint32_t at = p->slots[slot_of(p, block)];
	uint64_t all = 1;

	for (unsigned i = 0; i < depth; i++, word *= PROBE_GOLDEN) {
		const unsigned bit = probe_bit(word);
		uint64_t w = le64_word(set[bit / 64]);
		if (at != 0)
			w |= p->entries[at - 1].bits[bit / 64];
		all &= w >> bit % 64;
	}
	return all & 1;
}

static void
part_add(struct pending *p, uint64_t block, uint32_t word, unsigned depth)
{
	const size_t slot = slot_of(p, block);

	if (p->slots[slot] == 0) {
		p->entries[p->used] = (struct entry){ .block = block,
		    .slot = slot };
		p->slots[slot] = (uint32_t)++p->used;
	}
	struct entry *e = &p->entries[p->slots[slot] - 1];
	for (unsigned i = 0; i < depth; i++, word *= PROBE_GOLDEN) {
		const unsigned bit = probe_bit(word);
		e->bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* Do keys noted so far set bits in any block of this one? */
static bool
shares_block(const struct pending *p, const struct filter *f, struct hash h)
{
	for (unsigned g = 0; g < f->shape.groups; g++) {
		if (p->slots[slot_of(p, probe_block(&h, f->shape.blocks))] != 0)
			return true;
		h = probe_next_group(h);
	}
	return false;
}

static bool
all_in(const struct pending *p, const struct filter *f, struct hash h)
{
	const unsigned depth = f->shape.probes / f->shape.groups;

	for (unsigned g = 0; g < f->shape.groups; g++) {
		if (!part_in(p, f, probe_block(&h, f->shape.blocks),
		    probe_word(&h), depth))
			return false;
		h = probe_next_group(h);
	}
	return true;
}

bool
pending_add(struct pending *p, const struct filter *f, const struct hash *key)
{
	const unsigned depth = f->shape.probes / f->shape.groups;
	struct hash h = *key;

	/* The filter alone lacks it, so a key with blocks of its own is new. */
	if (shares_block(p, f, h) && all_in(p, f, h))
		return false;
	for (unsigned g = 0; g < f->shape.groups; g++) {
		part_add(p, probe_block(&h, f->shape.blocks), probe_word(&h),
		    depth);
		h = probe_next_group(h);
	}
	return true;
}
