#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes that are not what they should be: servers.py FABRIC SOURCE

Each stage of an SSH session ends early, never, in garbage or in a flood, and nodes answer probes with floods, escape
sequences, or the script itself. One discover asks all of them at once: it ends in time, each is one failed node with a
message, and the honest node among them is read. Needs sshd; without it only the stages before a session are played.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

fabric = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
BANNER = b"SSH-2.0-OpenSSH_9.2p1\r\n"
# A child that fabric leaves behind must not outlive the test.
MEMORY_MIB = 900


class Port:
    """A port of the loopback with a thread for each who comes."""

    def __init__(self, serve):
        self.server = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.number = self.server.getsockname()[1]
        self.serve = serve
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.quietly, args=(client,), daemon=True).start()

    def quietly(self, client):
        try:
            with client:
                self.serve(client)
        except OSError:
            pass


def says(*pieces, then="close"):
    def serve(client):
        for piece in pieces:
            client.sendall(piece)
        if then == "silence":
            time.sleep(1000)
        if then == "listen":  # until the other side has had enough
            while client.recv(65536):
                pass
    return serve


def floods(piece, first=b""):
    def serve(client):
        client.sendall(first)
        while True:
            client.sendall(piece)
    return serve


def passes(real, server_bytes, then):
    """A man in between, who lets some bytes of the server pass and then does something else."""
    def serve(client):
        with socket.create_connection(("127.0.0.1", real)) as upstream:
            def up():
                try:
                    while data := client.recv(65536):
                        upstream.sendall(data)
                except OSError:
                    pass
            threading.Thread(target=up, daemon=True).start()
            left = server_bytes
            while left > 0 and (data := upstream.recv(min(left, 65536))):
                client.sendall(data)
                left -= len(data)
            then(client, upstream)
    return serve


def cut(_client, _upstream):
    pass


def stall(_client, _upstream):
    time.sleep(1000)


def garbage(client, _upstream):
    noise = random.Random(7).randbytes(65536)
    for _ in range(200):
        client.sendall(noise)


def garble(client, upstream):
    while data := upstream.recv(65536):
        client.sendall(bytes([data[0] ^ 0x41]) + data[1:])


def before_a_session():
    packet = b"\x00\x00\x01\x00" + b"\x05\x14" + bytes(16)
    return {
        "hangs-up": says(),
        "says-nothing": says(then="silence"),
        "endless-banner": floods(b"A" * 65536),
        "endless-lines": floods(b"not yet\r\n" * 1000),
        "zeros": floods(bytes(65536)),
        "web-server": says(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
        "old-protocol": says(b"SSH-1.5-old\r\n", then="listen"),
        "escapes": says(b"\x1b[2J\x1b]0;owned\x07SSH-2.0-\x1b[31mred\r\n", b"\x1b[2J" * 10, then="listen"),
        "banner-then-close": says(BANNER),
        "banner-then-silence": says(BANNER, then="silence"),
        "banner-then-noise": floods(random.Random(3).randbytes(65536), BANNER),
        "huge-packet": says(BANNER, b"\xff\xff\xff\xff" + bytes(64), then="listen"),
        "empty-packet": says(BANNER, b"\x00\x00\x00\x00" * 100, then="listen"),
        "empty-key-exchange": says(BANNER, packet, then="listen"),
    }


def in_a_session(real):
    servers = {}
    # The banner, the key exchange, the host key, the authentication, the channel, the command and its output.
    for bytes_passed in (10, 40, 600, 1100, 1500, 1700, 2000, 2400, 2800, 3200, 4000, 8000):
        servers[f"cut-{bytes_passed}"] = passes(real, bytes_passed, cut)
    for bytes_passed in (600, 1700, 2400, 3200):
        servers[f"stall-{bytes_passed}"] = passes(real, bytes_passed, stall)
        servers[f"garbage-{bytes_passed}"] = passes(real, bytes_passed, garbage)
        servers[f"garble-{bytes_passed}"] = passes(real, bytes_passed, garble)
    return servers


SHELLS = {
    "flood": "cat /dev/zero",
    "error-flood": "cat /dev/zero >&2",
    "large": "head -c 200000000 /dev/zero; exit 0",
    "nothing": "exit 0",
    "never-ends": "exec sleep 60",
    "killed": "kill -9 $$",
    "escape-sequences": r"while :; do printf '\033[2J\033]0;owned\007\n'; done | head -c 100000",
    "echoes-the-script": 'printf "%s\\n" "$SSH_ORIGINAL_COMMAND"; cat',
    "garbage-in-markers": 'sh -c "$SSH_ORIGINAL_COMMAND" 2>&1 | tr "0-9a-f" "1-9a-f0"',
    "twice": 'input=$(mktemp); cat >$input; sh -c "$SSH_ORIGINAL_COMMAND" <$input; sh -c "$SSH_ORIGINAL_COMMAND" <$input',
}


class Sshd:
    """With a port for each script of `shells`, which is what runs there whatever is asked."""

    def __init__(self, folder, shells):
        self.folder = folder
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        shutil.copy(folder / "user.pub", folder / "authorized")
        # All at once: one that is free again could be given a second time.
        taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(len(shells) + 1)]
        ports = [each.getsockname()[1] for each in taken]
        for each in taken:
            each.close()
        self.port, self.shells = ports[0], dict(zip(shells, ports[1:]))
        lines = [f"Port {port}" for port in ports] + [
            "ListenAddress 127.0.0.1", f"HostKey {folder}/host", f"AuthorizedKeysFile {folder}/authorized",
            # Whoever runs this may have a start file of bash that waits for others: those ends are no part of the test.
            f"SetEnv HOME={folder}/home",
            "StrictModes no", "UsePAM no", "PidFile none", "MaxStartups 200", "PermitRootLogin yes", "LogLevel QUIET"]
        for name, port in self.shells.items():
            script = folder / f"{name}.sh"
            script.write_text(f"#!/bin/sh\n{shells[name]}\n")
            script.chmod(0o755)
            lines += [f"Match LocalPort {port}", f"ForceCommand {script}"]
        (folder / "sshd_config").write_text("\n".join(lines) + "\n")
        os.makedirs("/run/sshd", exist_ok=True) if os.geteuid() == 0 else None
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("sshd does not start")

    def host_key(self):
        return " ".join((self.folder / "host.pub").read_text().split()[:2])

    def close(self):
        self.process.terminate()
        self.process.wait()


def document(nodes, folder, pin):
    lines = ["apiVersion: fabric/v1", "name: hostile", "nodes:"]
    for name, port in nodes.items():
        lines.append(f"  {name}: {{address: 127.0.0.1, ssh: {{port: {port}, user: {os.environ.get('USER', 'root')}, "
                     f"identity_file: {folder}/user{pin}}}, adapters: {{a: {{model: connectx-5-vpi}}}}}}")
    return "\n".join(lines) + "\n"


def unlock_waits_no_longer(folder):
    """Than --timeout, and not twice: whoever lets a command hang is asked once."""
    for name in ("never-ends", "flood"):
        log = folder / f"{name}.log"
        done = subprocess.run([fabric, "--timeout", "3s", "--log", log, "unlock", "--limit", name], cwd=folder, stdin=subprocess.DEVNULL,
                              env=os.environ | {"HOME": str(folder / "home"), "SSH_AUTH_SOCK": ""}, capture_output=True, timeout=300)
        said = done.stderr.decode()
        assert done.returncode != 0 and name in said, f"unlock of {name}: exit {done.returncode}: {said}"
        assert name != "never-ends" or (done.returncode == 9 and "did not end within 3" in said), f"unlock of {name}: {said}"
        sessions = log.read_text().count("session to")
        assert sessions == 1, f"unlock of {name}: {sessions} sessions: {log.read_text()}"


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fabric-hostile-"))
    sshd = None
    try:
        servers = {name: Port(serve).number for name, serve in before_a_session().items()}
        pin = ""
        if SSHD:
            sshd = Sshd(folder, SHELLS)
            pin = f", host_key: {sshd.host_key()}"
            servers |= {name: Port(serve).number for name, serve in in_a_session(sshd.port).items()}
            servers |= sshd.shells
            servers["honest"] = sshd.port
        (folder / "fabric.yaml").write_text(document(servers, folder, pin))
        (folder / "home").mkdir()

        def limits():
            if len(sys.argv) < 4:  # a sanitizer has its own way with memory
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MIB << 20, MEMORY_MIB << 20))
        begin = time.monotonic()
        done = subprocess.run(
            [fabric, "--json", "--parallelism", "100", "--timeout", "20s", "discover", "--save", "facts"], cwd=folder,
            env=os.environ | {"HOME": str(folder / "home"), "SSH_AUTH_SOCK": ""}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=300, preexec_fn=limits)
        seconds = time.monotonic() - begin
        output = done.stdout + done.stderr
        assert done.returncode == 4, f"exit {done.returncode}: {output[-2000:]}"
        assert b"\x1b" not in output, "an escape sequence came through"
        assert len(output) < 4_000_000, f"{len(output)} bytes were said"
        for name in servers:
            facts = json.loads((folder / f"facts/{name}.json").read_text())
            if name == "honest":
                assert not facts.get("failure"), facts["failure"]
                assert facts["probes"], "the honest node told nothing"
            if name in before_a_session() or name.startswith(("stall-", "garbage-")) or name in (
                    "flood", "error-flood", "large", "never-ends", "nothing", "killed", "echoes-the-script"):
                assert facts.get("failure"), f"{name} counts as read: {str(facts)[:500]}"
        if sshd:
            unlock_waits_no_longer(folder)
        print(f"{len(servers)} servers, {seconds:.1f} s" + ("" if SSHD else "; SKIPPED: sshd is not installed"))
    finally:
        if sshd:
            sshd.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
