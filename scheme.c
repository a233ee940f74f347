/*
 * The list of schemes, and what a filter has of its own.
 */
#include <string.h>

#include "foreign/foreign.h"
#include "join.h"
#include "scheme.h"

static const struct scheme *const schemes[] = {
	&scheme_native, &scheme_dcso, &scheme_dcso_old, &scheme_redisbloom,
	&scheme_guava, &scheme_bits_and_blooms, &scheme_libbloom,
	&scheme_pybloom, &scheme_go_zero, &scheme_guava_bitmap
};

#define NSCHEMES (sizeof(schemes) / sizeof(schemes[0]))

const struct scheme *
scheme_of_id(uint64_t id)
{
	for (size_t i = 0; i < NSCHEMES; i++)
		if (schemes[i]->id == id)
			return schemes[i];
	return NULL;
}

const struct scheme *
scheme_of_name(const char *name)
{
	for (size_t i = 0; i < NSCHEMES; i++)
		if (strcmp(schemes[i]->name, name) == 0)
			return schemes[i];
	return NULL;
}

const char *
scheme_names(char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < NSCHEMES; i++)
		if (schemes[i]->foreign && schemes[i]->size != NULL)
			join_name(buf, size, schemes[i]->name);
	return buf;
}

struct rule
scheme_rule(const struct scheme *s, unsigned probes)
{
	return (struct rule){ .scheme = s, .variant = s->variant,
	    .width = s->width != 0 ? s->width : (probes + 1) / 2 };
}

uint64_t
scheme_bytes(const struct rule *r, const struct shape *s)
{
	const uint64_t bits = sizing_bits(s);

	return r->flip == 56 ? (bits + 63) / 64 * 8 : (bits + 7) / 8;
}

bool
scheme_same_rule(const struct rule *a, const struct rule *b)
{
	return a->scheme == b->scheme && a->seed == b->seed &&
	    a->variant == b->variant && a->width == b->width &&
	    a->encoding == b->encoding &&
	    memcmp(a->seeds, b->seeds, sizeof(a->seeds)) == 0;
}
