/*
 * Page 1 of a filter file, struct format_live of format.h, as bytes: made anew,
 * and checked when it comes from outside.  Pure.
 */
#ifndef PAGE1_H
#define PAGE1_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "format.h"

/* Fill in the entry of layer `number`, 1 and more, with nothing in it. */
void page1_layer(const struct header *h, const struct format_part *p,
    unsigned number, struct format_layer *entry);

/*
 * Say in buf how many bits and keys the layers of the header have: keys[i] and
 * bits[i] layer i.  estimated: about so many keys.
 */
void page1_encode(const struct header *h,
    const uint64_t keys[LAYERS_MAX], const uint64_t bits[LAYERS_MAX],
    bool estimated, uint8_t buf[FORMAT_HEADER]);

/*
 * Take the further layers out of the page that is at buf + FORMAT_LIVE, behind
 * the first one of *h, and check the rest, which is not kept.  features: later
 * builds may have use for what is reserved here.
 */
struct fault page1_decode(struct header *h, const uint8_t buf[FORMAT_HEADER],
    bool features);

#endif
