"""sharing.py TEST...: several processes on one filter, one function a test."""
import os
import pty
import random
import subprocess
import threading
import time
import tty

import rig
from hold_lock import hold

FILTER = "f.bf"


def create(keys="2e6", rate="1e-12", path=FILTER):
    if os.path.exists(path):
        os.unlink(path)
    rig.must("create", "-q", "-n", keys, "-p", rate, "--seed", "1", path)


def numbers(first, end):
    return b"".join(b"%d\n" % i for i in range(first, end))


def cut(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


# ---- 4 x 250,000 ----

def add_by(feed, data, results):
    p = subprocess.Popen([rig.BLOOMTOOL, "add", "-c", FILTER],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    feed(p.stdin, data)
    p.stdin.close()
    results.append((p.stdout.read(), p.wait()))


def in_large_writes(pipe, data):
    pipe.write(data)


def in_small_writes(pipe, data):
    for part in cut(data, 3000):
        pipe.write(part)
        pipe.flush()


def in_odd_writes(pipe, data):
    dice = random.Random(len(data))
    at = 0
    while at < len(data):
        n = dice.choice((1, 50, 4096, 20000))
        pipe.write(data[at:at + n])
        pipe.flush()
        at += n


def same_bits():
    # 200,000 of its own for each, and 50,000 that all of them have.
    common = numbers(0, 50000)
    parts = [numbers(200000 * i + 1000000, 200000 * i + 1200000)
             for i in range(4)]
    create("1e6", "1e-6", "one.bf")
    for i, part in enumerate(parts):
        rig.must("add", "one.bf", data=part + common)
    wanted = rig.bits("one.bf")
    for feed in in_large_writes, in_small_writes, in_odd_writes:
        create("1e6", "1e-6")
        results = []
        threads = [threading.Thread(target=add_by, args=(
            feed, common + part if i % 2 else part + common, results))
            for i, part in enumerate(parts)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        fresh = sum(int(out) for out, _ in results)
        live, now = rig.live(FILTER), rig.bits(FILTER)
        ones = int.from_bytes(now, "little").bit_count()
        how = feed.__name__.replace("_", " ")
        if any(status != 0 for _, status in results):
            rig.fault(f"{how}: {results}")
        if now != wanted:
            rig.fault(f"{how}: other bits than one process sets")
        if live["bits_set"] != ones:
            rig.fault(f"{how}: {live['bits_set']} bits counted, {ones} set")
        if live["keys_added"] != fresh:
            rig.fault(f"{how}: {live['keys_added']} keys counted, {fresh} "
                      "reported as new")
        if live["state"] != rig.CLEAN:
            rig.fault(f"{how}: not clean")
        rig.say(f"4 x 250,000 keys {how}: {ones} bits, counted "
                f"{live['bits_set']}; {fresh} new, counted "
                f"{live['keys_added']}")


# ---- the same keys through add -v ----

def count_once(outputs, n, how):
    """Each of the n keys exactly once over all outputs; did they meet?"""
    times = bytearray(n)
    shares = []
    for out in outputs:
        lines = out.split(b"\n")[:-1]
        shares.append(len(lines))
        for line in lines:
            times[int(line)] += 1
    never, more = times.count(0), n - times.count(0) - times.count(1)
    if never or more:
        rig.fault(f"{how}: {never} keys never, {more} more than once")
    rig.say(f"{how}: {n - never - more} of {n} keys exactly once, "
            f"{' + '.join(map(str, shares))}")
    return max(shares) < n


def until_they_meet(run):
    """On a busy machine one may be done before the others have begun."""
    for _ in range(3):
        if run():
            return
    rig.fault("three times one of them had all")


def read_slowly(pipe, sink):
    dice = random.Random(pipe.fileno())
    while True:
        data = os.read(pipe.fileno(), dice.choice((700, 4096, 9000)))
        if not data:
            break
        sink.append(data)
        time.sleep(0.0003)
    pipe.close()


def print_each(processes, n, slowly, there=False):
    """there: the filter is, and need not be made."""
    if not there:
        create()
    outs = [open(f"out{i}", "wb") for i in range(processes)]
    running = []
    for out in outs:
        with open("keys", "rb") as f:
            running.append(subprocess.Popen(
                [rig.BLOOMTOOL, "add", "-v", FILTER], stdin=f,
                stdout=subprocess.PIPE if slowly else out))
    sinks = [[] for _ in running]
    if slowly:
        readers = [threading.Thread(target=read_slowly, args=(p.stdout, sink))
                   for p, sink in zip(running, sinks)]
        for t in readers:
            t.start()
        for t in readers:
            t.join()
    if any([p.wait() != 0 for p in running]):
        rig.fault(f"{processes} processes: not all exit 0")
    printed = []
    for out, sink in zip(outs, sinks):
        out.close()
        with open(out.name, "rb") as f:
            printed.append(b"".join(sink) + f.read())
    return count_once(printed, n, f"{processes} x add -v" +
                      (" into slow pipes" if slowly else ""))


def once(slowly=False):
    n = 1000000
    with open("keys", "wb") as f:
        f.write(numbers(0, n))
    for processes in (2, 4, 8) if not slowly else (4,):
        until_they_meet(lambda: print_each(processes, n, slowly))


def once_slowly():
    once(slowly=True)


def in_lockstep():
    """All get the same chunk at the same time, the next when all are done."""
    n, processes = 200000, 4
    create()
    outs = [open(f"out{i}", "wb") for i in range(processes)]
    adders = [rig.Adder("add", "-v", FILTER, stdout=out) for out in outs]
    for chunk in cut(numbers(0, n), 1700):
        for a in adders:
            a.write(chunk)
        for a in adders:
            a.wait_drained()
    for a in adders:
        status, err = a.end()
        if status != 0 or err:
            rig.fault(f"status {status}, {err}")
    printed = []
    for out in outs:
        out.close()
        with open(out.name, "rb") as f:
            printed.append(f.read())
    return count_once(printed, n, f"{processes} x add -v in lockstep")


def lockstep():
    until_they_meet(in_lockstep)


# ---- readers beside writers ----

class Acknowledged:
    """Keys of adds that exited with 0."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = []

    def put(self, data):
        with self.lock:
            self.runs.append(data)

    def some(self):
        """The newest, and a few of before."""
        with self.lock:
            if not self.runs:
                return b""
            return b"".join([self.runs[-1], *random.sample(
                self.runs, min(3, len(self.runs)))])


def write_on(number, acked, until):
    n = number * 10000000
    while time.monotonic() < until:
        data = numbers(n, n + 500)
        n += 500
        # Nothing to wait for but its end.
        r = subprocess.run([rig.BLOOMTOOL, "add", FILTER], input=data)
        if r.returncode != 0:
            rig.fault(f"add: {r.returncode}")
        acked.put(data)


def check_on(acked, until, totals):
    """A new check each time."""
    while time.monotonic() < until:
        data = acked.some()
        gone = rig.missing(FILTER, data)
        totals["checks"] += 1
        totals["keys"] += data.count(b"\n")
        totals["misses"] += 1 if gone is None else len(gone)


def keep_checking(acked, until, totals):
    """One check that was there before all the keys."""
    p = subprocess.Popen([rig.BLOOMTOOL, "check", "-v", FILTER],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while time.monotonic() < until:
        data = acked.some()
        p.stdin.write(data + b"never added\n")
        p.stdin.flush()
        for line in p.stdout:
            if line == b"never added\n":
                break
            totals["misses"] += 1
        totals["checks"] += 1
        totals["keys"] += data.count(b"\n")
    p.stdin.close()
    p.wait()


def readers():
    create("4e6", "1e-9")
    acked = Acknowledged()
    until = time.monotonic() + 10
    totals = [{"checks": 0, "keys": 0, "misses": 0} for _ in range(2)]
    threads = [
        threading.Thread(target=write_on, args=(1, acked, until)),
        threading.Thread(target=write_on, args=(2, acked, until)),
        threading.Thread(target=check_on, args=(acked, until, totals[0])),
        threading.Thread(target=keep_checking,
                         args=(acked, until, totals[1])),
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    rig.say(f"10 s beside 2 writers ({len(acked.runs)} runs of add): new "
            f"checks {totals[0]}, one long check {totals[1]}")
    for t in totals:
        if t["misses"]:
            rig.fault(f"{t['misses']} acknowledged keys missed")
        if t["keys"] < 10000:
            rig.fault("too few keys checked for that to mean much")


# ---- many grow one filter ----

def grow_on(number, acked):
    """Adds that follow each other."""
    n = number * 100000
    for i in range(8):
        data = numbers(n + i * 500, n + i * 500 + 500)
        r = rig.bloomtool("add", FILTER, data=data)
        if r.returncode != 0 or r.stderr:
            rig.fault(f"add: {r}")
        acked.put(data)


def look_on(command, acked, done, totals):
    """New checks, or stats, for as long as somebody adds."""
    while not done.is_set():
        data = acked.some()
        r = rig.bloomtool(*command, FILTER, data=data)
        if r.returncode not in (0, 1) or r.stderr:
            rig.fault(f"{command}: {r.returncode} {r.stderr}")
        elif command[0] == "check":
            totals["keys"] += data.count(b"\n")
            totals["misses"] += r.stdout.count(b"\n")


def grow_together():
    """From room for one key to 32,000, by 8 at once, before readers."""
    if os.path.exists(FILTER):
        os.unlink(FILTER)
    rig.must("create", "-q", "-n", "1", "--grow", "-p", "1e-9", FILTER)
    acked, done = Acknowledged(), threading.Event()
    totals = [{"keys": 0, "misses": 0} for _ in range(3)]
    looks = [threading.Thread(target=look_on, args=(c, acked, done, t))
             for c, t in zip((["check", "-v"], ["check", "-v", "-j2"],
                              ["stats", "--check", "--verify"]), totals)]
    adds = [threading.Thread(target=grow_on, args=(i, acked))
            for i in range(8)]
    for t in looks + adds:
        t.start()
    for t in adds:
        t.join()
    done.set()
    for t in looks:
        t.join()
    for t in totals:
        if t["misses"]:
            rig.fault(f"{t['misses']} acknowledged keys missed")
    if rig.missing(FILTER, b"".join(acked.runs)) != []:
        rig.fault("keys are missing in the end")
    if rig.live(FILTER)["keys_added"] != 32000:
        rig.fault(f"{rig.live(FILTER)['keys_added']} keys counted")
    return sum(t["keys"] for t in totals)


def growing():
    rounds = int(os.environ.get("GROWTH_ROUNDS") or 6)
    keys = sum(grow_together() for _ in range(rounds))
    rig.say(f"{rounds} times 8 adders at once grew a filter from 1 key to "
            f"32,000; {keys} keys looked for meanwhile")
    if keys < rounds * 2000:
        rig.fault("too few keys checked for that to mean much")


def growing_once():
    """What add -v of several prints of the same keys while they grow it."""
    n = 30000

    def run():
        rig.must("create", "-q", "--force", "-n", "1", "--grow", "-p", "1e-9",
                 FILTER)
        return print_each(4, n, True, there=True)
    with open("keys", "wb") as f:
        f.write(numbers(0, n))
    until_they_meet(run)


# ---- who waits for whom ----

def timed(*args, data=b"key\n"):
    start = time.monotonic()
    r = rig.bloomtool(*args, data=data, timeout=20)
    return r, time.monotonic() - start


def stopped_holder():
    create("1e4", "0.01")
    rows = [
        # whom the holder stops; none has the batch lock (1) alone but adds
        (1, "alone", [["add"], ["add", "-v"], ["add", "-c"]]),
        (0, "alone", [["add"], ["add", "-v"], ["add", "-c"], ["recover"]]),
        (0, "shared", [["recover"]]),
    ]
    longest = shortest = at_once = None
    for byte, how, commands in rows:
        holder = hold(FILTER, byte, how)
        for command in commands:
            for wait in "1", "0", "0.25":
                r, took = timed(*command, "--wait", wait, FILTER)
                what = f"{command} --wait {wait}, byte {byte} {how}"
                line = f"bloomtool: {FILTER}: locked by another process, " \
                    f"gave up after {wait} seconds\n".encode()
                if r.returncode != 2 or r.stderr != line or r.stdout:
                    rig.fault(f"{what}: {r}")
                if not float(wait) <= took <= float(wait) + 0.5:
                    rig.fault(f"{what}: gave up after {took:.2f} s")
                if wait == "1":
                    longest = max(longest or 0, took)
                    shortest = min(shortest or 9, took)
                if wait == "0":
                    at_once = max(at_once or 0, took)
        for args in ["check", FILTER], ["stats", FILTER]:
            r, took = timed(*args)
            if r.returncode == 2 or took > 0.5:
                rig.fault(f"{args} beside byte {byte} {how}: {r}")
        if (byte, how) == (0, "shared"):
            r, took = timed("add", "--wait", "1", FILTER)
            if r.returncode != 0:
                rig.fault(f"add beside another writer: {r}")
        holder.kill()
        holder.wait()
    rig.say(f"a stopped holder: --wait 1 gives up after {shortest:.2f} to "
            f"{longest:.2f} s, --wait 0 after {at_once:.3f} s")
    if rig.bloomtool("check", "-q", FILTER, data=b"key\n").returncode != 0:
        rig.fault("the key is not in")


def killed_holder():
    """Who waits gets on as soon as the holder dies."""
    create("1e4", "0.01")
    for byte in 0, 1:
        for more in [], ["--wait", "10"]:
            holder = hold(FILTER, byte, "alone")
            adder = rig.Adder("add", *more, FILTER)
            adder.write(b"key\n")
            adder.close()
            time.sleep(0.2)
            if adder.process.poll() is not None:
                rig.fault(f"byte {byte} {more}: did not wait")
            holder.kill()
            start = time.monotonic()
            status, err = adder.end()
            took = time.monotonic() - start
            holder.wait()
            if status != 0 or err or took > 0.5:
                rig.fault(f"byte {byte} {more}: {status} {err} {took}")


def stopped_terminal():
    """A terminal at ^S holds nobody else up, as a full pipe does not."""
    create("1e6", "1e-9")
    with open("keys", "wb") as f:
        f.write(numbers(0, 100000))
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    with open("keys", "rb") as f:
        p = subprocess.Popen([rig.BLOOMTOOL, "add", "-v", FILTER], stdin=f,
                             stdout=theirs)
    time.sleep(0.5)
    if p.poll() is not None:
        rig.fault("the terminal took it all")
    r, _ = timed("add", "--wait", "2", FILTER, data=b"another\n")
    if r.returncode != 0:
        rig.fault(f"add beside it: {r.stderr.decode().strip()}")
    p.kill()
    p.wait()
    os.close(theirs)
    os.close(ours)


# ---- who is last marks it clean ----

def closers():
    create("1e5", "1e-6")
    rounds, ended = 500, 0
    for i in range(rounds):
        pair = [rig.Adder("add", FILTER) for _ in range(2)]
        for j, a in enumerate(pair):
            a.write(b"%d.%d\n" % (i, j))
        for a in pair:
            a.wait_drained()
        if rig.live(FILTER)["state"] != rig.DIRTY:
            rig.fault(f"round {i}: not dirty with two at work")
        for a in pair:
            a.close()
        if [a.end() for a in pair] != [(0, b"")] * 2:
            rig.fault(f"round {i}: not both exit 0")
        ended += rig.live(FILTER)["state"] == rig.CLEAN
    if ended != rounds:
        rig.fault(f"{rounds - ended} of {rounds} times not clean")
    keys = b"".join(b"%d.0\n%d.1\n" % (i, i) for i in range(rounds))
    if rig.missing(FILTER, keys) != []:
        rig.fault("keys are missing")
    rig.say(f"two closers at once: {ended} of {rounds} times clean")


def idle_closer():
    """One that was given nothing goes last."""
    create("1e5", "1e-6")
    idle = rig.Adder("add", FILTER)
    idle.wait_drained()
    rig.must("add", FILTER, data=b"key\n")
    status, err = idle.end()
    if status != 0 or err:
        rig.fault(f"{status}, {err}")
    state = rig.state_word(FILTER)
    if state != "clean":
        rig.fault(f"all have exited with 0, but the state is \"{state}\": "
                  "after a reboot that is \"unclean\"")


rig.run_tests(globals())
