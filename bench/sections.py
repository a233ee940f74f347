"""bloomtool alone: one section of the document each."""
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from measure import BLOOMTOOL, ROOT, Job, fresh_filter, measure, turns
from report import row, seconds, table, title

LIMIT = os.path.join(ROOT, "bench", "limit")
DISTANCES = (8, 16, 32, 48, 64, 96)


def jobs_of(b, keys, strange, n, rate=0.01, options=(), pipe=False):
    """The jobs that people have, on two files that are read or piped."""
    known, new = b.filter(f"known{n}-{rate}", keys, rate, n), b.path("new.bf")

    def job(command, arguments, lines, **more):
        source = {"feed": ["cat", lines]} if pipe else {"stdin": lines}
        return Job([BLOOMTOOL, command, *options, *arguments], **source,
                   **more)

    def fresh():
        fresh_filter(new, n, rate)

    return {
        "check -c, all in": job("check", ["-c", known], keys),
        "check -c, none in": job("check", ["-c", known], strange),
        "check -v to a pipe, none in":
            job("check", ["-v", known], strange, read=True),
        "add, all known": job("add", [known], keys),
        "add, all new": job("add", [new], keys, before=fresh),
        "add -v to a pipe, all new":
            job("add", ["-v", new], keys, read=True, before=fresh),
    }


def one_thread(b):
    title("One thread", """\
CPU time (user and system) of `bloomtool -j1`, in times that of `wc -l` on the
same regular file.  The filter is made for as many keys as there are lines.
Readers of pipes are not counted.""")
    for length, n, rates in ((69, b.lines, (0.01, 1e-4)),
                             (8, b.lines, (0.01,)),
                             (1000, b.lines // 10, (0.01,))):
        files = b.keys(length, n), b.keys(length, n, strange=True)
        for rate in rates:
            print(f"\n{n:,} lines of {length:,} bytes, rate {rate:g}:")
            table("what", "CPU s", "times `wc -l`", "wall s", "peak MB")
            runs = turns({"wc -l": Job(["wc", "-l"], files[0]),
                          **jobs_of(b, *files, n, rate, ["-j1"])}, b.rounds)
            for name, run in runs.items():
                over = run.cpu / runs["wc -l"].cpu
                row(name, seconds(run.cpu), f"{over:.2f}", seconds(run.wall),
                    f"{run.peak:.0f}")
                if length == 69 and rate == 0.01:
                    b.look("one thread", name, over)
                elif length == 69:
                    b.look("one thread", f"{name}, {rate:g}", over, 1.2, name)
        if length != 69:
            for path in files:
                os.remove(path)


def processors(b):
    count = len(os.sched_getaffinity(0))
    title("All processors", f"""\
Wall time on {count} processors, as bloomtool runs without `-j`, in times that of
`wc -l` on the regular file, and over that with `-j1`.  A pipe is `cat file |`.""")
    files = b.keys(), b.keys(strange=True)
    jobs = {(what, source, options): job
            for source in ("file", "pipe") for options in ("", "-j1")
            for what, job in jobs_of(b, *files, b.lines, options=options
                                     .split(), pipe=source == "pipe").items()}
    runs = turns({"wc -l": Job(["wc", "-l"], files[0]), **jobs}, b.rounds)
    unit = runs.pop("wc -l").wall
    table("what", "from", "wall s, `-j1`", "wall s", "times `wc -l`",
          "over `-j1`")
    row("wc -l", "file", "", seconds(unit), "1.00", "")
    for what, source, options in runs:
        if options:
            continue
        wall = runs[what, source, ""].wall
        alone = runs[what, source, "-j1"].wall
        row(what, source, seconds(alone), seconds(wall), f"{wall / unit:.2f}",
            f"{wall / alone:.2f}")
        if source == "file" and count > 1:
            b.look("processors", what, wall / unit)
        b.look("threads", f"{what}, {source}", wall / alone, limit="any")


def write_in_order(path, size):
    """Seconds to write so many bytes and have them on disk."""
    block = os.urandom(1 << 20)
    start = time.perf_counter()
    with open(path, "wb", buffering=0) as out:
        for _ in range(0, size, len(block)):
            out.write(block)
        os.fsync(out.fileno())
    passed = time.perf_counter() - start
    os.remove(path)
    return passed


def numbers(b, name, first, count):
    with open(b.path(name), "wb") as out:
        subprocess.run(["seq", str(first), str(first + count - 1)],
                       stdout=out, check=True)
    return b.path(name)


def add_to_large(b, n, memory):
    """Two tables' rows; leaves the filter, full of keys, in the cache."""
    for count in b.lines, b.lines * 10:
        keys = numbers(b, "numbers", 1, count)
        fresh_filter(memory, n, 1e-4)
        quick = measure(Job([BLOOMTOOL, "add", memory], keys)).wall
        os.remove(memory)
        disk = b.filter("large", rate=1e-4, n=n)
        order = write_in_order(b.path("order"), os.path.getsize(disk))
        wall = measure(Job([BLOOMTOOL, "add", disk], keys)).wall
        over = wall / (2 * (quick + order))
        row(f"{count:,}", f"{wall:.1f}", f"{quick:.1f}", f"{order:.1f}",
            f"{over:.2f}")
        b.look("large", f"add of {count:,} keys", over, limit="add")
    return disk


def large(b):
    n = b.lines * 100
    title("Large filters", f"""\
A fresh filter for {n:,} keys at 1e-4 on disk takes numbers from a file,
which are spread over all of it.  Wall time, its sync included, over twice what
it takes to do that in memory (tmpfs) and to write the file from front to back
and sync it.""")
    table("keys", "wall s", "in memory s", "file in order s",
          "over twice both")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        disk = add_to_large(b, n, os.path.join(memory, "t.bf"))
    with open(disk, "rb") as warm, open(os.devnull, "wb") as nowhere:
        shutil.copyfileobj(warm, nowhere, 1 << 20)
    print(f"\nWall time of 1,000 more keys, all of the file "
          f"({os.path.getsize(disk) / 1e9:.2f} GB) in the page cache:")
    table("what", "wall ms")
    for name, command in (("add", ["add"]), ("check", ["check", "-c"])):
        feeds = (["seq", str(n + 1000 * i), str(n + 1000 * i + 999)]
                 for i in range(b.rounds))
        ms = 1000 * statistics.median(
            measure(Job([BLOOMTOOL, *command, disk], feed=feed)).wall
            for feed in feeds)
        row(name, f"{ms:.1f}")
        b.look("large", f"{name} of 1,000 keys, ms", ms, limit="1,000 keys")
    os.remove(disk)


def limit(b):
    title("How near the limit", f"""\
A key has to be read, and a cache line of a shared page has to be looked at.
This is the CPU time of `check -c -j1` over the larger of the two
([limit.c](bench/limit.c)): one pass over the bytes of the keys, and one random
cache line a key of the same filter, prefetched as many keys ahead as is the
fastest ({", ".join(map(str, DISTANCES))}).  1.5 is the aim.
{b.lines:,} lines of 69 bytes, all in; filters for n keys at 0.01.""")
    keys, points = b.keys(), []
    table("n", "filter MB", "bytes s", "cache lines s (ahead)", "check s",
          "over the larger", "add s")
    for n in (b.lines // 100, b.lines // 10, b.lines, b.lines * 10,
              b.lines * 100):
        bf = b.filter("limit", n=n)
        add = measure(Job([BLOOMTOOL, "add", "-j1", bf], keys)).cpu
        runs = turns({
            "bytes": Job([LIMIT, "bytes"], keys),
            "check": Job([BLOOMTOOL, "check", "-c", "-j1", bf], keys),
            **{d: Job([LIMIT, "touch", bf, str(b.lines), str(d)])
               for d in DISTANCES}}, b.rounds)
        best = min(DISTANCES, key=lambda d: runs[d].cpu)
        check, read, touch = (runs[x].cpu for x in ("check", "bytes", best))
        megabytes = os.path.getsize(bf) / 1e6
        row(f"{n:,}", f"{megabytes:,.1f}", seconds(read),
            f"{seconds(touch)} ({best})", seconds(check),
            f"{check / max(read, touch):.2f}", seconds(add))
        points += [(name, megabytes, s / b.lines * 1e9) for name, s in (
            ("check -c, all in", check), ("one cache line a key", touch),
            ("one pass over bytes", read), ("add, all new", add))]
        os.remove(bf)
    print("""
Filters for fewer keys than lines are overfull: most `add`s there change
nothing.  `add` was run once for each.""")
    b.chart("sizes", "CPU time a key by size of the filter", points,
            title="CPU time a key by size of the filter, one thread",
            x="size of the filter, MB (log scale)", y="ns a key (log scale)")


def growth(b):
    counts = [b.lines // 100, b.lines // 10, b.lines]
    counts += [b.lines * 10] if b.large else []
    names = ["check -c, all in", "check -c, none in", "add, all known",
             "add, all new"]
    title("Growth", """\
ns of CPU time a key, one thread, start-up included.  Lines are numbers
(`seq`), the filter is made for as many keys as there are lines, at 0.01.""")
    table("keys", *names)
    points = []
    for count in counts:
        jobs = jobs_of(b, numbers(b, "numbers", 1, count),
                       numbers(b, "more", count + 1, count), count,
                       options=["-j1"])
        os.sync()
        runs = turns({name: jobs[name] for name in names}, b.rounds)
        ns = {name: run.cpu / count * 1e9 for name, run in runs.items()}
        row(f"{count:,}", *(f"{x:.1f}" for x in ns.values()))
        points += [(name, count, x) for name, x in ns.items()]
    b.chart("keys", "CPU time a key by number of keys", points,
            title="CPU time a key by number of keys, one thread",
            x="keys, and what the filter is made for (log scale)",
            y="ns a key (log scale)")


def rates(b):
    title("Rates", f"""\
False positives among {b.lines:,} keys that were never added, in a filter that
is full; and keys that were added and are not found.""")
    keys, strange = b.keys(), b.keys(strange=True)
    table("rate asked for", "measured", "measured / asked", "missing keys")
    for rate in (0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5):
        bf = b.filter("rate", keys, rate)
        missing = measure(Job([BLOOMTOOL, "check", "-v", bf], keys,
                              read=True)).printed
        wrong = measure(Job([BLOOMTOOL, "check", bf], strange,
                            read=True)).printed
        asked = rate * b.lines
        row(f"{rate:g}", f"{wrong / b.lines:.4g}", f"{wrong / asked:.3f}",
            str(missing))
        b.expect(f"rate {rate:g}: off by, keys", abs(wrong - asked),
                 0.03 * asked + 5 * asked ** 0.5)
        b.expect(f"rate {rate:g}: missing keys", missing, 0)
