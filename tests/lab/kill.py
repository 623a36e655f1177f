#!/usr/bin/env python3
"""`fabric apply` killed with SIGKILL at random instants: the next plain apply converges, and no lock needs anybody.

usage: kill.py FABRIC_BINARY SOURCE_ROOT [COUNT [SEED]]

Each instant has a lab of its own. A node that is still booting then is waited for: it can't be planned before.
"""
import collections
import concurrent.futures
import random
import subprocess
import sys
import time

from lab import Lab, binary

NODES = 3


def start_apply(lab):
    return subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until_up(lab):
    deadline = time.monotonic() + 60
    while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
        assert time.monotonic() < deadline, "a node does not come back"
        time.sleep(0.2)


def how_far(lab):
    words = lab.fabric("history", expect=0).stdout.split()
    return "before its plan" if not words else "before its first action" if words[0] == "never" else "in its midst"


def killed_at(instant):
    with Lab(NODES) as lab:
        run = start_apply(lab)
        time.sleep(instant)
        run.kill()
        ended = run.wait() == 0
        when = "after its end" if ended else how_far(lab)
        wait_until_up(lab)
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        # No node was rebooted a second time, and no ring neighbours together.
        lab.monitor_is_clean(reboots=NODES)
        # Where nothing was left to do the dead run's lock is still there: whoever has something to do takes it over.
        if locked(lab):
            document = lab.path / "fabric.yaml"
            document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
            lab.apply()
            when += ", its lock taken over later"
        assert not locked(lab), f"locked: {locked(lab)}"
        return when


def locked(lab):
    names = [f"pve{number}" for number in range(1, NODES + 1)]
    return [name for name in names if lab.ssh(name, "test -e /var/lib/fabric/lock").returncode == 0]


def takes():
    with Lab(NODES) as lab:
        begun = time.monotonic()
        assert start_apply(lab).wait() == 0
        return time.monotonic() - begun


count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
chance = random.Random(seed)
whole = takes()
instants = [chance.uniform(0, 1.2 * whole) for _ in range(count)]
outcomes, failed = collections.Counter(), 0
with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
    started = {pool.submit(killed_at, instant): instant for instant in instants}
    for done, future in enumerate(concurrent.futures.as_completed(started), 1):
        instant = started[future]
        try:
            outcome = future.result()
            outcomes[outcome] += 1
            print(f"{done:3}/{count}  killed at {instant:5.2f} s, {outcome}: converged", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"{done:3}/{count}  killed at {instant:5.2f} s: FAILED: {failure}", flush=True)
print(f"{count - failed} of {count} converged ({', '.join(f'{n} {when}' for when, n in sorted(outcomes.items()))}); "
      f"an apply that nobody kills takes {whole:.1f} s; seed {seed}")
sys.exit(failed != 0)
