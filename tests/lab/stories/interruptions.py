# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed or interrupted, and the ones after them."""
import os
import pty
import signal
import subprocess
import time

from documents import HOOKS
from lab import PATIENCE, RING, Lab, binary, until
from steps import begun, said

FIRST = "interrupted: finishing the actions in flight"


def resumed_with_another_document():
    """Who changes the document after a run was cut short is told so by --resume, and a plain apply takes what it says now."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        run = begun(lab, first).name
        first.kill()
        first.wait()
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        refused = lab.fabric("--lab", "apply", "--resume", run, expect=7).stderr
        assert "fabric.yaml" in refused and "changed" in refused, refused
        lab.wait_until_all_are_up()
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def held(lab, stream, *before):
    """An apply that waits for pve1, which is down until it is let go; what it says goes to `stream`."""
    lab.hold("pve1")
    running = subprocess.Popen([*before, binary, "--lab", "apply", "--auto-approve"], cwd=lab.path,
                               stdin=stream if before else subprocess.DEVNULL, stdout=stream, stderr=stream)
    lab.wait_until_down("pve1", running)
    return running


def interrupted_twice():
    """The first Ctrl-C waits for what is in flight, the second leaves at once and says what it leaves behind."""
    with Lab() as lab, (lab.path / "said").open("w") as stream:
        running = held(lab, stream)
        running.send_signal(signal.SIGINT)
        said(lab.path / "said", FIRST, running)
        running.send_signal(signal.SIGINT)
        # What is in flight would not end before the node is let go.
        code, told = running.wait(PATIENCE), (lab.path / "said").read_text()
        assert code == 130, (code, told)
        for text in ("stopped at once: the actions in flight may or may not have happened", "Locks and rollback", "on the nodes end by themselves"):
            assert text in told, (text, told)
        lab.let_go("pve1")
        lab.wait_until_all_are_up()
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def nothing_is_left(lab):
    """Of a run that has ended: what was drained is released, and no node is locked or armed."""
    hooks = (lab.path / "hooks.log").read_text().splitlines()
    assert hooks == ["pve1 before", "pve1 after succeeded"], hooks
    for node in ("pve1", "pve2", "pve3"):
        left = lab.ssh(node, "ls /var/lib/fabric/lock /var/lib/fabric/guard/*").stdout
        assert not left, (node, left)
    lab.monitor_is_clean(reboots=1)


def hung_up():
    """SIGHUP is a first interrupt, however often it comes: what is in flight ends and nothing is left behind; nohup is obeyed."""
    with Lab(document=RING % (3, 3) + HOOKS) as lab, (lab.path / "said").open("w") as stream:
        running = held(lab, stream)
        running.send_signal(signal.SIGHUP)
        said(lab.path / "said", FIRST, running)
        for wanted in (signal.SIGHUP, signal.SIGTERM):
            running.send_signal(wanted)
            time.sleep(0.1)
        lab.let_go("pve1")
        assert running.wait(PATIENCE) == 8, (running.returncode, (lab.path / "said").read_text())
        nothing_is_left(lab)
        # Where it is ignored it stays so.
        with subprocess.Popen(["nohup", binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ignoring:
            begun(lab, ignoring)
            ignoring.send_signal(signal.SIGHUP)
        assert ignoring.returncode == 0, ignoring.returncode
        lab.plan_is_empty()


def hung_up_and_interrupted():
    """After a hang-up a Ctrl-C leaves at once."""
    with Lab() as lab, (lab.path / "said").open("w") as stream:
        running = held(lab, stream)
        running.send_signal(signal.SIGHUP)
        said(lab.path / "said", FIRST, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 130, running.returncode


def terminal_gone():
    """A terminal that goes away is a hang-up, and a pipe that nobody reads any more is nothing: the journal goes on."""
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        ours, theirs = pty.openpty()
        running = held(lab, theirs, "setsid", "--ctty", "--wait")
        os.close(theirs)
        os.close(ours)
        # The kernel sends the signal at once; nobody is left to whom the run could say that it has it.
        time.sleep(2)
        lab.let_go("pve1")
        assert running.wait(PATIENCE) == 8, running.returncode
        nothing_is_left(lab)
        read, write = os.pipe()
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=write, stderr=write)
        os.close(write)
        begun(lab, running)
        os.close(read)
        # What it would have said could not be said.
        assert running.wait(PATIENCE) == 1, running.returncode
        assert "applied" in lab.fabric("history", expect=0).stdout
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def killed():
    """A run that is killed leaves its locks; the next from this machine takes them over at once and goes on with its plan."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until("the first never locked", lambda: lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode == 0, first)
        first.kill()
        first.wait()
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode == 0
        cut = lab.fabric("history", expect=0).stdout
        # Killed before its first action, or after it.
        assert "cut short" in cut or "never began" in cut, cut
        run = cut.split()[2 if cut.startswith("never") else 1]
        lab.fabric("--lab", "apply", "--resume", run, expect=0)
        assert "applied" in lab.fabric("history", expect=0).stdout
        lab.fabric("show", run, expect=0)
        lab.plan_is_empty()
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0


def left_armed():
    """A run that is killed while a rollback timer is armed: unlock shows it, the next apply disarms it and goes on."""
    with Lab() as lab:
        armed = "ls /var/lib/fabric/guard/*/armed"
        # It is armed before the boot, and would be until somebody comes to disarm it.
        lab.hold("pve2")
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        lab.wait_until_down("pve2", first)
        first.kill()
        first.wait()
        lab.let_go("pve2")
        lab.wait_until_up("pve2")
        assert lab.ssh("pve2", armed).returncode == 0
        shown = lab.fabric("--lab", "unlock", "--limit", "pve2", expect=0).stdout
        assert "a rollback timer is armed (action" in shown, shown
        done = lab.apply()
        assert "pve2: the rollback timer that a run left" in done.stderr, done.stderr
        assert lab.ssh("pve2", armed).returncode != 0
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
