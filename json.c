/*
 * Writes JSON (RFC 8259) with stdio; errors show when stdout is checked at
 * the end.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/*
 * The length of the UTF-8 sequence at s (RFC 3629, section 4), 0 if it is
 * none: overlong, a surrogate, past U+10FFFF or cut off.
 */
static size_t
utf8_len(const unsigned char *s, size_t len)
{
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

static void
put_string(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	putchar('"');
	for (size_t i = 0; i < len; i += n) {
		n = utf8_len(s + i, len - i);
		if (n == 0) {
			fputs("\\ufffd", stdout);
			n = 1;
		} else if (s[i] == '"' || s[i] == '\\') {
			printf("\\%c", s[i]);
		} else if (s[i] < 0x20 || s[i] == 0x7f) {
			printf("\\u%04x", s[i]);
		} else {
			fwrite(s + i, 1, n, stdout);
		}
	}
	putchar('"');
}

static void
put_name(struct json *j, const char *name)
{
	printf("%s\"%s\":", j->separator, name);
	j->separator = ",";
}

void
json_open(struct json *j)
{
	putchar('{');
	j->separator = "";
}

void
json_close(struct json *j)
{
	(void)j;
	puts("}");
}

void
json_text(struct json *j, const char *name, const char *s, size_t len)
{
	put_name(j, name);
	put_string(s, len);
}

void
json_count(struct json *j, const char *name, uint64_t x)
{
	put_name(j, name);
	printf("%" PRIu64, x);
}

void
json_number(struct json *j, const char *name, double x)
{
	char text[32];

	put_name(j, name);
	if (!isfinite(x)) {
		fputs("null", stdout);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	fputs(text, stdout);
}

void
json_list_open(struct json *j, const char *name)
{
	put_name(j, name);
	putchar('[');
	j->separator = "";
}

void
json_item_open(struct json *j)
{
	printf("%s{", j->separator);
	j->separator = "";
}

void
json_item_close(struct json *j)
{
	putchar('}');
	j->separator = ",";
}

void
json_list_close(struct json *j)
{
	putchar(']');
	j->separator = ",";
}
