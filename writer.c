/*
 * --wait, --no-sync and --network.
 */
#include "writer.h"

bool
writer_option(struct mapfile_how *how, const struct usage *u, int letter)
{
	switch (letter) {
	case 'N':
		how->network = true;
		return true;
	case 'w':
		how->wait = options_seconds(u, letter);
		return true;
	case 'y':
		how->no_sync = true;
		return true;
	default:
		return false;
	}
}
