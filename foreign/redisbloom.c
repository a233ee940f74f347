/*
 * RedisBloom (github.com/RedisBloom/RedisBloom, C): what BF.SCANDUMP gives, the
 * header and then the bits of each sub-filter.  source.c unpacks them from what
 * they lie in.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../le.h"
#include "foreign.h"
#include "hashes.h"
#include "places.h"
#include "redisbloom.h"

/* Options of the header. */
enum {
	NO_ROUND = 1,		/* of bits to a power of two */
	HASH_64 = 4,
	NONSCALING = 8,
	OPTIONS = 15
};

/*
 * Variants of the scheme.  The first was that of module 1.0.  The last is that
 * of modules up to 2.0.1 which were linked so that the server's MurmurHash64A,
 * with seeds of 32 bits, took the place of their own.
 */
enum { HASHES_32 = 0, HASHES_64 = 1, HASHES_SERVER = 2 };

static const struct redisbloom_layout now = REDISBLOOM_NOW;
static const struct redisbloom_layout in_2_2_0 = REDISBLOOM_2_2_0;
static const struct redisbloom_layout before_2_2 = REDISBLOOM_BEFORE_2_2;

/* One sub-filter, as its bytes in the header say. */
struct sub {
	uint64_t bytes, bits, keys, capacity;
	double rate, bits_per_key;
	uint32_t probes;
	uint8_t log_modulus;	/* if not 0: the modulus is 2 to this */
};

static struct sub
sub_at(const uint8_t *p, const struct redisbloom_layout *l)
{
	return (struct sub){
		.bytes = le64_get(p),
		.bits = le64_get(p + 8),
		.keys = le64_get(p + 16),
		.rate = le64_to_double(le64_get(p + 24)),
		.bits_per_key = le64_to_double(le64_get(p + 32)),
		.probes = le32_get(p + 40),
		.capacity = l->capacity == 8 ? le64_get(p + 44) :
		    le32_get(p + 44),
		.log_modulus = p[44 + l->capacity],
	};
}

/* As many digits as the module has. */
#define LN2_SQUARED 0.480453013918201

static double
probes_for(double bits_per_key)
{
	return ceil(0.693147180559945 * bits_per_key);
}

/* What the module itself asks for when it loads one. */
static bool
is_sub(const struct sub *s)
{
	return s->bytes > 0 && s->bytes < UINT64_MAX / 16 &&
	    (s->bits + 7) / 8 <= s->bytes && s->rate > 0 && s->rate < 1 &&
	    s->log_modulus <= 63 &&
	    s->bytes * 8 >= UINT64_C(1) << s->log_modulus &&
	    (s->bits > 0 || s->log_modulus > 0) &&
	    s->probes == probes_for(s->bits_per_key);
}

/*
 * Is the head of this layout, and how long would the file be then?  Of too many
 * sub-filters the first are looked at.
 */
static bool
is_layout(const uint8_t *head, size_t len, const struct redisbloom_layout *l,
    uint64_t *wanted)
{
	const uint64_t n = len < l->head + l->each ? 0 : redisbloom_subs(head);
	const uint64_t there = n == 0 ? 0 : (len - l->head) / l->each;
	uint64_t keys = 0;

	if (n < 1 || n > REDISBLOOM_SUBS_MAX ||
	    (n > there && n <= LAYERS_MAX) || le32_get(head + 12) > OPTIONS)
		return false;
	*wanted = l->head + n * l->each;
	for (uint64_t i = 0; i < n && i < there; i++) {
		const struct sub s = sub_at(head + l->head + i * l->each, l);
		if (!is_sub(&s) || s.bytes > UINT64_MAX / 2 - *wanted ||
		    s.keys > UINT64_MAX - keys)
			return false;
		*wanted += s.bytes;
		keys += s.keys;
	}
	return n > there || keys == le64_get(head);
}

/* The layout of which the file has the size, too; or NULL. */
static const struct redisbloom_layout *
find_layout(const uint8_t *head, size_t len, uint64_t size)
{
	static const struct redisbloom_layout *const all[] = { &now, &in_2_2_0,
	    &before_2_2 };
	uint64_t wanted;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (is_layout(head, len, all[i], &wanted) &&
		    (size == FOREIGN_STREAM || size == wanted ||
		    redisbloom_subs(head) > LAYERS_MAX))
			return all[i];
	return NULL;
}

/* The bits that are in use; others may lie behind them. */
static uint64_t
bits_of(const struct sub *s)
{
	return s->log_modulus > 0 ? UINT64_C(1) << s->log_modulus : s->bits;
}

/* The module takes any number; ours is one that a filter can be made for. */
static uint64_t
keys_for(const struct sub *s)
{
	if (s->capacity < SIZING_KEYS_MIN)
		return SIZING_KEYS_MIN;
	return s->capacity < SIZING_KEYS_MAX ? s->capacity : SIZING_KEYS_MAX;
}

/* The sum of halves is what was asked for. */
static double
rate_of_all(double first)
{
	const double rate = 2 * first;

	return rate < 1 ? rate : nextafter(1, 0);
}

static enum foreign_match
take(struct foreign *f, const uint8_t *head, uint64_t size,
    const struct redisbloom_layout *l, unsigned hashes, char why[WHY_SIZE])
{
	const uint32_t n = redisbloom_subs(head);
	const uint32_t options = le32_get(head + 12);
	uint64_t offset = l->head + n * l->each;

	if (n > LAYERS_MAX) {
		snprintf(why, WHY_SIZE, "%s filter of %" PRIu32 " sub-filters, "
		    "wanted %d at most", f->format->words, n, LAYERS_MAX);
		return FOREIGN_BAD;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct sub s = sub_at(head + l->head + i * l->each, l);
		struct plan *plan = &f->head.part[i].plan;
		if (foreign_part(f, &scheme_redisbloom, 0, bits_of(&s),
		    s.probes, offset, size, why) != FOREIGN_SAME)
			return FOREIGN_BAD;
		plan->keys = keys_for(&s);
		plan->rate = s.rate;
		f->keys_added[i] = s.keys;
		offset += s.bytes;
	}
	f->head.rule.variant = options & HASH_64 ? hashes : HASHES_32;
	f->head.keys = f->head.part[0].plan.keys;
	f->head.rate = f->head.part[0].plan.rate;
	f->head.full = FORMAT_FULL_STOP;
	if (!(options & NONSCALING) || n > 1) {
		const uint32_t growth = l == &before_2_2 ? 2 :
		    le32_get(head + 16);
		f->head.full = FORMAT_FULL_GROW;
		f->head.growth = growth > 0 ? growth : 1;
		f->head.rate = rate_of_all(f->head.rate);
	}
	f->counted = true;
	f->size = offset;
	return FOREIGN_SAME;
}

static enum foreign_match
match(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	const struct redisbloom_layout *l = find_layout(head, len, size);
	uint64_t wanted;

	if (l == NULL && is_layout(head, len, &now, &wanted)) {
		snprintf(why, WHY_SIZE, "%s filter, damaged: %" PRIu64
		    " bytes, wanted %" PRIu64, f->format->words, size, wanted);
		return FOREIGN_BAD;
	}
	if (l == NULL)
		return FOREIGN_OTHER;
	if (l != &before_2_2)
		return take(f, head, size, l, HASHES_64, why);
	snprintf(why, WHY_SIZE, "dumped by RedisBloom before 2.2; import it "
	    "--from redisbloom-2.0 or, if --verify finds no keys in that, "
	    "--from redisbloom-1.1");
	return FOREIGN_BAD;
}

/*
 * The module takes only probes that follow from the bits a key, and asks
 * nothing of the rate.
 */
static void
put_rate(uint8_t *p, const struct plan *plan)
{
	double bits_per_key = -log(plan->rate) / LN2_SQUARED, rate = plan->rate;

	if (probes_for(bits_per_key) != plan->shape.probes) {
		bits_per_key = (plan->shape.probes - 0.5) / M_LN2;
		rate = exp(-bits_per_key * LN2_SQUARED);
	}
	le64_put(p, le64_of_double(rate));
	le64_put(p + 8, le64_of_double(bits_per_key));
}

static int
put_sub(uint8_t *p, const struct plan *plan, uint64_t keys,
    char why[WHY_SIZE])
{
	const uint64_t bits = sizing_bits(&plan->shape);

	if (bits % 8 != 0) {
		snprintf(why, WHY_SIZE, "%" PRIu64 " bits are no whole bytes, "
		    "which RedisBloom asks for since 2.2.5", bits);
		return -1;
	}
	le64_put(p, bits / 8);
	le64_put(p + 8, bits);
	le64_put(p + 16, keys);
	put_rate(p + 24, plan);
	le32_put(p + 40, plan->shape.probes);
	le64_put(p + 44, plan->keys);
	p[52] = 0;
	return 0;
}

static int
encode(const struct header *h, const uint64_t keys[LAYERS_MAX],
    uint8_t head[FOREIGN_HEAD], size_t *n, char why[WHY_SIZE])
{
	uint64_t all = 0;

	if (foreign_has(h, &scheme_redisbloom, why) == -1)
		return -1;
	if (h->rule.variant == HASHES_SERVER) {
		snprintf(why, WHY_SIZE, "no RedisBloom since 2.0.2 has its "
		    "hash; add its keys to a filter made with \"create "
		    "--scheme redisbloom\" and export that");
		return -1;
	}
	for (unsigned i = 0; i < h->nparts; i++) {
		if (put_sub(head + now.head + i * now.each, &h->part[i].plan,
		    keys[i], why) == -1)
			return -1;
		all += keys[i];
	}
	le64_put(head, all);
	le32_put(head + 8, h->nparts);
	le32_put(head + 12, NO_ROUND |
	    (h->rule.variant == HASHES_64 ? HASH_64 : 0) |
	    (h->full == FORMAT_FULL_GROW ? 0 : NONSCALING));
	le32_put(head + 16, h->growth);
	*n = now.head + h->nparts * now.each;
	return 0;
}

const struct foreign_format foreign_redisbloom = {
	.name = "redisbloom",
	.words = "RedisBloom",
	.match = match,
	.encode = encode,
	.unit = 1,
	.command = "BF.LOADCHUNK",
	.by_end = true,
};

/* Nothing in these says which: only a known key can. */
static enum foreign_match
match_old(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    unsigned hashes, char why[WHY_SIZE])
{
	return find_layout(head, len, size) == &before_2_2 ?
	    take(f, head, size, &before_2_2, hashes, why) : FOREIGN_OTHER;
}

static enum foreign_match
match_2_0(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	return match_old(f, head, len, size, HASHES_64, why);
}

static enum foreign_match
match_1_1(struct foreign *f, const uint8_t *head, size_t len, uint64_t size,
    char why[WHY_SIZE])
{
	return match_old(f, head, len, size, HASHES_SERVER, why);
}

const struct foreign_format foreign_redisbloom_2_0 = {
	.name = "redisbloom-2.0",
	.words = "RedisBloom 2.0",
	.match = match_2_0,
};

const struct foreign_format foreign_redisbloom_1_1 = {
	.name = "redisbloom-1.1",
	.words = "RedisBloom 1.1",
	.match = match_1_1,
};

static struct hash
hash_64(const struct line *key, uint64_t seeds)
{
	const uint64_t a = hashes_murmur64a(key->bytes, key->len,
	    UINT64_C(0xc6a4a7935bd1e995) & seeds);

	return (struct hash){ a, hashes_murmur64a(key->bytes, key->len,
	    a & seeds) };
}

static void
hash(const struct rule *r, const struct line *keys, size_t n,
    struct hash *out)
{
	for (size_t i = 0; i < n; i++)
		if (r->variant == HASHES_32)
			out[i] = hashes_murmur2_twice(&keys[i]);
		else
			out[i] = hash_64(&keys[i], r->variant ==
			    HASHES_SERVER ? UINT32_MAX : UINT64_MAX);
}

static enum sizing_err
size(struct plan *p, enum sizing_prefer prefer)
{
	const double bits_per_key = -log(p->rate) / LN2_SQUARED;
	const double m = fmax(1, floor((double)p->keys * bits_per_key));

	(void)prefer;
	return places_size(p, ceil(m / 64) * 64, probes_for(bits_per_key));
}

static const char *const variant_names[] = {
	[HASHES_32] = "hash of 32 bits",
	[HASHES_64] = "hash of 64 bits",
	[HASHES_SERVER] = "hash of 64 bits, the server's",
};

const struct scheme scheme_redisbloom = {
	.id = 4,
	.name = "redisbloom",
	.words = "RedisBloom",
	.width = 1,
	.variants = 3,
	.variant_names = variant_names,
	.variant = HASHES_64,
	.hash = hash,
	.places = places_double,
	.size = size,
	.layers = true,
	PLACES_SCHEME
};
