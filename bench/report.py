"""What is promised, and the document that says whether it is kept."""
import datetime
import os
import platform
import shlex
import subprocess
import sys

from measure import BLOOMTOOL, ROOT, Job, fresh_filter, measure, write_lines

# What the figures must not exceed, by section.
LIMITS = {
    # CPU time over wc -l; at 1e-4 a fifth more.
    "one thread": {"check -c, all in": 2.0, "check -c, none in": 2.0,
                   "check -v to a pipe, none in": 3.0,
                   "add, all new": 2.7, "add, all known": 2.2},
    # Wall time over wc -l, on two processors or more.
    "processors": {"check -c, all in": 1.3, "check -c, none in": 1.3,
                   "add, all new": 1.8, "add, all known": 1.8},
    # Wall time over that with -j1: never slower, but for 5 % of noise.
    "threads": {"any": 1.05},
    # Over twice (the same in memory + writing the file); ms.
    "large": {"add": 1.0, "1,000 keys": 50},
    # CPU time a key over that of the native scheme, as many probes each.
    "schemes": {"guava": 4.0, "redisbloom": 4.0},
    # CPU time over that of the other.
    "others": {"any": 0.1},
}


class Bench:
    """The options, the files, and what was compared with its limit."""

    def __init__(self, options, folder):
        self.lines, self.rounds = options.lines, options.rounds
        self.large, self.charts = options.large, options.charts
        self.folder = folder
        self.looked_at = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def keys(self, length=69, lines=None, strange=False):
        """A file of lines; the strange ones are never added."""
        lines = lines or self.lines
        path = self.path(f"{'strange' if strange else 'keys'}{length}")
        if not os.path.exists(path):
            write_lines(path, lines if strange else 0, lines, length)
            os.sync()           # not while we measure
        return path

    def filter(self, name, keys=None, rate=0.01, n=None):
        """A fresh filter, holding the lines of a file."""
        path = self.path(name + ".bf")
        fresh_filter(path, n or self.lines, rate)
        if keys:
            measure(Job([BLOOMTOOL, "add", path], keys))
        return path

    def look(self, section, name, value, factor=1.0, limit=None):
        """Compare with the limit, if there is one."""
        most = LIMITS[section].get(limit or name)
        if most is not None:
            self.expect(f"{section}: {name}", value, most * factor)

    def expect(self, name, value, most):
        self.looked_at.append((name, value, most))

    def chart(self, name, alt, points, **labels):
        """points: (series, x, y)."""
        if not self.charts:
            return
        os.makedirs(self.charts, exist_ok=True)
        path = os.path.join(self.charts, name + ".svg")
        draw(path, points, [f"--{key}={value}"
                            for key, value in labels.items()])
        print(f"\n![{alt}]({os.path.relpath(path, ROOT)})")


def draw(path, rows, options):
    """rows: what bench/chart reads, a name and then numbers."""
    lines = ("\t".join((name, *(f"{x:g}" for x in numbers))) + "\n"
             for name, *numbers in rows)
    with open(path, "w") as out:
        subprocess.run([os.path.join(ROOT, "bench", "chart"), *options],
                       input="".join(lines), stdout=out, text=True, check=True)


def title(text, about):
    print(f"bench: {text}", file=sys.stderr)
    print(f"\n## {text}\n\n{about}")


def table(*titles):
    print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def seconds(s):
    return f"{s:.2f}" if s >= 1 else f"{s:.3f}"


def first_line(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split("\n", 1)[0]


def processor():
    with open("/proc/cpuinfo") as info:
        models = [line.split(":", 1)[1].strip() for line in info
                  if line.startswith("model name")]
    return models[0] if models else platform.machine()


def head(b):
    command = "make -s bench"
    if sys.argv[1:]:
        command += f" BENCH={shlex.quote(shlex.join(sys.argv[1:]))}"
    filesystem = first_line("sh", "-c", 'df --output=fstype "$0" | tail -n 1',
                            b.folder)
    print(f"""# Benchmarks

What `make bench` prints.  Medians of {b.rounds} rounds in which the commands take
turns.  Peaks of memory count the mapped filter.

| | |
|---|---|
| command | `{command}` |
| date | {datetime.date.today()} |
| version | {first_line(BLOOMTOOL, "--version")} |
| processor | {processor()}, {os.cpu_count()} of them |
| kernel | {platform.system()} {platform.release()} |
| file system | {filesystem} |""")


def verdict(b):
    """Everything that has a limit; returns how much of it missed."""
    title("Limits", """\
What is promised, and whether this run kept it, in the units of the sections
above; against the others, bloomtool's CPU time over theirs.""")
    table("what", "measured", "at most", "")
    missed = [name for name, value, most in b.looked_at if value > most]
    for name, value, most in b.looked_at:
        row(name, f"{value:,.4g}", f"{most:,.4g}",
            "**missed**" if name in missed else "kept")
    print(f"\nMissed: {len(missed)} of {len(b.looked_at)}.")
    for name in missed:
        print(f"bench: missed: {name}", file=sys.stderr)
    return len(missed)
