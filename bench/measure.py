"""What bench/run and bench/check share: lines, filters, runs of a command."""
import dataclasses
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOOMTOOL = os.path.join(ROOT, "bloomtool")
SPEND = os.path.join(ROOT, "bench", "spend")


def write_lines(path, first, count, length=69):
    """count different lines of so many bytes: URLs as a crawler sees them."""
    numbers = range(first, first + count)
    if length < 69:
        form = f"%0{length - 1}x\n"
        lines = (form % (i * 0x9E3779B1 % 16 ** (length - 1)) for i in numbers)
    else:
        form = f"https://www.example.org/%010d/%0{length - 36}x\n"
        lines = (form % (i * 2654435761 % 10**10, i * 0x9E3779B97F4A7C15)
                 for i in numbers)
    with open(path, "w", buffering=1 << 20) as out:
        out.writelines(lines)


def fresh_filter(path, keys, rate=0.01, seed=None, scheme=None):
    subprocess.run([BLOOMTOOL, "create", "-fq", "-n", f"{keys:.0f}", "-p",
                    str(rate), *(["-S", str(seed)] if seed else []),
                    *(["--scheme", scheme] if scheme else []), path],
                   check=True)


@dataclasses.dataclass
class Job:
    """A command, what it reads, and whether wc -l reads what it prints."""
    command: list
    stdin: str = os.devnull
    feed: list = None           # a command that writes its input to a pipe
    read: bool = False
    before: callable = None     # run before each time, not measured


@dataclasses.dataclass
class Run:
    """Seconds of CPU time (user + system), of wall time, peak MB."""
    cpu: float
    wall: float
    peak: float
    status: int
    printed: int = 0            # lines, if they were read


def measure(job):
    """The figures are those of the command alone, not of feed and reader."""
    if job.before:
        job.before()
    pipe, feeder, reader = subprocess.PIPE, None, None
    if job.read:
        reader = subprocess.Popen(["wc", "-l"], stdin=pipe, stdout=pipe)
    if job.feed:
        feeder = subprocess.Popen(job.feed, stdout=pipe)
    source = feeder.stdout if feeder else open(job.stdin, "rb")
    with tempfile.NamedTemporaryFile("r") as report:
        with source:
            child = subprocess.Popen(
                [SPEND, report.name, *job.command], stdin=source,
                stdout=reader.stdin if reader else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        printed = int(reader.communicate()[0]) if reader else 0
        if child.wait() != 0:
            raise SystemExit(f"{SPEND} failed")
        cpu, wall, peak, status = report.read().split()
    if feeder:
        feeder.wait()
    return Run(float(cpu), float(wall), int(peak) / 1024, int(status), printed)


def turns(jobs, rounds):
    """Medians of rounds in which the jobs, {name: Job}, take turns."""
    runs = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            runs[name].append(measure(job))
            if runs[name][-1].status not in (0, 1):     # 1: no line selected
                raise SystemExit(f"{name}: status {runs[name][-1].status}")
    return {name: Run(statistics.median(r.cpu for r in rs),
                      statistics.median(r.wall for r in rs),
                      max(r.peak for r in rs), rs[0].status, rs[0].printed)
            for name, rs in runs.items()}
