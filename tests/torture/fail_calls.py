"""fail_calls.py create|add|unseen|look|recover|boot|again|mallocs: let each
system call, or each allocation, of each run fail once.

What may come of it: the run does all that it should (and prints it), or it
says in one line what went wrong with what, and exits with 2.  In both cases
no key is lost that was acknowledged, nothing is left lying about, and the
next run works.  The reading of the boot id is looked at by itself (boot), and
so is what shall be tried once more (again).
"""
import collections
import errno
import os
import re
import sys
import threading

import cases
import rig

HERE = os.getcwd()
# Each call fails with each of these; "+": and so do all later ones of its name.
# Those that matter less only with the first three.
ERRORS = ["EIO", "EIO+", "EINTR", "ENOSPC", "EDQUOT", "EAGAIN", "ENOMEM",
          "EMFILE", "ENOLCK"]
LESS = re.compile("ppoll|statfs|fstatfs|f?access|faccessat|ioctl|madvise|munmap")
CALLS = re.compile(
    r"^(openat|open|newfstatat|fstat|lstat|stat|statx|pread64|mmap|fallocate"
    r"|pwrite64|fsync|linkat|link|fcntl|msync|fdatasync|read|write|pwritev2"
    r"|ppoll|close|getrandom|rename|renameat2?|unlink|unlinkat|statfs|fstatfs"
    r"|access|faccessat2?|ioctl|madvise|munmap|ftruncate|pipe2|splice)$")
# The inputs, and stdout or what it is opened as once more; the pipe after that
# is the sink's own, without which it works too.
INPUT = r"(in2?|templates/(bloom(\.gz)?|dump))>"
STREAMS = rf"read\((0<|\d+<[^>]*/{INPUT})|write\((1<|[34]<pipe:)|splice\("
# A run that succeeds although one of these failed has lost something.
VITAL = re.compile(rf"^(pread64\((?!\d+<[^>]*/{INPUT})|fallocate|pwrite64"
                   r"|fsync|linkat|link|fdatasync|msync|rename|ppoll|ftruncate"
                   r"|" + STREAMS + r"|mmap\(.*f\.bf"
                   r"|openat\(.*(f\.bf|like\.bf|O_TMPFILE|\"in|templates)"
                   r"|getrandom\((?!.*GRND_NONBLOCK)"
                   r"|fcntl\(.*(SETLKW|SETLK, \{l_type=F_RDLCK"
                   r"|SETLK, \{l_type=F_WRLCK.*=4611686018427387905))")
# Interrupted, or told to wait, is no failure: once more and it works.
INTERRUPTED = re.compile(r"^(pread64|pwrite64|fallocate|fsync|msync|fdatasync"
                         r"|fcntl|ppoll|getrandom|ftruncate|" + STREAMS + ")")
WAITS = re.compile(r"^(fcntl\(.*SETLK, \{l_type=F_(RD|WR)LCK|" + STREAMS +
                   ")")
NAMES = (b"f.bf", b"like.bf", b"stdout", b"(standard input)", b": in:",
         b": in2:", b"templates/", b"random seed")

SECOND = re.compile(b"add them again with|bloomtool: f.bf: not recovered: "
                    b"|bloomtool: in: not all keys could be read; ")

lock = threading.Lock()
outcomes = collections.Counter()


def clear_message(case, stderr, error, where, many):
    """One line that names a file or stream, and the error; many: or more."""
    # At the end it has said already what it did.
    lines = stderr.removeprefix(case.stderr).splitlines()
    # These say in a second line what to do, or what it means.
    if len(lines) == 2 and SECOND.match(lines[1]):
        lines.pop()
    if not lines or len(lines) > 1 and not many or \
            not all(line.startswith(b"bloomtool") for line in lines):
        return f"{len(lines)} lines on stderr: {stderr}"
    if error and os.strerror(error).encode() not in lines[0]:
        return f"does not say \"{os.strerror(error)}\": {stderr}"
    if where and not any(n in lines[0] for n in NAMES):
        return f"names no file or stream: {stderr}"
    return None


def judge_create(run, fault, done, late):
    now = run.bytes()
    is_new = now is not None and now != run.before and run.is_new_filter()
    if done and not is_new:
        fault("exit 0, but no new filter")
    if not done and not is_new and now != run.before:
        fault("a half-made filter")
    if not done and is_new and not late:
        fault("exit 2, but the filter was made")
    again = run.again()
    if (again is None) == (not is_new or run.case.replaces):
        fault("the next run fails, or replaces")
    if not run.is_new_filter():
        fault("no good filter after the next run")


def judge_keys(run, fault, done, stdout, sync_failed):
    """After add and recover."""
    case = run.case
    if run.bytes() is None:
        if done or not case.creates:
            fault("there is no filter")
    else:
        live = rig.live(run.filter)
        marks = live["marks"]
        if sync_failed and not case.replaces:
            if not marks & rig.SYNC_FAILED:
                fault("a failed sync left no mark")
        elif marks != (0 if done else case.marks):
            fault(f"marks {marks}")
        if live["marks"] == 0:
            keys = case.keys() if done else case.before()
            if run.missing(keys) != []:
                fault("keys are missing, or check refuses")
        elif run.missing([b"x"]) is not None:
            fault("marked, but check answers")
        r = rig.bloomtool("stats", "--verify", run.filter)
        if r.returncode != 0:
            fault(f"stats --verify: {r.stderr}")
        if live["marks"]:
            # What was acknowledged comes back.
            keys = cases.text(case.before() or case.feeds)
            r = rig.bloomtool("recover", run.filter, data=keys)
            if r.returncode != 0 or run.missing(case.before()) != []:
                fault(f"recover does not bring all back: {r}")
    again = run.again()
    if again is None:
        fault("the next run does not work")
        return
    if run.missing(case.keys()) != []:
        fault("keys are missing after the next run")
    if case.unseen:
        printed = set(cases.whole_lines(stdout)) | set(
            cases.whole_lines(again))
        if printed != set(case.feeds) - set(case.before()):
            fault("a line was never printed")


def is_no_failure(name, line):
    return name == "EINTR" and INTERRUPTED.match(line) or \
        name == "EAGAIN" and WAITS.match(line)


def judge(run, result, what, line, name):
    """name of the error, or None for a failed allocation; line of the call."""
    case = run.case
    status, stdout, stderr = result
    fault = lambda t: rig.fault(f"{case.name}, {what}: {t}")
    error = getattr(errno, name.rstrip("+")) if name else errno.ENOMEM
    if re.match("access|faccess", line):
        error = None                    # open says what is wrong
    more = name is not None and name.endswith("+")
    # It fails when all is done, at its farewell.
    late = re.match(r"close\([12]<|write\(2<", line) or \
        more and line.startswith("close") or \
        "-c" in case.args and line.startswith("write(1<")
    mute = line.startswith("write(2<") or more and line.startswith("write")
    done = status == case.status
    if status is None:
        fault("hangs")
        return "hang"
    if status < 0:
        fault(f"died of signal {-status}")
        return "signal"
    if not done and status != 2:
        fault(f"exit {status}")
    if done and stdout != case.stdout:
        fault(f"exit {status} with other output")
    if done and stderr != case.stderr and not mute:
        fault(f"exit {status} with another message: {stderr}")
    if not done and not mute:
        bad = clear_message(case, stderr, error, name is not None, more)
        if bad:
            fault(bad)
    if is_no_failure(name, line):
        if mode == "again" and not done:
            fault(f"gives up: {stderr}")
    elif done and VITAL.match(line):
        fault(f"exit {status} although it failed")
    over = run.left_over()
    if over and not line.startswith("unlink"):
        fault(f"left {over}")
    # fsync is of a new file, or before a new layer; what was printed is synced
    # too, and that may fail while the filter's own sync does not.
    sync_failed = not done and re.match(
        "msync|fdatasync" + ("|fsync" if case.start == "grown" else ""), line) \
        and (more or not line.startswith("fdatasync(1<"))
    # Replaced, and only then the directory cannot be synced.
    late = late or case.replaces and b"sync of its directory" in stderr
    if case.kind == "create":
        judge_create(run, fault, done, late)
    elif case.kind in ("add", "recover"):
        judge_keys(run, fault, done or late, stdout, sync_failed)
    elif run.bytes() != run.before:
        fault("the filter has changed")
    return "success" if done else "message and exit 2"


def fail_call(task):
    number, case, call, name = task
    run = cases.Run(case, f"{HERE}/{number}", f"{HERE}/templates")
    when = f"{call.nth}+" if name.endswith("+") else call.nth
    result = run.run(f"{call.name}:error={name.rstrip('+')}:when={when}")
    line = call.line
    reached = rig.injected(run.trace)
    if not reached:
        # How often a full pipe is written to depends on its reader.
        if case.out != "pipe":
            rig.fault(f"{case.name}: {call} was not reached")
        line = ""                       # nothing has failed
    outcome = judge(run, result, f"{name} from {call}", line, name)
    with lock:
        outcomes[outcome if reached else "not reached"] += 1
    run.remove()


def plan(all_cases, wanted, errors):
    """What to let fail, (case, call, error), and of how many calls."""
    tasks, ncalls = [], 0
    for case in all_cases:
        taken = [i.split(":")[0] for i in case.injections]
        for call in case.calls:
            # strace has one injection for each name of a call.
            if not wanted(call) or call.name in taken:
                continue
            ncalls += 1
            some = errors[:3] if LESS.match(call.name) else errors
            tasks += [(case, call, e) for e in some]
    return tasks, ncalls


def boot_calls(call_list):
    """Those that get the boot id."""
    return {c for c in call_list if "boot_id" in c.line and
            c.name in ("openat", "open", "read")}


def calls():
    all_cases = [c for c in cases.all_cases() if mode in ("boot", "again") or
                 mode == ("unseen" if c.unseen else c.kind)]
    cases.prepare(all_cases, HERE, f"{HERE}/templates")
    boot = set().union(*(boot_calls(c.calls) for c in all_cases))
    if mode == "boot":
        tasks, ncalls = plan(all_cases, lambda c: c in boot, ERRORS)
    elif mode == "again":
        tasks, ncalls = [], 0
        for e in ("EINTR", "EAGAIN"):
            more, n = plan(all_cases, lambda c: c not in boot and
                           is_no_failure(e, c.line), [e])
            tasks += more
            ncalls += n
    else:
        tasks, ncalls = plan(all_cases, lambda c: CALLS.match(c.name) and
                             c not in boot, ERRORS)
    rig.in_parallel(fail_call, [(i, *t) for i, t in enumerate(tasks)])
    names = sorted({call.name for _, call, _ in tasks})
    errors = sorted({e.rstrip("+") for _, _, e in tasks})
    rig.say(f"{len(tasks)} failures of {ncalls} calls in {len(all_cases)} "
            f"runs: {dict(outcomes)}")
    rig.say(f"{' '.join(names)} x {' '.join(errors)}")


def fail_malloc(task):
    number, case, nth, env = task
    run = cases.Run(case, f"{HERE}/{number}", f"{HERE}/templates")
    result = run.run(preload=True, env={**env, "FAIL_AT": str(nth)})
    outcome = judge(run, result, f"allocation {nth} failed", "", None)
    with lock:
        outcomes[outcome] += 1
    run.remove()


def mallocs():
    all_cases = [c for c in cases.all_cases() if not c.named]
    cases.prepare(all_cases, HERE, f"{HERE}/templates")
    env = {**os.environ, "LD_PRELOAD": os.environ["SHIM"]}
    tasks = []
    for case in all_cases:
        run = cases.Run(case, f"{HERE}/count", f"{HERE}/templates")
        run.run(preload=True, env={**env, "FAIL_COUNT": f"{HERE}/n"})
        run.remove()
        with open("n") as f:
            tasks += [(case, n + 1, env) for n in range(int(f.read()))]
    rig.in_parallel(fail_malloc, [(i, *t) for i, t in enumerate(tasks)])
    rig.say(f"{len(tasks)} failed allocations, each one of {len(all_cases)} "
            f"runs: {dict(outcomes)}")


mode = sys.argv[1]
cases.make_templates(f"{HERE}/templates")
if mode == "mallocs":
    mallocs()
else:
    calls()
rig.end()
