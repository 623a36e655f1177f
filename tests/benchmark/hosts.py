# SPDX-License-Identifier: Apache-2.0
"""Hosts that answer by SSH: those of a lab, what was recorded of them, and one real sshd on many addresses; and how ssh gets into them."""
import concurrent.futures
import getpass
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
# The same for every program, so that none of them is measured by a dearer key exchange; it is the first choice of fabric.
KEY_EXCHANGE = "curve25519-sha256"
# So many sockets one sshd takes.
ADDRESSES_OF_ONE = 16
NONCE = "00112233445566778899aabbccddeeff"


def fabric(binary, folder, *arguments, check=True):
    done = subprocess.run([binary, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"fabric {' '.join(arguments)}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Hosts:
    """A folder with `hosts`, an address a line, and `ssh_config`."""

    def __init__(self, folder, user, port, identity, known_hosts, addresses):
        self.folder, self.user, self.count = folder, user, len(addresses)
        (folder / "hosts").write_text("".join(f"{address}\n" for address in addresses))
        (folder / "ssh_config").write_text(
            f"Host *\n  User {user}\n  Port {port}\n  IdentityFile {identity}\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {known_hosts}\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n  BatchMode yes\n"
            f"  KexAlgorithms {KEY_EXCHANGE}\n  ControlMaster no\n  ControlPath none\n  LogLevel ERROR\n")


def lab_hosts(folder):
    """Of the lab that runs there."""
    lab = json.loads((folder / ".fabric/lab/lab.json").read_text())
    return Hosts(folder, "root", lab["port"], lab["identity_file"], lab["known_hosts_file"], lab["addresses"].values())


class Recorded:
    """Hosts that say at once what those of a lab have said: each was asked before, by ssh, and what it printed is said again byte for
    byte, but for the nonce, which is that of the asker. `program`: recorded_hosts, which speaks SSH as the lab does."""

    def __init__(self, program, lab, folder, command_file):
        files = folder / ".fabric/lab"
        (files / "recorded").mkdir(parents=True)
        shutil.copytree(lab / ".fabric/lab/document", files / "document")
        asked = lab_hosts(lab)

        def record(node):
            name, address = node
            with open(files / f"recorded/{name}.out", "wb") as out, open(files / f"recorded/{name}.err", "wb") as err:
                subprocess.run(["ssh", "-F", asked.folder / "ssh_config", address, command_file.read_text()], stdin=subprocess.DEVNULL,
                               stdout=out, stderr=err, check=True)

        addresses = json.loads((lab / ".fabric/lab/lab.json").read_text())["addresses"]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(record, addresses.items()))
        self.process = subprocess.Popen([program, files, NONCE])
        until = time.monotonic() + 60
        while not (files / "lab.json").exists() and self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        self.folder, self.hosts, self.program = folder, lab_hosts(folder), pathlib.Path(program)

    def bare_sessions(self):
        """The program beside recorded_hosts, for all of them."""
        lab = json.loads((self.folder / ".fabric/lab/lab.json").read_text())
        return [str(self.program.with_name("bare_sessions")), str(lab["port"]), "root", lab["identity_file"], f"sh -s {NONCE}",
                *lab["addresses"].values()]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Sshd:
    """The real sshd on this machine, behind many addresses of the loopback and none of the network."""

    def __init__(self, folder, count):
        folder.mkdir(parents=True)
        self.folder, self.user = folder, getpass.getuser()
        for key in ("host", "user", "recorder"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        (folder / "record.sh").write_text(
            f'#!/bin/sh\nprintf "%s" "$SSH_ORIGINAL_COMMAND" >{shlex.quote(str(folder))}/command\ncat >{shlex.quote(str(folder))}/script\n')
        (folder / "record.sh").chmod(0o755)
        (folder / "authorized").write_text((folder / "user.pub").read_text() + f'command="{folder}/record.sh" '
                                           + (folder / "recorder.pub").read_text())
        with socket.create_server((self.addresses(1)[0], 0)) as free:
            self.port = free.getsockname()[1]
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        addresses = self.addresses(count)
        self.processes = [self.start(addresses[at:at + ADDRESSES_OF_ONE]) for at in range(0, count, ADDRESSES_OF_ONE)]
        key = " ".join((folder / "host.pub").read_text().split()[:2])
        (folder / "known_hosts").write_text("".join(f"[{address}]:{self.port} {key}\n" for address in addresses))
        self.hosts = Hosts(folder, self.user, self.port, folder / "user", folder / "known_hosts", addresses)
        (folder / "fabric.yaml").write_text(self.document(f"127.0.1.[1-{count}]", f"h[1-{count}]", "user", key))
        (folder / "recorder.yaml").write_text(self.document("127.0.1.1", "h1", "recorder", key))

    @staticmethod
    def addresses(count):
        return [f"127.0.1.{number}" for number in range(1, count + 1)]

    def document(self, addresses, names, key_file, host_key):
        return (f'apiVersion: fabric/v1\nname: sshd\nnodes:\n  "{names}":\n    address: "{addresses}"\n'
                f'    ssh: {{user: {self.user}, port: {self.port}, identity_file: {self.folder}/{key_file}, host_key: "{host_key}"}}\n')

    def start(self, addresses):
        # A login shell reads its start file only at the first level. The start file of whoever runs this may do anything, such as
        # wait for a lock that all its sessions want.
        config = self.folder / f"sshd_config-{addresses[0]}"
        config.write_text(
            f"Port {self.port}\nHostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/authorized\n"
            f"PidFile none\nUsePAM no\nUseDNS no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            f"MaxStartups 4096\nKexAlgorithms {KEY_EXCHANGE}\nSetEnv SHLVL=5\nLogLevel QUIET\n"
            + "".join(f"ListenAddress {address}\n" for address in addresses))
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", config], stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            try:
                socket.create_connection((addresses[-1], self.port)).close()
                return process
            except OSError:
                time.sleep(0.05)
        sys.exit("sshd does not start")

    def probe_command(self, binary):
        """What runs the script that fabric sends, as one command for other programs: the shell gets it as an argument."""
        fabric(binary, self.folder, "-q", "discover", "recorder.yaml", check=False)
        command, script = ((self.folder / name).read_text() for name in ("command", "script"))
        words = command.split()
        if words[:2] != ["sh", "-s"] or len(words) != 4:
            sys.exit(f"fabric no longer sends its probes to `sh -s FOLDERS NONCE`, but to: {command}")
        path = self.folder / "probe"
        path.write_text(f"sh -c {shlex.quote(script)} sh {words[2]} {NONCE}")
        return path

    def close(self):
        for process in self.processes:
            process.terminate()
            process.wait()


def read(_, err):
    """How many hosts fabric says that it has read."""
    found = re.search(r"read (\d+) of (\d+) nodes?", err.read_text())
    return int(found[1]) if found else 0


def answers(*paths):
    """How many hosts ran the probe script to its end: it says so on both its outputs, which some programs print as one."""
    said, done = 0, f"fabric-probe {NONCE} done".encode()
    for path in paths:
        with open(path, "rb") as file:
            said += sum(line.count(done) for line in file)
    return said // 2
