/*
 * err(3) and warn(3) as they are, but that a progress line which may stand on
 * the terminal makes room first.  For everybody who writes to stderr.
 */
#ifndef WARN_H
#define WARN_H

#include <err.h>

#include "progress.h"

#define err(...) do { progress_clear(); err(__VA_ARGS__); } while (0)
#define errx(...) do { progress_clear(); errx(__VA_ARGS__); } while (0)
#define warn(...) do { progress_clear(); warn(__VA_ARGS__); } while (0)
#define warnx(...) do { progress_clear(); warnx(__VA_ARGS__); } while (0)

#endif
