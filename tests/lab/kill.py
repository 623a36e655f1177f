#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`fabric apply` ended from outside at random instants, killed (SIGKILL) or because its terminal went away (SIGHUP).

usage: kill.py FABRIC_BINARY SOURCE_ROOT [KILLED [HUNG_UP [SEED]]]        50, 20 and 1 unless told otherwise

Each instant has a lab of its own, whose document drains a node before it is disrupted. After a kill the next plain
apply converges, and no lock needs anybody. After a hang-up what was in flight has ended and nothing is left at all:
no lock, no rollback timer, no drained node; and the next plain apply converges. A node that is still booting is
waited for: it can't be planned before.
"""
import collections
import concurrent.futures
import random
import signal
import subprocess
import sys
import time

from documents import HOOKS
from lab import PATIENCE, RING, Lab, binary

NODES = 3
DOCUMENT = RING % (NODES, NODES) + HOOKS
CANCELLED = 8


def start_apply(lab):
    # Its hooks are in its session; the terminal that goes away is that of all of them.
    return subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def how_far(lab):
    said = lab.fabric("history", expect=0).stdout
    if said.startswith("no runs here yet"):
        return "before its plan"
    words = said.split()
    return "before its first action" if words[0] == "never" else "while it was proven" if "applied," in words else "in its midst"


def drained(lab):
    """Nodes of which the last that was heard is that they were drained."""
    log, last = lab.path / "hooks.log", {}
    for line in log.read_text().splitlines() if log.exists() else []:
        node, what = line.split()[:2]
        last[node] = what
    return sorted(node for node, what in last.items() if what == "before")


def names():
    return [f"pve{number}" for number in range(1, NODES + 1)]


def locked(lab):
    return [name for name in names() if lab.ssh(name, "test -e /var/lib/fabric/lock").returncode == 0]


def armed(lab):
    return [name for name in names() if lab.ssh(name, "ls /var/lib/fabric/guard/*/armed").returncode == 0]


def converges(lab):
    lab.wait_until_all_are_up()
    lab.apply()
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)
    # No node was rebooted a second time, and no ring neighbours together.
    lab.monitor_is_clean(reboots=NODES)
    assert not drained(lab), f"left drained: {drained(lab)}"


def killed_at(instant):
    with Lab(document=DOCUMENT) as lab:
        run = start_apply(lab)
        time.sleep(instant)
        run.kill()
        ended = run.wait() == 0
        when = "after its end" if ended else how_far(lab)
        converges(lab)
        # Where nothing was left to do the dead run's lock is still there: whoever has something to do takes it over.
        if locked(lab):
            document = lab.path / "fabric.yaml"
            document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
            lab.apply()
            when += ", its lock taken over later"
        assert not locked(lab), f"locked: {locked(lab)}"
        assert not drained(lab), f"left drained: {drained(lab)}"
        return when


def hung_up_at(instant):
    with Lab(document=DOCUMENT) as lab:
        run = start_apply(lab)
        time.sleep(instant)
        run.send_signal(signal.SIGHUP)
        code = run.wait(PATIENCE)
        when = "after its end" if code == 0 else how_far(lab)
        # Before it has begun with anything, and when all is done, there is nothing to finish.
        idle = when in ("before its plan", "while it was proven")
        assert code in (0, CANCELLED) or code == -signal.SIGHUP and idle, f"exit {code}, {when}"
        lab.wait_until_all_are_up()
        assert not locked(lab), f"locked: {locked(lab)}"
        assert not armed(lab), f"armed: {armed(lab)}"
        assert not drained(lab), f"left drained: {drained(lab)}"
        converges(lab)
        return when


def takes():
    with Lab(document=DOCUMENT) as lab:
        begun = time.monotonic()
        assert start_apply(lab).wait() == 0
        return time.monotonic() - begun


signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and the runs would inherit that
given = [int(word) for word in sys.argv[3:]] + [50, 20, 1][len(sys.argv[3:]):]
count, seed = given[0] + given[1], given[2]
chance = random.Random(seed)
whole = takes()
instants = [("killed", killed_at, chance.uniform(0, 1.2 * whole)) for _ in range(given[0])]
instants += [("hung up", hung_up_at, chance.uniform(0, 1.2 * whole)) for _ in range(given[1])]
outcomes, failed = collections.Counter(), 0
with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
    started = {pool.submit(end, instant): (how, instant) for how, end, instant in instants}
    for done, future in enumerate(concurrent.futures.as_completed(started), 1):
        how, instant = started[future]
        try:
            outcome = future.result()
            outcomes[f"{how} {outcome}"] += 1
            print(f"{done:3}/{count}  {how} at {instant:5.2f} s, {outcome}: converged", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"{done:3}/{count}  {how} at {instant:5.2f} s: FAILED: {failure}", flush=True)
print(f"{count - failed} of {count} converged ({', '.join(f'{n} {when}' for when, n in sorted(outcomes.items()))}); "
      f"an apply that nobody ends takes {whole:.1f} s; seed {seed}")
sys.exit(failed != 0)
