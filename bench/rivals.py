"""What people use instead of bloomtool, on the same lines, at the same rate."""
import os
import struct
import subprocess

from measure import BLOOMTOOL, ROOT, Job, Run, fresh_filter, measure, turns
from report import row, seconds, table, title

MEMORY = 8 << 20                # KiB that grep may take
PATIENCE = 600                  # seconds, for the same


def write(path, *command):
    with open(path, "wb") as out:
        subprocess.run(command, stdout=out, check=True)
    return path


# Each of these yields: name, the job of bloomtool that does the same, the run,
# and false positives and negatives, or None.

def libbloom(b):
    out = b.path("libbloom.out")
    run = measure(Job(
        ["sh", "-c", 'exec "$@" > "$0"', out,
         os.path.join(ROOT, "bench", "libbloom"), str(b.lines), "0.01",
         b.keys(), b.keys(strange=True)]))
    with open(out) as lines:
        add, known, strange = ([float(x) for x in line.split()]
                               for line in lines)
    yield "libbloom, add", "add", Run(*add[:2], run.peak, 0), None
    yield ("libbloom, check", "check -c", Run(*known[:2], run.peak, 0),
           (int(strange[2]), b.lines - int(known[2])))


def dcso(b):
    bf = b.path("dcso.bloom")
    subprocess.run(["bloom", "create", "-n", str(b.lines), "-p", "0.01", bf],
                   check=True, stdout=subprocess.DEVNULL)
    insert = measure(Job(["bloom", "insert", bf], b.keys()))
    known, strange = (measure(Job(["bloom", "check", bf], lines, read=True))
                      for lines in (b.keys(), b.keys(strange=True)))
    yield "DCSO bloom, insert", "add", insert, None
    yield ("DCSO bloom, check", "check", known,
           (strange.printed, b.lines - known.printed))


def dropping(b):
    for name, command in (("`awk '!seen[$0]++'`", ["awk", "!seen[$0]++"]),
                          ("`sort -u`", ["sort", "-u", "-T", b.folder])):
        run = measure(Job(command, b.path("twice"), read=True))
        more = run.printed - b.lines // 2
        yield name, "add -v", run, (max(-more, 0), max(more, 0))


def grep(b):
    """With as many patterns as it can take, which are left in b.path("few")."""
    few, patterns = b.path("few"), b.lines
    command = ["sh", "-c", f"ulimit -v {MEMORY}; exec timeout {PATIENCE} "
               'grep -vxFf "$0"', few]
    while True:
        write(few, "head", "-n", str(patterns), b.keys())
        strange = measure(Job(command, b.keys(strange=True), read=True))
        if strange.status == 0:
            break
        patterns //= 10
    known = measure(Job(command, few, read=True))
    yield (f"`grep -vxFf`, {patterns:,} patterns", "add, check -v", strange,
           (b.lines - strange.printed, known.printed))


def ours(b):
    """bloomtool's jobs, and those that only count its wrong answers."""
    keys, strange, few = b.keys(), b.keys(strange=True), b.path("few")
    bf, new, few_bf = b.filter("ours", keys), b.path("new.bf"), b.path("f.bf")
    patterns = int(subprocess.check_output(["wc", "-l", few]).split()[0])
    one = [BLOOMTOOL, "check", "-j1"]
    timed = {
        "add": Job([BLOOMTOOL, "add", "-j1", new], keys,
                   before=lambda: fresh_filter(new, b.lines)),
        "check -c": Job([*one, "-c", bf], keys),
        "check": Job([*one, bf], keys, read=True),
        "add -v": Job([BLOOMTOOL, "add", "-j1", "-v", new], b.path("twice"),
                      read=True, before=lambda: fresh_filter(new, b.lines)),
        "add, check -v": Job(
            ["sh", "-c", '"$0" add -j1 "$1" "$2" && "$0" check -j1 -v "$1"',
             BLOOMTOOL, few_bf, few], strange, read=True,
            before=lambda: fresh_filter(few_bf, patterns))}
    runs = turns(timed, b.rounds)
    false_in = measure(Job([*one, bf], strange, read=True)).printed
    denied = measure(Job([*one, "-v", few_bf], few, read=True)).printed
    checks = false_in, b.lines - runs["check"].printed
    more = runs["add -v"].printed - b.lines // 2
    return runs, {
        "check -c": checks, "check": checks,
        "add -v": (max(-more, 0), max(more, 0)),
        "add, check -v": (b.lines - runs["add, check -v"].printed, denied)}


def show(name, does, times, run, wrong):
    row(name, does, seconds(run.cpu), times, seconds(run.wall),
        f"{run.peak:,.0f}", *(f"{w:,}" for w in wrong or ()),
        *([""] * (0 if wrong else 2)))


def against(b):
    title("Against the others", f"""\
{b.lines:,} lines of 69 bytes; filters for as many keys at 0.01.  CPU time over
that of the bloomtool job (one thread) that does the same.  bloomtool: medians of
{b.rounds}; the others once each.  Wrong are new lines taken for known ones (false
positives) and known ones for new (false negatives), each in as many tries as
there are lines.  To drop repeats (`add -v`, `awk`, `sort`) half as many lines
come twice.  grep gets as many patterns as it can take in {MEMORY >> 20} GiB and
{PATIENCE // 60} minutes.  libbloom is in a plain [getline loop](bench/libbloom.c).""")
    half = write(b.path("half"), "head", "-n", str(b.lines // 2), b.keys())
    write(b.path("twice"), "cat", half, half)
    found = [other for way in (grep, libbloom, dcso, dropping)
             for other in way(b)]
    runs, wrong = ours(b)
    table("what", "does", "CPU s", "times bloomtool", "wall s", "peak MB",
          "false positives", "false negatives")
    for does, run in runs.items():
        show("**bloomtool**", does, "1", run, wrong.get(does))
    for name, does, run, errors in sorted(found, key=lambda f: f[2].cpu):
        times = run.cpu / runs[does].cpu
        show(name, does, f"{times:.1f}", run, errors)
        b.look("others", f"over {name}", 1 / times, limit="any")


def schemes(b):
    names = "guava", "redisbloom", "dcso", "bits-and-blooms"
    title("Schemes of other programs", f"""\
CPU time (user and system) of `bloomtool -j1` with filters by the rules of other
programs, made for {b.lines:,} keys at 0.01, which takes 7 probes in all of them;
the native one is made for 0.005 to have as many.  Lines of 69 bytes.""")
    keys, strange, new = b.keys(), b.keys(strange=True), b.path("new.bf")
    jobs = {}
    for name, rate, scheme in [("native", 0.005, None)] + [
            (name, 0.01, name) for name in names]:
        bf = b.path(f"scheme-{name}.bf")
        fresh_filter(bf, b.lines, rate, scheme=scheme)
        measure(Job([BLOOMTOOL, "add", bf], keys))
        for what, command, lines, before in (
                ("check -c, all in", ["check", "-c", bf], keys, None),
                ("check -c, none in", ["check", "-c", bf], strange, None),
                ("add, all new", ["add", new], keys,
                 lambda rate=rate, scheme=scheme: fresh_filter(
                     new, b.lines, rate, scheme=scheme))):
            jobs[name, what] = Job([BLOOMTOOL, *command, "-j1"], lines,
                                   before=before)
    runs = turns(jobs, b.rounds)
    table("scheme", "what", "CPU s", "times native")
    for (name, what), run in runs.items():
        over = run.cpu / runs["native", what].cpu
        row(name, what, seconds(run.cpu), f"{over:.2f}")
        b.look("schemes", f"{name}, {what}", over, limit=name)
    in_place(b)


def in_place(b):
    """A file that DCSO's own tool has made, asked by that and by us."""
    lines = min(b.lines, 1_000_000)
    bf, some = b.path("dcso-1e6.bloom"), b.path("some")
    write(some, "head", "-n", str(lines), b.keys())
    subprocess.run(["bloom", "create", "-n", str(lines), "-p", "0.01", bf],
                   check=True, stdout=subprocess.DEVNULL)
    measure(Job(["bloom", "insert", bf], some))
    runs = turns({"DCSO bloom": Job(["bloom", "check", bf], some, read=True),
                  "bloomtool": Job([BLOOMTOOL, "check", "-j1", bf], some,
                                   read=True)}, b.rounds)
    print(f"\n{lines:,} keys looked up in a file of DCSO bloom, in place:")
    table("what", "CPU s", "wall s", "lines found")
    for name, run in runs.items():
        row(name, seconds(run.cpu), seconds(run.wall), f"{run.printed:,}")
    b.expect("schemes: bloomtool over DCSO bloom, in place",
             runs["bloomtool"].cpu / runs["DCSO bloom"].cpu, 0.1)
    first_key(b)


def first_key(b):
    """Of a file that has the shape of CIRCL's hashlookup, and no bits set."""
    m, k = 8_018_853_474, 14
    path = b.path("circl.bloom")
    with open(path, "wb") as out:
        out.write(struct.pack("<QQdQQQ", 1, 418_299_668, 1e-4, k, m, 0))
        out.truncate(48 + (m + 63) // 64 * 8)
    ms = 1000 * turns({"first": Job([BLOOMTOOL, "check", path],
                                    feed=["echo", "key"])},
                      b.rounds)["first"].wall
    print(f"\nWall time of one key looked up in a file of "
          f"{os.path.getsize(path) / 1e6:,.0f} MB: {ms:.1f} ms.")
    b.expect("schemes: first key of 1 GB in place, ms", ms, 50)
    os.remove(path)
