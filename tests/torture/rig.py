"""What the drivers of the torture tests share.

A driver prints its figures as "# ..." lines on stdout, what went wrong on
stderr, and exits with 1 if anything did.
"""
import concurrent.futures
import fcntl
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import termios
import time

BLOOMTOOL = shutil.which("bloomtool")
HEADER = 8192           # bytes before the first block
LIVE = 4096             # where the second page begins
CLEAN, DIRTYING, DIRTY = 0, 1, 2
UNCLEAN, SYNC_FAILED = 1, 2
BATCH = 1024            # FEED_BATCH of feed.h

faults = []


def fault(text):
    faults.append(text)


def say(text):
    print("#", text, flush=True)


def end():
    for text in faults[:12]:
        print(text, file=sys.stderr)
    if len(faults) > 12:
        print(f"... and {len(faults) - 12} more", file=sys.stderr)
    sys.exit(1 if faults else 0)


def dice():
    """Random numbers; TORTURE_SEED plays the same ones again."""
    seed = int(os.environ.get("TORTURE_SEED") or
               int.from_bytes(os.urandom(4), "little"))
    return random.Random(seed), seed


def bloomtool(*args, data=None, timeout=60, cwd=None):
    """Run it, with these bytes or nothing on its stdin."""
    stdin = subprocess.DEVNULL if data is None else None
    return subprocess.run([BLOOMTOOL, *args], input=data, stdin=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, cwd=cwd)


def must(*args, **more):
    r = bloomtool(*args, **more)
    if r.returncode != 0:
        raise RuntimeError(f"{args}: {r.returncode}: {r.stderr.decode()}")
    return r


def state_word(path):
    return json.loads(must("stats", "--json", path).stdout)["state"]


def live(path):
    """The second page of the header; both marks in one number."""
    with open(path, "rb") as f:
        page = os.pread(f.fileno(), HEADER - LIVE, LIVE)
    word = struct.unpack("<512Q", page)
    return {"state": word[0], "marks": UNCLEAN * word[1] +
            SYNC_FAILED * word[4], "keys_added": word[8], "bits_set": word[9]}


def set_marks(path, marks):
    with open(path, "r+b") as f:
        for mark, at in ((UNCLEAN, 8), (SYNC_FAILED, 32)):
            os.pwrite(f.fileno(), struct.pack("<Q", (marks & mark) != 0),
                      LIVE + at)


def bits(path):
    with open(path, "rb") as f:
        return f.read()[HEADER:]


def missing(path, data):
    """Those of the lines that check does not find, or None if it refuses."""
    r = bloomtool("check", "-v", path, data=data)
    if r.returncode not in (0, 1):
        return None
    return r.stdout.split(b"\n")[:-1]


class Adder:
    """An add that runs, fed through a pipe."""

    def __init__(self, *args, stdout=subprocess.DEVNULL, env=None):
        self.process = subprocess.Popen(
            [BLOOMTOOL, *args], stdin=subprocess.PIPE, stdout=stdout,
            stderr=subprocess.PIPE, env=env)
        self.pid = self.process.pid
        self.pipe = self.process.stdin.fileno()
        os.set_blocking(self.pipe, False)

    def write(self, data):
        """As much as the pipe takes now; how many bytes that was."""
        try:
            return os.write(self.pipe, data)
        except (BlockingIOError, BrokenPipeError):
            return 0

    def drained(self):
        """
        Has it dealt with all that was written?  First the pipe is seen empty,
        then the process is seen asleep in ppoll.  Nothing was written in
        between, so this is the ppoll that comes after the read that emptied
        the pipe, and a plain add reads on only when every line that it has is
        in the filter.  (Of the look at the pipe alone the same cannot be
        said: the bytes may be in the process and not in the filter yet.)
        """
        left = fcntl.ioctl(self.pipe, termios.FIONREAD, bytes(4))
        return struct.unpack("i", left)[0] == 0 and asleep_in_poll(self.pid)

    def wait_drained(self, seconds=10):
        until = time.monotonic() + seconds
        while not self.drained():
            if self.process.poll() is not None:
                return False
            if time.monotonic() > until:
                raise RuntimeError("add does not come to rest")
        return True

    def close(self):
        self.process.stdin.close()

    def end(self, timeout=60):
        """Wait for its end; status, negative if a signal, and stderr."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        err = self.process.stderr.read()
        self.process.stderr.close()
        return self.process.wait(timeout), err


def asleep_in_poll(pid):
    try:
        with open(f"/proc/{pid}/wchan") as f:
            return "poll" in f.read()
    except OSError:
        return False


# ---- system calls ----

CALL = re.compile(r"^(\w+)\(")
MAIN = re.compile(r"^fcntl\(0(<[^>]*>)?, F_GETFD")


class Call:
    """The nth call of this name in a run, from 1."""

    def __init__(self, name, nth, line):
        self.name, self.nth, self.line = name, nth, line

    def __str__(self):
        return f"{self.name} {self.nth}, {self.line[:90]}"


def calls_of(trace):
    """
    The calls in strace's file trace from the start of main; what the loader
    does before is none of ours, but counts.
    """
    calls, seen, ours = [], {}, False
    with open(trace, errors="replace") as f:
        for line in f:
            m = CALL.match(line)
            if m is None:
                continue
            name = m.group(1)
            seen[name] = seen.get(name, 0) + 1
            ours = ours or MAIN.match(line)
            if ours:
                calls.append(Call(name, seen[name], line.strip()))
    if not calls:
        raise RuntimeError(f"no main in {trace}")
    return calls


def injected(trace):
    """Was anything injected?"""
    with open(trace, errors="replace") as f:
        return "(INJECTED)" in f.read()


def in_parallel(job, things):
    """job of each, as many at once as there are processors."""
    def careful(thing):
        try:
            job(thing)
        except Exception as e:
            fault(f"{' '.join(map(str, thing[1:]))}: {e!r}")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        list(pool.map(careful, things))


def run_tests(functions):
    """Those that the arguments name."""
    for name in sys.argv[1:]:
        try:
            functions[name]()
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            fault(f"{name}: {e}")
    end()
