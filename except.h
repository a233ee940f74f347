/*
 * Keys that are known not to be in a filter whatever it says: exact, in memory.
 * Pure.
 */
#ifndef EXCEPT_H
#define EXCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "keys.h"
#include "lines.h"

/* What it holds; about 40 MiB of memory. */
#define EXCEPT_KEYS_MAX ((size_t)1 << 20)
#define EXCEPT_BYTES_MAX ((size_t)16 << 20)

struct except;

enum except_err {
	EXCEPT_OK,
	EXCEPT_MEMORY,		/* out of it */
	EXCEPT_FULL		/* one of the limits above */
};

/*
 * An empty list of keys that are folded or not as the spec says.  The seed
 * should be one that who makes the keys does not know.  NULL if out of memory.
 */
struct except *except_new(const struct key_spec *s, uint64_t seed);
void except_free(struct except *e);	/* NULL is no error */

/* By which its keys are hashed: the native one, with that seed. */
const struct rule *except_rule(const struct except *e);

/* Note these keys, each once; they may go away afterwards. */
enum except_err except_add(struct except *e, const struct line *keys,
    size_t n);

/*
 * in[i] becomes false where keys[i], whose hash by the list's rule is
 * hashes[i], is one of the list.  Many threads may.
 */
void except_clear(const struct except *e, const struct line *keys,
    const struct hash *hashes, size_t n, bool *in);

#endif
