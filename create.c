/*
 * bloomtool create: make an empty filter.
 */
#include <err.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "cmd.h"
#include "make.h"
#include "mapfile.h"
#include "plan.h"

static const struct option_spec options[] = {
	PLAN_OPTIONS,
	{ 'S', "seed", "N", "hash with this seed instead of a random one" },
	{ 'L', "like", "FILTER",
	    "take keys, rate, size and seed from FILTER" },
	{ 'N', "note", "TEXT", "keep this text in the file" },
	{ 'f', "force", NULL, "replace the file if it exists" },
	{ 'q', "quiet", NULL, "do not say what was made" },
	{ 0 }
};

static const struct usage usage = {
	"bloomtool create",
	"[-fq] [-n KEYS] [-p RATE] [-s SIZE] [OPTION...] FILTER",
	"  bloomtool create -n 1e8 -p 0.01 crawl.bf",
	"Makes an empty filter.  Any two of --keys, --rate and --size give the "
	"third;\n--keys alone takes a rate of 0.01.  All the space it will "
	"ever need is reserved.",
	options
};

struct create {
	struct request request;
	struct make_how how;
	bool has_seed;
	uint64_t seed;
	const char *like, *note;
};

static void
parse(struct create *c, int argc, char **argv)
{
	int letter;

	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'L':
			c->like = optarg;
			break;
		case 'N':
			c->note = optarg;
			if (strlen(c->note) > FORMAT_NOTE)
				options_wrong(&usage, "-N, --note: %zu bytes "
				    "long, at most %d", strlen(c->note),
				    FORMAT_NOTE);
			break;
		case 'S':
			c->seed = options_seed(&usage, letter);
			c->has_seed = true;
			break;
		case 'f':
			c->how.replace = true;
			break;
		case 'q':
			c->how.quiet = true;
			break;
		default:
			plan_option(&c->request, &usage, letter);
		}
	}
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (optind + 1 < argc)
		options_wrong(&usage, "one FILTER at a time, not \"%s\" too",
		    argv[optind + 1]);
}

/* Same shape, same seed: the two can be united. */
static struct header
header_like(const struct create *c)
{
	char why[WHY_SIZE];
	struct header other;
	const struct request *r = &c->request;

	if (r->has_keys || r->has_rate || r->has_size || r->has_prefer ||
	    c->has_seed)
		options_wrong(&usage, "--like takes size, rate and seed from "
		    "%s; they cannot be given too", c->like);
	if (mapfile_read_header(c->like, &other, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s", c->like, why);
	const struct plan p = { other.shape, other.keys, other.rate };
	struct header h = make_header(&p);
	h.seed = other.seed;
	return h;
}

int
cmd_create(int argc, char **argv)
{
	struct create c = { 0 };
	struct header h;

	parse(&c, argc, argv);
	if (c.like != NULL) {
		h = header_like(&c);
	} else {
		plan_make(&c.request, &usage);
		h = make_header(&c.request.plan);
		if (c.has_seed)
			h.seed = c.seed;
	}
	if (c.note != NULL) {
		h.note_len = strlen(c.note);
		memcpy(h.note, c.note, h.note_len);
	}
	make_filter(argv[optind], &h, c.how);
	return EXIT_SELECTED;
}
