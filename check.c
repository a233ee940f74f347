/*
 * bloomtool check: print the lines that are in a filter, or in some, or those
 * that are not; or which filters have which lines.
 */
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
#include "names.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "query.h"
#include "warn.h"

static const struct option_spec options[] = {
	{ 'v', "unseen", NULL, "print the lines that surely are not in it" },
	{ 'c', "count", NULL, "print how many lines, not the lines" },
	{ 'q', "quiet", NULL, "print nothing; the exit status is the answer" },
	{ 'H', "with-filename", NULL,
	    "print the input's name before each line or count" },
	{ 'x', "except", "LIST",
	    "the keys in this file, one a line, count as not in" },
	{ 'z', "null-data", NULL, "keys end in NUL instead of newline" },
	FEED_OPTIONS,
	OPTIONS_PROGRESS,
	KEY_OPTIONS,
	{ 'K', "key", "HOW",
	    "what other programs hash: bytes, utf16le or int64" },
	OPTIONS_HEADING("several filters"),
	{ 'f', "filter", "FILTER",
	    "look in this filter; may be given again and again" },
	{ 'F', "filters-from", "LIST",
	    "look in the filters that this file names, one a line" },
	{ 'a', "all", NULL, "a line is in if every filter has it, not any" },
	{ 'w', "which", NULL,
	    "print each filter that has it, a tab, and the line" },
	{ 0 }
};

static const struct usage usage = {
	"bloomtool check",
	"[-cqv] [OPTION...] (FILTER | -f FILTER...) [FILE...]",
	"  bloomtool check crawl.bf < urls         # print lines that are in\n"
	"  bloomtool check -v crawl.bf < urls      # print lines that are not\n"
	"  bloomtool check -w -f a.bf -f b.bf < urls   # print where they are",
	"Prints the lines of the files, or of standard input, that are in the "
	"filter.\nA few of them are not (see its rate); what --unseen prints "
	"surely is not.\nExit status: 0 a line was selected, 1 none, 2 trouble.",
	options
};

/* A -f or -F, in their order. */
struct given {
	int letter;
	char *arg;
};

struct check {
	bool unseen, count, quiet, null_data, with_name, all, which;
	bool list_on_stdin, has_encoding;
	enum encoding encoding;		/* if so */
	unsigned threads;
	struct key_spec key;
	char **lists;			/* of --except; NULL-ended */
	size_t nlists;
	struct except *except;		/* NULL without */
	struct given *given;
	size_t ngiven;
	struct names names;		/* of the filters */
	struct query *query;
	uint64_t selected;		/* of all inputs */
	uint64_t selected_here;		/* of this input */
	uint64_t *counts;		/* for each filter, with --which */
};

static void
parse_options(struct check *c, int argc, char **argv)
{
	int letter;

	c->lists = calloc((size_t)argc, sizeof(*c->lists));
	if (c->lists == NULL)
		err(EXIT_TROUBLE, NULL);
	while ((letter = options_next(&usage, argc, argv)) != -1) {
		switch (letter) {
		case 'F':
			c->list_on_stdin |= strcmp(optarg, "-") == 0;
			/* FALLTHROUGH */
		case 'f':
			c->given[c->ngiven++] =
			    (struct given){ letter, optarg };
			break;
		case 'H':
			c->with_name = true;
			break;
		case 'a':
			c->all = true;
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
		case 'w':
			c->which = true;
			break;
		case 'K':
			c->encoding = options_encoding(&usage, letter);
			c->has_encoding = true;
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
}

/* A list that comes from stdin leaves no keys there. */
static void
need_files(char **files)
{
	bool from_stdin = *files == NULL;

	for (; *files != NULL; files++)
		from_stdin |= strcmp(*files, "-") == 0;
	if (from_stdin)
		options_wrong(&usage, "--filters-from - takes the standard "
		    "input, so keys must come from a FILE");
}

/* The filters; optind is then at the first FILE. */
static void
name_filters(struct check *c, char **argv)
{
	if (c->ngiven == 0)
		names_add(&c->names, argv[optind++]);
	for (size_t i = 0; i < c->ngiven; i++) {
		const struct given *g = &c->given[i];
		if (g->letter == 'f')
			names_add(&c->names, g->arg);
		else
			names_read(&c->names, g->arg);
	}
}

static void
parse(struct check *c, int argc, char **argv)
{
	c->given = calloc((size_t)argc, sizeof(*c->given));
	if (c->given == NULL)
		err(EXIT_TROUBLE, NULL);
	parse_options(c, argc, argv);
	if (c->all && c->which)
		options_wrong(&usage, "--which looks at each filter, so it "
		    "takes no --all");
	if (c->which && c->nlists > 0)
		options_wrong(&usage, "--which takes no --except");
	if (c->ngiven == 0 && optind == argc)
		options_wrong(&usage, "no FILTER given");
	if (c->list_on_stdin)
		need_files(argv + optind);
	name_filters(c, argv);
	free(c->given);
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
	    .rule = except_rule(c->except) }, .threads = 1,
	    .quiet = true });
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
put_name(const char *name, const char *end)
{
	put(name, strlen(name));
	put(end, 1);
}

/* Returns how many lines are selected, and prints them if that is wanted. */
static size_t
select_lines(const struct check *c, const struct batch *b)
{
	const bool unseen = c->unseen;
	size_t selected = 0;

	for (size_t i = 0; i < b->n; i++)
		selected += b->in[i] != unseen;
	if (selected == 0 || c->count || c->quiet)
		return selected;
	for (size_t i = 0; i < b->n; i++) {
		if (b->in[i] == unseen)
			continue;
		if (c->with_name)
			put_name(b->name, ":");
		put(b->lines[i].bytes, b->lines[i].whole);
	}
	return selected;
}

/* Each ends in a separator: the last line may come several times. */
static void
print_with_filter(const struct check *c, const struct batch *b, size_t filter,
    const struct line *l)
{
	put_name(c->names.paths[filter], "\t");
	if (c->with_name)
		put_name(b->name, ":");
	put(l->bytes, l->whole);
	if (l->whole == l->len)
		put(c->null_data ? "\0" : "\n", 1);
}

/* The same with --which, for each filter by itself. */
static size_t
select_which(const struct check *c, const struct batch *b)
{
	const size_t words = query_words(c->query);
	size_t selected = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint64_t *w = b->which + i * words;
		size_t f = query_next(c->query, w, !c->unseen, 0);
		for (; f < c->names.n;
		    f = query_next(c->query, w, !c->unseen, f + 1)) {
			selected++;
			c->counts[f]++;
			if (!c->count && !c->quiet)
				print_with_filter(c, b, f, &b->lines[i]);
		}
	}
	return selected;
}

/* Of an input, or of all if that is NULL. */
static void
print_count(const char *input, uint64_t n)
{
	if (input != NULL)
		put_name(input, ":");
	output_printf("%" PRIu64 "\n", n);
}

static void
print_counts(struct check *c, const char *input)
{
	if (!c->which) {
		print_count(input, input != NULL ? c->selected_here :
		    c->selected);
		return;
	}
	for (size_t f = 0; f < c->names.n; f++) {
		put_name(c->names.paths[f], "\t");
		print_count(input, c->counts[f]);
		c->counts[f] = 0;
	}
}

static void
check_batch(struct check *c, const struct batch *b)
{
	const size_t selected = c->which ? select_which(c, b) :
	    select_lines(c, b);

	c->selected += selected;
	c->selected_here += selected;
	if (b->drained && !c->count && !c->quiet)
		flush();
	if (b->last) {
		if (c->count && c->with_name && !c->quiet)
			print_counts(c, b->name);
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
	    .except = c->except },
	    .threads = c->threads, .quiet = c->quiet });
	bool failed = false;

	while ((b = feed_next(feed, -1)) != NULL) {
		query_check_layers(c->query);
		check_batch(c, b);
		failed = b->drained && query_sync_failed(c->query);
		if (failed || (c->quiet && c->selected > 0))
			break;
	}
	return feed_close(feed) != 0 || failed ? EXIT_TROUBLE : 0;
}

static void
open_filters(struct check *c)
{
	c->query = query_open(c->names.paths, c->names.n,
	    c->has_encoding ? &c->encoding : NULL, c->which ? QUERY_WHICH :
	    c->all ? QUERY_ALL : QUERY_ANY);
	c->counts = calloc(c->names.n, sizeof(*c->counts));
	if (c->counts == NULL)
		err(EXIT_TROUBLE, NULL);
}

int
cmd_check(int argc, char **argv)
{
	static struct check c;

	parse(&c, argc, argv);
	progress_begin("check", 0);
	if (!c.count && !c.quiet)
		progress_prints();
	open_filters(&c);
	load_exceptions(&c);
	const int status = check_all(&c, argv + optind);
	progress_end();
	if (!query_close(c.query))
		return EXIT_TROUBLE;
	except_free(c.except);
	free(c.lists);
	if (c.quiet && c.selected > 0)
		return EXIT_SELECTED;
	if (c.count && !c.with_name && !c.quiet)
		print_counts(&c, NULL);
	if (status != 0)
		return status;
	return c.selected > 0 ? EXIT_SELECTED : EXIT_NONE;
}
