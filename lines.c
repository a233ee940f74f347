/*
 * The reader of keys.  read(2) into one buffer that grows for long lines: a
 * map of the input would die when somebody cuts the file, and stdio copies.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines.h"
#include "signals.h"
#include "simd.h"

/* Larger ones are no faster, and the caches like this one. */
#define CHUNK ((size_t)128 * 1024)

struct lines {
	int fd;
	uint8_t separator;
	bool terminate;
	bool ended;
	bool full;		/* the last read gave all that it could */
	uint8_t *buf;
	size_t size;
	size_t start;		/* of the first line not yet cut */
	size_t scanned;		/* no separator in start..scanned */
	size_t end;
};

struct lines *
lines_new(uint8_t separator)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->separator = separator;
	l->size = CHUNK;
	l->buf = malloc(l->size);
	if (l->buf == NULL) {
		free(l);
		return NULL;
	}
	return l;
}

void
lines_free(struct lines *l)
{
	if (l == NULL)
		return;
	free(l->buf);
	free(l);
}

void
lines_start(struct lines *l, int fd, bool terminate)
{
	l->fd = fd;
	l->terminate = terminate;
	l->ended = l->full = false;
	l->start = l->scanned = l->end = 0;
}

static void
take(struct lines *l, struct line *out, size_t at, size_t separator)
{
	*out = (struct line){ l->buf + l->start, at - l->start,
	    at - l->start + separator };
	l->start = at + separator;
}

/* Bit i: p[i] is the separator, for the 64 bytes from p on. */
typedef uint64_t find_fn(const uint8_t *p, uint8_t separator);

/*
 * The same as lines_cut but for the last bytes, by 64 at a time: a call of
 * memchr costs more than a short line does.
 */
static ALWAYS_INLINE size_t
cut_by_64(struct lines *l, struct line *out, size_t max, find_fn *find)
{
	size_t n = 0;

	for (; l->end - l->scanned >= 64; l->scanned += 64) {
		uint64_t found = find(l->buf + l->scanned, l->separator);
		for (; found != 0; found &= found - 1) {
			if (n == max) {
				l->scanned = l->start;
				return n;
			}
			const unsigned at = (unsigned)__builtin_ctzll(found);
			take(l, &out[n++], l->scanned + at, 1);
		}
	}
	return n;
}

#if HAVE_AVX2
static TARGET_AVX2 inline uint64_t
find_avx2(const uint8_t *p, uint8_t separator)
{
	const __m256i wanted = _mm256_set1_epi8((char)separator);
	const __m256i low = _mm256_loadu_si256((const __m256i *)p);
	const __m256i high = _mm256_loadu_si256((const __m256i *)p + 1);
	const uint32_t in_low = (uint32_t)_mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(low, wanted));
	const uint32_t in_high = (uint32_t)_mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(high, wanted));

	return (uint64_t)in_high << 32 | in_low;
}

static TARGET_AVX2 size_t
cut_simd(struct lines *l, struct line *out, size_t max)
{
	return cut_by_64(l, out, max, find_avx2);
}
#elif HAVE_NEON
/*
 * Each byte that matches keeps one bit, another one for each of eight; adding
 * neighbours three times then packs these eight into a byte.
 */
static inline uint64_t
find_neon(const uint8_t *p, uint8_t separator)
{
	static const uint8_t bit[16] = { 1, 2, 4, 8, 16, 32, 64, 128,
	    1, 2, 4, 8, 16, 32, 64, 128 };
	const uint8x16_t bits = vld1q_u8(bit);
	const uint8x16_t wanted = vdupq_n_u8(separator);
	uint8x16_t in[4];

	for (int i = 0; i < 4; i++)
		in[i] = vandq_u8(bits, vceqq_u8(vld1q_u8(p + 16 * i), wanted));
	const uint8x16_t sums = vpaddq_u8(vpaddq_u8(in[0], in[1]),
	    vpaddq_u8(in[2], in[3]));
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static size_t
cut_simd(struct lines *l, struct line *out, size_t max)
{
	return cut_by_64(l, out, max, find_neon);
}
#endif

size_t
lines_cut(struct lines *l, struct line *out, size_t max)
{
	size_t n = 0;

#if HAVE_AVX2 || HAVE_NEON
	if (simd_usable())
		n = cut_simd(l, out, max);
#endif
	while (n < max) {
		const uint8_t *p = memchr(l->buf + l->scanned, l->separator,
		    l->end - l->scanned);
		if (p == NULL) {
			l->scanned = l->end;
			break;
		}
		take(l, &out[n++], (size_t)(p - l->buf), 1);
		l->scanned = l->start;
	}
	if (n < max && l->ended && l->start < l->end) {
		/* There is room: the read that found the end had some. */
		if (l->terminate)
			l->buf[l->end] = l->separator;
		take(l, &out[n++], l->end, l->terminate);
	}
	return n;
}

static int
grow(struct lines *l)
{
	uint8_t *larger = realloc(l->buf, l->size * 2);

	if (larger == NULL)
		return -1;
	l->buf = larger;
	l->size *= 2;
	return 0;
}

int
lines_continue(struct lines *l, const struct lines *from)
{
	size_t at = from->end;

	while (at > 0 && from->buf[at - 1] != from->separator)
		at--;
	const size_t left = from->end - at;
	while (l->size < left)
		if (grow(l) == -1)
			return -1;
	memcpy(l->buf, from->buf + at, left);
	l->fd = from->fd;
	l->terminate = from->terminate;
	l->ended = from->ended;
	l->full = false;
	l->start = 0;
	l->scanned = l->end = left;
	return 0;
}

bool
lines_any(struct lines *l)
{
	const uint8_t *p = memchr(l->buf + l->scanned, l->separator,
	    l->end - l->scanned);

	l->scanned = p != NULL ? (size_t)(p - l->buf) : l->end;
	return p != NULL;
}

bool
lines_full(const struct lines *l)
{
	return l->full;
}

size_t
lines_left(const struct lines *l)
{
	return l->end - l->start;
}

/*
 * Room for at least one more byte, with what is left at the front.  A line of
 * LINES_MAX and its separator fit, and nothing longer is ever read whole.
 */
static int
make_room(struct lines *l)
{
	const size_t left = l->end - l->start;

	if (left > LINES_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	memmove(l->buf, l->buf + l->start, left);
	l->scanned -= l->start;
	l->start = 0;
	l->end = left;
	if (left < l->size)
		return 0;
	return grow(l);
}

enum lines_read
lines_read(struct lines *l, int timeout_ms)
{
	if (l->ended)
		return LINES_END;
	if (make_room(l) == -1)
		return LINES_FAILED;
	const size_t free = l->size - l->end;
	const size_t allowed = (size_t)LINES_MAX + 1 - l->end;
	const size_t room = free < allowed ? free : allowed;
	for (;;) {
		const int ready = signals_wait(l->fd, POLLIN, timeout_ms);
		if (ready <= 0)
			return ready == 0 ? LINES_IDLE : LINES_FAILED;
		const ssize_t n = read(l->fd, l->buf + l->end, room);
		if (n >= 0) {
			l->full = (size_t)n == room;
			l->end += (size_t)n;
			l->ended = n == 0;
			return n > 0 ? LINES_MORE : LINES_END;
		}
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			return LINES_FAILED;
	}
}
