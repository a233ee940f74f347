"""ending.py TEST...: signals that ask for an end, one function a test."""
import os
import signal
import subprocess
import time

import cases
import rig
from hold_lock import hold

FILTER = "f.bf"
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def create(most="1e6"):
    if os.path.exists(FILTER):
        os.unlink(FILTER)
    rig.must("create", "-q", "-n", most, "-p", "1e-9", FILTER)


def keys(first, n):
    return b"".join(b"%d\n" % i for i in range(first, first + n))


def wait_for(what, why, seconds=10):
    until = time.monotonic() + seconds
    while not what():
        if time.monotonic() > until:
            raise RuntimeError(f"waited in vain for {why}")
        time.sleep(0.001)


def asleep_in(pid, word):
    with open(f"/proc/{pid}/wchan") as f:
        return word in f.read()


def end_soon(process, seconds=2):
    """Its status, and how long that took; None if it goes on."""
    start = time.monotonic()
    try:
        return process.wait(seconds), time.monotonic() - start
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None, seconds


def random_times():
    """At any time: the batch ends, all is synced, the file is clean."""
    random, seed = rig.dice()
    create("1e7")       # more than a fast machine takes
    rounds, acked_keys, next_key = 40, 0, 0
    for sig in ASKING:
        for i in range(rounds):
            adder = rig.Adder("add", FILTER)
            acked, waiting = b"", b""
            early = random.random() < 0.2       # into its start
            life = random.uniform(0, 0.006)
            until = time.monotonic() + (life if early else 1)
            while time.monotonic() < until:
                if not waiting:
                    waiting = keys(next_key, random.randint(1, 3000))
                    next_key += 3000
                    adder.write(waiting)
                if adder.drained():
                    if not acked and not early:
                        until = time.monotonic() + life
                    acked, waiting = acked + waiting, b""
            os.kill(adder.pid, sig)
            status, err = adder.end()
            if status != -sig or err:
                rig.fault(f"{sig.name}: status {status}, {err}")
            state = rig.state_word(FILTER)
            if state != "clean":
                rig.fault(f"{sig.name}: state {state}")
            gone = rig.missing(FILTER, acked)
            if gone != []:
                rig.fault(f"{sig.name}: keys are missing")
            acked_keys += acked.count(b"\n")
    rig.say(f"{rounds} each of {', '.join(s.name for s in ASKING)} (seed "
            f"{seed}): {acked_keys} keys acknowledged")
    if acked_keys < 1000:
        rig.fault("too few keys acknowledged for that to mean much")


def in_a_shell():
    """The shell sees 128 and the signal's number."""
    for sig in ASKING:
        create()
        p = subprocess.Popen(["sh", "-c", "bloomtool add f.bf; echo $?"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        p.stdin.write(b"key\n")
        p.stdin.flush()
        wait_for(lambda: rig.missing(FILTER, b"key\n") == [], "the key")
        with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
            child = int(f.read().split()[0])
        os.kill(child, sig)
        out, _ = p.communicate(timeout=10)
        if out != b"%d\n" % (128 + sig):
            rig.fault(f"{sig.name}: the shell saw {out}")
        if rig.state_word(FILTER) != "clean":
            rig.fault(f"{sig.name}: not clean")


def twice(mixed=False):
    """The second one ends it at once."""
    longest, pairs = 0, 0
    for first in ASKING:
        for second in ASKING:
            if (first != second) != mixed:
                continue
            create()
            pairs += 1
            if os.path.exists("syncing"):
                os.unlink("syncing")
            # It will be busy syncing for 20 seconds.
            adder = rig.Adder("add", FILTER, env={
                **os.environ, "LD_PRELOAD": os.environ["SHIM"],
                "SLOW_SYNC": os.path.abspath("syncing")})
            data = keys(0, 5000)
            adder.write(data)
            adder.wait_drained()
            os.kill(adder.pid, first)
            wait_for(lambda: os.path.exists("syncing"), "the sync")
            if adder.process.poll() is not None:
                rig.fault(f"{first.name}: did not sync before it died")
                continue
            os.kill(adder.pid, second)
            status, took = end_soon(adder.process)
            longest = max(longest, took)
            if status != -second:
                rig.fault(f"{first.name}, then {second.name}: " +
                          ("goes on" if status is None else
                           f"status {status}"))
            if rig.missing(FILTER, data) != []:
                rig.fault(f"{first.name}, {second.name}: keys are missing")
            if rig.state_word(FILTER) != "left open":
                rig.fault(f"{first.name}, {second.name}: clean without sync")
    rig.say(f"{pairs} pairs of signals: dead at most {longest * 1000:.0f} ms "
            "after the second")


def twice_mixed():
    twice(mixed=True)


def full_pipe():
    """add -v before a pipe that nobody reads: no line is lost."""
    longest = 0
    for sig in ASKING:
        create()
        with open("lines", "wb") as f:
            f.write(keys(0, 50000))
        read, write = os.pipe()
        with open("lines", "rb") as f:
            p = subprocess.Popen([rig.BLOOMTOOL, "add", "-v", FILTER],
                                 stdin=f, stdout=write)
        os.close(write)
        wait_for(lambda: rig.asleep_in_poll(p.pid), "the pipe to fill")
        os.kill(p.pid, sig)
        status, took = end_soon(p)
        longest = max(longest, took)
        with os.fdopen(read, "rb") as f:
            first = cases.whole_lines(f.read())
        if status != -sig:
            rig.fault(f"{sig.name}: status {status}")
        if rig.state_word(FILTER) != "clean":
            rig.fault(f"{sig.name}: not clean")
        with open("lines", "rb") as f:
            again = rig.must("add", "-v", FILTER, data=f.read())
        second = cases.whole_lines(again.stdout)
        if first + second != cases.whole_lines(keys(0, 50000)):
            rig.fault(f"{sig.name}: {len(first)} lines, then {len(second)} "
                      "are not the 50000")
    rig.say(f"full pipe: dead at most {longest * 1000:.0f} ms after the "
            "signal, no line lost or repeated")


def waiting_for_a_lock():
    for sig in ASKING:
        for byte in 0, 1:
            create()
            holder = hold(FILTER, byte, "alone")
            adder = rig.Adder("add", FILTER)
            adder.write(b"key\n")
            wait_for(lambda: asleep_in(adder.pid, "setlk"), "a lock")
            os.kill(adder.pid, sig)
            status, _ = end_soon(adder.process)
            if status != -sig:
                rig.fault(f"{sig.name}, lock {byte}: status {status}")
            holder.kill()
            holder.wait()
            if rig.state_word(FILTER) != "clean":
                rig.fault(f"{sig.name}, lock {byte}: not clean")


def recover():
    """Asked in the middle of its keys: the mark stays."""
    for sig in ASKING:
        create()
        rig.must("add", FILTER, data=keys(0, 1000))
        rig.set_marks(FILTER, rig.SYNC_FAILED)
        adder = rig.Adder("recover", FILTER)
        adder.write(keys(0, 100))
        adder.wait_drained()
        os.kill(adder.pid, sig)
        status, err = adder.end()
        if status != -sig or err:
            rig.fault(f"{sig.name}: status {status}, {err}")
        if rig.state_word(FILTER) != "sync failed":
            rig.fault(f"{sig.name}: the mark is gone")
        rig.must("recover", FILTER, data=keys(0, 1000))
        if rig.missing(FILTER, keys(0, 1000)) != []:
            rig.fault(f"{sig.name}: keys are missing")


def ignored():
    """Under nohup a SIGHUP changes nothing."""
    create()
    p = subprocess.Popen(["nohup", rig.BLOOMTOOL, "add", FILTER],
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    p.stdin.write(b"before\n")
    p.stdin.flush()
    wait_for(lambda: rig.missing(FILTER, b"before\n") == [],
             "the key before the signal")
    os.kill(p.pid, signal.SIGHUP)
    time.sleep(0.05)
    if p.poll() is not None:
        raise RuntimeError(f"it ended: {p.returncode}")
    p.stdin.write(b"after\n")
    p.stdin.flush()
    wait_for(lambda: rig.missing(FILTER, b"after\n") == [],
             "the key after it")
    p.stdin.close()
    if p.wait(10) != 0 or rig.state_word(FILTER) != "clean":
        rig.fault("not ended well under nohup")


rig.run_tests(globals())
