# SPDX-License-Identifier: Apache-2.0
"""Locks: more than one operator at a time."""
import pathlib
import shutil
import subprocess
import tempfile

from lab import PATIENCE, Lab, binary, until
from steps import begun


def two_operators():
    """Two folders, one lab: who comes second is told who is there, writes nothing, and finds it converged later."""
    with Lab() as lab, tempfile.TemporaryDirectory() as elsewhere:
        other = pathlib.Path(elsewhere)
        lab.share(other)
        shutil.copy(lab.path / "fabric.yaml", other)
        lab.hold("pve1")
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until("the first never locked", lambda: lab.ssh("pve2", "cat /var/lib/fabric/lock").returncode == 0, first)
        run = lab.ssh("pve2", "cat /var/lib/fabric/lock").stdout.split()[1]
        second = subprocess.run([binary, "--lab", "apply", "--auto-approve"], cwd=other, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert second.returncode == 6 and run in second.stderr and "locked by" in second.stderr, (second.returncode, second.stderr)
        shown = lab.fabric("--lab", "unlock", expect=6).stdout
        assert f"(run {run})" in shown and "is live and stays" in shown, shown
        lab.let_go("pve1")
        assert first.wait(timeout=PATIENCE) == 0
        lab.fabric("--lab", "unlock", expect=0)
        assert "lock\n" not in lab.ssh("pve2", "ls /var/lib/fabric").stdout
        lab.plan_is_empty()


def two_at_one_place():
    """A second apply in the same folder is told which process is at work, before it asks any node."""
    with Lab() as lab:
        lab.hold("pve1")
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        begun(lab, first)
        second = lab.apply(expect=6)
        assert f"process {first.pid}" in second.stderr, second.stderr
        lab.let_go("pve1")
        assert first.wait(timeout=PATIENCE) == 0
        lab.plan_is_empty()


def lock_lost():
    """The lock of a node is somebody else's when its turn comes: nothing is written there, and the run says whose."""
    with Lab() as lab:
        lab.hold("pve1")
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        begun(lab, first)
        now = int(lab.ssh("pve3", "date +%s").stdout)
        foreign = f"run theirs\nwho anna@ops2\nplace elsewhere\nprocess 1.1\ntaken {now}\nexpires {now + 3600}\n"
        lab.ssh("pve3", f"printf '{foreign}' > /var/lib/fabric/lock")
        lab.let_go("pve1")
        said = " ".join(first.communicate(timeout=PATIENCE)[0].split())
        assert first.returncode == 10 and "locked by anna@ops2 (run theirs)" in said, (first.returncode, said)
        monitor = lab.status()["monitor"]
        assert monitor["reboots"] == 2, monitor
        # It is not ours to take away.
        assert "run theirs" in lab.ssh("pve3", "cat /var/lib/fabric/lock").stdout
        lab.fabric("--lab", "apply", "--auto-approve", expect=6)
        lab.fabric("--lab", "unlock", expect=6)
        # Expired it is anybody's.
        lab.ssh("pve3", f"printf '{foreign}' | sed 's/expires .*/expires {now - 1}/' > /var/lib/fabric/lock")
        said = lab.fabric("--lab", "unlock", "--limit", "pve3", expect=0).stdout
        assert "pve3: unlocked; locked by anna@ops2 (run theirs)" in said, said
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0
        lab.apply()
        lab.plan_is_empty()
