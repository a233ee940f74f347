/*
 * bloomtool estimate: what a filter would cost, without making it.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "curve.h"
#include "format.h"
#include "json.h"
#include "output.h"
#include "plan.h"
#include "plot.h"
#include "screen.h"

static const struct option_spec options[] = {
	PLAN_OPTIONS,
	{ 'c', "curve", NULL, "the numbers of the charts, for gnuplot" },
	{ 'g', "plot", NULL, "draw the rate by keys and the size by rate" },
	{ 'J', "json", NULL, "one JSON object instead of a table" },
	{ 0 }
};

static const struct usage usage = {
	"bloomtool estimate",
	"[-cgJ] [-n KEYS] [-p RATE] [-s SIZE] [-P speed|space]",
	"  bloomtool estimate -n 2e9 -p 1e-4\n"
	"  bloomtool estimate --plot -n 1e7        # how soon is it too full?\n"
	"  bloomtool estimate -s 4GiB -p 0.01      # how many keys fit?",
	"Says what create with the same options would make.  Any two of "
	"--keys, --rate\nand --size give the third; --keys or --size alone takes "
	"a rate of 0.01.",
	options
};

static const double factors[] = { 0.5, 1, 1.5, 2, 3, 4 };
#define NFACTORS (sizeof(factors) / sizeof(factors[0]))

static double
textbook_bits(const struct plan *p)
{
	return ceil((double)p->keys * sizing_textbook_bits(p->rate));
}

static double
rate_at(const struct plan *p, double factor)
{
	return sizing_rate_at(&p->shape, factor * (double)p->keys);
}

static void
print_json(const struct plan *p)
{
	const struct shape *s = &p->shape;
	struct json j;

	json_open(&j);
	json_count(&j, "keys", p->keys);
	json_number(&j, "rate", p->rate);
	json_count(&j, "bits", s->blocks * SIZING_BLOCK_BITS);
	json_count(&j, "blocks", s->blocks);
	json_count(&j, "probes", s->probes);
	json_count(&j, "blocks_per_key", s->groups);
	json_number(&j, "bits_per_key", plan_bits_per_key(p));
	json_count(&j, "size_bytes", format_file_size(s->blocks));
	json_count(&j, "textbook_bits", (uint64_t)textbook_bits(p));
	json_count(&j, "textbook_probes", sizing_textbook_probes(p->rate));
	json_list_open(&j, "overfill");
	for (size_t i = 0; i < NFACTORS; i++) {
		json_item_open(&j);
		json_number(&j, "factor", factors[i]);
		json_number(&j, "rate", rate_at(p, factors[i]));
		json_item_close(&j);
	}
	json_list_close(&j);
	json_close(&j);
}

static void
print_table(const struct plan *p)
{
	const struct shape *s = &p->shape;
	const uint64_t size = format_file_size(s->blocks);
	const double textbook = textbook_bits(p);
	char words[NUMBER_WORDS];

	output_printf("keys          %" PRIu64 "\n", p->keys);
	output_printf("rate          %.4g (1 in %.0f)\n", p->rate, 1 / p->rate);
	output_printf("size          %s (%" PRIu64 " bytes)\n",
	    number_bytes(size, words), size);
	output_printf("bits          %" PRIu64 " in %" PRIu64 " blocks\n",
	    s->blocks * SIZING_BLOCK_BITS, s->blocks);
	output_printf("bits a key    %.2f\n", plan_bits_per_key(p));
	output_printf("probes        %u in %u block%s\n", s->probes, s->groups,
	    s->groups == 1 ? "" : "s");
	output_printf("textbook      %.2f bits a key, %u probes, %s; this one %+.1f %%"
	    "\n", textbook / (double)p->keys, sizing_textbook_probes(p->rate),
	    number_bytes((uint64_t)(textbook / 8), words),
	    100 * ((double)(s->blocks * SIZING_BLOCK_BITS) / textbook - 1));
	output_printf("\nwith keys     the rate is\n");
	for (size_t i = 0; i < NFACTORS; i++)
		output_printf("%4g times    %.4g\n", factors[i],
		    rate_at(p, factors[i]));
}

/* The points of both charts. */
struct curves {
	struct plot_point rate[CURVE_RATES], size[CURVE_SIZES];
	size_t nrates, nsizes;
};

static void
print_chart(const struct plot *p, struct screen s)
{
	char text[PLOT_TEXT];
	const char *chart = plot_chart(p, s, text);

	output_text("\n", 1);
	output_text(chart, strlen(chart));
}

/* Three decades below the plan's own rate, which may be as good as none. */
static double
lowest_rate(const struct plan *p)
{
	return pow(10, floor(log10(fmax(rate_at(p, 1), 1e-300))) - 3);
}

static void
print_charts(const struct plan *p, const struct curves *c)
{
	const struct screen s = screen_of(STDOUT_FILENO);
	const double size = (double)format_file_size(p->shape.blocks);
	char words[NUMBER_WORDS], probes[PLAN_PROBES];

	output_printf("%" PRIu64 " keys at rate %.4g: %s, %s\n", p->keys,
	    p->rate, number_bytes((uint64_t)size, words),
	    plan_probes(&p->shape, probes));
	print_chart(&(struct plot){ .title = "rate, by how many keys are in",
	    .x = { AXIS_KEYS, c->rate[0].x, c->rate[c->nrates - 1].x },
	    .y = { AXIS_RATE, lowest_rate(p), 1 },
	    .points = c->rate, .npoints = c->nrates,
	    .wanted = { (double)p->keys, rate_at(p, 1) } }, s);
	print_chart(&(struct plot){ .title = "size, by the rate wanted",
	    .x = { AXIS_RATE, c->size[0].x, c->size[c->nsizes - 1].x },
	    .y = { AXIS_BYTES, 0, fmax(c->size[0].y, size) },
	    .points = c->size, .npoints = c->nsizes,
	    .wanted = { p->rate, size } }, s);
}

/* Two blank lines stand between what gnuplot calls index 0 and index 1. */
static void
print_numbers(const struct curves *c)
{
	output_printf("# keys\trate\n");
	for (size_t i = 0; i < c->nrates; i++)
		output_printf("%.0f\t%.6g\n", c->rate[i].x, c->rate[i].y);
	output_printf("\n\n# rate\tsize_bytes\n");
	for (size_t i = 0; i < c->nsizes; i++)
		output_printf("%.6g\t%.0f\n", c->size[i].x, c->size[i].y);
}

static void
print_curves(const struct request *r, bool drawn)
{
	struct curves c;

	c.nrates = curve_rates(&r->plan, c.rate);
	c.nsizes = curve_sizes(&r->plan, r->prefer, c.size);
	if (drawn)
		print_charts(&r->plan, &c);
	else
		print_numbers(&c);
}

int
cmd_estimate(int argc, char **argv)
{
	struct request request = { 0 };
	int letter, as = 'T';	/* what it prints: a table */

	while ((letter = options_next(&usage, argc, argv)) != -1) {
		if (plan_option(&request, &usage, letter))
			continue;
		if (as != 'T' && as != letter)
			options_wrong(&usage, "one of --curve, --json and "
			    "--plot at a time");
		as = letter;
	}
	if (optind < argc)
		options_wrong(&usage, "takes no operand, not \"%s\"",
		    argv[optind]);
	plan_make(&request, &scheme_native, &usage);
	if (as == 'J')
		print_json(&request.plan);
	else if (as == 'T')
		print_table(&request.plan);
	else
		print_curves(&request, as == 'g');
	return EXIT_SELECTED;
}
