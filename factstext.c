/*
 * The lines and their order.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "bar.h"
#include "facts.h"
#include "factslayers.h"
#include "factstext.h"
#include "number.h"
#include "output.h"
#include "report.h"
#include "screen.h"
#include "text.h"

static void
print_bar(struct screen s, double share, double mark)
{
	char text[BAR_TEXT];

	if (s.columns > 0)
		output_printf("%*s%s\n", FACTSTEXT_INDENT, "",
		    bar_text(share, mark, bar_width(s, 1, FACTSTEXT_INDENT),
		    s, text));
}

static void
print_made_for(const struct header *h)
{
	static const char *const then[] = {
		[FORMAT_FULL_WARN] = "",
		[FORMAT_FULL_STOP] = ", then it stops",
		[FORMAT_FULL_GROW] = " in all, and grows",
	};

	output_printf("made for      %" PRIu64 " keys at rate %.4g%s\n",
	    h->keys, h->rate, then[h->full]);
}

static void
print_keys(const struct facts *f)
{
	if (f->live.counted)
		output_printf("keys added    %" PRIu64 "%s\n",
		    f->all.keys_added, f->live.keys_estimated ?
		    ", an estimate" : "");
	if (isinf(f->all.keys_estimated))
		output_printf("estimated     any number of keys: all bits are "
		    "set\n");
	else
		output_printf("estimated     %.0f keys, from the fill\n",
		    f->all.keys_estimated);
}

static void
print_fill(const struct facts *f, struct screen s)
{
	output_printf("fill          %.2f %% of the bits\n",
	    100 * facts_fill(&f->all));
	print_bar(s, facts_fill(&f->all), facts_fill_wanted(&f->all));
}

static void
print_room(const struct facts *f, struct screen s)
{
	const bool grows = f->header->full == FORMAT_FULL_GROW;
	const uint64_t keys = f->all.keys_wanted;
	const uint64_t held = grows ? f->all.keys_added :
	    report_keys(f->header, &f->live);

	if (held <= keys)
		output_printf("room left     %" PRIu64 " keys (%.1f %%)%s\n",
		    keys - held, 100 * (double)(keys - held) / (double)keys,
		    grows ? ", then it grows" : "");
	else
		output_printf("room left     none: overfull by %" PRIu64
		    " keys (%.1f %%)\n", held - keys,
		    100 * (double)(held - keys) / (double)keys);
	print_bar(s, (double)held / (double)keys, -1);
}

static void
print_scheme(const struct facts *f)
{
	const struct rule *r = &f->header->rule;

	output_printf("scheme        %s", r->scheme->words);
	if (r->scheme->variant_names != NULL)
		output_printf(" (%s)", r->scheme->variant_names[r->variant]);
	if (!f->foreign)
		output_printf(", format version %d", FORMAT_VERSION);
	output_printf("\nbits          %" PRIu64, f->all.bits);
	if (!r->scheme->foreign)
		output_printf(" in %" PRIu64 " blocks", f->all.blocks);
	if (f->header->keys > 0)
		output_printf(", %.2f a key", (double)f->all.bits /
		    (double)f->all.keys_wanted);
	output_printf("\n");
}

/* A note comes from whoever made the file: nothing for the terminal to obey. */
static void
print_note(const struct header *h)
{
	size_t n;

	output_printf("note          ");
	for (size_t i = 0; i < h->note_len; i += n) {
		const char *s = h->note + i;
		n = text_utf8(s, h->note_len - i);
		if (n == 0 || text_control(s, h->note_len - i)) {
			n = 1;
			output_printf("\\x%02x", (unsigned char)*s);
		} else if (*s == '\\') {
			output_printf("\\\\");
		} else {
			output_text(s, n);
		}
	}
	output_printf("\n");
}

void
factstext_print(const struct facts *f)
{
	const struct header *h = f->header;
	const struct screen s = screen_of_terminal(STDOUT_FILENO);
	const bool planned = h->keys > 0;
	char words[NUMBER_WORDS];

	if (planned)
		print_made_for(h);
	print_keys(f);
	print_fill(f, s);
	output_printf("rate now      %.4g\n", f->all.rate_now);
	if (planned && !f->foreign)
		print_room(f, s);
	print_scheme(f);
	if (h->full == FORMAT_FULL_GROW) {
		factslayers_lines(f);
	} else {
		output_printf("probes        ");
		factslayers_probes(&h->shape);
	}
	if (h->rule.scheme->seed)
		output_printf("seed          0x%016" PRIx64 "\n",
		    h->rule.seed);
	if (h->rule.encoding != ENCODING_BYTES)
		output_printf("hashed as     %s\n",
		    encode_name(h->rule.encoding));
	output_printf("size          %s (%" PRIu64 " bytes)\n",
	    number_bytes(f->file_size, words), f->file_size);
	if (!f->foreign)
		output_printf("state         %s\n", facts_state(f));
	if (h->note_len > 0)
		print_note(h);
}
