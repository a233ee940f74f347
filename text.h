/*
 * Bytes of unknown origin, made fit to be printed.  Pure.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/*
 * The length of the UTF-8 sequence that s[0..len), len > 0, begins with; 0 if
 * that is none: overlong, a surrogate, past U+10FFFF or cut off (RFC 3629,
 * section 4).
 */
size_t text_utf8(const char *s, size_t len);

/* Does s begin with a control character, C0, DEL or C1?  s as above. */
int text_control(const char *s, size_t len);

#endif
