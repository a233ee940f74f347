/*
 * Every fault has its sentence here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fault.h"

struct fault
fault_of(enum fault_kind kind, uint64_t found, uint64_t wanted)
{
	return (struct fault){ kind, NULL, found, wanted, wanted };
}

struct fault
fault_field(const char *field, uint64_t found, uint64_t min, uint64_t max)
{
	const bool ok = found >= min && found <= max;

	return (struct fault){ ok ? FAULT_NONE : FAULT_FIELD, field,
	    found, min, max };
}

struct fault
fault_first(const struct fault *faults, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (faults[i].kind != FAULT_NONE)
			return faults[i];
	return fault_of(FAULT_NONE, 0, 0);
}

const char *
fault_words(const struct fault *f, char buf[FAULT_WORDS])
{
#define SAY(...) snprintf(buf, FAULT_WORDS, __VA_ARGS__)
	switch (f->kind) {
	case FAULT_NONE:
		SAY("fine");
		break;
	case FAULT_EMPTY:
		SAY("empty file, not a bloomtool filter");
		break;
	case FAULT_MAGIC:
		SAY("not a bloomtool filter");
		break;
	case FAULT_TEXT_MODE:
		SAY("damaged by a transfer in text mode, "
		    "copy it again in binary mode");
		break;
	case FAULT_SHORT:
		SAY("cut off: %" PRIu64 " bytes, the header alone has %"
		    PRIu64, f->found, f->min);
		break;
	case FAULT_OTHER_VERSION:
		SAY("format version %" PRIu64 ", this build reads %" PRIu64,
		    f->found, f->min);
		break;
	case FAULT_FEATURES:
		SAY("needs features that this build lacks (flags 0x%" PRIx64
		    ")", f->found);
		break;
	case FAULT_OTHER_SCHEME:
		SAY("scheme %" PRIu64 ", this build reads 1 to %" PRIu64,
		    f->found, f->min);
		break;
	case FAULT_FIELD:
		if (f->min == f->max)
			SAY("header damaged: %s %" PRIu64 ", wanted %" PRIu64,
			    f->field, f->found, f->min);
		else
			SAY("header damaged: %s %" PRIu64 ", wanted %" PRIu64
			    " to %" PRIu64, f->field, f->found, f->min, f->max);
		break;
	case FAULT_UNEVEN:
		SAY("header damaged: %" PRIu64 " probes in %" PRIu64
		    " blocks a key, wanted as many in each", f->found, f->min);
		break;
	case FAULT_RATE:
		SAY("header damaged: rate is not between 0 and 1");
		break;
	case FAULT_RESERVED:
		SAY("header damaged: reserved bytes are not zero");
		break;
	case FAULT_CHECKSUM:
		SAY("header damaged: checksum does not match");
		break;
	case FAULT_LAYER:
		SAY("header damaged: the entry of layer %" PRIu64, f->found);
		break;
	case FAULT_FILE_SIZE:
		SAY("wrong size: %" PRIu64 " bytes, the header says %" PRIu64,
		    f->found, f->min);
		break;
	}
#undef SAY
	return buf;
}
