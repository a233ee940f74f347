/*
 * The handler may not look for the name, so the message is made beforehand.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "cmd.h"
#include "progress.h"

struct mapped {
	struct mapped *next;
	const uint8_t *base;
	size_t size;
	size_t len;
	char message[];
};

static const char format[] = "bloomtool: %s: part of the file cannot be read "
    "or written (cut short, full or broken disk)\n";

static _Atomic(struct mapped *) all;

static const struct mapped *
find(const void *address)
{
	const uintptr_t at = (uintptr_t)address;

	for (const struct mapped *m = all; m != NULL; m = m->next)
		if (at >= (uintptr_t)m->base &&
		    at - (uintptr_t)m->base < m->size)
			return m;
	return NULL;
}

static void
on_bus_error(int sig, siginfo_t *info, void *context)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const struct mapped *m = find(info->si_addr);

	(void)context;
	if (m == NULL) {	/* none of ours: it kills, as it would have */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	while (atomic_flag_test_and_set(&said))
		pause();	/* another thread says it, and ends us */
	progress_clear();
	const ssize_t n = write(STDERR_FILENO, m->message, m->len);
	(void)n;
	_exit(EXIT_TROUBLE);
}

int
bus_catch(const char *path, const void *base, size_t size)
{
	struct sigaction sa = { .sa_sigaction = on_bus_error,
	    .sa_flags = SA_SIGINFO };
	const size_t room = sizeof(format) + strlen(path);
	struct mapped *m = malloc(sizeof(*m) + room);

	if (m == NULL)
		return -1;
	m->next = all;
	m->base = base;
	m->size = size;
	m->len = (size_t)snprintf(m->message, room, format, path);
	while (!atomic_compare_exchange_weak(&all, &m->next, m))
		continue;	/* another thread was quicker */
	return sigaction(SIGBUS, &sa, NULL);
}

void
bus_forget(const void *base)
{
	struct mapped *m = all, *before = NULL;

	for (; m != NULL && m->base != base; m = m->next)
		before = m;
	if (m == NULL)
		return;
	if (before != NULL)
		before->next = m->next;
	else
		all = m->next;
	free(m);
}
