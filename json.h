/*
 * JSON objects, a line each, to stdout.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	const char *separator;	/* before the next field */
};

void json_open(struct json *j);
void json_close(struct json *j);	/* and ends the line */

/* Bytes as a string; what is not UTF-8 becomes U+FFFD. */
void json_text(struct json *j, const char *name, const char *s, size_t len);
void json_count(struct json *j, const char *name, uint64_t x);
void json_bool(struct json *j, const char *name, bool x);

/* The shortest decimal that reads back as x; null if x is not finite. */
void json_number(struct json *j, const char *name, double x);

/* A list of objects: between these two, json_item begins and ends each. */
void json_list_open(struct json *j, const char *name);
void json_item_open(struct json *j);
void json_item_close(struct json *j);
void json_list_close(struct json *j);

#endif
