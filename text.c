/*
 * A table of what UTF-8 may look like.
 */
#include "text.h"

size_t
text_utf8(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	static const struct { unsigned char from, to, low, high, n; } rows[] = {
		{ 0x00, 0x7f, 0, 0, 1 },
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (s[0] < rows[i].from || s[0] > rows[i].to)
			continue;
		if (rows[i].n > len)
			return 0;
		for (size_t j = 1; j < rows[i].n; j++) {
			const unsigned char low = j == 1 ? rows[i].low : 0x80;
			const unsigned char high = j == 1 ? rows[i].high : 0xbf;
			if (s[j] < low || s[j] > high)
				return 0;
		}
		return rows[i].n;
	}
	return 0;
}

int
text_control(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;

	return s[0] < 0x20 || s[0] == 0x7f ||
	    (len > 1 && s[0] == 0xc2 && s[1] < 0xa0);
}
