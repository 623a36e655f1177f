# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed or interrupted, and the ones after them."""
import os
import pty
import signal
import subprocess
import time

from documents import HOOKS
from lab import RING, SLOW_BOOT, Lab, binary, long
from steps import begun


def resumed_with_another_document():
    """Who changes the document after a run was cut short is told so by --resume, and a plain apply takes what it says now."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        run = begun(lab, first).name
        first.kill()
        first.wait()
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        said = lab.fabric("--lab", "apply", "--resume", run, expect=7).stderr
        assert "fabric.yaml" in said and "changed" in said, said
        deadline = time.monotonic() + 60
        while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
            assert time.monotonic() < deadline, "a node does not come back"
            time.sleep(0.2)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


@long
def interrupted_twice():
    """The first Ctrl-C waits for what is in flight, the second leaves at once and says what it leaves behind."""
    with Lab(lab_yaml=SLOW_BOOT) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while lab.status()["nodes"]["pve1"]["power"] == "up":
            assert time.monotonic() < deadline and running.poll() is None, "pve1 is not rebooted"
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        left = time.monotonic()
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130, (running.returncode, said)
        assert time.monotonic() - left < 5, "it did not leave at once"
        for text in ("stopped at once: the actions in flight may or may not have happened", "Locks and rollback", "on the nodes end by themselves"):
            assert text in said, (text, said)
        while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
            assert time.monotonic() < deadline, "a node does not come back"
            time.sleep(0.2)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def until_pve1_goes_down(lab, running):
    deadline = time.monotonic() + 60
    while lab.status()["nodes"]["pve1"]["power"] == "up":
        assert time.monotonic() < deadline and running.poll() is None, "pve1 is not rebooted"
        time.sleep(0.05)


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
    with Lab(document=RING % (3, 3) + HOOKS, lab_yaml=SLOW_BOOT) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until_pve1_goes_down(lab, running)
        for wanted in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
            running.send_signal(wanted)
            time.sleep(0.1)
        said = running.communicate(timeout=60)[1]
        assert running.returncode == 8, (running.returncode, said)
        assert "interrupted: finishing the actions in flight" in said, said
        nothing_is_left(lab)
        # Where it is ignored it stays so.
        with subprocess.Popen(["nohup", binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ignoring:
            time.sleep(1)
            ignoring.send_signal(signal.SIGHUP)
        assert ignoring.returncode == 0, ignoring.returncode
        lab.plan_is_empty()


def hung_up_and_interrupted():
    """After a hang-up a Ctrl-C leaves at once."""
    with Lab(lab_yaml=SLOW_BOOT) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_pve1_goes_down(lab, running)
        running.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 130, running.returncode


@long
def terminal_gone():
    """A terminal that goes away is a hang-up, and a pipe that nobody reads any more is nothing: the journal goes on."""
    with Lab(document=RING % (3, 3) + HOOKS, lab_yaml=SLOW_BOOT) as lab:
        ours, theirs = pty.openpty()
        running = subprocess.Popen(["setsid", "--ctty", "--wait", binary, "--lab", "apply", "--auto-approve"], cwd=lab.path,
                                   stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        until_pve1_goes_down(lab, running)
        os.close(ours)
        assert running.wait(60) == 8, running.returncode
        nothing_is_left(lab)
        read, write = os.pipe()
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=write, stderr=write)
        os.close(write)
        begun(lab, running)
        os.close(read)
        # What it would have said could not be said.
        assert running.wait(120) == 1, running.returncode
        assert "applied" in lab.fabric("history", expect=0).stdout
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


@long
def killed():
    """A run that is killed leaves its locks; the next from this machine takes them over at once and goes on with its plan."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0:
            assert first.poll() is None and time.monotonic() < deadline, "the first never locked"
            time.sleep(0.1)
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
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while lab.ssh("pve2", armed).returncode != 0:
            assert first.poll() is None and time.monotonic() < deadline, "no timer was armed"
            time.sleep(0.1)
        first.kill()
        first.wait()
        while lab.status()["nodes"]["pve2"]["power"] != "up":
            assert time.monotonic() < deadline, "pve2 does not come back"
            time.sleep(0.2)
        shown = lab.fabric("--lab", "unlock", "--limit", "pve2", expect=0).stdout
        assert "a rollback timer is armed (action" in shown, shown
        done = lab.apply()
        assert "pve2: the rollback timer that a run left" in done.stderr, done.stderr
        assert lab.ssh("pve2", armed).returncode != 0
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
