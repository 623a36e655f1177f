#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lab in a folder, and fabric in that folder; for scripts whose first arguments are FABRIC_BINARY and SOURCE_ROOT."""
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from labs import ends_with_this_process  # noqa: E402  pylint: disable=wrong-import-position

# The folder changes: each lab has its own.
binary, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
# Leaks and variables that are defined twice are looked for by the unit tests. With them, and with long call stacks for
# each piece of memory, two thirds of the time of the stories would be the sanitizer's.
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [
    os.environ.get("ASAN_OPTIONS"),
    "detect_leaks=0:detect_odr_violation=0:malloc_context_size=1:max_malloc_fill_size=0:quarantine_size_mb=4"]))
RING = """\
apiVersion: fabric/v1
name: ring
nodes:
  pve[1-%d]: {adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: ["pve[1-%d]"]}]
"""
# No verdict depends on how fast a machine is: who waits for something waits for the event itself, and this long only because a test
# that fails has to end.
PATIENCE = 300


def command_lines():
    """Of every process of this machine; one that ends meanwhile has none."""
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                yield pathlib.Path("/proc", process, "cmdline").read_bytes()
            except OSError:
                pass


def until(what, condition, running=None, every=0.1):
    """Waits until it is so. `running`: a process that has to be there meanwhile. `every`: seconds between two looks, more where a
    look is a program to start."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        assert running is None or running.poll() is None, f"{what}: exit {running.returncode}"
        time.sleep(every)


class Lab:
    """Up while the `with` lasts."""

    def __init__(self, nodes=3, lab_yaml=None, document=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        ends_with_this_process(self.path)
        (self.path / "fabric.yaml").write_text(document or RING % (nodes, nodes))
        if lab_yaml:
            (self.path / "lab.yaml").write_text(lab_yaml)

    def __enter__(self):
        self.fabric("lab", "up", expect=0)
        return self

    def __exit__(self, failure, *_):
        self.fabric("lab", "down", expect=0)
        left = {path.name for path in (self.path / ".fabric/lab").glob("*")} - {"lab.log", "lock"}
        self.folder.cleanup()
        assert failure or not left, f"lab down left {left}"

    def fabric(self, *arguments, expect=None):
        done = subprocess.run([binary, *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600)
        if expect is not None:
            assert done.returncode == expect, (
                f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}")
        return done

    def apply(self, expect=0):
        return self.fabric("--lab", "apply", "--auto-approve", expect=expect)

    def by_hand(self, *arguments, answer, expect=0):
        """As somebody at a terminal, who types one answer."""
        ours, theirs = pty.openpty()
        os.write(ours, answer.encode() + b"\n")
        done = subprocess.run([binary, *arguments], cwd=self.path, stdin=theirs, capture_output=True, text=True, timeout=600, start_new_session=True)
        os.close(ours)
        os.close(theirs)
        assert done.returncode == expect, f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}"

    def plan_is_empty(self):
        self.fabric("--lab", "plan", "--detailed-exitcode", expect=0)

    def verify_says(self, *texts):
        # Whether it is a cause or the consequence of a broken cable.
        done = self.fabric("--lab", "-v", "verify", expect=13)
        for text in texts:
            assert text in done.stdout, f"verify does not say {text!r}:\n{done.stdout}"

    def status(self):
        lines = self.fabric("--json", "lab", "status", expect=0).stdout.splitlines()
        return next(event for event in map(json.loads, lines) if "monitor" in event)

    def monitor_is_clean(self, reboots):
        monitor = self.status()["monitor"]
        assert monitor["reboots"] == reboots, monitor
        assert monitor["most_down_at_once"] <= 1 and not monitor["neighbours_down_together"], monitor
        assert not monitor["violations"], monitor

    def ssh(self, node, command):
        return self.ssh_with(node, command, "")

    def ssh_with(self, node, command, text):
        return self.session(node, [command], text)

    def at_prompt(self, node, *lines):
        """What a machine with a prompt in place of a shell shows while somebody types these lines and leaves."""
        return self.session(node, [], "".join(line + "\n" for line in lines), "-tt").stdout

    def session(self, node, command, text, *options):
        info = json.loads((self.path / ".fabric/lab/lab.json").read_text())
        return subprocess.run(
            ["ssh", "-F", "none", "-p", str(info["port"]), "-i", info["identity_file"], "-o", "IdentitiesOnly=yes",
             "-o", f"UserKnownHostsFile={info['known_hosts_file']}", "-o", "StrictHostKeyChecking=yes", *options,
             f"root@{info['addresses'][node]}", *command], input=text, capture_output=True, text=True, timeout=PATIENCE)

    def reboot(self, node, first=":"):
        """Runs a command on the node, reboots it behind our back, and waits until it is up again."""
        self.ssh(node, f"{first}; systemctl reboot")
        self.wait_until_up(node)

    def boots(self, *nodes):
        """How often each of them was told to boot since the lab began: a short boot may be over before anybody looks."""
        known = self.status()["nodes"]
        return [known[node]["boots"] for node in nodes]

    def wait_until_up(self, node):
        until(f"{node} does not come back", lambda: self.status()["nodes"][node]["power"] == "up", every=0.5)

    def wait_until_all_are_up(self):
        until("a node does not come back", lambda: all(node["power"] == "up" for node in self.status()["nodes"].values()), every=0.5)

    def share(self, folder):
        """The same lab for `--lab` in another folder: hard links, for fabric follows no other one there."""
        shutil.copytree(self.path / ".fabric/lab", folder / ".fabric/lab", copy_function=os.link)

    def hold(self, node):
        """Whatever reboots the node has to wait for it, however long, until it is let go: what happens meanwhile is in no hurry."""
        self.fabric("lab", "fault", node, "no-boot", expect=0)

    def wait_until_down(self, node, running):
        """Of a node that is held."""
        until(f"{node} is not rebooted", lambda: self.status()["nodes"][node]["power"] != "up", running, every=0.5)

    def let_go(self, node):
        self.fabric("lab", "fault", node, "none", expect=0)
