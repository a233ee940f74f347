/*
 * The other program's file goes by in spans, and each is written where our file
 * has it.
 */
#include <stdalign.h>
#include <string.h>

#include "intake.h"
#include "least.h"
#include "warn.h"

const char *
intake_name(const struct intake *in)
{
	return strcmp(in->path, "-") == 0 ? "(standard input)" : in->path;
}

void
intake_give_up(struct intake *in, const char *why)
{
	build_give_up(in->build, intake_name(in), why);
}

void
intake_open(struct intake *in, const char *key)
{
	char why[WHY_SIZE];

	in->source = source_open(in->path, key, why);
	if (in->source == NULL)
		intake_give_up(in, why);
	const ssize_t n = source_read(in->source, in->head, sizeof(in->head),
	    why);
	if (n == -1)
		intake_give_up(in, why);
	in->head_len = (size_t)n;
}

/* The next n bytes, or what there is of them. */
static size_t
take(struct intake *in, uint8_t *to, size_t n)
{
	char why[WHY_SIZE];
	size_t have = 0;

	if (in->at < in->head_len) {
		have = least_size(in->head_len - (size_t)in->at, n);
		memcpy(to, in->head + in->at, have);
	}
	const ssize_t more = have == n ? 0 : source_read(in->source, to + have,
	    n - have, why);
	if (more == -1)
		intake_give_up(in, why);
	const size_t all = have + (size_t)more;
	if (all > 0)
		in->last = to[all - 1];
	in->at += all;
	return all;
}

#define SPAN_BYTES ((size_t)1 << 18)

/* Bytes that may follow a filter, besides as many as it has. */
#define REST_MAX ((uint64_t)16 << 20)

static alignas(SIZING_BLOCK_BYTES) uint8_t span[SPAN_BYTES];

static void
skip_to(struct intake *in, uint64_t offset)
{
	while (in->at < offset)
		if (take(in, span, (size_t)least(offset - in->at,
		    SPAN_BYTES)) == 0)
			intake_give_up(in, "ends too early");
}

/* Bits from this one on are none of the filter's, whatever they were. */
static void
clear_from(uint8_t *bytes, size_t n, uint64_t bit)
{
	size_t at = (size_t)least(bit / 8, n);

	if (at < n && bit % 8 > 0)
		bytes[at++] &= (uint8_t)((1 << bit % 8) - 1);
	memset(bytes + at, 0, n - at);
}

void
intake_part(struct intake *in, unsigned k)
{
	const struct format_part *from = &in->foreign.head.part[k];
	const struct rule *r = &in->foreign.head.rule;
	const struct shape *s = &from->plan.shape;
	const uint64_t size = s->blocks * SIZING_BLOCK_BYTES;
	const uint64_t bits = sizing_bits(s), bytes = scheme_bytes(r, s);

	skip_to(in, from->offset);
	for (uint64_t n, at = 0; at < size; at += n) {
		n = least(size - at, SPAN_BYTES);
		const size_t wanted = at < bytes ?
		    (size_t)least(n, bytes - at) : 0;
		const size_t have = take(in, span, wanted);
		if (have < wanted && !in->foreign.open_end)
			intake_give_up(in, "ends too early");
		memset(span + have, 0, (size_t)n - have);
		foreign_flip(r->flip, span, (size_t)n);
		clear_from(span, (size_t)n, bits - least(bits, at * 8));
		build_write(in->build, k, (const uint64_t *)(const void *)span,
		    (size_t)n / 8, at);
	}
}

/*
 * What damages a compressed file shows only at its end.  That is not waited for
 * for ever.
 */
static void
skip_rest(struct intake *in)
{
	const uint64_t end = in->at;

	while (take(in, span, SPAN_BYTES) > 0)
		if (in->at - end > REST_MAX && in->at / 2 > end)
			intake_give_up(in, "goes on too far behind its end");
}

static void
check_end(struct intake *in)
{
	uint8_t more[2];

	if (in->foreign.size == 0) {
		skip_rest(in);
		return;
	}
	if (!in->foreign.open_end)
		skip_to(in, in->foreign.size);
	const size_t n = take(in, more, sizeof(more));
	/* redis-cli puts a newline behind what it prints. */
	if (n > 1 || (n == 1 && !(in->foreign.open_end && more[0] == '\n')))
		intake_give_up(in, "goes on behind its end");
	if (n == 0 && in->at < in->foreign.size && in->last == '\n')
		warnx("%s: ends in a newline, which is taken for bits; if "
		    "redis-cli has put it there, take it away (head -c -1)",
		    intake_name(in));
}

void
intake_end(struct intake *in)
{
	check_end(in);
	source_close(in->source);
}
