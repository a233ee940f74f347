/*
 * Options -> the key's place in a line.
 */
#include "keyopt.h"

bool
keyopt_take(struct key_spec *s, const struct usage *u, int letter)
{
	switch (letter) {
	case 'b':
		options_range(u, letter, &s->from, &s->to);
		return true;
	case 'i':
		s->fold = true;
		return true;
	case 'k':
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
	if (s->field != 0 && s->to != 0)
		options_wrong(u, "a key is a --field or --bytes; give one");
	if (s->delimited && s->field == 0)
		options_wrong(u, "--delimiter goes with --field");
}
