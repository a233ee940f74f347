/*
 * --wait and --network.
 */
#include "writer.h"

bool
writer_option(struct mapfile_how *how, const struct usage *u, int letter)
{
	switch (letter) {
	case 'W':
		how->network = true;
		return true;
	case 'w':
		how->wait = options_seconds(u, letter);
		return true;
	default:
		return false;
	}
}
