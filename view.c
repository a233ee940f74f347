/*
 * Filter files as they are mapped.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "header.h"
#include "le.h"
#include "number.h"
#include "parts.h"
#include "regular.h"
#include "space.h"
#include "stable.h"
#include "view.h"

/* What files of other programs have in its place: nothing has happened. */
static struct format_live no_live;

/*
 * The header of a file, and its first layer, are mapped as one; each further
 * layer by itself, from the page on that it begins in.
 */
static uint64_t
begin_of(const struct view *v, unsigned layer)
{
	const uint64_t offset = v->header.part[layer].offset;

	return layer == 0 ? 0 : offset - offset % v->page;
}

static uint8_t *
base_of(const struct view *v, unsigned layer)
{
	uint8_t *bits = v->layers.layer[layer].bits;

	return bits - (v->header.part[layer].offset - begin_of(v, layer));
}

/* What another program wrote ends in the midst of a block. */
static uint64_t
length_of(const struct view *v, unsigned layer)
{
	const struct format_part *p = &v->header.part[layer];
	const uint64_t end = p->offset +
	    p->plan.shape.blocks * SIZING_BLOCK_BYTES;

	return (v->foreign != NULL && end > v->foreign->file_size ?
	    v->foreign->file_size : end) - begin_of(v, layer);
}

static int
map_layer(struct view *v, unsigned layer, char why[WHY_SIZE])
{
	const struct format_part *part = &v->header.part[layer];
	struct filter *f = &v->layers.layer[layer];

	if (regular_fits(length_of(v, layer), why) == -1)
		return -1;
	const size_t length = (size_t)length_of(v, layer);
	void *p = mmap(NULL, length, v->how.write ? PROT_READ | PROT_WRITE :
	    PROT_READ, MAP_SHARED, v->fd, (off_t)begin_of(v, layer));
	if (p == MAP_FAILED)
		return why_errno(why, "map");
	if (bus_catch(v->path, p, length) == -1) {
		why_errno(why, NULL);
		munmap(p, length);
		return -1;
	}
	/* Advice: no harm if it is not taken. */
	posix_madvise(p, length, v->how.random ? POSIX_MADV_RANDOM :
	    POSIX_MADV_SEQUENTIAL);
	*f = (struct filter){ (uint8_t *)p + (part->offset -
	    begin_of(v, layer)), part->plan.shape, &v->header.rule };
	if (layer == 0)
		v->live = v->foreign != NULL ? &no_live :
		    (struct format_live *)((uint8_t *)p + FORMAT_LIVE);
	return 0;
}

int
view_map(struct view *v, char why[WHY_SIZE])
{
	for (unsigned i = v->layers.n; i < v->header.nparts; i++) {
		if (map_layer(v, i, why) == -1)
			return -1;
		atomic_store(&v->layers.n, i + 1);
	}
	return 0;
}

static void
unmap(struct view *v)
{
	for (unsigned i = 0; i < v->layers.n; i++) {
		bus_forget(base_of(v, i));
		munmap(base_of(v, i), (size_t)length_of(v, i));
	}
	v->layers.n = 0;
}

int
view_open(struct view *v, int fd, const char *path, struct view_how how,
    char why[WHY_SIZE])
{
	v->fd = fd;
	v->path = path;
	v->how = how;
	v->page = (uint64_t)sysconf(_SC_PAGESIZE);
	pthread_mutex_init(&v->mutex, NULL);
	if (header_check(fd, &v->header, how.foreign ? &v->foreign : NULL,
	    why) == -1)
		return -1;
	if (v->foreign != NULL)
		v->header.rule.encoding = how.encoding;
	return 0;
}

void
view_close(struct view *v)
{
	unmap(v);
	pthread_mutex_destroy(&v->mutex);
	free(v->foreign);
	free(v->why);
}

int
view_move(struct view *v, int fd, char why[WHY_SIZE])
{
	unmap(v);
	v->fd = fd;
	return view_map(v, why);
}

/* Look at the header again, and map the layers that have come. */
static int
take_new_layers(struct view *v, char why[WHY_SIZE])
{
	struct header h;

	if (header_check(v->fd, &h, NULL, why) == -1)
		return -1;
	while (v->header.nparts < h.nparts) {
		v->header.part[v->header.nparts] = h.part[v->header.nparts];
		v->header.nparts++;
	}
	return view_map(v, why);
}

/* Has another process put a layer on top? */
static bool
has_grown(const struct view *v)
{
	const volatile uint64_t *more = &v->live->more_layers;

	return v->foreign == NULL && le64_word(*more) + 1 > v->layers.n;
}

const struct layers *
view_layers(struct view *v)
{
	char why[WHY_SIZE];

	if (has_grown(v)) {
		pthread_mutex_lock(&v->mutex);
		if (!v->failed && has_grown(v) &&
		    take_new_layers(v, why) == -1) {
			v->why = strdup(why);
			v->failed = true;
		}
		pthread_mutex_unlock(&v->mutex);
	}
	return &v->layers;
}

int
view_check_layers(const struct view *v, char why[WHY_SIZE])
{
	if (!v->failed)
		return 0;
	snprintf(why, WHY_SIZE, "%s", v->why != NULL ? v->why :
	    strerror(ENOMEM));
	return -1;
}

uint64_t
view_size(const struct view *v)
{
	return v->foreign == NULL ? parts_end(&v->header) :
	    v->foreign->file_size;
}

int
view_check_size(const struct view *v, char why[WHY_SIZE])
{
	const uint64_t wanted = view_size(v);
	struct stat st;

	if (fstat(v->fd, &st) == -1)
		return why_errno(why, NULL);
	if ((uint64_t)st.st_size == wanted ||
	    ((uint64_t)st.st_size > wanted && v->foreign == NULL &&
	    v->header.full == FORMAT_FULL_GROW))
		return 0;
	snprintf(why, WHY_SIZE, "size changed while in use: %" PRId64
	    " bytes, wanted %" PRIu64, (int64_t)st.st_size, wanted);
	return -1;
}

int
view_read(const struct view *v, void *buf, size_t n, uint64_t at,
    char why[WHY_SIZE])
{
	const ssize_t r = regular_read(v->fd, buf, n, at);

	if (r == -1)
		return why_errno(why, "read");
	if ((size_t)r == n)
		return 0;
	if (view_check_size(v, why) == 0)
		snprintf(why, WHY_SIZE, "cut short while in use");
	return -1;
}

/*
 * Behind the last layer may lie what somebody left who was killed or lost power
 * over this; nobody has it mapped, as it never counted.
 */
int
view_make_space(struct view *v, uint64_t to, char why[WHY_SIZE])
{
	const uint64_t end = parts_end(&v->header);
	char words[NUMBER_WORDS], what[64];
	int r;

	/* One that was cut short would get zeros where keys have been. */
	if (view_check_size(v, why) == -1)
		return -1;
	do
		r = ftruncate(v->fd, (off_t)end);
	while (r == -1 && errno == EINTR);
	if (r == -1)
		return why_errno(why, "cut behind the last layer");
	if (space_reserve(v->fd, end, to) == -1) {
		const int saved = errno;
		while (ftruncate(v->fd, (off_t)end) == -1 && errno == EINTR)
			;	/* else the next one does it */
		errno = saved;
		snprintf(what, sizeof(what), "full, and cannot reserve %s to "
		    "grow", number_bytes(to - end, words));
		return why_errno(why, what);
	}
	return 0;
}

int
view_add(struct view *v, const struct format_part *next, char why[WHY_SIZE])
{
	v->header.part[v->header.nparts++] = *next;
	return view_map(v, why);
}

int
view_sync(const struct view *v)
{
	for (unsigned i = 0; !STABLE_DATA_IS_ALL && i < v->layers.n; i++)
		if (stable_pages(v->fd, base_of(v, i),
		    (size_t)length_of(v, i)) == -1)
			return -1;
	return stable_data(v->fd);
}

int
view_sync_header(const struct view *v)
{
	return stable_pages(v->fd, base_of(v, 0), FORMAT_HEADER);
}

