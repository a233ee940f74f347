#!/usr/bin/env python3
"""Power cuts: run bloomtool on a logged disk, then look at what cuts leave.

power.py --fs ext4 --tool ./bloomtool --blocklog ./blocklog --dir EMPTY
         [--states 250] [--seed 1] [--find]

Of a key two things are known: since when it is acknowledged (the add that read
it has exited with 0, or an endless one has synced), and since when it has been
seen (check found it).  After a cut at any time
  - a filter is there if its create had returned, and then it can be opened;
  - one that is clean has all that had been seen;
  - one that is not is unclean and refused by check, whatever is added to it,
    and is not one that the last add had left; when its loss is accepted it has
    all that had been acknowledged, or seen before the time that check names;
    recovered with the keys, it has these;
  - what a clean one knows, and add -v printed to a file, is in that file.
Prints the figures; exits with 1 if anything else was found, with 2 if the test
itself failed.  With --find it stops once a clean filter lacks a key.  To be
run by root, in a mount namespace of its own (unshare -m).
"""
import argparse
import calendar
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import time

import blocks

KEYS = 400000                   # per filter: 121 pages of blocks
FILE_SYSTEMS = {                # size, mkfs, mount options
    "ext4": (48 << 20, ["mkfs.ext4", "-q", "-F", "-E",
                        "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
                        "-J", "size=4"], "commit=1"),
    "xfs": (320 << 20, ["mkfs.xfs", "-q", "-K"], "nouuid"),
    "btrfs": (128 << 20, ["mkfs.btrfs", "-q", "-K"], "commit=1"),
}
SINCE = re.compile(r"keys added since (\S+ \S+) UTC may be missing")


def lines(keys):
    return "".join(key + "\n" for key in keys).encode()


class Tool:
    """bloomtool, as this test runs it."""

    def __init__(self, program):
        self.program = program

    def run(self, *args, keys=()):
        return subprocess.run([self.program, *map(str, args)],
                              input=lines(keys), capture_output=True)

    def __call__(self, *args, keys=(), wanted=(0,)):
        done = self.run(*args, keys=keys)
        if done.returncode not in wanted:
            raise RuntimeError(f"{args}: exit status {done.returncode}, "
                               f"{done.stderr.decode()}")
        return done.stdout

    def append(self, path, *args, keys=()):
        """What it prints goes to the end of that file."""
        with open(path, "ab") as out:
            subprocess.run([self.program, *map(str, args)], check=True,
                           input=lines(keys), stdout=out)

    def missing(self, path, keys):
        """How many of the keys check does not find."""
        return int(self("check", "-c", "-v", path, keys=keys, wanted=(0, 1)))


# ---- the life of some filters ----

class Lab:
    """A machine with a logged disk, and all filters on it."""

    def __init__(self, options):
        self.tool = Tool(options.tool)
        self.fs, self.dir = options.fs, options.dir
        self.dice = blocks.dice(options.seed, "lab")
        self.mnt = self.dir + "/mnt"
        self.filters, self.disk, self.boot = [], None, 0
        blocks.mount("none", self.dir, "tmpfs", "mode=700")
        os.mkdir(self.mnt)
        self.reboot()
        blocks.bind(self.dir + "/boot_id", "/proc/sys/kernel/random/boot_id")

    def reboot(self):
        """What bloomtool takes for another boot."""
        self.boot += 1
        with open(self.dir + "/boot_id", "w") as f:
            f.write(f"00000000-0000-4000-8000-{self.boot:012x}\n")
        for filter in self.filters:
            filter.lost = filter.left

    def mount(self, disk, where):
        blocks.mount(disk.loop.path, where, self.fs, FILE_SYSTEMS[self.fs][2])

    def make_images(self, workers):
        size, mkfs, _ = FILE_SYSTEMS[self.fs]
        new = self.dir + "/new"
        with open(new, "w") as f:
            f.truncate(size)
        subprocess.run([*mkfs, new], check=True, stdout=subprocess.DEVNULL)
        for i in range(workers):
            blocks.copy_sparse(new, f"{self.dir}/base{i}")
        os.rename(new, self.dir + "/image")

    def record(self, blocklog, workers, story):
        """Let the story happen; returns the log of it."""
        path = self.dir + "/log"
        self.make_images(workers)
        self.disk = blocks.LoggedDisk(blocklog, self.dir + "/image", path,
                                      self.dir + "/fuse")
        try:
            self.mount(self.disk, self.mnt)
            story(self)
            end = self.disk.position()
            blocks.unmount(self.mnt)
        except BaseException:
            self.disk.kill()    # and no waiting for what depends on it
            raise
        self.disk.close()
        os.truncate(path, end)
        return blocks.Log(path)


class Filter:
    """What is known of one filter, and since which position in the log."""

    def __init__(self, lab, name):
        self.lab, self.tool, self.name = lab, lab.tool, name
        self.path = f"{lab.mnt}/{name}"
        self.output = None      # where the lines go that add -v prints
        self.next = 0           # number of the next new key
        self.made = None        # where create had returned
        self.remakes = []       # (before, after) of each create --force
        self.acked = []         # (position, [key])
        self.seen = []          # (position, [key], seconds since 1970)
        self.rests = []         # [from, to]: clean, and nobody there
        self.live = 0           # so many adders are there
        self.left = False       # one of them was killed, or did not sync
        self.lost = False       # and then the machine was started anew
        lab.filters.append(self)

    def here(self):
        return self.lab.disk.position()

    def stir(self):
        """It is going to be written to."""
        if self.rests and self.rests[-1][1] is None:
            self.rests[-1][1] = self.here()

    def rest(self):
        """The last one has left: from now on it is clean."""
        if self.live == 0 and not self.lost:
            self.left = False
            self.rests.append([self.here(), None])

    def create(self, *options):
        self.stir()
        before = self.here()
        self.tool("create", "-q", "-n", KEYS, *options, self.path)
        if self.made is None:
            self.made = self.here()
        else:
            self.remakes.append((before, self.here()))
        self.rest()

    def fresh(self, n):
        first, self.next = self.next, self.next + n
        return self.keys(first, self.next)

    def keys(self, first, end):
        return [f"{self.name}-{i}" for i in range(first, end)]

    def ack(self, keys):
        self.acked.append((self.here(), keys))

    def saw(self, keys):
        now = time.time()
        self.seen.append((self.here(), keys, now))

    def add(self, n, *options):
        keys = self.fresh(n)
        self.stir()
        self.tool("add", *options, self.path, keys=keys)
        self.ack(keys)
        self.rest()

    def add_printing(self, n):
        keys = self.fresh(n)
        self.stir()
        self.tool.append(f"{self.lab.mnt}/{self.output}", "add", "-v",
                         self.path, keys=keys)
        self.ack(keys)
        self.rest()

    def recover(self, *options, keys=()):
        self.stir()
        self.tool("recover", "-q", *options, self.path, keys=keys)
        self.lost = False
        self.ack(keys)
        self.rest()

    def words(self, offset, n):
        with open(self.path, "rb") as f:
            return struct.unpack(f"<{n}Q", os.pread(f.fileno(), 8 * n, offset))

    def synced(self):
        """Has all that was added been synced?  See bloomtool(5)."""
        return self.words(4160, 1)[0] == self.words(4232, 1)[0]

    # At a position of the log:

    def _since(self, position):
        """What was before the last create --force is gone."""
        return max([0] + [after for before, after in self.remakes
                          if before < position])

    def acked_at(self, position):
        since = self._since(position)
        return [key for at, keys in self.acked if since <= at <= position
                for key in keys]

    def seen_at(self, position, before=float("inf")):
        since = self._since(position)
        return [key for at, keys, seconds in self.seen
                if since <= at <= position and seconds < before
                for key in keys]

    def rests_at(self, position):
        return any(since <= position and (until is None or position <= until)
                   for since, until in self.rests)

    def moments(self):
        return [self.made] + [at for at, *_ in self.acked + self.seen] + \
            [at for pair in self.remakes for at in pair]


class Adder:
    """An add that is fed bit by bit, and seen to work."""

    def __init__(self, filter, *options):
        self.filter, self.keys = filter, []
        self.dice = filter.lab.dice
        filter.stir()
        filter.live += 1
        output = "/dev/null" if filter.output is None else \
            f"{filter.lab.mnt}/{filter.output}"
        with open(output, "ab") as out:
            self.process = subprocess.Popen(
                [filter.tool.program, "add", *options, filter.path],
                stdin=subprocess.PIPE, stdout=out)

    def write(self, n):
        keys = self.filter.fresh(n)
        try:
            self.process.stdin.write(lines(keys))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError(f"add {self.filter.name} does not read")
        self.keys += keys
        return keys

    def wait_until(self, what):
        until = time.monotonic() + 20
        while not what():
            if time.monotonic() > until:
                raise RuntimeError(f"add {self.filter.name} does not get on")
            time.sleep(0.001)

    def feed(self, n):
        """Some keys, which then can be seen and may go to the disk."""
        f, keys = self.filter, self.write(n)
        self.wait_until(lambda: f.tool.missing(f.path, keys) == 0)
        f.saw(keys)
        if self.dice.random() < 0.5:
            blocks.start_writing(f.path,
                                 self.dice.randrange(100) * blocks.PAGE,
                                 self.dice.randrange(1, 30) * blocks.PAGE)

    def idle(self):
        """Nothing comes for a while: then it syncs."""
        self.wait_until(self.filter.synced)
        self.filter.ack(list(self.keys))

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError(f"add {self.filter.name}: exit status "
                               f"{self.process.returncode}")
        self.filter.ack(list(self.keys))
        self.filter.live -= 1
        self.filter.rest()

    def kill(self):
        """Some more keys, killed when a part of them may be in."""
        f, keys = self.filter, self.write(1000)
        time.sleep(self.dice.random() * 0.002)
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        f.live -= 1
        f.left = True
        f.saw(f.tool("check", f.path, keys=keys, wanted=(0, 1))
              .decode().split())


def short_adds(short, unseen):
    for n in (1, 30, 2000):
        short.add(n)
        unseen.add(n, "-v")


def concurrent_adds(shared, unseen, idle):
    """Several at once on one filter, ending one after the other."""
    dice = shared.lab.dice
    adders = [Adder(shared), Adder(shared, "-v"), Adder(shared),
              Adder(unseen, "-v")]
    for _ in range(2):
        dice.shuffle(adders)
        for adder in adders:
            adder.feed(dice.choice((3, 100, 1000)))
    if idle:
        for adder in adders:
            adder.idle()
        adders[0].feed(100)
    shared.add(50)
    while adders:
        adders.pop().end()
        if adders:
            adders[-1].feed(20)


def printing_adds(printed, idle):
    """Whose lines go into a file."""
    printed.add_printing(200)
    adder = Adder(printed, "-v")
    adder.feed(300)
    if idle:
        adder.idle()
        adder.feed(20)
    adder.end()


def killed_adds(killed, dice):
    """Killed ones, then one that ends and answers for all; or none."""
    if killed.tool.run("check", "-q", killed.path).returncode == 2:
        killed.recover("--accept")
    for options in ((), ("-v",)):
        adder = Adder(killed, *options)
        adder.feed(dice.choice((5, 500)))
        adder.kill()
    if dice.random() < 0.7:
        killed.add(20)


def growing_adds(grown, dice):
    """Small at first: each of these puts layers on top, or may."""
    grown.add(dice.choice((5, 300, 2000)))
    killed_adds(grown, dice)


def unsynced_adds(lazy):
    keys = lazy.fresh(500)
    lazy.stir()
    lazy.tool("add", "--no-sync", lazy.path, keys=keys)
    lazy.left = True
    lazy.saw(keys)
    lazy.add(10)
    lazy.ack(keys)


def power_loss(lab, fed, accepted):
    """Left dirty, met again after another start, and recovered."""
    left = {}
    for filter in (fed, accepted):
        adder = left[filter] = Adder(filter)
        adder.feed(300)
        adder.kill()
    lab.reboot()
    for filter in left:
        for _ in range(2):
            lab.tool("check", "-q", filter.path, wanted=(2,))
            filter.add(10)      # it warns, and the file stays unclean
    fed.recover(keys=left[fed].keys)
    accepted.recover("--accept")


def story(lab):
    short, unseen, shared, killed, lazy, fed, accepted, remade = (
        Filter(lab, name) for name in
        ("short", "unseen", "shared", "killed", "lazy", "fed", "accepted",
         "remade"))
    for filter in lab.filters:
        filter.create()
    printed = Filter(lab, "printed")
    printed.output = "printed.lines"
    open(f"{lab.mnt}/{printed.output}", "x").close()
    printed.create()            # syncs the folder too
    grown = Filter(lab, "grown")
    grown.create("-n", 20, "--grow")
    for i in range(6):
        new = Filter(lab, f"new{i}")
        new.create()
        new.add(100)
        short_adds(short, unseen)
        concurrent_adds(shared, unseen, idle=i % 3 == 1)
        printing_adds(printed, idle=i % 2 == 1)
        killed_adds(killed, lab.dice)
        growing_adds(grown, lab.dice)
        unsynced_adds(lazy)
        remade.add(100)
        remade.create("--force")
        remade.add(10)
        power_loss(lab, fed, accepted)


# ---- after the cut ----

class Findings:
    """Figures, and what is wrong."""

    def __init__(self):
        self.wrong = []
        self.figures = dict.fromkeys(
            ("states", "clean", "unclean", "absent", "keys", "missing"), 0)

    def count(self, **what):
        for name, n in what.items():
            self.figures[name] += n

    def add(self, other):
        self.count(**other.figures)
        self.wrong += other.wrong


class Look:
    """At one filter in one state of the disk."""

    def __init__(self, filter, where, position, dice, findings):
        self.filter, self.tool = filter, filter.tool
        self.path = f"{where}/{filter.name}"
        self.position, self.dice, self.findings = position, dice, findings

    def wrong(self, text):
        self.findings.wrong.append((self.position, self.filter.name, text))

    def stats(self):
        """Its state, and what --verify does not like."""
        done = self.tool.run("stats", "--json", "--verify", self.path)
        complaint = done.stderr.decode() if done.returncode != 0 else None
        try:
            return json.loads(done.stdout)["state"], complaint
        except ValueError:
            return "unreadable", complaint

    def keys_are_in(self, keys):
        missing = self.tool.missing(self.path, keys)
        self.findings.count(keys=len(keys), missing=missing)
        return missing == 0 or self.wrong(f"lacks {missing} of {len(keys)} "
                                          "keys")

    def clean(self, complaint):
        self.findings.count(clean=1)
        if complaint is not None:
            self.wrong(f"clean, but: {complaint.strip()}")
        if not self.keys_are_in(self.filter.acked_at(self.position) +
                                self.filter.seen_at(self.position)):
            self.wrong("and yet it is clean")
        if self.filter.output is not None:
            self.output_is_there()

    def output_is_there(self):
        keys = self.filter.keys(0, self.filter.next)
        known = self.tool("check", self.path, keys=keys, wanted=(0, 1))
        with open(f"{os.path.dirname(self.path)}/{self.filter.output}",
                  "rb") as f:
            lost = set(known.splitlines()) - set(f.read().splitlines())
        if lost:
            self.wrong(f"knows {len(lost)} lines that the file it printed "
                       "them to has lost")

    def refused(self):
        """Since when keys are missing, as check says."""
        done = self.tool.run("check", "-q", self.path)
        since = SINCE.search(done.stderr.decode())
        if done.returncode != 2 or self.path.encode() not in done.stderr:
            self.wrong("unclean, and check does not say so")
        if since is None:
            return 0
        return calendar.timegm(time.strptime(since[1], "%Y-%m-%d %H:%M:%S"))

    def unclean(self):
        self.findings.count(unclean=1)
        if self.filter.rests_at(self.position):
            self.wrong("unclean, though the last add had left")
        since = self.refused()
        if self.dice.random() < 0.3:
            self.tool("add", self.path, keys=["one more"])
            if self.refused() != since:
                self.wrong("an add has changed since when keys are missing")
        acked = self.filter.acked_at(self.position)
        keys = acked + self.filter.seen_at(self.position)
        if keys and self.dice.random() < 0.5:
            self.tool("recover", "-q", self.path, keys=keys)
        else:
            keys = acked + self.filter.seen_at(self.position, before=since)
            self.tool("recover", "-q", "--accept", self.path)
        self.keys_are_in(keys)
        if self.stats() != ("clean", None):
            self.wrong("not clean after recover")

    def look(self):
        if not os.path.exists(self.path):
            self.findings.count(absent=1)
            if self.filter.made <= self.position:
                self.wrong("not there, though create had returned")
            return
        state, complaint = self.stats()
        if state == "clean":
            self.clean(complaint)
        elif state == "unclean":
            self.unclean()
        else:
            self.wrong(f"{state} after a power cut: {complaint}".strip())


def choose_cuts(lab, log, n):
    """Half of them near what somebody came to know, half anywhere."""
    moments = [log.number(at) for f in lab.filters for at in f.moments()]
    last = len(log.records)
    cuts = [lab.dice.choice(moments) + lab.dice.randrange(8)
            if lab.dice.random() < 0.5 else lab.dice.randrange(1, last)
            for _ in range(n)]
    return sorted(min(cut, last) for cut in cuts)


def look_after_cuts(lab, log, cuts, worker, options):
    """What one worker finds."""
    findings = Findings()
    where = f"{lab.dir}/mnt{worker}"
    names = {filter.name for filter in lab.filters} | \
        {filter.output for filter in lab.filters} | {"lost+found"}
    os.mkdir(where)
    disk = blocks.Rebuilt(log, f"{lab.dir}/base{worker}",
                          f"{lab.dir}/work{worker}")
    for cut in cuts:
        dice = blocks.dice(options.seed, "cut", worker, cut)
        position = log.position(cut)
        disk.cut(cut, dice)
        lab.mount(disk, where)
        try:
            for filter in lab.filters:
                Look(filter, where, position, dice, findings).look()
            for name in set(os.listdir(where)) - names:
                findings.wrong.append((position, name, "left behind"))
        finally:
            blocks.unmount(where)
        findings.count(states=1)
        if options.find and findings.figures["missing"] > 0:
            break
    disk.close()
    return findings


def run(options):
    lab, findings = Lab(options), Findings()
    started = time.monotonic()
    # Two btrfs of one birth cannot be mounted at once.
    workers = 1 if options.fs == "btrfs" else 2
    log = lab.record(options.blocklog, workers, story)
    recorded = time.monotonic()
    lab.reboot()
    cuts = choose_cuts(lab, log, options.states)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(look_after_cuts, lab, log,
                                   cuts[i::workers], i, options)
                       for i in range(workers)]:
            findings.add(future.result())
    print(" ".join(f"{k}={v}" for k, v in findings.figures.items()),
          f"wrong={len(findings.wrong)} writes={log.count(blocks.WRITE)} "
          f"syncs={log.count(blocks.SYNC)} "
          f"seconds={recorded - started:.1f}+"
          f"{time.monotonic() - recorded:.1f}")
    for position, name, text in sorted(findings.wrong)[:20]:
        print(f"cut at {position}: {name}: {text}")
    return 1 if findings.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fs", choices=FILE_SYSTEMS, required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--blocklog", required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--states", type=int, default=250)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--find", action="store_true")
    try:
        return run(parser.parse_args())
    except (OSError, RuntimeError, subprocess.SubprocessError) as e:
        print(f"power.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
