#!/usr/bin/env python3
"""fabric against real Debian kernels that really reboot: what is promised of Linux hosts, seen on virtual machines.

usage: suite.py FABRIC_BINARY RUN_FOLDER [SCENARIO...]

The machines n1 and n2 run already (tests/vm/run.sh starts them) and have the snapshot "clean"; each scenario
begins from it. Times are generous: without KVM one SSH login costs the guest a second.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

binary, run = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent
PORT0 = 22100


def control(*arguments):
    subprocess.run([here / "ctl.sh", *arguments], check=True, env={"VMLAB_RUN": str(run), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
                   stdout=subprocess.DEVNULL)


def ssh(node, command, check=True):
    done = subprocess.run(["ssh", "-F", run / "ssh_config", node, command], capture_output=True, text=True, timeout=300)
    assert not check or done.returncode == 0, f"{node}: {command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


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
    done = subprocess.run(["ssh", "-F", run / "ssh_config", node, "cat /proc/sys/kernel/random/boot_id"],
                          capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else ""


def reboot(*nodes):
    before = {node: boot_id(node) for node in nodes}
    for node in nodes:
        ssh(node, "systemctl reboot", check=False)
    for node in nodes:
        until(300, f"{node} rebooted", lambda: boot_id(node) not in ("", before[node]))


class Repository:
    """A document in a folder, and fabric in that folder."""

    def __init__(self, networks, nodes=("n1", "n2"), adapter="", rollout="confirm_timeout: 30s, reboot_timeout: 300s"):
        control("load", "clean")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.nodes, self.adapter, self.rollout = nodes, adapter, rollout
        self.write(networks)

    def write(self, networks):
        lines = ["apiVersion: fabric/v1", "name: vm", f"rollout: {{{self.rollout}}}", "nodes:"]
        for node in self.nodes:
            number = int(node[1:])
            lines += [f"  {node}:", "    address: 127.0.0.1",
                      f"    ssh: {{user: root, port: {PORT0 + number}, identity_file: {run.parent}/id_lab, host_key: \"{host_key(node)}\"}}",
                      f"    adapters: {{cx5: {{model: connectx-5-vpi{self.adapter}}}}}"]
        (self.path / "fabric.yaml").write_text("\n".join(lines) + "\nnetworks:\n" + networks)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def fabric(self, *arguments, expect):
        done = subprocess.run([binary, "--timeout", "120s", *arguments], cwd=self.path, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=1800)
        assert done.returncode == expect, (
            f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def converges(self):
        self.fabric("apply", "--auto-approve", expect=0)
        self.fabric("plan", "--detailed-exitcode", expect=0)

    def survives_a_reboot(self):
        reboot(*self.nodes)
        self.fabric("plan", "--detailed-exitcode", expect=0)


def addresses(node, device):
    links = json.loads(ssh(node, f"ip -j address show dev {device}"))
    return [f"{each['local']}/{each['prefixlen']}" for each in links[0]["addr_info"] if each["scope"] == "global"]


def mtu(node, device):
    return json.loads(ssh(node, f"ip -j link show dev {device}"))[0]["mtu"]


def no_guard_is_left(node):
    left = ssh(node, "ls -A /var/lib/fabric/guard 2>/dev/null; ls /etc/systemd/system | grep fabric-guard", check=False)
    assert not left.strip(), left


TWO_PORTS = """\
  storage-a:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
  storage-b:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.31.0.0/24}
    cables: [[n1/2, n2/2]]
"""


def static_two_ports():
    """Two ports of two machines: every address answers full-MTU pings, also after a reboot; a lower MTU is applied live."""
    with Repository(TWO_PORTS) as repository:
        repository.converges()
        for node in ("n1", "n2"):
            for port in (0, 1):
                assert addresses(node, f"enp0s16f{port}") == [f"10.3{port}.0.{node[1]}/24"]
                assert mtu(node, f"enp0s16f{port}") == 9000
        repository.survives_a_reboot()
        repository.fabric("verify", expect=0)
        ssh("n1", "ping -q -c 2 -M do -s 8972 10.31.0.2")
        repository.write(TWO_PORTS.replace("9000", "4200"))
        repository.converges()
        assert mtu("n1", "enp0s16f0") == 4200 and mtu("n2", "enp0s16f1") == 4200
        no_guard_is_left("n1")
        no_guard_is_left("n2")


# SSH comes in from 10.0.2.2; a smaller subnet that holds it takes the way back.
CUT = """\
  storage:
    mode: ethernet
    mtu: 1500
    ipv4: {subnet: 10.0.2.0/29, addresses: {%s/1: 10.0.2.3}}
    ports: [%s/1]
"""


def cut_off_live():
    """An apply that cuts its own network: the node takes it back by itself, and the run says so."""
    for node in ("n1", "n2"):
        with Repository(CUT % (node, node), nodes=(node,)) as repository:
            said = repository.fabric("apply", "--auto-approve", expect=11)
            assert "rolled back by the node itself" in said, said
            assert addresses(node, "enp0s16f0") == []
            no_guard_is_left(node)
            print(said)


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is taken back after it."""
    with Repository(CUT % ("n1", "n1"), nodes=("n1",), adapter=", firmware: {params: {SRIOV_EN: 1}}") as repository:
        before = boot_id("n1")
        said = repository.fabric("apply", "--auto-approve", expect=11)
        assert "rolled back by the node itself" in said, said
        assert boot_id("n1") != before
        assert addresses("n1", "enp0s16f0") == []
        no_guard_is_left("n1")
        print(said)


def power_loss():
    """The power fails in the middle of an apply; a plain new one converges."""
    with Repository(TWO_PORTS) as repository:
        pressed = threading.Timer(12.0, control, ("reset", "n1"))
        pressed.start()
        done = subprocess.run([binary, "--timeout", "120s", "apply", "--auto-approve"], cwd=repository.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1800)
        pressed.join()
        assert done.returncode in (0, 1, 4, 9, 10, 11, 12), (done.returncode, done.stdout, done.stderr)
        until(300, "n1 answers", lambda: boot_id("n1") != "")
        until(120, "no timer is armed any more", lambda: "fabric-guard" not in ssh("n1", "systemctl list-timers --all"))
        repository.converges()
        no_guard_is_left("n1")


scenarios = {name: value for name, value in list(globals().items())
             if callable(value) and getattr(value, "__doc__", None) and value.__module__ == "__main__" and not isinstance(value, type)}
wanted = sys.argv[3:] or list(scenarios)
failed = 0
for name in wanted:
    begun = time.monotonic()
    try:
        scenarios[name]()
        print(f"ok      {name} ({time.monotonic() - begun:.0f} s)", flush=True)
    except Exception as failure:  # pylint: disable=broad-except
        failed += 1
        print(f"FAILED  {name} ({time.monotonic() - begun:.0f} s): {failure}", flush=True)
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)
