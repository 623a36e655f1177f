# SPDX-License-Identifier: Apache-2.0
"""Hooks around a disruption."""
import signal
import subprocess

from documents import HOOKS, given_up_soon
from lab import PATIENCE, RING, Lab, binary
from steps import said


def hooks():
    """Around each disruption: drained before, released on every way out, by the next run if need be; never twice, never too early."""
    record = "/var/lib/fabric/drained"

    def log(lab):
        path = lab.path / "hooks.log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        # The first node can't be drained: it is left alone, and what may have begun there is ended.
        (lab.path / "refuse-pve1").touch()
        done = lab.apply(expect=10)
        assert "pod db-0 can't be evicted" in done.stdout, done.stdout
        assert log(lab) == ["pve1 before", "pve1 after failed"]
        assert lab.status()["monitor"]["reboots"] == 0
        # Its release has failed too: that is still owed, and said.
        plan = lab.fabric("--lab", "plan", "--limit", "pve1", expect=0).stdout
        assert "drain/hooks" in plan and lab.ssh("pve1", f"ls {record}").returncode == 0, plan
        (lab.path / "refuse-pve1").unlink()
        lab.apply()
        assert log(lab) == [f"pve{i} {what}" for i in (1, 2, 3) for what in ("before", "after succeeded")]
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert all(lab.ssh(f"pve{i}", f"ls {record}").returncode for i in (1, 2, 3))

    # A node that does not come back is released with that word, and the others are not begun.
    with Lab(document=given_up_soon(RING % (3, 3)) + HOOKS) as lab:
        lab.fabric("lab", "fault", "pve1", "no-boot", expect=0)
        lab.apply(expect=12)
        assert log(lab) == ["pve1 before", "pve1 after lost"]
        lab.fabric("lab", "fault", "pve1", "none", expect=0)

    # Killed while a node is down: the next run releases it, though it has nothing else to do there by then.
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        lab.hold("pve1")
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lab.wait_until_down("pve1", running)
        running.kill()
        running.wait()
        lab.let_go("pve1")
        lab.wait_until_up("pve1")
        assert log(lab) == ["pve1 before"]
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "after_disruption is owed" in plan, plan
        lab.apply()
        assert log(lab)[0] == "pve1 after unknown"
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()

    # Interrupted while a node is down: what is in flight ends, and so does what was begun.
    with Lab(document=RING % (3, 3) + HOOKS) as lab, (lab.path / "said").open("w") as stream:
        lab.hold("pve1")
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=stream)
        lab.wait_until_down("pve1", running)
        running.send_signal(signal.SIGINT)
        said(lab.path / "said", "interrupted: finishing the actions in flight", running)
        lab.let_go("pve1")
        assert running.wait(PATIENCE) == 8, running.returncode
        assert log(lab) == ["pve1 before", "pve1 after succeeded"]
        lab.monitor_is_clean(reboots=1)
