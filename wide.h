/*
 * More room in a pipe that much goes through.
 */
#ifndef WIDE_H
#define WIDE_H

/*
 * A pipe takes 64 KiB by default, and then reader and writer run in turns; with
 * room for some more they run side by side.  Nothing happens if it is refused,
 * or fd is no pipe.
 */
void wide_pipe(int fd);

#endif
