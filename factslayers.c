/*
 * Lines of two kinds with the same bars.  Most filters have one layer.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "bar.h"
#include "facts.h"
#include "factslayers.h"
#include "factstext.h"
#include "number.h"
#include "output.h"
#include "screen.h"

void
factslayers_probes(const struct shape *s)
{
	output_printf("%u", s->probes);
	if (s->groups < s->probes)
		output_printf(" in %u block%s", s->groups,
		    s->groups == 1 ? "" : "s");
	output_printf("\n");
}

static void
print_bars(const struct facts *f, const struct facts_part *p)
{
	const struct screen s = screen_of_terminal(STDOUT_FILENO);
	const unsigned names = 12;	/* "fill " and "  keys " */
	const unsigned width = bar_width(s, 2, FACTSTEXT_INDENT + names);
	char text[BAR_TEXT];

	if (s.columns == 0)
		return;
	output_printf("%*sfill %s", FACTSTEXT_INDENT, "",
	    bar_text(facts_fill(p), facts_fill_wanted(p), width, s, text));
	if (f->live.counted && p->keys_wanted > 0)
		output_printf("  keys %s", bar_text((double)p->keys_added /
		    (double)p->keys_wanted, -1, width, s, text));
	output_printf("\n");
}

void
factslayers_lines(const struct facts *f)
{
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct facts_part *p = &f->layer[i];
		output_printf("layer %-7u %" PRIu64 " of %" PRIu64 " keys, "
		    "fill %.2f %%, rate now %.4g, probes ", i + 1,
		    p->keys_added, p->keys_wanted, 100 * facts_fill(p),
		    p->rate_now);
		factslayers_probes(&f->header->part[i].plan.shape);
		print_bars(f, p);
	}
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A column of the table: blanks, and "-" for what nobody knows. */
static void
print_count(int width, uint64_t x, bool known)
{
	if (known)
		output_printf("  %*" PRIu64, width, x);
	else
		output_printf("  %*s", width, "-");
}

/* Of the columns of keys: what fits them all, and the heading. */
static int
count_width(const struct facts *f)
{
	uint64_t most = 10000000;

	for (unsigned i = 0; i < f->nlayers; i++)
		most = larger(larger(f->layer[i].keys_added,
		    f->layer[i].keys_wanted), most);
	return snprintf(NULL, 0, "%" PRIu64, most);
}

void
factslayers_table(const struct facts *f)
{
	const int width = count_width(f);
	char words[NUMBER_WORDS];

	output_printf("layer  %*s  %*s     fill   rate now     wanted"
	    "      size  probes\n", width, "keys", width, "made for");
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct facts_part *p = &f->layer[i];
		const struct plan *plan = &f->header->part[i].plan;
		output_printf("%5u", i + 1);
		print_count(width, p->keys_added, f->live.counted);
		print_count(width, p->keys_wanted, p->keys_wanted > 0);
		output_printf("  %5.2f %%  %9.4g", 100 * facts_fill(p),
		    p->rate_now);
		if (p->keys_wanted > 0)
			output_printf("  %9.4g", plan->rate);
		else
			output_printf("  %9s", "-");
		output_printf("  %8s  ", number_bytes(p->bits / 8, words));
		factslayers_probes(&plan->shape);
		print_bars(f, p);
	}
}
