/*
 * How many files may be open at once.
 */
#ifndef NOFILE_H
#define NOFILE_H

/* From now on, as many as the system lets us. */
void nofile_raise(void);

#endif
