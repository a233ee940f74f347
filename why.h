/*
 * Why something failed, in words: what functions that talk to the system leave
 * in why[WHY_SIZE], to stand after the file's name in a message.
 */
#ifndef WHY_H
#define WHY_H

#define WHY_SIZE 256

/* errno in words, after "what: " unless that is NULL.  Returns -1. */
int why_errno(char why[WHY_SIZE], const char *what);

#endif
