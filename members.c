/*
 * The keys are looked up in the new file, mapped before it has its name.
 */
#include <sys/mman.h>

#include <inttypes.h>

#include "bus.h"
#include "feed.h"
#include "members.h"
#include "parts.h"
#include "progress.h"
#include "regular.h"

/* The new file as it will be mapped. */
static void
map(struct build *b, struct layers *l)
{
	const uint64_t size = parts_end(&b->head);
	char why[WHY_SIZE];

	if (regular_fits(size, why) == -1)
		build_give_up(b, b->path, why);
	uint8_t *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED,
	    newfile_fd(b->new), 0);
	if (p == MAP_FAILED || bus_catch(b->path, p, (size_t)size) == -1) {
		why_errno(why, "map");
		build_give_up(b, b->path, why);
	}
	l->n = b->head.nparts;
	for (unsigned k = 0; k < b->head.nparts; k++)
		l->layer[k] = (struct filter){ p + b->head.part[k].offset,
		    b->head.part[k].plan.shape, &b->head.rule };
}

void
members_verify(struct build *build, const char *path, const char *name,
    bool quiet)
{
	static bool in[FEED_BATCH];
	static struct layers layers;
	const struct batch *b;
	uint64_t keys = 0, found = 0;
	char why[WHY_SIZE];
	char *files[] = { (char *)(uintptr_t)path, NULL };

	map(build, &layers);
	progress_begin("verifying", 0);
	struct feed *feed = feed_open(files, (struct feed_how){
	    .work = { .separator = '\n', .rule = &build->head.rule },
	    .quiet = quiet });
	while ((b = feed_next(feed, -1)) != NULL) {
		found += layers_test(&layers, b->hashes, b->n, in);
		keys += b->n;
	}
	if (feed_close(feed) != 0)
		build_give_up(build, path,
		    "not all keys could be read; nothing was made");
	if (keys == 0)
		build_give_up(build, path,
		    "no keys to verify with; nothing was made");
	progress_end();
	if (found == keys)
		return;
	snprintf(why, WHY_SIZE, "only %" PRIu64 " of %" PRIu64 " of these keys "
	    "are in %s; nothing was made (are they in its case, line ends and "
	    "--key?)", found, keys, name);
	build_give_up(build, path, why);
}
