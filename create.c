/*
 * bloomtool create: make an empty filter.
 */
#include <getopt.h>
#include <stddef.h>

#include "cmd.h"
#include "make.h"

static const struct option_spec options[] = {
	MAKE_OPTIONS,
	{ 'f', "force", NULL, "replace the file if it exists" },
	{ 'q', "quiet", NULL, "do not say what was made" },
	OPTIONS_PROGRESS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool create",
	"[-fgq] [-n KEYS] [-p RATE] [-s SIZE] [OPTION...] FILTER",
	"  bloomtool create -n 1e8 -p 0.01 crawl.bf\n"
	"  bloomtool create seen.bf                # grows as keys come",
	"Makes an empty filter.  Any two of --keys, --rate and --size give the "
	"third;\n--keys alone takes a rate of 0.01.  All the space it will "
	"need is reserved now.\nWithout --keys and --size it takes more as it "
	"grows.",
	options
};

struct create {
	struct order order;
	struct make_how how;
};

static void
parse(struct create *c, int argc, char **argv)
{
	int letter;

	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'f':
			c->how.replace = true;
			break;
		case 'q':
			c->how.quiet = true;
			break;
		default:
			make_option(&c->order, &usage, letter);
		}
	}
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (optind + 1 < argc)
		options_wrong(&usage, "one FILTER at a time, not \"%s\" too",
		    argv[optind + 1]);
}

int
cmd_create(int argc, char **argv)
{
	struct create c = { 0 };

	parse(&c, argc, argv);
	const struct header h = make_header(&c.order, &usage);
	make_filter(argv[optind], &h, c.how);
	return EXIT_SELECTED;
}
