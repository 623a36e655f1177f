# SPDX-License-Identifier: Apache-2.0
"""Passwords, which nobody gets to see."""
import json
import os
import pathlib
import pty
import select
import subprocess
import tempfile
import termios
import time

from documents import HOOKS
from lab import PATIENCE, RING, binary, command_lines, ends_with_this_process


def typed_password(path, environment, canary, said):
    """--ask-password on a terminal, which shows nothing of what is typed and is as it was afterwards."""
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    running = subprocess.Popen([binary, "--ask-password", "pve[1-2]", "plan"], cwd=path, env=environment, stdin=theirs, stdout=theirs,
                               stderr=theirs, start_new_session=True)
    shown = b""

    def has_ended(_):
        # What it printed last may wait in the terminal yet.
        return running.poll() is not None and not select.select([ours], [], [], 0)[0]

    def show_until(end):
        nonlocal shown
        until = time.monotonic() + PATIENCE
        while not end(shown):
            assert time.monotonic() < until, shown
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 65536)

    show_until(lambda text: b"SSH password of pve[1-2]: " in text)
    os.write(ours, b"wrong" + termios.tcgetattr(theirs)[6][termios.VKILL] + canary.encode() + b"x\x7f\n")
    show_until(has_ended)
    assert running.returncode == 0 and b"Plan: " in shown, (running.returncode, shown)
    # Whoever types has seen whom the password goes to.
    asked = shown[:shown.index(b"SSH password")]
    for node in (b"pve1: 127.", b"pve2: 127."):
        assert node in asked, asked
    assert asked.count(b", host key SHA256:") == 2 and asked.count(b"which only the document names") == 2, asked
    assert termios.tcgetattr(theirs) == before
    said.append(shown.decode())
    # Ctrl-C while it asks: nothing is left silent.
    running = subprocess.Popen([binary, "--ask-password", "pve1", "plan"], cwd=path, env=environment, stdin=theirs, stdout=theirs,
                               stderr=theirs, start_new_session=True)
    shown = b""
    show_until(lambda text: b"SSH password of pve1: " in text)
    os.write(ours, b"\x03")
    show_until(has_ended)
    assert running.returncode == 8 and termios.tcgetattr(theirs) == before, (running.returncode, shown)
    os.close(ours)
    os.close(theirs)


def secrets():
    """A password is in nothing that is printed, written, sent to a node's shell or seen in a list of processes."""
    canary = "c4nary-Wj8-not-to-be-seen"
    environment = {**os.environ, "RING_PASSWORD": canary}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outside:
        path = pathlib.Path(folder)
        ends_with_this_process(path)
        (path / "fabric.yaml").write_text(RING % (2, 2) + HOOKS.replace("hooks.log", folder + "/hooks.log"))
        said = []

        def fabric(*arguments, expect=0):
            with tempfile.TemporaryFile("w+") as out:
                running = subprocess.Popen([binary, "--log", "fabric.log", *arguments], cwd=path, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
                while running.poll() is None:
                    for line in command_lines():
                        assert canary.encode() not in line, line
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
            # A document may come from anybody: it hands out no variable by itself.
            fabric("-vv", "plan", expect=5)
            assert "[document-not-trusted]" in said[-1], said[-1]
            # Nor does anybody's password go where the document alone says who answers: by known_hosts, or by the file.
            credentials = pathlib.Path(outside) / "credentials.yaml"
            credentials.write_text("pve[1-2]: {env: RING_PASSWORD}\n")
            credentials.chmod(0o600)
            fabric("-vv", "--credentials", str(credentials), "plan", expect=5)
            assert said[-1].count("host key SHA256:") == 2 and "session" not in (path / "fabric.log").read_text(), said[-1]
            port = info["port"]
            credentials.write_text("".join(
                f"{node}: {{env: RING_PASSWORD, host_key: {keys[f'[{address}]:{port}']}}}\n"
                for node, address in info["addresses"].items()))
            fabric("-vv", "--credentials", str(credentials), "plan")
            environment["HOME"] = outside
            (pathlib.Path(outside) / ".ssh").mkdir()
            (pathlib.Path(outside) / ".ssh/known_hosts").write_text((path / ".fabric/lab/known_hosts").read_text())
            credentials.write_text("pve[1-2]: {env: RING_PASSWORD}\n")
            fabric("-vv", "--credentials", str(credentials), "plan")
            credentials.write_text(f"pve[1-2]: {{password: {canary}}}\n")
            fabric("-vv", "--credentials", str(credentials), "plan")
            credentials.write_text(f"pve[1-2]: {{password: {canary}-wrong}}\n")
            fabric("-vv", "--credentials", str(credentials), "plan", expect=4)
            (pathlib.Path(outside) / ".ssh/known_hosts").unlink()
            typed_password(path, environment, canary, said)
            environment["FABRIC_TRUST_DOCUMENT"] = "1"
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
