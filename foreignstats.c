/*
 * Facts of other programs' filters: some write little down.
 */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "filter.h"
#include "foreignstats.h"
#include "json.h"
#include "number.h"
#include "output.h"

/* As in stats of ours: up to 16 MiB all, beyond as many in spans. */
#define LOOK_BYTES (UINT64_C(1) << 24)
#define SPANS 256

static uint64_t
ones_in(const uint8_t *p, uint64_t n)
{
	uint64_t ones = 0, word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		ones += filter_ones(&word, 1);
	}
	word = 0;
	memcpy(&word, p, (size_t)n);
	return ones + filter_ones(&word, 1);
}

static double
count(const uint8_t *bits, uint64_t nbytes, bool all)
{
	uint64_t ones = 0;

	if (all || nbytes <= LOOK_BYTES)
		return (double)ones_in(bits, nbytes);
	for (uint64_t i = 0; i < SPANS; i++)
		ones += ones_in(bits + nbytes / SPANS * i, LOOK_BYTES / SPANS);
	return (double)ones * (double)nbytes / (double)LOOK_BYTES;
}

struct foreignstats
foreignstats_look(const char *path, const struct foreignfile *f, bool all)
{
	const struct foreign *facts = foreignfile_facts(f);
	/* Bits are turned round within words of 8 bytes. */
	const uint64_t nbytes = facts->flip == 0 ? (facts->bits + 7) / 8 :
	    (facts->bits + 63) / 64 * 8;
	double ones = count(foreignfile_bits(f), nbytes, all);

	if (ones > (double)facts->bits)
		ones = (double)facts->bits;
	return (struct foreignstats){
		.path = path,
		.file = f,
		.ones = ones,
		.keys_estimated = foreign_keys_in(facts, ones),
		.rate_now = foreign_rate(facts, ones),
	};
}

static double
fill(const struct foreignstats *s)
{
	return s->ones / (double)foreignfile_facts(s->file)->bits;
}

void
foreignstats_text(const struct foreignstats *s)
{
	const struct foreign *f = foreignfile_facts(s->file);
	const uint64_t size = foreignfile_size(s->file);
	char words[NUMBER_WORDS];

	output_printf("%s\n", s->path);
	if (f->keys > 0)
		output_printf("made for      %" PRIu64 " keys at rate %.4g\n",
		    f->keys, f->rate);
	if (f->counted)
		output_printf("keys added    %" PRIu64 "\n", f->keys_added);
	output_printf("estimated     %.0f keys, from the fill\n",
	    s->keys_estimated);
	output_printf("fill          %.2f %% of the bits\n", 100 * fill(s));
	output_printf("rate now      %.4g\n", s->rate_now);
	output_printf("scheme        %s\n", f->format->words);
	output_printf("bits          %" PRIu64 "\n", f->bits);
	output_printf("probes        %u\n", f->probes);
	output_printf("size          %s (%" PRIu64 " bytes)\n",
	    number_bytes(size, words), size);
}

/* null where the file does not say. */
static void
count_or_null(struct json *j, const char *name, uint64_t x, bool known)
{
	if (known)
		json_count(j, name, x);
	else
		json_number(j, name, NAN);
}

void
foreignstats_json(const struct foreignstats *s)
{
	const struct foreign *f = foreignfile_facts(s->file);
	struct json j;

	json_open(&j);
	json_text(&j, "file", s->path, strlen(s->path));
	json_text(&j, "scheme", f->format->name, strlen(f->format->name));
	count_or_null(&j, "keys_wanted", f->keys, f->keys > 0);
	json_number(&j, "rate_wanted", f->keys > 0 ? f->rate : NAN);
	count_or_null(&j, "keys_added", f->keys_added, f->counted);
	json_number(&j, "keys_estimated", round(s->keys_estimated));
	json_number(&j, "rate_now", s->rate_now);
	json_number(&j, "fill", fill(s));
	json_count(&j, "bits", f->bits);
	json_count(&j, "probes", f->probes);
	json_count(&j, "size_bytes", foreignfile_size(s->file));
	json_close(&j);
}

bool
foreignstats_overfull(const struct foreignstats *s)
{
	const struct foreign *f = foreignfile_facts(s->file);
	/* The estimate is right to about a third of the root of the keys. */
	const double surely = s->keys_estimated - 3 * sqrt((double)f->keys);

	if (f->keys == 0 || (surely <= (double)f->keys &&
	    (!f->counted || f->keys_added <= f->keys)))
		return false;
	warnx("%s: overfull: holds %.0f keys, was made for %" PRIu64
	    "; rate now %.2g, wanted %g", s->path, f->counted ?
	    (double)f->keys_added : s->keys_estimated, f->keys, s->rate_now,
	    f->rate);
	return true;
}
