/*
 * The fields and their order.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "factsjson.h"
#include "json.h"

static const char *
full_word(enum format_full full)
{
	switch (full) {
	case FORMAT_FULL_WARN:
		return "warn";
	case FORMAT_FULL_STOP:
		return "stop";
	case FORMAT_FULL_GROW:
		return "grow";
	}
	return "unknown";
}

static bool
has_blocks(const struct facts *f)
{
	return !f->header->rule.scheme->foreign;
}

static void
put_count(struct json *j, const char *name, uint64_t x, bool known)
{
	if (known)
		json_count(j, name, x);
	else
		json_number(j, name, NAN);
}

static void
put_text(struct json *j, const char *name, const char *s, bool known)
{
	if (known)
		json_text(j, name, s, strlen(s));
	else
		json_number(j, name, NAN);
}

static void
put_part(struct json *j, const struct facts *f, const struct facts_part *p)
{
	put_count(j, "keys_added", p->keys_added, f->live.counted);
	json_number(j, "keys_estimated", round(p->keys_estimated));
	json_number(j, "rate_now", p->rate_now);
	json_number(j, "fill", facts_fill(p));
	json_count(j, "bits", p->bits);
	put_count(j, "blocks", p->blocks, has_blocks(f));
}

static void
put_shape(struct json *j, const struct facts *f, const struct shape *s)
{
	json_count(j, "probes", s->probes);
	put_count(j, "blocks_per_key", s->groups, has_blocks(f));
}

static void
put_layers(struct json *j, const struct facts *f)
{
	json_list_open(j, "layers");
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct plan *p = &f->header->part[i].plan;
		json_item_open(j);
		json_count(j, "keys_wanted", p->keys);
		json_number(j, "rate_wanted", p->rate);
		put_part(j, f, &f->layer[i]);
		put_shape(j, f, &p->shape);
		json_item_close(j);
	}
	json_list_close(j);
}

/* What only files of ours have, or only other programs' schemes. */
static void
put_own(struct json *j, const struct facts *f)
{
	const struct rule *r = &f->header->rule;
	const bool own = !f->foreign;
	char seed[19];

	snprintf(seed, sizeof(seed), "0x%016" PRIx64, r->seed);
	put_text(j, "seed", seed, r->scheme->seed);
	put_text(j, "hashed_as", encode_name(r->encoding),
	    own && r->scheme->foreign);
	put_text(j, "state", facts_state(f), own);
	put_text(j, "when_full", full_word(f->header->full), own);
}

void
factsjson_print(const struct facts *f)
{
	const struct header *h = f->header;
	const char *scheme = h->rule.scheme->name;
	const bool planned = h->keys > 0;
	struct json j;

	json_open(&j);
	json_text(&j, "file", f->path, strlen(f->path));
	put_count(&j, "format", FORMAT_VERSION, !f->foreign);
	json_text(&j, "scheme", scheme, strlen(scheme));
	put_count(&j, "keys_wanted", h->keys, planned);
	json_number(&j, "rate_wanted", planned ? h->rate : NAN);
	json_bool(&j, "keys_added_estimated", f->live.keys_estimated);
	put_part(&j, f, &f->all);
	put_shape(&j, f, &h->shape);
	json_number(&j, "bits_per_key", planned ?
	    (double)f->all.bits / (double)f->all.keys_wanted : NAN);
	json_count(&j, "size_bytes", f->file_size);
	put_own(&j, f);
	if (h->full == FORMAT_FULL_GROW)
		put_layers(&j, f);
	json_text(&j, "note", h->note, h->note_len);
	json_close(&j);
}
