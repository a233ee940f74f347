#!/usr/bin/env python3
"""progress.py STEP... -- COMMAND...: run a command on a terminal of 80 columns
and in its foreground, with a pipe for its input, and do these things to it in
turn:

    in=TEXT         write to the pipe (\\n is a newline)
    eof             close it
    sees=REGEX      wait until the terminal has got this since the last "sees"
    sleep=SECONDS
    hold[=NAME]     wait until it has opened this file, or makes a new one, then
                    stop it for longer than the second after which a line is
                    due, and let it go on
    signal=NAME     such as USR1
    type=TEXT       on the terminal (^Z as \\x1a)
    stopped         wait until it is
    background      the terminal is somebody else's from now on
    foreground      it is the command's again
    columns=N
    mark            put "|" into what it wrote

Then, as without any steps, its input is closed and its end waited for.  What it
wrote to the terminal is printed, first as repr() has it, "|" where a mark was,
then as it looks in the end; its exit status is ours.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

LONGER = 1.2
SOON = 30


class Run:
    """A command on a terminal, led by a process that does its job control."""

    def __init__(self, command):
        told, self.tell = os.pipe()
        heard, hear = os.pipe()
        source, self.input = os.pipe()
        self.leader, self.terminal = pty.fork()
        if self.leader == 0:
            os.close(self.tell)
            os.close(self.input)
            lead(command, source, told, hear)
        for fd in told, hear, source:
            os.close(fd)
        self.heard = heard
        self.pid = int(os.read(heard, 20))
        self.said = b""
        self.seen = 0
        self.columns("80")
        self.ask(b"f")
        self.ask(b"g")

    def ask(self, what):
        os.write(self.tell, what)
        os.read(self.heard, 1)

    def pump(self, seconds):
        """Take what the terminal has got; False at its end."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.terminal, 4096)
        except OSError:
            return False
        self.said += part
        return bool(part)

    def pump_until(self, done, what):
        end = time.monotonic() + SOON
        while not done():
            if time.monotonic() > end or not self.pump(0.02):
                if done():
                    return
                sys.exit(f"in vain: {what}\n{self.said!r}")

    # ---- steps ----

    def eof(self):
        if self.input is not None:
            os.close(self.input)
            self.input = None

    def sees(self, regex):
        def found():
            text = self.said[self.seen:].decode()
            match = re.search(regex, text)
            if match:
                self.seen += len(text[:match.end()].encode())
            return match
        self.pump_until(found, f"sees={regex}")

    def sleep(self, seconds):
        end = time.monotonic() + float(seconds)
        while (left := end - time.monotonic()) > 0:
            self.pump(left)

    def hold(self, name=None):
        end = time.monotonic() + SOON
        while not working(self.pid, name) and time.monotonic() < end:
            if not os.path.exists(f"/proc/{self.pid}"):
                sys.exit("in vain: hold, it had ended before")
        os.kill(self.pid, signal.SIGSTOP)
        time.sleep(LONGER)
        os.kill(self.pid, signal.SIGCONT)

    def signal(self, name):
        os.kill(self.pid, getattr(signal, "SIG" + name))

    def stopped(self):
        def is_stopped():
            with open(f"/proc/{self.pid}/stat", encoding="ascii") as f:
                return f.read().rsplit(")", 1)[1].split()[0] == "T"
        self.pump_until(is_stopped, "stopped")

    def columns(self, n):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, int(n), 0, 0))

    def do(self, step):
        name, _, value = step.partition("=")
        value = value.encode().decode("unicode_escape")
        if name == "in":
            os.write(self.input, value.encode())
        elif name == "type":
            os.write(self.terminal, value.encode())
        elif name == "mark":
            self.said += b"|"
        elif name in ("background", "foreground"):
            self.ask(name[:1].encode())
        elif value:
            getattr(self, name)(value)
        else:
            getattr(self, name)()

    def end(self):
        self.eof()
        end = time.monotonic() + SOON
        while self.pump(0.1):
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit(f"in vain: its end\n{self.said!r}")
        return os.waitstatus_to_exitcode(os.waitpid(self.leader, 0)[1])


def lead(command, source, told, hear):
    """In a session of its own: start the command when told, and say its id."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    go, start = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.read(go, 1)
        os.dup2(source, 0)
        os.closerange(3, 100)
        os.execvp(command[0], command)
    os.close(source)
    os.setpgid(pid, pid)
    os.write(hear, b"%d" % pid)
    while True:
        ready = select.select([told], [], [], 0.02)[0]
        what = os.read(told, 1) if ready else b""
        if what == b"g":
            os.write(start, b"g")
        elif what:
            os.tcsetpgrp(2, pid if what == b"f" else os.getpgrp())
        if what:
            os.write(hear, b".")
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def working(pid, wanted):
    """Is it open, or a new file, which has no name or a hidden one?"""
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except FileNotFoundError:
        return False
    for name in names:
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        if wanted:
            found = target.endswith("/" + wanted)
        else:
            found = target.endswith("(deleted)") or "/.bloomtool." in target
        if found:
            return True
    return False


def screen(text):
    """The lines as they look in the end."""
    lines, at = [""], 0
    for c in text:
        if c == "\n":
            lines.append("")
            at = 0
        elif c == "\r":
            at = 0
        else:
            lines[-1] = lines[-1][:at] + c + lines[-1][at + 1:]
            at += 1
    return [line.rstrip() for line in lines]


def main():
    steps = sys.argv[1:sys.argv.index("--")]
    run = Run(sys.argv[len(steps) + 2:])
    for step in steps:
        run.do(step)
    status = run.end()
    said = run.said.decode()
    print(repr(said))
    print(*screen(said.replace("|", "")), sep="\n")
    return status


sys.exit(main())
