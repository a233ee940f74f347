/*
 * What is mapped of a filter file: page 1, and its layers, those too that come
 * while it is open.
 *
 * Functions that can fail return -1; with why, that has the reason, else errno.
 */
#ifndef VIEW_H
#define VIEW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign/foreign.h"
#include "format.h"
#include "layers.h"
#include "why.h"

struct view_how {
	bool write;
	bool random;		/* read here and there, or front to back */
	bool foreign;		/* it may be of another program */
	enum encoding encoding;	/* and then its keys are this */
};

/* All but the words of page 1 is changed by view.c alone. */
struct view {
	int fd;			/* open as long as this is; not closed here */
	const char *path;
	struct view_how how;
	uint64_t page;		/* bytes of one */
	struct header header;	/* as it was checked; only its parts get more */
	struct foreign *foreign;	/* of another program's; or NULL */
	struct format_live *live;	/* page 1; of another program's, zeros
					   that nobody may write to */
	struct layers layers;	/* as they are mapped */
	pthread_mutex_t mutex;	/* of who maps more of them */
	atomic_bool failed;	/* that could not be done: why, or NULL if there
				   was no memory even for that */
	char *why;
};

/*
 * Begin with zeros.  Reads and checks the header; view_map maps what it says.
 * view_close in any case.
 */
int view_open(struct view *v, int fd, const char *path, struct view_how how,
    char why[WHY_SIZE]);
int view_map(struct view *v, char why[WHY_SIZE]);
void view_close(struct view *v);

/* From now on it is of this file, which has the same bytes. */
int view_move(struct view *v, int fd, char why[WHY_SIZE]);

/*
 * The layers, those too that another process has put on top by now; from any
 * thread.  If one cannot be had, view_check_layers tells.
 */
const struct layers *view_layers(struct view *v);
int view_check_layers(const struct view *v, char why[WHY_SIZE]);

/* Of page 1, the entry of a layer after the first. */
static inline struct format_layer *
view_entry(const struct view *v, unsigned layer)
{
	return &v->live->layer[layer - 1];
}

/* Bytes of the file that are in use. */
uint64_t view_size(const struct view *v);

/* Has the file still the size it had? */
int view_check_size(const struct view *v, char why[WHY_SIZE]);

/* Copy n bytes from this offset of the file, without a touch of the map. */
int view_read(const struct view *v, void *buf, size_t n, uint64_t at,
    char why[WHY_SIZE]);

/*
 * Zeros behind the last layer, up to this offset, with space on disk; and when
 * page 1 says that there is another one, map it.
 */
int view_make_space(struct view *v, uint64_t to, char why[WHY_SIZE]);
int view_add(struct view *v, const struct format_part *next,
    char why[WHY_SIZE]);

/* Onto stable storage: all of it; page 0 and 1 only. */
int view_sync(const struct view *v);
int view_sync_header(const struct view *v);

#endif
