#!/usr/bin/env python3
"""progress.py HOW COMMAND...: run a command on a terminal and print what it
wrote there, as repr() has it; its exit status is ours.

The command makes a new file.  As soon as that is there it is stopped, for
longer than the second after which a progress line is due, whatever the speed
of the machine.  HOW is "foreground" or "background".
"""
import os
import pty
import signal
import sys
import time

LONGER = 1.2
SOON = 20


def working(pid):
    """Is the new file, which has no name or a hidden one, open?"""
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except FileNotFoundError:
        return False
    for name in names:
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        if target.endswith("(deleted)") or "/.bloomtool." in target:
            return True
    return False


def on_terminal(how, command):
    """In a session of its own; the command's process id goes out first."""
    pid = os.fork()
    if pid == 0:
        if how == "background":
            os.setpgid(0, 0)
        os.execvp(command[0], command)
    os.write(3, b"%d\n" % pid)
    os.close(3)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xff)


def main():
    how, command = sys.argv[1], sys.argv[2:]
    tell, told = os.pipe()
    leader, terminal = pty.fork()
    if leader == 0:
        os.dup2(told, 3)
        on_terminal(how, command)
    os.close(told)
    pid = int(os.read(tell, 20))
    end = time.monotonic() + SOON
    while not working(pid) and time.monotonic() < end:
        pass
    os.kill(pid, signal.SIGSTOP)
    time.sleep(LONGER)
    os.kill(pid, signal.SIGCONT)
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
    print(repr(said.decode()))
    return os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])


sys.exit(main())
