"""Runs that are killed or interrupted, and the ones after them."""
import signal
import subprocess
import time

from lab import Lab, binary
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


def interrupted_twice():
    """The first Ctrl-C waits for what is in flight, the second leaves at once and says what it leaves behind."""
    with Lab() as lab:
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
        for text in ("left at once: what was in flight may or may not have happened", "locks on the nodes", "rollback timers"):
            assert text in said, (text, said)
        while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
            assert time.monotonic() < deadline, "a node does not come back"
            time.sleep(0.2)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


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
