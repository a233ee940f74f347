/*
 * bloomtool check: print the lines that are in a filter, or those that are
 * not.
 */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "except.h"
#include "feed.h"
#include "keyopt.h"
#include "options.h"
#include "output.h"
#include "query.h"

static const struct option_spec options[] = {
	{ 'v', "unseen", NULL, "print the lines that surely are not in it" },
	{ 'c', "count", NULL, "print how many lines, not the lines" },
	{ 'q', "quiet", NULL,
	    "print nothing, stop at the first: for its exit status" },
	{ 'z', "null-data", NULL, "keys end in NUL instead of newline" },
	KEY_OPTIONS,
	{ 'H', "with-filename", NULL,
	    "print the name of the input before each line or count" },
	{ 'x', "except", "FILE",
	    "the keys in FILE, one a line, count as not in it" },
	FEED_OPTIONS,
	{ 0 }
};

static const struct usage usage = {
	"bloomtool check",
	"[-cHiqrvz] " KEY_SYNOPSIS " [-x FILE] [-j N] "
	"FILTER [FILE...]",
	"  bloomtool check crawl.bf < urls         # print lines that are in\n"
	"  bloomtool check -v crawl.bf < urls      # print lines that are not",
	"Prints the lines of the files, or of standard input, that are in the "
	"filter.\nA few of them are not (see its rate); what --unseen prints "
	"surely is not.\nExit status: 0 a line was selected, 1 none, 2 trouble.",
	options
};

struct check {
	bool unseen, count, quiet, null_data, with_name;
	unsigned threads;
	struct key_spec key;
	char *path;
	char **lists;			/* of --except; NULL-ended */
	size_t nlists;
	struct except *except;		/* NULL without */
	struct query *query;
	uint64_t selected;		/* of all inputs */
	uint64_t selected_here;		/* of this input */
};

static void
parse(struct check *c, int argc, char **argv)
{
	int letter;

	c->lists = calloc((size_t)argc, sizeof(*c->lists));
	if (c->lists == NULL)
		err(EXIT_TROUBLE, NULL);
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'H':
			c->with_name = true;
			break;
		case 'c':
			c->count = true;
			break;
		case 'j':
			c->threads = options_threads(&usage, letter);
			break;
		case 'q':
			c->quiet = true;
			break;
		case 'v':
			c->unseen = true;
			break;
		case 'x':
			if (strcmp(optarg, "-") == 0)
				options_wrong(&usage, "-x, --except: wanted a "
				    "file, not the standard input");
			c->lists[c->nlists++] = optarg;
			break;
		case 'z':
			c->null_data = true;
			break;
		default:
			keyopt_take(&c->key, &usage, letter);
		}
	}
	keyopt_end(&c->key, &usage);
	if (optind == argc)
		options_wrong(&usage, "no FILTER given");
	c->path = argv[optind++];
}

/* The lines of a list are keys: there are no fields to choose from. */
static void
add_exceptions(struct check *c, const struct batch *b)
{
	const struct key_spec spec = { .strip_cr = c->key.strip_cr };
	struct line keys[FEED_BATCH];

	keys_cut(&spec, b->lines, b->n, keys);
	switch (except_add(c->except, keys, b->n)) {
	case EXCEPT_MEMORY:
		errx(EXIT_TROUBLE, "%s: out of memory", b->name);
	case EXCEPT_FULL:
		warnx("%s: --except takes %zu keys and %zu MiB at most",
		    b->name, EXCEPT_KEYS_MAX, EXCEPT_BYTES_MAX >> 20);
		fprintf(stderr, "make the filter again with a lower rate, or "
		    "compare with the list of its keys itself\n");
		exit(EXIT_TROUBLE);
	case EXCEPT_OK:
		break;
	}
}

/* All lists whole, or no answers. */
static void
load_exceptions(struct check *c)
{
	const uint64_t seed = query_seed(c->query);
	const struct batch *b;

	if (c->nlists == 0)
		return;
	c->except = except_new(&c->key, seed);
	if (c->except == NULL)
		err(EXIT_TROUBLE, NULL);
	struct feed *feed = feed_open(c->lists, (struct feed_how){
	    .work = { .separator = c->null_data ? '\0' : '\n',
	    .seed = seed }, .threads = 1, .quiet = true });
	while ((b = feed_next(feed, -1)) != NULL)
		add_exceptions(c, b);
	if (feed_close(feed) != 0)
		exit(EXIT_TROUBLE);
}

static void
put(const void *bytes, size_t n)
{
	if (output_put(bytes, n) == -1)
		err(EXIT_TROUBLE, "stdout");
}

static void
flush(void)
{
	if (output_flush() == -1)
		err(EXIT_TROUBLE, "stdout");
}

static void
print_selected(struct check *c, const struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->in[i] == c->unseen)
			continue;
		if (c->with_name) {
			put(b->name, strlen(b->name));
			put(":", 1);
		}
		put(b->lines[i].bytes, b->lines[i].whole);
	}
}

static void
print_count(const char *name, uint64_t n)
{
	if (name != NULL)
		output_printf("%s:", name);
	output_printf("%" PRIu64 "\n", n);
}

static void
check_batch(struct check *c, const struct batch *b)
{
	size_t selected = 0;

	for (size_t i = 0; i < b->n; i++)
		selected += b->in[i] != c->unseen;

	c->selected += selected;
	c->selected_here += selected;
	if (!c->count && !c->quiet) {
		if (selected > 0)
			print_selected(c, b);
		if (b->drained)
			flush();
	}
	if (b->last) {
		if (c->count && c->with_name && !c->quiet)
			print_count(b->name, c->selected_here);
		c->selected_here = 0;
	}
}

/* Every line of every input; EXIT_TROUBLE if any could not be read. */
static int
check_all(struct check *c, char **files)
{
	const struct batch *b;
	struct feed *feed = feed_open(files, (struct feed_how){
	    .work = { .separator = c->null_data ? '\0' : '\n',
	    .key = c->key, .query = c->query,
	    .seed = query_seed(c->query), .except = c->except },
	    .threads = c->threads, .quiet = c->quiet });
	bool failed = false;

	while ((b = feed_next(feed, -1)) != NULL) {
		query_check(c->query);
		check_batch(c, b);
		failed = b->drained && query_sync_failed(c->query);
		if (failed || (c->quiet && c->selected > 0))
			break;
	}
	return feed_close(feed) != 0 || failed ? EXIT_TROUBLE : 0;
}

int
cmd_check(int argc, char **argv)
{
	static struct check c;

	parse(&c, argc, argv);
	c.query = query_open(&c.path, 1, QUERY_ANY);
	load_exceptions(&c);
	const int status = check_all(&c, argv + optind);
	if (!query_close(c.query))
		return EXIT_TROUBLE;
	except_free(c.except);
	free(c.lists);
	if (c.quiet && c.selected > 0)
		return EXIT_SELECTED;
	if (c.count && !c.with_name && !c.quiet)
		print_count(NULL, c.selected);
	if (status != 0)
		return status;
	return c.selected > 0 ? EXIT_SELECTED : EXIT_NONE;
}
