/*
 * err(3) and warn(3) as they are, but that a progress line which may stand on
 * the terminal makes room first.  For everybody who writes to stderr.
 */
#ifndef WARN_H
#define WARN_H

#include <err.h>

#include "progress.h"

#define err(...) (progress_clear(), err(__VA_ARGS__))
#define errx(...) (progress_clear(), errx(__VA_ARGS__))
#define warn(...) (progress_clear(), warn(__VA_ARGS__))
#define warnx(...) (progress_clear(), warnx(__VA_ARGS__))

#endif
