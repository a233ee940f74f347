"""kill_unseen.py KILLS pipe|file: kill -9 "add -v", feed it the same again.

Every line has to come out whole at least once over all runs.  Those of the
batch that it was killed in may come again: at most BATCH lines a kill.  What
is in the pipe when it dies has been delivered.
"""
import os
import subprocess
import sys
import time

import rig

FILTER = "f.bf"
INPUT = "lines"
OUTPUT = "output"


def make_input(random, n):
    distinct = [b"line %d" % i for i in range(n)]
    for i in range(0, n, 5000):         # longer than PIPE_BUF
        distinct[i] += b" " + b"x" * random.randint(4000, 9000)
    with open(INPUT, "wb") as f:
        for i, line in enumerate(distinct):
            f.write(line + b"\n")
            if i % 10 == 0:             # and some again
                f.write(distinct[random.randint(0, i)] + b"\n")
    return distinct


def run_to_pipe(random, kill):
    """Whole lines that come out of one run, and its status."""
    out = []
    with open(INPUT, "rb") as f:
        p = subprocess.Popen([rig.BLOOMTOOL, "add", "-v", FILTER], stdin=f,
                             stdout=subprocess.PIPE)
    fd = p.stdout.fileno()
    # After so many bytes, and then after so much time in which nobody reads,
    # so that it is often caught with a full pipe.
    enough = random.randint(0, 60000) if kill else 1 << 62
    got = 0
    while got < enough:
        data = os.read(fd, min(8192, enough - got))
        if not data:
            break
        out.append(data)
        got += len(data)
    if kill:
        time.sleep(random.choice((0, random.uniform(0, 0.001),
                                  random.uniform(0, 0.005))))
        p.kill()
    while True:
        data = os.read(fd, 65536)
        if not data:
            break
        out.append(data)
    p.stdout.close()
    return b"".join(out).split(b"\n")[:-1], p.wait()


def run_to_file(random, kill):
    with open(INPUT, "rb") as f, open(OUTPUT, "wb") as o:
        p = subprocess.Popen([rig.BLOOMTOOL, "add", "-v", FILTER], stdin=f,
                             stdout=o)
    if kill:
        # It is at work once something has come out.
        enough = random.randint(0, 30000)
        while os.stat(OUTPUT).st_size < enough and p.poll() is None:
            pass
        time.sleep(random.choice((0, random.uniform(0, 0.0005))))
        p.kill()
    status = p.wait()
    with open(OUTPUT, "rb") as o:
        return o.read().split(b"\n")[:-1], status


def main():
    wanted_kills, kind = int(sys.argv[1]), sys.argv[2]
    run = {"pipe": run_to_pipe, "file": run_to_file}[kind]
    random, seed = rig.dice()
    kills, repeated, worst, lost, lines, passes = 0, 0, 0, 0, 0, 0
    with_repeats = 0
    while kills < wanted_kills:
        passes += 1
        distinct = make_input(random, 200000)
        if os.path.exists(FILTER):
            os.unlink(FILTER)
        rig.must("create", "-q", "-n", "4e5", "-p", "1e-12", FILTER)
        seen = set()
        done = False
        while not done:
            out, status = run(random, kills < wanted_kills)
            if status not in (0, -9):
                rig.fault(f"status {status}")
            done = status == 0
            kills += status == -9
            here = set(out)
            if len(here) != len(out):
                rig.fault(f"{len(out) - len(here)} lines twice in one run")
            again = len(here & seen)
            repeated += again
            with_repeats += again > 0
            worst = max(worst, again)
            if again > rig.BATCH:
                rig.fault(f"{again} lines again after one kill, more than "
                          f"{rig.BATCH}")
            seen |= here
        gone = len(set(distinct) - seen)
        odd = len(seen - set(distinct))
        lost += gone
        lines += len(distinct)
        if odd:
            rig.fault(f"{odd} lines came out that never went in")
        if rig.state_word(FILTER) != "clean":
            rig.fault("not clean after a normal end")
    if lost:
        rig.fault(f"{lost} lines were never printed")
    rig.say(f"{kills} kills of add -v to a {kind} (seed {seed}), {passes} "
            f"inputs of together {lines} distinct lines: {lost} lost, "
            f"{repeated} repeated after {with_repeats} of the kills, at most "
            f"{worst} after one")
    rig.end()


main()
