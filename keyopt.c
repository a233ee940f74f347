/*
 * Options -> the key's place in a line.
 */
#include "keyopt.h"

static void
only_one(const struct key_spec *s, const struct usage *u)
{
	if (s->field != 0 || s->to != 0)
		options_wrong(u, "a key is one --field or --bytes; give one");
}

bool
keyopt_take(struct key_spec *s, const struct usage *u, int letter)
{
	switch (letter) {
	case 'b':
		only_one(s, u);
		options_range(u, letter, &s->from, &s->to);
		return true;
	case 'i':
		s->fold = true;
		return true;
	case 'k':
		only_one(s, u);
		s->field = options_field(u, letter);
		return true;
	case 'r':
		s->strip_cr = true;
		return true;
	case 't':
		s->delimiter = options_byte(u, letter);
		s->delimited = true;
		return true;
	default:
		return false;
	}
}

void
keyopt_end(const struct key_spec *s, const struct usage *u)
{
	if (s->delimited && s->field == 0)
		options_wrong(u, "--delimiter goes with --field");
}
