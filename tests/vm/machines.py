# SPDX-License-Identifier: Apache-2.0
"""The machines: which stack each has, and what is done to them from outside and over SSH."""
import os
import pathlib
import subprocess
import sys
import time

binary, run = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent
PORT0 = int(os.environ.get("VMLAB_PORT") or 22100)
# VMLAB_STACKS: of each machine in turn; two machines take half the time of four.
STACKS = dict(zip(("n1", "n2", "n3", "n4"), os.environ.get("VMLAB_STACKS", "networkd ifupdown netplan networkmanager").split()))
PAIRS = [(one, other) for one, other in (("n1", "n2"), ("n3", "n4")) if other in STACKS]

# A login costs a guest seconds of its processor: what is asked goes over one connection for each of them, until that
# is torn by a snapshot or a reboot.
SHARED = ["-o", "ControlMaster=auto", "-o", "ControlPersist=120", "-o", f"ControlPath={run}/%n.shared", "-o", "ServerAliveInterval=20"]


def forget_connections():
    for node in STACKS:
        if (run / f"{node}.shared").exists():
            subprocess.run(["ssh", "-F", run / "ssh_config", *SHARED, "-O", "exit", node], capture_output=True, check=False)
            (run / f"{node}.shared").unlink(missing_ok=True)


def control(*arguments):
    if arguments[0] in ("load", "reset"):
        forget_connections()
    subprocess.run([here / "ctl.sh", *arguments], check=True, env={"VMLAB_RUN": str(run), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
                   stdout=subprocess.DEVNULL)


def ssh(node, command, check=True):
    line = ["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=60"]
    done = subprocess.run([*line, *SHARED, node, command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    if done.returncode == 255:
        forget_connections()
        done = subprocess.run([*line, node, command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert not check or done.returncode == 0, f"{node}: {command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def begun(node, command):
    """What goes on there while something else is done here."""
    return subprocess.Popen(["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=60", *SHARED, node, command],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def until(seconds, what, holds):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        time.sleep(1)


def host_key(node):
    for line in (run / "known_hosts").read_text().splitlines():
        name, kind, key = line.split()[:3]
        if name == node:
            return f"{kind} {key}"
    raise AssertionError(f"no host key of {node}")


def boot_id(node):
    """"" while it does not answer. What it shuts down in the midst of hangs: QEMU's network keeps the connection."""
    try:
        done = subprocess.run(["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=30", node, "cat /proc/sys/kernel/random/boot_id"],
                              capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def reboot(*nodes):
    before = {node: boot_id(node) for node in nodes}
    forget_connections()
    for node in nodes:
        subprocess.run(["ssh", "-F", run / "ssh_config", node, "systemctl reboot"], capture_output=True, check=False, timeout=300)
    for node in nodes:
        until(300, f"{node} rebooted", lambda: boot_id(node) not in ("", before[node]))
