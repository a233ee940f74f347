/*
 * The counters in page 1: keys added and bits set, of all layers and of each.
 * Who changes them holds the batch lock.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>

#include "view.h"

/* So many went into the last layer. */
void counters_raise(struct view *v, uint64_t keys, uint64_t bits);

/* Count the bits anew, with a line of progress. */
void counters_anew(struct view *v);

/* How many keys the last layer takes until it has what it was made for. */
uint64_t counters_room(const struct view *v);

/* The share of the keys that all layers were made for; 0: not known. */
double counters_full(const struct view *v);

#endif
