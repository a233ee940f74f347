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
#include "foreignfile.h"
#include "foreignstats.h"
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

/* What there is to say of a layer, or of all together. */
struct part {
	uint64_t keys_wanted, keys_added;
	uint64_t blocks, ones;
	double keys_estimated, rate_now;
};

/* Everything there is to say about one filter. */
struct facts {
	const char *path;
	const struct header *header;
	struct mapfile_live live;
	unsigned nlayers;
	struct part all;
	struct part layer[LAYERS_MAX];
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

static struct part
look_at_layer(const struct filter *f, const struct mapfile_counts *counts,
    const struct plan *plan, bool verify)
{
	const struct shape *s = &f->shape;
	const struct census c = look_at_blocks(f, verify);
	const uint64_t ones = c.blocks == s->blocks ? c.ones : counts->bits;

	return (struct part){
		.keys_wanted = plan->keys,
		.keys_added = counts->keys,
		.blocks = s->blocks,
		.ones = ones,
		.keys_estimated = sizing_keys_in(s, ones),
		.rate_now = filter_rate(f, &c),
	};
}

/* A key is in if any layer has it. */
static void
look(struct facts *f, const char *path, struct mapfile *m, bool verify)
{
	const struct layers *layers = mapfile_layers(m);
	double right = 1;

	f->path = path;
	f->header = mapfile_header(m);
	/* All layers that the counts speak of, if one comes meanwhile. */
	do {
		f->nlayers = layers->n;
		f->live = mapfile_live(m);
	} while (mapfile_layers(m)->n > f->nlayers);
	f->all = (struct part){ .keys_added = f->live.keys_added };
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct part p = look_at_layer(&layers->layer[i],
		    &f->live.layer[i], &f->header->part[i].plan, verify);
		f->layer[i] = p;
		f->all.keys_wanted += p.keys_wanted;
		f->all.blocks += p.blocks;
		f->all.ones += p.ones;
		f->all.keys_estimated += p.keys_estimated;
		right *= 1 - p.rate_now;
	}
	f->all.rate_now = f->nlayers == 1 ? f->layer[0].rate_now : 1 - right;
}

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

static double
fill(const struct part *p)
{
	return (double)p->ones / (double)p->blocks / SIZING_BLOCK_BITS;
}

static uint64_t
file_size(const struct facts *f)
{
	return format_end(f->header);
}

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

static void
print_json_part(struct json *j, const struct part *p)
{
	json_count(j, "keys_added", p->keys_added);
	json_number(j, "keys_estimated", round(p->keys_estimated));
	json_number(j, "rate_now", p->rate_now);
	json_number(j, "fill", fill(p));
	json_count(j, "bits", p->blocks * SIZING_BLOCK_BITS);
	json_count(j, "blocks", p->blocks);
}

static void
print_json_shape(struct json *j, const struct shape *s)
{
	json_count(j, "probes", s->probes);
	json_count(j, "blocks_per_key", s->groups);
}

static void
print_json_layers(struct json *j, const struct facts *f)
{
	json_list_open(j, "layers");
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct plan *p = &f->header->part[i].plan;
		json_item_open(j);
		json_count(j, "keys_wanted", p->keys);
		json_number(j, "rate_wanted", p->rate);
		print_json_part(j, &f->layer[i]);
		print_json_shape(j, &p->shape);
		json_item_close(j);
	}
	json_list_close(j);
}

static void
print_json(const struct facts *f)
{
	const struct header *h = f->header;
	char seed[19];
	struct json j;

	snprintf(seed, sizeof(seed), "0x%016" PRIx64, h->seed);
	const char *state = state_word(f->live.state);
	const char *full = full_word(h->full);
	json_open(&j);
	json_text(&j, "file", f->path, strlen(f->path));
	json_count(&j, "format", FORMAT_VERSION);
	json_text(&j, "scheme", "native", strlen("native"));
	json_count(&j, "keys_wanted", h->keys);
	json_number(&j, "rate_wanted", h->rate);
	json_bool(&j, "keys_added_estimated", f->live.keys_estimated);
	print_json_part(&j, &f->all);
	print_json_shape(&j, &h->shape);
	json_number(&j, "bits_per_key", (double)f->all.blocks *
	    SIZING_BLOCK_BITS / (double)f->all.keys_wanted);
	json_count(&j, "size_bytes", file_size(f));
	json_text(&j, "seed", seed, strlen(seed));
	json_text(&j, "state", state, strlen(state));
	json_text(&j, "when_full", full, strlen(full));
	if (h->full == FORMAT_FULL_GROW)
		print_json_layers(&j, f);
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
	output_printf("%u in %u block%s\n", s->probes, s->groups,
	    s->groups == 1 ? "" : "s");
}

static void
print_layers(const struct facts *f)
{
	for (unsigned i = 0; i < f->nlayers; i++) {
		const struct part *p = &f->layer[i];
		output_printf("layer %-7u %" PRIu64 " of %" PRIu64 " keys, "
		    "fill %.2f %%, rate now %.4g, probes ", i + 1,
		    p->keys_added, p->keys_wanted, 100 * fill(p),
		    p->rate_now);
		print_shape(&f->header->part[i].plan.shape);
	}
}

static void
print_text(const struct facts *f, bool first)
{
	const struct header *h = f->header;
	const uint64_t size = file_size(f);
	const double share = (double)f->all.keys_added /
	    (double)f->all.keys_wanted;
	char words[NUMBER_WORDS];

	output_printf("%s%s\n", first ? "" : "\n", f->path);
	print_made_for(h);
	output_printf("keys added    %" PRIu64 "%s\n", f->all.keys_added,
	    f->live.keys_estimated ? ", an estimate" : "");
	output_printf("estimated     %.0f keys, from the fill\n",
	    f->all.keys_estimated);
	output_printf("fill          %.2f %% of the bits\n",
	    100 * fill(&f->all));
	if (isatty(STDOUT_FILENO))
		print_bar(share < 1 ? share : 1);
	output_printf("rate now      %.4g\n", f->all.rate_now);
	print_room(f);
	output_printf("scheme        native, format version %d\n",
	    FORMAT_VERSION);
	output_printf("bits          %" PRIu64 " in %" PRIu64 " blocks, %.2f a "
	    "key\n", f->all.blocks * SIZING_BLOCK_BITS, f->all.blocks,
	    (double)f->all.blocks * SIZING_BLOCK_BITS /
	    (double)f->all.keys_wanted);
	if (h->full == FORMAT_FULL_GROW) {
		print_layers(f);
	} else {
		output_printf("probes        ");
		print_shape(&h->shape);
	}
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

static int
stats_of_foreign(const char *path, struct foreignfile *file,
    const struct stats *s, bool first)
{
	const struct foreignstats f = foreignstats_look(path, file, s->verify);
	int status = EXIT_SELECTED;

	if (s->check) {
		if (foreignstats_overfull(&f))
			status = EXIT_NONE;
	} else if (s->json) {
		foreignstats_json(&f);
	} else {
		output_printf("%s", first ? "" : "\n");
		foreignstats_text(&f);
	}
	foreignfile_close(file);
	return status;
}

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
		struct foreignfile *f = foreignfile_open(path, true, why);
		if (f != NULL)
			return stats_of_foreign(path, f, s, first);
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
		struct facts f;
		look(&f, path, m, s->verify);
		if (mapfile_check_layers(m, why) == -1) {
			warnx("%s: %s", path, why);
			mapfile_close(m, why);
			return EXIT_TROUBLE;
		}
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
