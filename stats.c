/*
 * bloomtool stats: how full a filter is, and how wrong.
 */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "json.h"
#include "mapfile.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "text.h"

static const struct option_spec options[] = {
	{ 'c', "check", NULL,
	    "print only what is wrong; exit 1 if one is overfull" },
	{ 'J', "json", NULL, "one JSON object a line" },
	{ 'V', "verify", NULL, "look at every bit, and compare with the count" },
	{ 0 }
};

static const struct usage usage = {
	"bloomtool stats",
	"[-cJV] FILTER...",
	"  bloomtool stats crawl.bf\n"
	"  bloomtool stats --check *.bf            # for cron",
	"Says what filters were made for, what is in them, and how often they "
	"are wrong.",
	options
};

/* Everything there is to say about one filter. */
struct facts {
	const char *path;
	const struct header *header;
	struct mapfile_live live;
	uint64_t bits, ones;
	double keys_estimated, rate_now;
};

static const char *
state_word(enum mapfile_state s)
{
	switch (s) {
	case MAPFILE_CLEAN:
		return "clean";
	case MAPFILE_IN_USE:
		return "in use";
	case MAPFILE_LEFT:
		return "left open";
	case MAPFILE_UNCLEAN:
		return "unclean";
	case MAPFILE_SYNC_FAILED:
		return "sync failed";
	}
	return "unknown";
}

/*
 * Up to this many blocks (16 MiB) all are looked at.  In larger filters as
 * many, in spans spread evenly, give the rate to about 0.5 %, at once.
 */
#define LOOK_BLOCKS (UINT64_C(1) << 18)
#define SPANS 256

static struct census
look_at_blocks(const struct filter *f, bool all)
{
	const uint64_t blocks = f->shape.blocks;
	struct census c = { 0, 0, 0 };

	if (all || blocks <= LOOK_BLOCKS) {
		filter_census(f, 0, blocks, &c);
		return c;
	}
	for (uint64_t i = 0; i < SPANS; i++)
		filter_census(f, blocks / SPANS * i, LOOK_BLOCKS / SPANS, &c);
	return c;
}

static struct facts
look(const char *path, const struct mapfile *m, bool verify)
{
	const struct filter filter = mapfile_filter(m);
	const struct shape *s = &filter.shape;
	const struct mapfile_live live = mapfile_live(m);
	const struct census c = look_at_blocks(&filter, verify);
	const uint64_t ones = c.blocks == s->blocks ? c.ones : live.bits_set;

	return (struct facts){
		.path = path,
		.header = mapfile_header(m),
		.live = live,
		.bits = s->blocks * SIZING_BLOCK_BITS,
		.ones = ones,
		.keys_estimated = sizing_keys_in(s, ones),
		.rate_now = filter_rate(&filter, &c),
	};
}

/*
 * Fewer bits than were counted: some were lost.  More: an add was killed
 * between setting and counting, or is at it now; all is well.
 */
static int
verify_bits(const struct facts *f)
{
	if (f->ones >= f->live.bits_set)
		return EXIT_SELECTED;
	warnx("%s: %" PRIu64 " bits are set, %" PRIu64 " were counted: keys "
	    "are missing", f->path, f->ones, f->live.bits_set);
	return EXIT_TROUBLE;
}

static double
fill(const struct facts *f)
{
	return (double)f->ones / (double)f->bits;
}

static void
print_json(const struct facts *f)
{
	const struct header *h = f->header;
	char seed[19];
	struct json j;

	snprintf(seed, sizeof(seed), "0x%016" PRIx64, h->seed);
	const char *state = state_word(f->live.state);
	json_open(&j);
	json_text(&j, "file", f->path, strlen(f->path));
	json_count(&j, "format", FORMAT_VERSION);
	json_text(&j, "scheme", "native", strlen("native"));
	json_count(&j, "keys_wanted", h->keys);
	json_number(&j, "rate_wanted", h->rate);
	json_count(&j, "keys_added", f->live.keys_added);
	json_number(&j, "keys_estimated", round(f->keys_estimated));
	json_number(&j, "rate_now", f->rate_now);
	json_number(&j, "fill", fill(f));
	json_count(&j, "bits", f->bits);
	json_count(&j, "blocks", h->shape.blocks);
	json_count(&j, "probes", h->shape.probes);
	json_count(&j, "blocks_per_key", h->shape.groups);
	json_number(&j, "bits_per_key", (double)f->bits / (double)h->keys);
	json_count(&j, "size_bytes", format_file_size(h->shape.blocks));
	json_text(&j, "seed", seed, strlen(seed));
	json_text(&j, "state", state, strlen(state));
	json_text(&j, "note", h->note, h->note_len);
	json_close(&j);
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

static void
print_room(const struct facts *f)
{
	const uint64_t keys = f->header->keys;
	const uint64_t held = report_keys(f->header, &f->live);

	if (held <= keys)
		output_printf("room left     %" PRIu64 " keys (%.1f %%)\n",
		    keys - held, 100 * (double)(keys - held) / (double)keys);
	else
		output_printf("room left     none: overfull by %" PRIu64
		    " keys (%.1f %%)\n", held - keys,
		    100 * (double)(held - keys) / (double)keys);
}

static void
print_bar(double share)
{
	enum { WIDTH = 40 };

	output_printf("              [");
	for (int i = 0; i < WIDTH; i++)
		output_printf("%c", i < (int)(share * WIDTH + 0.5) ? '#' : '.');
	output_printf("]\n");
}

static void
print_text(const struct facts *f, bool first)
{
	const struct header *h = f->header;
	const uint64_t size = format_file_size(h->shape.blocks);
	const double share = (double)f->live.keys_added / (double)h->keys;
	char words[NUMBER_WORDS];

	output_printf("%s%s\n", first ? "" : "\n", f->path);
	output_printf("made for      %" PRIu64 " keys at rate %.4g\n", h->keys,
	    h->rate);
	output_printf("keys added    %" PRIu64 "\n", f->live.keys_added);
	output_printf("estimated     %.0f keys, from the fill\n", f->keys_estimated);
	output_printf("fill          %.2f %% of the bits\n", 100 * fill(f));
	if (isatty(STDOUT_FILENO))
		print_bar(share < 1 ? share : 1);
	output_printf("rate now      %.4g\n", f->rate_now);
	print_room(f);
	output_printf("scheme        native, format version %d\n", FORMAT_VERSION);
	output_printf("bits          %" PRIu64 " in %" PRIu64 " blocks, %.2f a key\n",
	    f->bits, h->shape.blocks, (double)f->bits / (double)h->keys);
	output_printf("probes        %u in %u block%s\n", h->shape.probes,
	    h->shape.groups, h->shape.groups == 1 ? "" : "s");
	output_printf("seed          0x%016" PRIx64 "\n", h->seed);
	output_printf("size          %s (%" PRIu64 " bytes)\n",
	    number_bytes(size, words), size);
	output_printf("state         %s\n", state_word(f->live.state));
	if (h->note_len > 0)
		print_note(h);
}

struct stats {
	bool check, json, verify;
};

/* One filter; what there is to say of it, as the options have it. */
static int
stats_of(const char *path, const struct stats *s, bool first)
{
	char why[WHY_SIZE];
	const bool facts = !s->check || s->verify;
	struct mapfile *m = mapfile_open(path, (struct mapfile_how){
	    .use = facts ? MAPFILE_SCAN : MAPFILE_CHECK }, why);
	int status = EXIT_SELECTED;

	if (m == NULL) {
		warnx("%s: %s", path, why);
		return EXIT_TROUBLE;
	}
	if (s->check) {
		if (report_overfull(path, m))
			status = EXIT_NONE;
		if (report_missing(path, m))
			status = EXIT_TROUBLE;
	}
	if (facts) {
		const struct facts f = look(path, m, s->verify);
		if (s->verify && verify_bits(&f) == EXIT_TROUBLE)
			status = EXIT_TROUBLE;
		if (!s->check && s->json)
			print_json(&f);
		else if (!s->check)
			print_text(&f, first);
	}
	mapfile_close(m, why);	/* cannot fail: nothing was written */
	return status;
}

int
cmd_stats(int argc, char **argv)
{
	struct stats s = { false, false, false };
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
		}
	}
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (s.check && s.json)
		options_wrong(&usage, "--check prints no --json");
	for (int i = optind; i < argc; i++) {
		const int one = stats_of(argv[i], &s, i == optind);
		if (one > status)
			status = one;
	}
	return status;
}
