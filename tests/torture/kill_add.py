"""kill_add.py KILLS: kill -9 an add at random times, count what is lost.

A key is acknowledged, and has to be there for ever after, if
- an add that had read it exited with 0, or
- it was written to a running add whose pipe was then seen empty and which was
  then seen asleep in ppoll (Adder.drained says why that is sound), or
- a check, run while that add was at it, found it.
"""
import sys
import time

import rig

FILTER = "f.bf"
WIDTH = 11              # bytes of a key and its newline
MOST = 10**7           # more than a fast machine takes


class Keys:
    def __init__(self):
        self.next = 0

    def take(self, n):
        first, self.next = self.next, self.next + n
        if self.next > MOST:
            raise RuntimeError("out of keys")
        return b"".join(b"k%09d\n" % i for i in range(first, self.next))


def one_round(random, keys, totals, by_check):
    """Feed an add until its time has come; the acknowledged lines."""
    adder = rig.Adder("add", FILTER)
    # Into its start, or some time after it is first seen at work.
    early = random.random() < 0.2
    life = random.uniform(0, 0.004 if early else 0.006)
    until = time.monotonic() + (life if early else 1)
    # Chunk by chunk, or more of them before it has dealt with the last.
    ahead = random.choice((1, 1, 2, 5))
    acked, waiting, unsent, chunks = [], b"", b"", 0
    while time.monotonic() < until:
        if not unsent and chunks < ahead:
            unsent = keys.take(random.randint(1, random.choice((10, 2000))))
            waiting += unsent
            chunks += 1
        if unsent:
            unsent = unsent[adder.write(unsent):]
        if not unsent and adder.drained():
            if not acked and not early:
                until = time.monotonic() + life
            acked.append(waiting)
            waiting, chunks = b"", 0
    if by_check and waiting:
        seen = rig.bloomtool("check", FILTER, data=waiting).stdout
        totals["seen by check"] += len(seen) // WIDTH
        acked.append(seen)
    adder.process.kill()
    totals["in the middle of keys"] += bool(waiting)
    status, err = adder.end()
    if status != -9 or err:
        rig.fault(f"killed add: status {status}, {err}")
    return b"".join(acked)


def main():
    kills = int(sys.argv[1])
    random, seed = rig.dice()
    rig.must("create", "-q", "-n", str(MOST), "-p", "1e-9", FILTER)
    keys = Keys()
    totals = {"seen by check": 0, "in the middle of keys": 0}
    everything, lost, normal, open_before = [], 0, 0, False
    states = {}
    for i in range(kills):
        acked = one_round(random, keys, totals, i % 5 == 0)
        gone = rig.missing(FILTER, acked)
        if gone is None:
            rig.fault(f"kill {i}: check refuses")
            break
        lost += len(gone)
        everything.append(acked)
        state = rig.state_word(FILTER)
        states[state] = states.get(state, 0) + 1
        open_before = open_before or bool(acked)
        wanted = ("left open",) if open_before else ("left open", "clean")
        if state not in wanted:
            rig.fault(f"kill {i}: state {state}, wanted {wanted}")
        if i % 20 == 19:
            more = keys.take(100)
            r = rig.bloomtool("add", FILTER, data=more)
            state = rig.state_word(FILTER)
            if r.returncode != 0 or r.stderr or state != "clean":
                rig.fault(f"add after kill {i}: {r}, state {state}")
            everything.append(more)
            normal += 1
            open_before = False
    everything = b"".join(everything)
    gone = rig.missing(FILTER, everything)
    if gone is not None:
        lost += len(gone)
    if lost:
        rig.fault(f"{lost} acknowledged keys are missing")
    r = rig.bloomtool("stats", "--verify", FILTER)
    if r.returncode != 0:
        rig.fault(f"stats --verify: {r}")
    rig.say(f"{kills} kills (seed {seed}), "
            f"{totals['in the middle of keys']} of them in the middle of "
            f"keys: {len(everything) // WIDTH} keys acknowledged "
            f"({totals['seen by check']} of them seen by a check), {lost} "
            f"missing; states after: {states}; {normal} normal runs between")
    if len(everything) // WIDTH < kills * 100:
        rig.fault("too few keys acknowledged for that to mean much")
    rig.end()


main()
