"""latency.py MS [--tail] COMMAND...: give a command 100 lines, one after the
other, and see how long each takes to come out again; --tail: by way of a file
that tail -f follows.

Other work on the machine may hold up a line now and then, but not one of the
program's own delays, which would meet every line: 95 of the 100 have to be
there in time, in one of three rounds.
"""
import os
import random
import select
import subprocess
import sys
import time

import rig

LINES = 100


def once(args, by_tail):
    tail, out = None, subprocess.PIPE
    if by_tail:
        log = open("log", "wb", buffering=0)
        tail = subprocess.Popen(["tail", "-n", "+1", "-f", "log"], stdout=out)
    process = subprocess.Popen(args, stdin=tail.stdout if tail else out,
                               stdout=subprocess.PIPE, bufsize=0)
    into = log if tail else process.stdin
    times = []
    for i in range(LINES):
        # Also when it has gone to sleep.
        time.sleep(random.uniform(0, 0.02))
        line = b"line %d\n" % i
        start = time.monotonic()
        into.write(line)
        got = b""
        while got != line:
            if not select.select([process.stdout], [], [], 10)[0]:
                sys.exit(f"no answer to line {i} within 10 s")
            got += os.read(process.stdout.fileno(), len(line))
            if not line.startswith(got):
                sys.exit(f"line {i} came out as {got}")
        times.append((time.monotonic() - start) * 1000)
    into.close()
    if tail:
        tail.kill()
        tail.wait()
        tail.stdout.close()
    rest = process.stdout.read()
    if process.wait() != 0 or rest:
        sys.exit(f"status {process.returncode}, and at the end {rest}")
    return sorted(times)


def main():
    args = sys.argv[1:]
    limit = float(args.pop(0))
    by_tail = args[0] == "--tail"
    if by_tail:
        args.pop(0)
    for _ in range(3):
        # All lines are new each time.
        rig.must("create", "-fq", "-n", "1000", "-p", "1e-12", "f.bf")
        if args[1:-1] == ["check"]:
            rig.must("add", "f.bf", data=b"".join(
                b"line %d\n" % i for i in range(LINES)))
        times = once(args, by_tail)
        late = sum(t > limit for t in times)
        rig.say(f"{' '.join(args)}{' after tail -f' if by_tail else ''}: "
                f"median {times[LINES // 2]:.3f} ms, worst {times[-1]:.3f} ms,"
                f" {late} of {LINES} lines over {limit:g} ms")
        if late <= LINES // 20:
            return
    sys.exit(f"over {limit:g} ms, three times")


main()
