/*
 * Writes JSON (RFC 8259).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "output.h"
#include "text.h"

static void
put_string(const char *s, size_t len)
{
	size_t n;

	output_printf("\"");
	for (size_t i = 0; i < len; i += n) {
		n = text_utf8(s + i, len - i);
		if (n == 0) {
			output_printf("\\ufffd");
			n = 1;
		} else if (s[i] == '"' || s[i] == '\\') {
			output_printf("\\%c", s[i]);
		} else if (n == 1 && text_control(s + i, len - i)) {
			output_printf("\\u%04x", (unsigned char)s[i]);
		} else {
			output_text(s + i, n);
		}
	}
	output_printf("\"");
}

static void
put_name(struct json *j, const char *name)
{
	output_printf("%s\"%s\":", j->separator, name);
	j->separator = ",";
}

void
json_open(struct json *j)
{
	output_printf("{");
	j->separator = "";
}

void
json_close(struct json *j)
{
	(void)j;
	output_printf("}\n");
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
	output_printf("%" PRIu64, x);
}

void
json_bool(struct json *j, const char *name, bool x)
{
	put_name(j, name);
	output_printf("%s", x ? "true" : "false");
}

void
json_number(struct json *j, const char *name, double x)
{
	char text[32];

	put_name(j, name);
	if (!isfinite(x)) {
		output_printf("null");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	output_printf("%s", text);
}

void
json_list_open(struct json *j, const char *name)
{
	put_name(j, name);
	output_printf("[");
	j->separator = "";
}

void
json_item_open(struct json *j)
{
	output_printf("%s{", j->separator);
	j->separator = "";
}

void
json_item_close(struct json *j)
{
	output_printf("}");
	j->separator = ",";
}

void
json_list_close(struct json *j)
{
	output_printf("]");
	j->separator = ",";
}
