"""kill_calls.py: kill -9 at the entry of every system call, one run each.

All that bloomtool does to the world it does by system calls or by stores
into its map, so these are all the states of files that a kill can leave, up
to how many of the stores between two calls were made.
"""
import collections
import os
import threading

import cases
import rig

HERE = os.getcwd()
lock = threading.Lock()
counted = collections.Counter()
left = collections.Counter()


def judge_create(run, case, call):
    """Old or new, whole; next run works."""
    fault = lambda t: rig.fault(f"{case.name}, killed at {call}: {t}")
    now = run.bytes()
    there = now is not None
    if there and now == run.before:
        there = False                   # the old one
    elif case.replaces and not there:
        fault("the old filter is gone")
    elif there and not run.is_new_filter():
        fault("a half-made filter")
    with lock:
        counted["new" if there else "old or none"] += 1
    again = run.again()
    if again is None and (case.replaces or not there):
        fault("the next run does not work")
    if again is not None and there and not case.replaces:
        fault("the next run replaced it")
    if not run.is_new_filter():
        fault("no good filter after the next run")


def judge_add(run, case, call, stdout):
    fault = lambda t: rig.fault(f"{case.name}, killed at {call}: {t}")
    if run.bytes() is None:
        if not case.creates:
            fault("the filter is gone")
    else:
        live = rig.live(run.filter)
        state = rig.state_word(run.filter)
        if state not in ("clean", "left open") or live["marks"]:
            fault(f"state {state}")
        gone = run.missing(case.before())
        if gone is None or gone:
            fault("acknowledged keys are missing")
        if rig.bloomtool("stats", "--verify", run.filter).returncode != 0:
            fault("fewer bits than were counted")
    again = run.again()
    if again is None:
        fault("the next run does not work")
        return
    if case.unseen:
        first = cases.whole_lines(stdout)
        second = cases.whole_lines(again)
        wanted = set(case.feeds) - set(case.before())
        if set(first) | set(second) != wanted:
            fault("a line was never printed")
        if len(set(first)) < len(first) or len(set(second)) < len(second):
            fault("a line was printed twice by one run")
        twice = len(set(first) & set(second))
        if twice > rig.BATCH:
            fault(f"{twice} lines printed again")
    wanted = "left open" if "--no-sync" in case.args else "clean"
    if rig.state_word(run.filter) != wanted:
        fault("not clean after the next run")
    if run.missing(case.keys()) != []:
        fault("keys are missing after the next run")


def judge_recover(run, case, call):
    fault = lambda t: rig.fault(f"{case.name}, killed at {call}: {t}")
    live = rig.live(run.filter)
    if live["marks"] == 0:
        with lock:
            counted["mark gone"] += 1
        if live["state"] != rig.CLEAN:
            fault("the mark is gone, but it is not clean")
        if run.missing(case.keys()) != []:
            fault("the mark is gone, and keys are missing")
    elif live["marks"] != case.marks:
        fault(f"marks {live['marks']}")
    elif rig.missing(run.filter, b"x\n") is not None:
        fault("the mark is there, but check answers")
    if run.again() is None:
        fault("the next run does not work")
    if rig.state_word(run.filter) != "clean":
        fault("not clean after the next run")
    if run.missing(case.keys()) != []:
        fault("keys are missing after the next run")


def job(task):
    number, case, call = task
    run = cases.Run(case, f"{HERE}/{number}", f"{HERE}/templates")
    status, stdout, _ = run.run(f"{call.name}:signal=SIGKILL:when={call.nth}")
    if status != -9:
        # How often a full pipe is written to depends on its reader.
        if case.out != "pipe" or status != case.status:
            rig.fault(f"{case.name}, kill at {call}: status {status}")
        run.remove()
        return
    over = run.left_over()
    if over:
        with lock:
            left[case.name + (f", at {call.name}" if not case.named
                              else "")] += 1
        # Unnamed until it is linked, and a link cannot replace.
        before = case.calls[:case.calls.index(call)]
        unavoidable = case.named or case.replaces and any(
            c.name.startswith("link") for c in before)
        if not unavoidable or len(over) > 1:
            rig.fault(f"{case.name}, killed at {call}: left {over}")
    if case.kind == "create":
        judge_create(run, case, call)
    elif case.kind == "add":
        judge_add(run, case, call, stdout)
    else:
        judge_recover(run, case, call)
    run.remove()


def main():
    cases.make_templates(f"{HERE}/templates")
    all_cases = [c for c in cases.all_cases() if c.kind != "look"]
    cases.prepare(all_cases, HERE, f"{HERE}/templates")
    tasks = [(c, call) for c in all_cases for call in c.calls]
    rig.in_parallel(job, [(i, *t) for i, t in enumerate(tasks)])
    rig.say(f"{len(tasks)} kills, one at each system call of "
            f"{len(all_cases)} runs: {len(rig.faults)} faults")
    rig.say(f"after them: {dict(counted)}")
    for where, n in sorted(left.items()):
        rig.say(f"left a temporary file, unavoidably: {where}: {n}")
    rig.end()


main()
