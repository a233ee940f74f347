"""in_use.py: a filter is cut, or grows, while a command has it mapped.

The command reads some keys, then the file gets another size, then the other
keys come, so many that each page is looked at.  It has to end with exit status
2 and one line that names the file, and what it printed has to be right up to
there; nothing may change the file's size.  Only a recover that works on a copy
ends well, and its filter takes the place of the one that was hurt.
"""
import fcntl
import os
import struct
import subprocess
import sys
import termios
import time

import rig

FIRST = b"".join(b"%d\n" % i for i in range(1000))
REST = b"".join(b"%d\n" % i for i in range(1000, 200000))
LESS = b"size changed while in use: "
# And the filter that each begins with.
COMMANDS = {"check": "full.bf", "check -v": "empty.bf", "add": "empty.bf",
            "add -v": "empty.bf", "recover -q": "unclean.bf"}


def feed(process):
    try:
        process.stdin.write(REST)
        process.stdin.close()
    except BrokenPipeError:
        pass


def judge(command, size, words, status, out, err):
    what = f"{command}, {size} bytes"
    if status != 2:
        rig.fault(f"{what}: exit status {status}")
    if not err.startswith(b"bloomtool: use.bf: ") or err.count(b"\n") != 1 or \
            words not in err:
        rig.fault(f"{what}: says {err}")
    given = FIRST + REST
    # Keys in a block that reads as zeros are not found.
    lines = set(given.splitlines()) if command == "check" and \
        words == LESS else None
    if not (given.startswith(out) if lines is None else
            lines.issuperset(out.splitlines())):
        rig.fault(f"{what}: printed what is not so")


def one(case):
    number, command, template, size, words = case
    folder = str(number)
    os.mkdir(folder)
    path = f"{folder}/use.bf"
    with open(template, "rb") as f, open(path, "wb") as g:
        g.write(f.read())
    process = subprocess.Popen(
        [rig.BLOOMTOOL, *command.split(), "use.bf"], cwd=folder,
        stdin=subprocess.PIPE, stdout=open(f"{folder}/out", "wb"),
        stderr=open(f"{folder}/err", "wb"))
    process.stdin.write(FIRST)
    process.stdin.flush()
    # What has read them has mapped the file.
    while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD,
                                         bytes(4)))[0] > 0:
        time.sleep(0.001)
    os.truncate(path, size)
    feed(process)
    status = process.wait(30)
    if command.startswith("recover") and template != "unclean.bf":
        if status != 0 or rig.missing(path, FIRST + REST) != []:
            rig.fault(f"{command}, {size} bytes: {status}")
        return
    out, err = (open(f"{folder}/{name}", "rb").read()
                for name in ("out", "err"))
    judge(command, size, words, status, out, err)
    if os.path.getsize(path) != size:
        rig.fault(f"{command}, {size} bytes: now {os.path.getsize(path)}")


def main():
    rig.must("create", "-q", "-n", "4e5", "-p", "1e-12", "empty.bf")
    rig.must("create", "-q", "--like", "empty.bf", "full.bf")
    rig.must("add", "full.bf", data=FIRST + REST)
    rig.must("create", "-q", "--like", "empty.bf", "unclean.bf")
    rig.set_marks("unclean.bf", rig.UNCLEAN)
    size = os.path.getsize("empty.bf")
    last = size // 4096 * 4096          # the last page's, and it is no whole
    if size - last < 256:
        sys.exit("the filter's last page is too short for this test")
    # A cut inside the last page gives no SIGBUS: it reads as zeros.
    sizes = [(n, b"cut short") for n in
             (0, 100, 4096, 5000, 8192, 12288, last - 4096, last)]
    sizes += [(n, LESS) for n in (size - 64, size - 1)]
    sizes += [(n, LESS + b"%d" % n) for n in
              (size + 1, size + 64, size + (1 << 20))]
    starts = [*COMMANDS.items(), ("recover -q", "empty.bf")]
    cases = [(*c, n, words) for c in starts for n, words in sizes]
    rig.in_parallel(one, [(i, *case) for i, case in enumerate(cases)])
    rig.say(f"{len(cases)} cases: {len(starts)} commands, {len(sizes)} sizes")
    rig.end()


main()
