/*
 * In the steps of newfile.c, with what replaces a filter held all the time.
 */
#include <sys/stat.h>

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "build.h"
#include "cmd.h"
#include "heir.h"
#include "page1.h"
#include "parts.h"
#include "progress.h"
#include "signals.h"
#include "warn.h"

void
build_give_up(struct build *b, const char *path, const char *why)
{
	newfile_close(b->new);
	signals_die();
	errx(EXIT_TROUBLE, "%s: %s", path, why);
}

/* What it replaces is held, so that no key gets into that which gets lost. */
void
build_begin(struct build *b, const char *what)
{
	char why[WHY_SIZE];
	bool exists;

	b->old = -1;
	signals_catch();
	progress_begin(what, 0);
	if (newfile_check(b->path, b->force, &exists, why) == -1)
		errx(EXIT_TROUBLE, "%s: %s%s", b->path, why,
		    exists ? "; --force replaces it" : "");
	if (b->force && heir_hold(b->path, b->wait, &b->old, why) == -1)
		build_give_up(b, b->path, why);
}

void
build_open(struct build *b)
{
	const uint64_t size = parts_end(&b->head);
	char why[WHY_SIZE];

	/* Private until it has the permissions of what it replaces. */
	b->new = newfile_open(b->path, b->old != -1 ? S_IRUSR | S_IWUSR : 0666,
	    b->promised ? 0 : size, why);
	if (b->new == NULL ||
	    (b->promised && newfile_room(b->new, size, why) == -1))
		build_give_up(b, b->path, why);
	progress_total(size);
}

void
build_write(struct build *b, unsigned layer, const uint64_t *words, size_t n,
    uint64_t at)
{
	const uint64_t offset = b->head.part[layer].offset + at;
	char why[WHY_SIZE];

	b->ones[layer] += filter_ones(words, n);
	if (newfile_write(b->new, words, n * 8, offset) == -1) {
		why_errno(why, "write");
		build_give_up(b, b->path, why);
	}
	progress_at(offset + n * 8, 0);
	if (signals_caught())
		build_give_up(b, b->path, "interrupted");
}

/* From the bits of each layer.  A full one may hold any number: so many. */
void
build_estimate(struct build *b)
{
	b->estimated = true;
	for (unsigned i = 0; i < b->head.nparts; i++) {
		const struct shape *s = &b->head.part[i].plan.shape;
		const uint64_t most = sizing_bits(s) - 1;
		b->keys[i] = (uint64_t)llround(sizing_keys_in(s,
		    b->ones[i] < most ? b->ones[i] : most));
		/* One bit may be all there is. */
		if (b->keys[i] == 0 && b->ones[i] > 0)
			b->keys[i] = 1;
	}
}

/* What we write we must be able to read. */
static void
check_head(struct build *b, const uint8_t head[FORMAT_HEADER])
{
	struct header h;
	char words[FAULT_WORDS];
	const struct fault f = format_decode(&h, head, FORMAT_HEADER,
	    parts_end(&b->head));

	if (f.kind != FAULT_NONE)
		build_give_up(b, b->path, fault_words(&f, words));
}

void
build_publish(struct build *b)
{
	uint8_t head[FORMAT_HEADER];
	char why[WHY_SIZE];
	bool exists;

	format_encode(&b->head, head);
	page1_encode(&b->head, b->keys, b->ones, b->estimated, head);
	check_head(b, head);
	if (newfile_write(b->new, head, FORMAT_HEADER, 0) == -1) {
		why_errno(why, "write");
		build_give_up(b, b->path, why);
	}
	if ((b->old != -1 ? newfile_replace(b->new, b->old, why) :
	    newfile_publish(b->new, false, &exists, why)) == -1)
		build_give_up(b, b->path, why);
	newfile_close(b->new);
	if (b->old != -1)
		close(b->old);
	progress_end();
	signals_die();
}

struct live
build_live(const struct build *b)
{
	struct live live = { .counted = true,
	    .keys_estimated = b->estimated };

	for (unsigned i = 0; i < b->head.nparts; i++) {
		live.layer[i] = (struct live_counts){ b->keys[i],
		    b->ones[i] };
		live.keys_added += b->keys[i];
		live.bits_set += b->ones[i];
	}
	return live;
}
