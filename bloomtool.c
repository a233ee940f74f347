/*
 * bloomtool: a Bloom filter for the shell.  This file finds the command.
 *
 * Where things are:
 *   cmd.h       the commands:
 *   create.c add.c check.c stats.c estimate.c recover.c import.c export.c
 *   union.c     and intersect
 *   options.c   options, help, "did you mean"      (argv comes in here)
 *   writer.c    --wait, --network
 *   keyopt.c    -k, -t, -b, -i, -r: which bytes of a line are its key
 *   number.c    2e9, 10M, 4GiB, 0.1 %              pure
 *   plan.c      -n, -p, -s -> a filter's shape
 *   sizing.c    keys, rate, size: the mathematics  pure
 *   curve.c     a plan -> what becomes of it with other keys and rates  pure
 *   make.c      a plan -> a new filter file
 *   newfile.c   its bytes to disk, whole or not at all
 *   draft.c entry.c owner.c   unseen at first; its name; whose it is
 *   build.c     one with its content, for union and import
 *   heir.c      one that takes the place of a filter
 *   space.c     room on disk for them
 *   stable.c    onto stable storage
 *   regular.c   files that are about to be mapped
 *   mapfile.c   a file in use                      (filters come in here)
 *   view.c      what is mapped of it
 *   writing.c   its locks, marks and syncs: the order that loses no key
 *   live.c counters.c   what its page 1 says: the state; how many keys
 *   locks.c     its two locks
 *   bus.c network.c   pages that cannot be had; file systems that lose them
 *   nofile.c    how many files may be open
 *   boot.c      which boot this is
 *   header.c    headers out of files
 *   format.c    their bytes, and every check of them  pure
 *   page1.c     the part of those that changes     pure
 *   parts.c     where layers lie                   pure
 *   fault.c     what is wrong with them, in words  pure
 *   names.c     -f, --filters-from -> names of filters
 *   intake.c    another program's bits into one of ours
 *   members.c   keys that must be in that
 *   source.c    its file, from front to back       (and in here)
 *   stream.c dump.c redis.c   out of gzip; out of a dump of RedisBloom, and
 *               of the Redis protocol
 *   target.c    where export writes to
 *   query.c     the filters that lines are looked up in
 *   feed.c      input files -> batches of keys
 *   crew.c      threads that read and work ahead
 *   piece.c     what is done to the lines of a piece of input
 *   lines.c     bytes -> lines                     (keys come in here)
 *   keys.c      line -> its key                    pure
 *   hash.c      key -> hash                        pure
 *   probe.h     hash -> blocks and bits            pure
 *   filter.c    test and set batches of hashes, merge  pure
 *   scheme.c    whose rule that follows: ours, or another program's  pure
 *   foreign/    other programs, a file each: format and rule  pure
 *               foreign.c, unread.c   whose a file is
 *               places.c hashes.c     what their rules share
 *   encode.c    key -> the bytes that they hash    pure
 *   layers.c    several filters as one             pure
 *   census.c    count all bits of one
 *   merge.c     which layers of several become one  pure
 *   adder.c     keys in, and what if it is full
 *   except.c    answers known to be wrong          pure
 *   gather.c    keys in the order of their blocks, for large filters
 *   unseen.c    add -v: lines that are new go to stdout, then into the filter
 *   pending.c   what is about to go in
 *   sink.c      stdout, without waiting for its reader
 *   output.c    lines -> stdout
 *   wide.c      more room in a pipe
 *   json.c      --json
 *   plot.c      charts of characters               pure
 *   axis.c      their axes, from ticks to labels   pure
 *   bar.c       bars of characters                 pure
 *   screen.c    how many columns, and which characters
 *   facts.c     what there is to say of a filter
 *   factsjson.c factstext.c factslayers.c   as JSON, as text, layer by layer
 *   report.c    what several commands say on stderr
 *   progress.c  how far long work is; warn.h: what else goes to stderr
 *   statusline.c   its words                       pure
 *   signals.c   SIGINT and the like, SIGUSR1, and waiting
 *   samefile.c  whether names and descriptors are those of one file
 *   why.h       errno in words
 *   text.c join.h   bytes fit to be printed; names in a row  pure
 *   simd.c le.h zeros.h least.h fold.h clock.h   vector instructions, byte
 *               order, only zeros, the lesser, upper and lower case, time
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "options.h"
#include "output.h"
#include "signals.h"

#define VERSION "1.0.0"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *argv0;
	const char *text;
};

static const struct command commands[] = {
	{ "create", cmd_create, "bloomtool create", "make an empty filter" },
	{ "add", cmd_add, "bloomtool add",
	    "remember lines; -v prints those that are new" },
	{ "check", cmd_check, "bloomtool check",
	    "print lines that are in a filter; -v: that are not" },
	{ "stats", cmd_stats, "bloomtool stats",
	    "how full a filter is, and how wrong" },
	{ "estimate", cmd_estimate, "bloomtool estimate",
	    "what a filter would cost" },
	{ "union", cmd_union, "bloomtool union",
	    "make one filter of the keys of several" },
	{ "intersect", cmd_intersect, "bloomtool intersect",
	    "make one filter of the keys that are in all of several" },
	{ "import", cmd_import, "bloomtool import",
	    "make a filter of one that another program wrote" },
	{ "export", cmd_export, "bloomtool export",
	    "write a filter as another program loads it" },
	{ "recover", cmd_recover, "bloomtool recover",
	    "make a filter whole again after a power cut" },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Help is asked for on stdout, or a hint on stderr. */
static void
print_help(void (*say)(const char *format, ...))
{
	say("  bloomtool create -n 1e8 -p 0.01 crawl.bf\n"
	    "  cat urls | bloomtool add crawl.bf\n"
	    "  bloomtool check -v crawl.bf < urls      # print unseen lines\n"
	    "\nusage: bloomtool COMMAND [OPTION...] [FILTER] [FILE...]\n"
	    "\ncommands:\n");
	for (size_t i = 0; i < NCOMMANDS; i++)
		say("  %-10s  %s\n", commands[i].name, commands[i].text);
	say("  help        print this, or the options of a command\n"
	    "\noptions:\n"
	    "  -V, --version             print the version and exit\n"
	    "  -h, --help                print this and exit\n"
	    "\n\"bloomtool COMMAND --help\" has the options, "
	    "bloomtool(1) the rest.\n");
}

static void say_on_stderr(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static void
say_on_stderr(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
}

static const struct command *
find(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

/* What may stand in a command's place and comes closest to this. */
static const char *
nearest(const char *name)
{
	static const char *const others[] = { "help", "--help", "--version" };
	const char *found = options_nearest(name, &commands[0].name, NCOMMANDS,
	    sizeof(commands[0]));

	if (strcmp(name, "-v") == 0)
		return "-V";
	if (found == NULL && strlen(name) > 2)
		found = options_nearest(name, others,
		    sizeof(others) / sizeof(others[0]), sizeof(others[0]));
	return found != NULL ? found : "help";
}

static _Noreturn void
unknown(const char *name)
{
	warnx("unknown %s \"%s\"; did you mean \"%s\"?",
	    name[0] == '-' ? "option" : "command", name, nearest(name));
	fputs("usage: bloomtool COMMAND [OPTION...] [FILTER] [FILE...]\n",
	    stderr);
	exit(EXIT_TROUBLE);
}

static int
help(int argc, char **argv)
{
	static char option[] = "--help";

	if (argc < 2 || strcmp(argv[1], "help") == 0) {
		print_help(output_printf);
		return EXIT_SELECTED;
	}
	const struct command *c = find(argv[1]);
	if (c == NULL)
		unknown(argv[1]);
	char *args[] = { (char *)(uintptr_t)c->argv0, option, NULL };
	return c->run(2, args);
}

/*
 * A descriptor that was closed when we started must not become the filter's:
 * fill it so that reading 0 and writing 1 fails, as it would have.
 */
static void
fill_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", modes[fd]) == -1)
			exit(EXIT_TROUBLE);
}

int
main(int argc, char **argv)
{
	fill_descriptors();
	signal(SIGXFSZ, SIG_IGN);	/* a size limit is an error, no death */
	signals_catch_asking();
	if (argc < 2) {
		print_help(say_on_stderr);
		return EXIT_TROUBLE;
	}
	argc--;
	argv++;
	if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 ||
	    strcmp(argv[0], "-h") == 0)
		return output_end(help(argc, argv));
	if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0) {
		output_printf("bloomtool %s\n", VERSION);
		return output_end(EXIT_SELECTED);
	}
	const struct command *c = find(argv[0]);
	if (c == NULL)
		unknown(argv[0]);
	argv[0] = (char *)(uintptr_t)c->argv0;
	return output_end(c->run(argc, argv));
}
