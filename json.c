/*
 * Writes JSON (RFC 8259) with stdio; errors show when stdout is checked at
 * the end.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "text.h"

static void
put_string(const char *s, size_t len)
{
	size_t n;

	putchar('"');
	for (size_t i = 0; i < len; i += n) {
		n = text_utf8(s + i, len - i);
		if (n == 0) {
			fputs("\\ufffd", stdout);
			n = 1;
		} else if (s[i] == '"' || s[i] == '\\') {
			printf("\\%c", s[i]);
		} else if (n == 1 && text_control(s + i, len - i)) {
			printf("\\u%04x", (unsigned char)s[i]);
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
