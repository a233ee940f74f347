"""What is done to bloomtool one system call at a time: runs, and what must
hold after them.

Each run has a folder of its own with copies of what it needs: f.bf is the
filter, old keys are in it (acknowledged by exit 0), new keys are fed.
"""
import os
import re
import shutil
import subprocess

import rig

OLD = [b"old %d" % i for i in range(1500)]
NEW = [b"new %d" % i for i in range(2500)]
LONG = [b"long %d " % i + b"y" * n for i, n in enumerate((5000, 100000, 10))]
FALSE = [b"never %d" % i for i in range(100)]
SHAPE = ["-n", "6000", "-p", "1e-9"]
OTHER = ["-n", "7000", "-p", "1e-9"]
# Two layers of it are full with the old keys, and two more take the new ones.
GROWN = ["-n", "500", "--grow", "-p", "1e-9"]
# Filters by the rule of other programs, and files of these.
DCSO, REDISBLOOM, BLOOM, GZIPPED, DUMP = (f"../templates/{name}" for name in (
    "dcso", "redisbloom", "bloom", "bloom.gz", "dump"))


def text(lines):
    return b"".join(line + b"\n" for line in lines)


# The marks of the filter at first.
MARKS = {"unclean": rig.UNCLEAN, "failed": rig.SYNC_FAILED}


class Case:
    """
    kind     what must hold afterwards: "create", "add", "look", "recover"
    args     of bloomtool
    feeds    the lines in file "in", its stdin
    start    which filter is there at first; see make_templates
    out      its stdout: "pipe" or "file"
    named    as on a file system that has no O_TMPFILE
    """

    def __init__(self, name, kind, args, feeds=(), start="clean", out="file",
                 named=False):
        self.name, self.kind, self.args = name, kind, args
        self.feeds, self.start, self.out = list(feeds), start, out
        self.named = named
        self.replaces = "--force" in args or start == "failed"
        self.creates = kind == "create" or "--create" in args
        self.marks = MARKS.get(start, 0)
        self.unseen = kind == "add" and "-v" in args
        self.injections = []
        self.calls = []
        self.status, self.stdout, self.stderr = None, None, None

    def keys(self):
        """All that must be in after a run that did what it should."""
        before = [] if self.start in ("none", "other") else OLD
        return before + (self.feeds if self.kind in ("add", "recover") else [])

    def before(self):
        return OLD if self.start not in ("none", "other") else []


def all_cases():
    mixed = NEW + OLD[:200] + NEW[:300]
    return [
        Case("create", "create", ["create", *SHAPE, "f.bf"], start="none"),
        Case("create, no O_TMPFILE", "create", ["create", *SHAPE, "f.bf"],
             start="none", named=True),
        Case("create --force", "create",
             ["create", "--force", *OTHER, "f.bf"]),
        Case("create --force, no O_TMPFILE", "create",
             ["create", "--force", *OTHER, "f.bf"], named=True),
        Case("create --like", "create", ["create", "--like", "like.bf",
                                         "f.bf"], start="other"),
        Case("union", "create", ["union", "-o", "f.bf", "like.bf", "like.bf"],
             start="other"),
        Case("union --force", "create",
             ["union", "--force", "-o", "f.bf", "f.bf", "f.bf"]),
        Case("intersect --force, no O_TMPFILE", "create",
             ["intersect", "--force", "-o", "f.bf", "f.bf"], named=True),
        Case("import", "create", ["import", BLOOM, "f.bf"], start="none"),
        Case("import of gzip", "create", ["import", GZIPPED, "f.bf"],
             start="none"),
        Case("import --force --verify", "create",
             ["import", "--force", "--verify", "in", BLOOM, "f.bf"], OLD),
        Case("import --verify, no O_TMPFILE", "create",
             ["import", "--verify", "in", BLOOM, "f.bf"], OLD, start="none",
             named=True),
        Case("import of a dump", "create", ["import", DUMP, "f.bf"],
             start="none"),
        Case("export", "create", ["export", "-t", "dcso", DCSO, "f.bf"],
             start="none"),
        Case("export --gzip, no O_TMPFILE", "create",
             ["export", "--gzip", "-t", "dcso", DCSO, "f.bf"],
             start="none", named=True),
        Case("export --force", "create",
             ["export", "--force", "-t", "redisbloom", "-n", "k", REDISBLOOM,
              "f.bf"], start="bloom"),
        Case("add", "add", ["add", "f.bf"], mixed),
        Case("add to one left open", "add", ["add", "f.bf"], mixed,
             start="left"),
        Case("add from files", "add", ["add", "f.bf", "in", "in2"], mixed),
        Case("add --wait", "add", ["add", "--wait", "5", "f.bf"], mixed),
        Case("add --no-sync", "add", ["add", "--no-sync", "f.bf"], mixed),
        Case("add -c", "add", ["add", "-c", "f.bf"], mixed),
        Case("add --create", "add", ["add", "--create", *SHAPE, "f.bf"],
             NEW, start="none"),
        Case("add -v to a file", "add", ["add", "-v", "f.bf"], mixed),
        Case("add -v to a pipe", "add", ["add", "-v", "f.bf"], mixed,
             out="pipe"),
        Case("add -v of long lines", "add", ["add", "-v", "f.bf"],
             LONG + NEW[:50], out="pipe"),
        Case("add that grows", "add", ["add", "f.bf"], mixed, start="grown"),
        Case("add -v that grows", "add", ["add", "-v", "f.bf"], mixed,
             start="grown"),
        Case("check", "look", ["check", "f.bf"], OLD + FALSE),
        Case("check -v, left open", "look", ["check", "-v", "f.bf"],
             OLD + FALSE, start="left", out="pipe"),
        Case("check -c", "look", ["check", "-c", "f.bf"], OLD + FALSE),
        Case("stats", "look", ["stats", "f.bf"]),
        Case("stats --json, left open", "look", ["stats", "--json", "f.bf"],
             start="left"),
        Case("stats --verify", "look", ["stats", "--verify", "f.bf"]),
        Case("export to stdout", "look", ["export", "-t", "dcso", "f.bf"],
             start="dcso"),
        Case("recover", "recover", ["recover", "f.bf"], mixed,
             start="failed"),
        Case("recover, no O_TMPFILE", "recover", ["recover", "f.bf"], mixed,
             start="failed", named=True),
        Case("recover --accept", "recover", ["recover", "--accept", "f.bf"],
             start="failed"),
        Case("recover in place", "recover", ["recover", "f.bf"], mixed,
             start="unclean"),
    ]


def make_templates(folder):
    """
    Filters to start from: clean, left open by a kill, marked as unclean, after
    a bad sync, full and about to grow; and those of other programs.
    """
    os.mkdir(folder)
    clean = f"{folder}/clean"
    rig.must("create", "-q", *SHAPE, clean)
    rig.must("add", clean, data=text(OLD))
    shutil.copy(clean, f"{folder}/left")
    adder = rig.Adder("add", f"{folder}/left")
    adder.write(text(OLD[:10]))
    adder.wait_drained()
    adder.process.kill()
    adder.end()
    if rig.state_word(f"{folder}/left") != "left open":
        raise RuntimeError("cannot make a filter that was left open")
    rig.must("create", "-q", *GROWN, f"{folder}/grown")
    rig.must("add", f"{folder}/grown", data=text(OLD))
    rig.must("create", "-q", "--scheme", "dcso", *SHAPE, f"{folder}/dcso")
    rig.must("create", "-q", "--scheme", "redisbloom", *GROWN,
             f"{folder}/redisbloom")
    for name in "dcso", "redisbloom":
        rig.must("add", f"{folder}/{name}", data=text(OLD))
    for name, file, *more in (
            ("dcso", "bloom"), ("dcso", "bloom.gz", "--gzip"),
            ("redisbloom", "dump", "-n", "k")):
        rig.must("export", "-t", name, *more, f"{folder}/{name}",
                 f"{folder}/{file}")
    for name, marks in MARKS.items():
        shutil.copy(clean, f"{folder}/{name}")
        rig.set_marks(f"{folder}/{name}", marks)


class Run:
    """One run of a case in its own folder; then questions about it."""

    def __init__(self, case, folder, templates):
        self.case, self.folder = case, folder
        self.filter = f"{folder}/f.bf"
        self.trace = f"{folder}/trace"
        self.expected = {"in", "in2", "out", "trace"}
        os.mkdir(folder)
        if case.start == "other":
            shutil.copy(f"{templates}/clean", f"{folder}/like.bf")
            self.expected.add("like.bf")
        elif case.start != "none":
            shutil.copy(f"{templates}/{case.start}", self.filter)
        with open(f"{folder}/in", "wb") as f:
            f.write(text(case.feeds))
        with open(f"{folder}/in2", "wb") as f:
            f.write(text(NEW[-100:]))
        self.before = self.bytes()

    def bytes(self):
        try:
            with open(self.filter, "rb") as f:
                return f.read()
        except FileNotFoundError:
            return None

    def run(self, *injections, preload=None, env=None):
        """status (negative: signal), stdout, stderr; status None: it hung."""
        command = [rig.BLOOMTOOL, *self.case.args]
        if preload is None:
            command = ["strace", "-y", "-o", "trace"] + [
                f"--inject={i}" for i in [*self.case.injections, *injections]
            ] + command
        to_file = self.case.out == "file"
        with open(f"{self.folder}/in", "rb") as stdin, \
                open(f"{self.folder}/out", "wb") as out:
            p = subprocess.Popen(
                command, cwd=self.folder, stdin=stdin, env=env,
                stdout=out if to_file else subprocess.PIPE,
                stderr=subprocess.PIPE)
            try:
                stdout, stderr = p.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.communicate()
                return None, b"", b""
        if to_file:
            with open(f"{self.folder}/out", "rb") as f:
                stdout = f.read()
        return p.returncode, stdout, stderr

    def left_over(self):
        return sorted(set(os.listdir(self.folder)) - self.expected -
                      {"f.bf"})

    def is_new_filter(self):
        """
        Is f.bf a whole filter of the shape that was asked for, and empty, or
        with the keys of those that it was made of?  Or a whole file for
        another program?
        """
        if self.case.args[0] == "export":
            r = rig.must(*self.case.args[:-1], cwd=self.folder)
            return self.bytes() == r.stdout
        r = rig.bloomtool("stats", "--verify", "--json", self.filter)
        args = self.case.args
        if r.returncode != 0:
            return False
        if args[0] in ("union", "intersect", "import"):
            estimated = b"false" if args[0] == "import" else b"true"
            return b'"keys_added_estimated":' + estimated in r.stdout and \
                b'"state":"clean"' in r.stdout and self.missing(OLD) == []
        wanted = args[args.index("-n") + 1] if "-n" in args else "6000"
        return b'"keys_wanted":%s,' % wanted.encode() in r.stdout and \
            b'"state":"clean"' in r.stdout and rig.live(self.filter) == {
                "state": 0, "marks": 0, "keys_added": 0, "bits_set": 0}

    def missing(self, keys):
        return rig.missing(self.filter, text(keys))

    def again(self):
        """The same once more, with nothing in its way; stdout or None."""
        with open(f"{self.folder}/in", "rb") as f:
            data = f.read()
        r = rig.bloomtool(*self.case.args, data=data, cwd=self.folder)
        return r.stdout if r.returncode == 0 else None

    def remove(self):
        shutil.rmtree(self.folder)


def whole_lines(data):
    return data.split(b"\n")[:-1]


def prepare(cases, folder, templates):
    """Run each once, undisturbed: its calls, its answer."""
    for i, case in enumerate(cases):
        if case.named:
            case.injections = [without_tmpfile(case, f"{folder}/n{i}",
                                               templates)]
        run = Run(case, f"{folder}/b{i}", templates)
        case.status, case.stdout, case.stderr = run.run()
        case.calls = rig.calls_of(run.trace)
        if case.status != 0:
            raise RuntimeError(f"{case.name}: {case.status} {case.stderr}")
        if case.start == "grown" and \
                sum(c.name == "ftruncate" for c in case.calls) != 2:
            raise RuntimeError(f"{case.name}: did not grow twice")
        if case.named and not any("O_EXCL" in c.line for c in case.calls):
            raise RuntimeError(f"{case.name}: made no named file")
        run.remove()


def without_tmpfile(case, folder, templates):
    """The injection that hides /proc/self/fd, without which there is none."""
    run = Run(case, folder, templates)
    run.run()
    for c in rig.calls_of(run.trace):
        if re.match(r"f?access", c.name) and "/proc/self/fd" in c.line:
            run.remove()
            return f"{c.name}:error=ENOENT:when={c.nth}"
    raise RuntimeError("no look at /proc/self/fd")
