/*
 * bloomtool stats: how full a filter is, and how wrong.
 */
#include <sys/stat.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmd.h"
#include "facts.h"
#include "factsjson.h"
#include "factslayers.h"
#include "factstext.h"
#include "mapfile.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "report.h"
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

/* What the header and the counters tell. */
static int
check(const char *path, const struct mapfile *m, const struct live *live)
{
	const int status = report_overfull_live(path, mapfile_header(m), live) ?
	    EXIT_NONE : EXIT_SELECTED;

	return report_missing(path, m) ? EXIT_TROUBLE : status;
}

/*
 * Fewer bits than were counted: some were lost.  More: an add was killed
 * between setting and counting, or is at it now; all is well.
 */
static int
verify(const struct facts *f)
{
	if (f->foreign || f->all.ones >= f->live.bits_set)
		return EXIT_SELECTED;
	warnx("%s: %" PRIu64 " bits are set, %" PRIu64 " were counted: keys "
	    "are missing", f->path, f->all.ones, f->live.bits_set);
	return EXIT_TROUBLE;
}

static void
print(const struct facts *f, const struct stats *s, bool first)
{
	if (s->json) {
		factsjson_print(f);
		return;
	}
	output_printf("%s%s\n", first ? "" : "\n", f->path);
	if (s->layers)
		factslayers_table(f);
	else
		factstext_print(f);
}

static int
stats_of_facts(const char *path, struct mapfile *m, struct stats *s,
    bool first)
{
	char why[WHY_SIZE];
	struct facts f;

	if (facts_look(&f, path, m, s->verify, &s->done, why) == -1) {
		warnx("%s: %s", path, why);
		return EXIT_TROUBLE;
	}
	const int checked = s->check ? check(path, m, &f.live) : EXIT_SELECTED;
	const int verified = s->verify ? verify(&f) : EXIT_SELECTED;
	if (!s->check)
		print(&f, s, first);
	return checked > verified ? checked : verified;
}

/* At once, whatever the size. */
static int
stats_of_counters(const char *path, const struct mapfile *m)
{
	const struct live live = mapfile_live(m);

	return check(path, m, &live);
}

/* One filter; what there is to say of it, as the options have it. */
static int
stats_of(const char *path, struct stats *s, bool first)
{
	char why[WHY_SIZE];
	const bool looks = !s->check || s->verify;
	struct mapfile *m = mapfile_open(path, (struct mapfile_how){
	    .use = looks ? MAPFILE_SCAN : MAPFILE_CHECK, .foreign = true },
	    why);

	if (m == NULL) {
		warnx("%s: %s", path, why);
		return EXIT_TROUBLE;
	}
	/* Another program has counted no bits. */
	const int status = looks || mapfile_foreign(m) != NULL ?
	    stats_of_facts(path, m, s, first) : stats_of_counters(path, m);
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
