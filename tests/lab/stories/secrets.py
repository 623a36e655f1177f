"""Passwords, which nobody gets to see."""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from documents import HOOKS
from lab import RING, binary


def secrets():
    """A password is in nothing that is printed, written, sent to a node's shell or seen in a list of processes."""
    canary = "c4nary-Wj8-not-to-be-seen"
    environment = {**os.environ, "RING_PASSWORD": canary}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "fabric.yaml").write_text(RING % (2, 2) + HOOKS.replace("hooks.log", folder + "/hooks.log"))
        said = []

        def fabric(*arguments, expect=0):
            with tempfile.TemporaryFile("w+") as out:
                running = subprocess.Popen([binary, "--log", "fabric.log", *arguments], cwd=path, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
                while running.poll() is None:
                    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                        try:
                            assert canary.encode() not in line.read_bytes(), line
                        except OSError:
                            pass  # it has ended
                    time.sleep(0.05)
                out.seek(0)
                said.append(out.read())
            assert running.returncode == expect, (arguments, running.returncode, said[-1])

        fabric("lab", "up", "--password-env", "RING_PASSWORD")
        try:
            info = json.loads((path / ".fabric/lab/lab.json").read_text())
            keys = {line.split()[0]: " ".join(line.split()[1:3]) for line in (path / ".fabric/lab/known_hosts").read_text().splitlines()}
            nodes = "".join(
                f"""  {node}:
    address: {address}
    adapters: {{cx5: {{model: connectx-5-vpi}}}}
    ssh: {{user: root, port: {info["port"]}, password: {{env: RING_PASSWORD}}, host_key: "{keys[f"[{address}]:{info['port']}"]}"}}
""" for node, address in info["addresses"].items())
            whole = (path / "fabric.yaml").read_text()
            before, after = whole.split("  pve[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}}\n")
            (path / "fabric.yaml").write_text(before + nodes + after)
            fabric("-vv", "plan", "--out", "ring.plan")
            fabric("-vv", "--json", "discover", "--save", "facts")
            fabric("-vv", "apply", "--auto-approve")
            fabric("-vv", "--json", "plan", "--detailed-exitcode")
            fabric("-vv", "verify")
            fabric("history")
            run = next((path / ".fabric/runs").iterdir()).name
            for form in ("human", "json", "commands"):
                fabric("show", run, "--format", form)
            environment["RING_PASSWORD"] = canary + "-wrong"
            fabric("-vv", "plan", expect=4)
            assert "password" in said[-1], said[-1]
            address = info["addresses"]["pve1"]
            found = subprocess.run(
                ["ssh", "-F", "none", "-p", str(info["port"]), "-i", info["identity_file"], "-o", "IdentitiesOnly=yes", "-o",
                 f"UserKnownHostsFile={info['known_hosts_file']}", f"root@{address}", f"grep -r {canary[:6]} /etc /var /root /tmp /run"],
                capture_output=True, text=True)
            assert found.returncode == 1 and not found.stdout, (found.returncode, found.stdout, found.stderr)
        finally:
            fabric("lab", "down")
        assert not any(canary in text for text in said), next(text for text in said if canary in text)
        log = (path / "fabric.log").read_text()
        assert "mstconfig" in log and "session to root@" in log and "no session: " in log, log
        files = [each for each in path.rglob("*") if each.is_file()]
        assert len(files) > 8, files
        for each in files:
            assert canary.encode() not in each.read_bytes(), each
