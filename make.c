/*
 * Makes filter files.
 */
#include <sys/random.h>

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "make.h"
#include "newfile.h"
#include "plan.h"
#include "signals.h"

struct header
make_header(const struct plan *p)
{
	struct header h = {
		.scheme = FORMAT_NATIVE,
		.shape = p->shape,
		.keys = p->keys,
		.rate = p->rate,
		.full = FORMAT_FULL_WARN,
		.created = (int64_t)time(NULL),
	};

	if (getentropy(&h.seed, sizeof(h.seed)) == -1)
		err(EXIT_TROUBLE, "random seed");
	return h;
}

void
make_filter(const char *path, const struct header *h, struct make_how how)
{
	char why[WHY_SIZE], words[PLAN_WORDS];
	const struct plan p = { h->shape, h->keys, h->rate };
	bool exists;

	signals_catch();
	if (newfile_create(path, h, how.replace, &exists, why) == -1) {
		if (exists && how.keep) {
			exists = false;
			if (newfile_keep(path, why) == 0)
				return;
		}
		signals_die();
		errx(EXIT_TROUBLE, "%s: %s%s", path, why,
		    exists ? "; --force replaces it" : "");
	}
	signals_die();
	if (!how.quiet)
		fprintf(stderr, "%s: made for %s\n", path,
		    plan_words(&p, words));
}
