/*
 * bloomtool stats: how full a filter is, and how wrong.
 */
#include <sys/stat.h>

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bar.h"
#include "cmd.h"
#include "facts.h"
#include "factsjson.h"
#include "mapfile.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "screen.h"
#include "text.h"
#include "warn.h"

static const struct option_spec options[] = {
	{ 'c', "check", NULL,
	    "print only what is wrong; exit 1 if one is overfull" },
	{ 'J', "json", NULL, "one JSON object a line" },
	{ 'l', "layers", NULL, "a table of the layers of each filter instead" },
	{ 'V', "verify", NULL, "look at every bit, and compare with the count" },
	OPTIONS_PROGRESS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool stats",
	"[-cJlV] FILTER...",
	"  bloomtool stats crawl.bf\n"
	"  bloomtool stats --check *.bf            # for cron",
	"Says what filters were made for, what is in them, and how often they "
	"are wrong.",
	options
};

struct stats {
	bool check, json, layers, verify;
	uint64_t done;		/* bytes of all filters so far */
};

/*
 * Fewer bits than were counted: some were lost.  More: an add was killed
 * between setting and counting, or is at it now; all is well.
 */
static int
verify_bits(const struct facts *f)
{
	if (f->all.ones >= f->live.bits_set)
		return EXIT_SELECTED;
	warnx("%s: %" PRIu64 " bits are set, %" PRIu64 " were counted: keys "
	    "are missing", f->path, f->all.ones, f->live.bits_set);
	return EXIT_TROUBLE;
}

/* Is it known what it was made for? */
static bool
has_plan(const struct facts *f)
{
	return f->header->keys > 0;
}

static bool
has_blocks(const struct facts *f)
{
	return f->header->rule.scheme->block != NULL;
}

/* A note comes from whoever made the file: nothing for the terminal to obey. */
static void
print_note(const struct header *h)
{
	size_t n;

	output_printf("note          ");
	for (size_t i = 0; i < h->note_len; i += n) {
		const char *s = h->note + i;
		n = text_utf8(s, h->note_len - i);
		if (n == 0 || text_control(s, h->note_len - i)) {
			n = 1;
			output_printf("\\x%02x", (unsigned char)*s);
		} else if (*s == '\\') {
			output_printf("\\\\");
		} else {
			output_text(s, n);
		}
	}
	output_printf("\n");
}

/* Where bars are drawn: it has no columns if stdout is no terminal. */
static struct screen
bar_screen(void)
{
	return isatty(STDOUT_FILENO) ? screen_of(STDOUT_FILENO) :
	    (struct screen){ 0, false };
}

enum { INDENT = 14 };

static void
print_bar(double share, double mark)
{
	const struct screen s = bar_screen();
	char text[BAR_TEXT];

	if (s.columns > 0)
		output_printf("%*s%s\n", INDENT, "", bar_text(share, mark,
		    bar_width(s, 1, INDENT), s, text));
}

static void
print_layer_bars(const struct facts *f, const struct facts_part *p)
{
	const struct screen s = bar_screen();
	const unsigned width = bar_width(s, 2, INDENT + 12);
	char text[BAR_TEXT];

	if (s.columns == 0)
		return;
	output_printf("%*sfill %s", INDENT, "", bar_text(facts_fill(p),
	    facts_fill_wanted(p), width, s, text));
	if (f->live.counted && p->keys_wanted > 0)
		output_printf("  keys %s", bar_text((double)p->keys_added /
		    (double)p->keys_wanted, -1, width, s, text));
	output_printf("\n");
}

static void
print_room(const struct facts *f)
{
	const bool grows = f->header->full == FORMAT_FULL_GROW;
	const uint64_t keys = f->all.keys_wanted;
	const uint64_t held = grows ? f->all.keys_added :
	    report_keys(f->header, &f->live);

	if (held <= keys)
		output_printf("room left     %" PRIu64 " keys (%.1f %%)%s\n",
		    keys - held, 100 * (double)(keys - held) / (double)keys,
		    grows ? ", then it grows" : "");
	else
		output_printf("room left     none: overfull by %" PRIu64
		    " keys (%.1f %%)\n", held - keys,
		    100 * (double)(held - keys) / (double)keys);
	print_bar((double)held / (double)keys, -1);
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void
print_made_for(const struct header *h)
{
	static const char *const then[] = {
		[FORMAT_FULL_WARN] = "",
		[FORMAT_FULL_STOP] = ", then it stops",
		[FORMAT_FULL_GROW] = " in all, and grows",
	};

	output_printf("made for      %" PRIu64 " keys at rate %.4g%s\n",
	    h->keys, h->rate, then[h->full]);
}

static void
print_shape(const struct shape *s)
{
	output_printf("%u", s->probes);
	if (s->groups < s->probes)
		output_printf(" in %u block%s", s->groups,
		    s->groups == 1 ? "" : "s");
	output_printf("\n");
}

static void
print_layers(const struct facts *f)
{
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct facts_part *p = &f->layer[i];
		output_printf("layer %-7u %" PRIu64 " of %" PRIu64 " keys, "
		    "fill %.2f %%, rate now %.4g, probes ", i + 1,
		    p->keys_added, p->keys_wanted, 100 * facts_fill(p),
		    p->rate_now);
		print_shape(&f->header->part[i].plan.shape);
		print_layer_bars(f, p);
	}
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

/* All layers, which are one in most filters, a line each. */
static void
print_layer_table(const struct facts *f, bool first)
{
	uint64_t most = 10000000;
	char words[NUMBER_WORDS];

	for (unsigned i = 0; i < f->nlayers; i++)
		most = larger(larger(f->layer[i].keys_added,
		    f->layer[i].keys_wanted), most);
	const int width = snprintf(NULL, 0, "%" PRIu64, most);
	output_printf("%s%s\nlayer  %*s  %*s     fill   rate now     wanted"
	    "      size  probes\n", first ? "" : "\n", f->path, width, "keys",
	    width, "made for");
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
		print_shape(&plan->shape);
		print_layer_bars(f, p);
	}
}

static void
print_keys(const struct facts *f)
{
	if (f->live.counted)
		output_printf("keys added    %" PRIu64 "%s\n",
		    f->all.keys_added, f->live.keys_estimated ?
		    ", an estimate" : "");
	if (isinf(f->all.keys_estimated))
		output_printf("estimated     any number of keys: all bits are "
		    "set\n");
	else
		output_printf("estimated     %.0f keys, from the fill\n",
		    f->all.keys_estimated);
}

static void
print_fill(const struct facts *f)
{
	output_printf("fill          %.2f %% of the bits\n",
	    100 * facts_fill(&f->all));
	print_bar(facts_fill(&f->all), facts_fill_wanted(&f->all));
}

static void
print_scheme(const struct facts *f)
{
	const struct rule *r = &f->header->rule;

	output_printf("scheme        %s", r->scheme->words);
	if (r->scheme->variant_names != NULL)
		output_printf(" (%s)", r->scheme->variant_names[r->variant]);
	if (!f->foreign)
		output_printf(", format version %d", FORMAT_VERSION);
	output_printf("\nbits          %" PRIu64, f->all.bits);
	if (has_blocks(f))
		output_printf(" in %" PRIu64 " blocks", f->all.blocks);
	if (has_plan(f))
		output_printf(", %.2f a key", (double)f->all.bits /
		    (double)f->all.keys_wanted);
	output_printf("\n");
}

static void
print_text(const struct facts *f, bool first)
{
	const struct header *h = f->header;
	char words[NUMBER_WORDS];

	output_printf("%s%s\n", first ? "" : "\n", f->path);
	if (has_plan(f))
		print_made_for(h);
	print_keys(f);
	print_fill(f);
	output_printf("rate now      %.4g\n", f->all.rate_now);
	if (has_plan(f) && !f->foreign)
		print_room(f);
	print_scheme(f);
	if (f->nlayers > 1 || h->full == FORMAT_FULL_GROW) {
		print_layers(f);
	} else {
		output_printf("probes        ");
		print_shape(&h->shape);
	}
	if (h->rule.scheme->seed)
		output_printf("seed          0x%016" PRIx64 "\n",
		    h->rule.seed);
	if (h->rule.encoding != ENCODING_BYTES)
		output_printf("hashed as     %s\n",
		    encode_name(h->rule.encoding));
	output_printf("size          %s (%" PRIu64 " bytes)\n",
	    number_bytes(f->file_size, words), f->file_size);
	if (!f->foreign)
		output_printf("state         %s\n", facts_state(f));
	if (h->note_len > 0)
		print_note(h);
}

static int
stats_of_open(const char *path, struct mapfile *m, struct stats *s,
    bool first)
{
	char why[WHY_SIZE];
	int status = EXIT_SELECTED;
	struct facts f;

	if (facts_look(&f, path, m, s->verify, &s->done, why) == -1) {
		warnx("%s: %s", path, why);
		return EXIT_TROUBLE;
	}
	if (s->check && report_overfull_live(path, f.header, &f.live))
		status = EXIT_NONE;
	if (s->check && report_missing(path, m))
		status = EXIT_TROUBLE;
	if (s->verify && !f.foreign && verify_bits(&f) == EXIT_TROUBLE)
		status = EXIT_TROUBLE;
	if (!s->check && s->json)
		factsjson_print(&f);
	else if (!s->check && s->layers)
		print_layer_table(&f, first);
	else if (!s->check)
		print_text(&f, first);
	return status;
}

/* What the header and the counters tell, at once. */
static int
check_open(const char *path, struct mapfile *m)
{
	const int status = report_overfull(path, m) ? EXIT_NONE :
	    EXIT_SELECTED;

	return report_missing(path, m) ? EXIT_TROUBLE : status;
}

/* One filter; what there is to say of it, as the options have it. */
static int
stats_of(const char *path, struct stats *s, bool first)
{
	char why[WHY_SIZE];
	const bool facts = !s->check || s->verify;
	struct mapfile *m = mapfile_open(path, (struct mapfile_how){
	    .use = facts ? MAPFILE_SCAN : MAPFILE_CHECK, .foreign = true },
	    why);

	if (m == NULL) {
		warnx("%s: %s", path, why);
		return EXIT_TROUBLE;
	}
	const int status = facts || mapfile_foreign(m) != NULL ?
	    stats_of_open(path, m, s, first) : check_open(path, m);
	mapfile_close(m, why);	/* cannot fail: nothing was written */
	return status;
}

/* Of all filters; what is wrong with one shows later. */
static uint64_t
total_size(char *const *paths)
{
	struct stat st;
	uint64_t total = 0;

	for (; *paths != NULL; paths++)
		if (stat(*paths, &st) == 0)
			total += (uint64_t)st.st_size;
	return total;
}

int
cmd_stats(int argc, char **argv)
{
	struct stats s = { 0 };
	int letter, status = EXIT_SELECTED;

	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'J':
			s.json = true;
			break;
		case 'V':
			s.verify = true;
			break;
		case 'c':
			s.check = true;
			break;
		case 'l':
			s.layers = true;
			break;
		}
	}
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (s.check && s.json)
		options_wrong(&usage, "--check prints no --json");
	if (s.check && s.layers)
		options_wrong(&usage, "--check prints no --layers");
	progress_begin("stats", total_size(argv + optind));
	for (int i = optind; i < argc; i++) {
		const int one = stats_of(argv[i], &s, i == optind);
		if (one > status)
			status = one;
	}
	progress_end();
	return status;
}
