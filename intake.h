/*
 * The bits of another program's filter, from its file into one of ours that is
 * being built.  What fails ends the program, with nothing left behind.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "build.h"
#include "foreign/foreign.h"
#include "source.h"

struct intake {
	const char *path;		/* "-": standard input */
	struct build *build;
	struct foreign foreign;		/* what the file is */
	struct source *source;
	uint8_t head[FOREIGN_HEAD];	/* its first bytes */
	size_t head_len;

	/* intake.c's */
	uint64_t at;			/* in the file */
	uint8_t last;			/* byte that was taken */
};

/*
 * Open the file of path and read its head.  key: of source_open.  Then the
 * caller fills in foreign, and opens the build.
 */
void intake_open(struct intake *in, const char *key);

/* The next layer of it, number k from 0 on, goes into layer k of the build. */
void intake_part(struct intake *in, unsigned k);

/*
 * See that the file ends where its filter does, and close it.  A wrong format,
 * or a file cut and joined, shows here.
 */
void intake_end(struct intake *in);

/* The file's name for messages, and one that ends the program. */
const char *intake_name(const struct intake *in);
_Noreturn void intake_give_up(struct intake *in, const char *why);

#endif
