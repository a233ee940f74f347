/*
 * The commands, and what they return: the program's exit status.
 *
 * A new command is a file with a cmd_NAME, its prototype here, a row in the
 * table of bloomtool.c, and its name in the Makefile; then "make completions".
 */
#ifndef CMD_H
#define CMD_H

enum {
	EXIT_SELECTED = 0,	/* a key was selected, or all is done */
	EXIT_NONE = 1,		/* no key was selected */
	EXIT_TROUBLE = 2	/* anything went wrong */
};

/* argv[0] is the command's name as the user knows it: "bloomtool add". */
int cmd_add(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_create(int argc, char **argv);
int cmd_estimate(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_intersect(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_union(int argc, char **argv);

#endif
