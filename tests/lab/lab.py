#!/usr/bin/env python3
"""A lab in a folder, and fabric in that folder; for scripts whose first arguments are FABRIC_BINARY and SOURCE_ROOT."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

binary, root = sys.argv[1], pathlib.Path(sys.argv[2])
RING = """\
apiVersion: fabric/v1
name: ring
rollout: {reboot_timeout: 8s}
nodes:
  pve[1-%d]: {adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: ["pve[1-%d]"]}]
"""


class Lab:
    """Up while the `with` lasts."""

    def __init__(self, nodes=3, lab_yaml=None, document=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
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
                              capture_output=True, text=True, timeout=300)
        if expect is not None:
            assert done.returncode == expect, (
                f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}")
        return done

    def apply(self, expect=0):
        return self.fabric("--lab", "apply", "--auto-approve", expect=expect)

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
        info = json.loads((self.path / ".fabric/lab/lab.json").read_text())
        return subprocess.run(
            ["ssh", "-F", "none", "-p", str(info["port"]), "-i", info["identity_file"], "-o", "IdentitiesOnly=yes",
             "-o", f"UserKnownHostsFile={info['known_hosts_file']}", "-o", "StrictHostKeyChecking=yes",
             f"root@{info['addresses'][node]}", command], capture_output=True, text=True, timeout=60)

    def reboot(self, node, first=":"):
        """Runs a command on the node, reboots it behind our back, and waits until it is up again."""
        self.ssh(node, f"{first}; systemctl reboot")
        deadline = time.monotonic() + 30
        while self.status()["nodes"][node]["power"] != "up":
            assert time.monotonic() < deadline, f"{node} does not come back"
            time.sleep(0.2)
