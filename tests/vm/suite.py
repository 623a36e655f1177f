#!/usr/bin/env python3
"""fabric against real Debian kernels that really reboot: what is promised of Linux hosts, seen on virtual machines.

usage: suite.py FABRIC_BINARY RUN_FOLDER [SCENARIO...]

The machines run already (tests/vm/run.sh starts them), each with a network stack of its own (STACKS), and have the
snapshot "clean"; each scenario begins from it. n1 and n2 are cabled to each other by both ports, so are n3 and n4.
Times are generous: without KVM one SSH login costs the guest a second. At the end stands the table of back ends and
what was seen to work on each.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

binary, run = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
here = pathlib.Path(__file__).resolve().parent
PORT0 = int(os.environ.get("VMLAB_PORT") or 22100)
# VMLAB_STACKS: of each machine in turn; two machines take half the time of four.
STACKS = dict(zip(("n1", "n2", "n3", "n4"), os.environ.get("VMLAB_STACKS", "networkd ifupdown netplan networkmanager").split()))
PAIRS = [(one, other) for one, other in (("n1", "n2"), ("n3", "n4")) if other in STACKS]
CELLS = ("static", "two-port", "bond", "vlan", "mtu", "removal", "adopt")
seen = {}


def cell(name, nodes=tuple(STACKS)):
    """Called when everything of that cell was seen to hold."""
    seen.setdefault(name, set()).update(STACKS[node] for node in nodes)


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
    done = subprocess.run(["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=30", node, "cat /proc/sys/kernel/random/boot_id"],
                          capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else ""


def reboot(*nodes):
    before = {node: boot_id(node) for node in nodes}
    forget_connections()
    for node in nodes:
        subprocess.run(["ssh", "-F", run / "ssh_config", node, "systemctl reboot"], capture_output=True, check=False, timeout=300)
    for node in nodes:
        until(300, f"{node} rebooted", lambda: boot_id(node) not in ("", before[node]))


class Repository:
    """A document in a folder, and fabric in that folder."""

    def __init__(self, networks, nodes=tuple(STACKS), adapter="", node_keys="",
                 rollout="confirm_timeout: 60s, reboot_timeout: 400s, max_unavailable: 4"):
        control("load", "clean")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.nodes, self.adapter, self.node_keys, self.rollout = nodes, adapter, node_keys, rollout
        self.write(networks)

    def write(self, networks):
        lines = ["apiVersion: fabric/v1", "name: vm", f"rollout: {{{self.rollout}}}", "nodes:"]
        for node in self.nodes:
            number = int(node[1:])
            lines += [f"  {node}:", "    address: 127.0.0.1",
                      f"    ssh: {{user: root, port: {PORT0 + number}, identity_file: {run.parent}/id_lab, host_key: \"{host_key(node)}\"}}",
                      f"    adapters: {{cx5: {{model: connectx-5-vpi{self.adapter}}}}}"] + [f"    {self.node_keys}"] * bool(self.node_keys)
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


def network(name, number, port, mtu=9000, more=""):
    return f"""\
  {name}:
    mode: ethernet
    mtu: {mtu}
    ipv4: {{subnet: 10.{number}.0.0/24}}
    cables: [{", ".join(f"[{one}/{port}, {other}/{port}]" for one, other in PAIRS)}]
{more}"""


TWO_PORTS = network("storage-a", 30, 1) + network("storage-b", 31, 2)
NOTHING = "  {}\n"


def pinged(size=8972, subnet=30, check=True):
    """Between the ends of each cable, unfragmented; false if one is lost and `check` is not asked for."""
    for one, two in PAIRS:
        node, other = (one, two[1:]) if one == "n1" else (two, one[1:])
        said = ssh(node, f"ping -q -c 3 -i 0.3 -W 2 -M do -s {size} 10.{subnet}.0.{other} || echo LOST", check=check)
        if "LOST" in said or " 0 received" in said:
            assert not check, said
            return False
    return True


def is_released(node, device="enp0s16f0"):
    assert addresses(node, device) == [], (node, addresses(node, device))
    assert mtu(node, device) == 1500, (node, mtu(node, device))


def no_file_is_left(node):
    left = ssh(node, "ls -R /etc/systemd/network /etc/network/interfaces.d /etc/netplan /etc/NetworkManager/system-connections /etc/sysctl.d"
                     " | grep fabric; ls -A /var/lib/fabric/adopted", check=False)
    assert not left.strip(), left


def static():
    """An address on each of two ports, full frames, also after a reboot; another MTU without one; and all of it away again."""
    with Repository(TWO_PORTS) as repository:
        repository.converges()
        for node in STACKS:
            for port in (0, 1):
                assert addresses(node, f"enp0s16f{port}") == [f"10.3{port}.0.{node[1]}/24"], addresses(node, f"enp0s16f{port}")
                assert mtu(node, f"enp0s16f{port}") == 9000
        repository.survives_a_reboot()
        repository.fabric("verify", expect=0)
        pinged(subnet=31)
        cell("static")
        repository.write(TWO_PORTS.replace("9000", "4200"))
        repository.converges()
        for node in STACKS:
            assert mtu(node, "enp0s16f0") == 4200 and mtu(node, "enp0s16f1") == 4200
        pinged(4172)
        assert not pinged(4173, check=False)
        repository.write(TWO_PORTS.replace("9000", "9000"))
        repository.converges()
        pinged()
        cell("mtu")
        repository.write(network("storage-a", 30, 1))
        repository.converges()
        for node in STACKS:
            is_released(node, "enp0s16f1")
            assert addresses(node, "enp0s16f0") == [f"10.30.0.{node[1]}/24"]
        repository.write(NOTHING)
        repository.converges()
        for node in STACKS:
            is_released(node)
            no_file_is_left(node)
            no_guard_is_left(node)
        repository.survives_a_reboot()
        for node in STACKS:
            is_released(node)
        cell("removal")


# The management network has a default route of its own; only one can be in force.
WITHOUT_DEFAULT_ROUTE = {
    "networkd": "sed -i /Gateway=/d /etc/systemd/network/10-mgmt.network; networkctl reload",
    "ifupdown": "sed -i /gateway/d /etc/network/interfaces.d/mgmt",
    "netplan": "sed -i /routes:/d /etc/netplan/10-mgmt.yaml; netplan generate; networkctl reload",
    "networkmanager": "cd /etc/NetworkManager/system-connections; sed -i s/,10.0.2.2// mgmt.nmconnection;"
                      " nmcli connection reload; nmcli device reapply enp0s2",
}


def routed(ipv4="", ipv6=""):
    return f"""\
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {{subnet: 10.30.0.0/24{ipv4}}}
    ipv6: {{subnet: "fd00:30::/64"{ipv6}}}
    cables: [{", ".join(f"[{one}/1, {other}/1]" for one, other in PAIRS)}]
"""


def hops(node, device="enp0s16f0"):
    """Where to, and over whom; of both families."""
    found = set()
    for family in ("-4", "-6"):
        for route in json.loads(ssh(node, f"ip -j {family} route show dev {device}") or "[]"):
            if "gateway" in route:
                found.add((route["dst"], route["gateway"]))
    return found


def routes_and_ipv6():
    """A gateway and a route of each family beside an address of each, also after a reboot; the routes away again; then the addresses."""
    with Repository(routed(", gateway: 10.30.0.254")) as repository:
        said = " ".join(repository.fabric("plan", expect=0).split())
        for node in STACKS:
            assert f"{node}: the default route over 10.0.2.2 is by enp0s2; interface cx5.1 would have another" in said, said
    wanted = {("default", "10.30.0.254"), ("10.99.0.0/16", "10.30.0.253"), ("default", "fd00:30::fe"), ("fd00:99::/48", "fd00:30::fd")}
    with Repository(routed(", gateway: 10.30.0.254, routes: [{to: 10.99.0.0/16, via: 10.30.0.253}]",
                           ', gateway: "fd00:30::fe", routes: [{to: "fd00:99::/48", via: "fd00:30::fd"}]')) as repository:
        for node, stack in STACKS.items():
            ssh(node, f"{WITHOUT_DEFAULT_ROUTE[stack]}; ip route del default; true")
            assert "default" not in ssh(node, "ip route"), node

        def all_is_there():
            for node in STACKS:
                both = [f"10.30.0.{node[1]}/24", f"fd00:30::{node[1]}/64"]
                assert addresses(node, "enp0s16f0") == both, (node, addresses(node, "enp0s16f0"))
                assert hops(node) == wanted, (node, hops(node))
            for one, two in PAIRS:
                said = ssh(one, f"ping -6 -q -c 3 -i 0.3 -W 2 -M do -s 8952 fd00:30::{two[1:]}", check=False)
                assert ", 0% packet loss" in said, said

        repository.converges()
        all_is_there()
        repository.survives_a_reboot()
        all_is_there()
        repository.write(routed())
        repository.converges()
        for node in STACKS:
            assert hops(node) == set(), (node, hops(node))
            assert len(addresses(node, "enp0s16f0")) == 2, (node, addresses(node, "enp0s16f0"))
        repository.write(NOTHING)
        repository.converges()
        for node in STACKS:
            is_released(node)
            no_file_is_left(node)


ONE_SUBNET = """\
  storage:
    mode: chain
    mtu: 8000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: [%s]}]
""" % ", ".join(STACKS)


def two_ports_of_one_subnet():
    """A ring: both ports of each node in one subnet, with what the kernel needs for that; firmware settings and a reboot."""
    with Repository(ONE_SUBNET, rollout="confirm_timeout: 60s, reboot_timeout: 400s") as repository:
        # No card forwards here and the cables run in pairs: verify must say so, all else must hold.
        said = repository.fabric("apply", "--auto-approve", expect=13)
        assert "a second plan is empty" in said, said
        for number, node in enumerate(STACKS):
            for port in (0, 1):
                assert addresses(node, f"enp0s16f{port}") == [f"10.30.0.{2 * number + port + 1}/24"]
            assert ssh(node, "cat /proc/sys/net/ipv4/conf/all/arp_ignore /proc/sys/net/ipv4/conf/all/rp_filter").split() == ["1", "2"]
        repository.survives_a_reboot()
        cell("two-port")


def bonded(policy, more="", vlan=True):
    return f"""\
  storage:
    mode: lag
    mtu: 9000
    ipv4: {{subnet: 10.30.0.0/24}}
    lag: {{bond: bond0, policy: {policy}, miimon: 100, roce: false{more}}}
    cables: [{", ".join(f"[{one}/{port}, {other}/{port}]" for one, other in PAIRS for port in (1, 2))}]
""" + ("    vlans: {backup: {id: 100, ipv4: {subnet: 10.40.0.0/24}}}\n" if vlan else "")


def proc_bond(node):
    return ssh(node, "cat /proc/net/bonding/bond0")


def bond_and_vlan():
    """Active backup (back to back both ends need the same primary) with a VLAN on top: full frames over both, a pulled cable, a reboot, and back to two plain ports."""
    with Repository(bonded("active-backup", ", primary: cx5/1")) as repository:
        repository.converges()
        for node in STACKS:
            assert addresses(node, "bond0") == [f"10.30.0.{node[1]}/24"] and addresses(node, "bond0.100") == [f"10.40.0.{node[1]}/24"]
            assert "Slave Interface: enp0s16f0" in proc_bond(node) and "Slave Interface: enp0s16f1" in proc_bond(node)
        pinged()
        pinged(subnet=40)
        lives_through_pulled_cables("n1", "n2", "10.30.0.2")
        repository.survives_a_reboot()
        pinged(subnet=40)
        cell("bond")
        cell("vlan")
        repository.write(bonded("active-backup", ", primary: cx5/1", vlan=False))
        repository.converges()
        for node in STACKS:
            assert "bond0.100" not in ssh(node, "ls /sys/class/net") and addresses(node, "bond0") == [f"10.30.0.{node[1]}/24"]
        repository.write(TWO_PORTS)
        repository.converges()
        for node in STACKS:
            assert "bond0" not in ssh(node, "ls /sys/class/net")
            assert addresses(node, "enp0s16f1") == [f"10.31.0.{node[1]}/24"]
        pinged(subnet=31)


def each_pair(policy):
    """A bond of each pair."""
    def pair(name, subnet, one, other):
        return f"""\
  {name}:
    mode: lag
    mtu: 9000
    ipv4: {{subnet: 10.{subnet}.0.0/24}}
    lag: {{bond: bond0, policy: {policy}, miimon: 100, roce: false}}
    cables: [[{one}/1, {other}/1], [{one}/2, {other}/2]]
"""
    return "".join(pair(*place, *ends) for place, ends in zip((("left", 30), ("right", 31)), PAIRS))


def lives_through_pulled_cables(node, other, target):
    """One cable after the other is out, and what is sent from then on arrives."""
    def slaves_up(number):  # the first status is that of the bond itself
        return all(proc_bond(each).count("MII Status: up") == 1 + number for each in (node, other))

    for port in (0, 1):
        until(90, f"both slaves of {node} and {other} are up", lambda: slaves_up(2))
        control("pull", f"{node}.{port}")
        until(90, f"one slave is down at {node} and {other}", lambda: slaves_up(1))
        said = ssh(node, f"ping -q -c 5 -i 0.5 -W 2 {target}", check=False)
        control("plug", f"{node}.{port}")
        assert ", 0% packet loss" in said, (node, port, said, proc_bond(node), proc_bond(other))
    until(90, f"both slaves of {node} and {other} are up again", lambda: slaves_up(2))


def active_slave_of_lacp(node):
    """The first port of the aggregator by which it sends and receives."""
    bond, *slaves = proc_bond(node).split("Slave Interface: ")
    active = re.search(r"Active Aggregator Info:\s+Aggregator ID: (\d+)", bond).group(1)
    return next(each.split()[0] for each in slaves if re.search(rf"^Aggregator ID: {active}$", each, re.M))


def bond_modes():
    """balance-rr, balance-xor and LACP, each with a pulled cable; from one to the other without a reboot; and what was applied last survives one."""
    with Repository(each_pair("balance-rr")) as repository:
        for policy, mode in (("balance-rr", "round-robin"), ("balance-xor", "(xor)")):
            repository.write(each_pair(policy))
            repository.converges()
            for node in STACKS:
                assert mode in proc_bond(node), proc_bond(node)
            for subnet, (node, other) in zip((30, 31), PAIRS):
                lives_through_pulled_cables(node, other, f"10.{subnet}.0.{other[1:]}")
        repository.write(each_pair("802.3ad"))
        repository.converges()
        for node in STACKS:
            until(120, f"LACP of {node} has two ports in its aggregator", lambda: "Number of ports: 2" in proc_bond(node))
        lives_through_pulled_cables("n1", "n2", "10.30.0.2")
        repository.survives_a_reboot()
        for node in STACKS:
            until(120, f"LACP of {node} aggregates again", lambda: "Number of ports: 2" in proc_bond(node))
        repository.fabric("verify", expect=0)
        # The other end leaves LACP: frames still pass, and only verify can tell.
        ssh("n2", "ip link set bond0 down; ip link set enp0s16f0 nomaster; ip link set enp0s16f1 nomaster; "
                  "echo active-backup >/sys/class/net/bond0/bonding/mode; ip link set enp0s16f0 master bond0; ip link set enp0s16f1 master bond0; "
                  "ip link set bond0 up; ip address replace 10.30.0.2/24 dev bond0")
        until(200, "n1 has no partner any more", lambda: "Partner Mac Address: 00:00:00:00:00:00" in proc_bond("n1"))
        ssh("n2", f"echo {active_slave_of_lacp('n1')} >/sys/class/net/bond0/bonding/active_slave")
        until(60, "frames pass without LACP", lambda: ", 0% packet loss" in ssh("n1", "ping -q -c 5 -i 0.3 -W 2 10.30.0.2", check=False))
        said = " ".join(repository.fabric("verify", expect=13).split())
        assert "bond-not-aggregated" in said and "n1" in said, said
        print(said[said.find("bond-not-aggregated") - 10:][:400])


FOREIGN = {
    "networkd": ("/etc/systemd/network/20-mine.network", "[Match]\\nName=enp0s16f0\\n[Network]\\nAddress=10.99.0.NUMBER/24\\n", "networkctl reload"),
    "ifupdown": ("/etc/network/interfaces.d/mine", "auto enp0s16f0\\niface enp0s16f0 inet static\\n\\taddress 10.99.0.NUMBER/24\\n", "ifup enp0s16f0"),
    "netplan": ("/etc/netplan/20-mine.yaml",
           "network: {version: 2, ethernets: {enp0s16f0: {addresses: [10.99.0.NUMBER/24]}}}\\n", "netplan apply"),
    "networkmanager": ("/etc/NetworkManager/system-connections/mine.nmconnection",
           "[connection]\\nid=mine\\ntype=ethernet\\ninterface-name=enp0s16f0\\n[ipv4]\\nmethod=manual\\naddress1=10.99.0.NUMBER/24\\n",
           "nmcli connection reload; nmcli connection up mine"),
}


def adopt():
    """What somebody else configured is refused by file and line, taken over if that is asked for, and comes back in the end."""
    one = network("storage-a", 30, 1)
    with Repository(one) as repository:
        foreign = {node: FOREIGN[stack] for node, stack in STACKS.items()}
        for node, (path, text, activate) in foreign.items():
            mode = "600" if STACKS[node] == "networkmanager" else "644"
            text = text.replace("NUMBER", node[1:])
            ssh(node, f"umask 077; printf '{text}' >{path}; chgrp systemd-network {path} 2>/dev/null; chmod {mode} {path}; {activate}")
        until(60, "all have their foreign address", lambda: all(addresses(node, "enp0s16f0") == [f"10.99.0.{node[1]}/24"] for node in STACKS))
        said = repository.fabric("plan", expect=3)
        for node, (path, _, _) in foreign.items():
            assert "foreign-configuration" in said and path in said.replace("\n  ", ""), (node, said)
        repository.node_keys = "adopt: true"
        repository.write(one)
        repository.converges()
        for node in STACKS:
            assert addresses(node, "enp0s16f0") == [f"10.30.0.{node[1]}/24"], (node, addresses(node, "enp0s16f0"))
        repository.survives_a_reboot()
        pinged()
        repository.write(NOTHING)
        repository.converges()
        for node in STACKS:
            assert addresses(node, "enp0s16f0") == [f"10.99.0.{node[1]}/24"], (node, addresses(node, "enp0s16f0"))
            no_file_is_left(node)
        cell("adopt")


class Carrier:
    """A port that is closed has no carrier at its other end. Cards do that; QEMU's do not, so it is done from outside."""

    def __init__(self, *nodes):
        self.ends = dict(zip(nodes, reversed(nodes)))
        self.closed, self.watchers, self.monitors = {}, [], {}

    def __enter__(self):
        for node in self.ends:
            self.monitors[node] = socket.socket(socket.AF_UNIX)
            self.monitors[node].connect(str(run / node / "hmp"))
            watcher = subprocess.Popen(["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=60", node, "ip -o monitor link"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            self.watchers.append(watcher)
            threading.Thread(target=self.follow, args=(node, watcher.stdout), daemon=True).start()
        time.sleep(5)  # they have to be watching
        return self

    def follow(self, node, lines):
        for line in lines:
            port = re.match(r"\d+: enp0s16f([01])(?:@\S+)?: <([A-Z_,-]*)>", line)
            if not port:
                continue
            place, closed = port.group(1), "UP" not in port.group(2).split(",")
            if self.closed.get((node, place), False) != closed:
                self.closed[(node, place)] = closed
                self.monitors[self.ends[node]].sendall(f"set_link nic{place} {'off' if closed else 'on'}\n".encode())

    def __exit__(self, *_):
        for watcher in self.watchers:
            watcher.terminate()
            watcher.wait()
        for monitor in self.monitors.values():
            monitor.close()


def rdma_over_the_bond():
    """RDMA over a bond on software RoCE: verify sends real RDMA, lives through each closed port, and names what does not answer."""
    with Repository(bonded("active-backup", ", primary: cx5/1", vlan=False)) as repository:
        repository.converges()
        for node in STACKS:
            ssh(node, "modprobe rdma_rxe && rdma link add mlx5_bond_0 type rxe netdev bond0")
            until(60, f"the RDMA device of {node} is active", lambda: "ACTIVE" in ssh(node, "rdma link show mlx5_bond_0/1"))
        said = repository.fabric("verify", "--level", "rdma", expect=0)
        assert "ib_send_bw" in said and "the fabric is what the document says" in said, said
        print(said)
        with Carrier("n1", "n2"):
            for left in (2, 1, 0):  # without KVM the turn of a carrier alone takes a second or two
                try:
                    print(repository.fabric("verify", "--level", "failover", expect=0))
                    break
                except AssertionError:
                    if not left:
                        raise
        # Where the other end keeps its carrier, active-backup does not notice: as the warning about two hosts says.
        said = " ".join(repository.fabric("verify", "--level", "failover", expect=13).split())
        assert "failover-failed" in said and "n1/cx5/1" in said, said
        ssh("n2", "rdma link delete mlx5_bond_0")
        said = " ".join(repository.fabric("verify", "--level", "rdma", expect=13).split())
        assert "flow-failed" in said and "n2" in said, said


def findings():
    """verify names what somebody did by hand: the MTU of one hop, another name, a port that is closed, two cables that are swapped."""
    def said_of(rule, *texts):
        said = " ".join(repository.fabric("verify", expect=13).split())
        for text in (rule, *texts):
            assert text in said, f"{text!r} is not in: {said}"
        print(said[said.find(rule):][:300])

    with Repository(TWO_PORTS, adapter=", names: {2: stor1}") as repository:
        repository.converges()
        repository.fabric("verify", expect=0)
        ssh("n2", "ip link set dev enp0s16f0 mtu 1500")
        said_of("mtu-lost", "n2/cx5/1 (enp0s16f0) has MTU 1500")
        ssh("n2", "ip link set dev enp0s16f0 mtu 9000")
        ssh("n1", "ip link set dev stor1 down; ip link set dev stor1 name mine0; ip link set dev mine0 up")
        said_of("interface-renamed", "n1", "mine0", "stor1")
        ssh("n1", "ip link set dev mine0 down; ip link set dev mine0 name stor1; ip link set dev stor1 up")
        control("pull", "n1.0")
        said_of("cable-missing", "n1/cx5/1 - n2/cx5/1")
        control("plug", "n1.0")
        # What is plugged crosswise: the document says so, and the cables are straight.
        crossed = "".join(network(name, number, 1).replace(f"{other}/1", f"{other}/2") if number == 30
                          else network(name, number, 2).replace(f"{other}/2", f"{other}/1")
                          for name, number in (("storage-a", 30), ("storage-b", 31)) for _, other in PAIRS[:1])
        repository.write(crossed)
        until(120, "lldpd has its neighbours", lambda: ssh("n1", "lldpcli -f keyvalue show neighbors").count("chassis.name=n2") == 2)
        said_of("cable-mis-wired", "n1/cx5/1", "n2/cx5/2")


def ring_of_three():
    """Three nodes in a ring whose cards forward: every address of every node answers full frames from every other, also after a reboot."""
    with Repository(ONE_SUBNET) as repository:
        repository.converges()
        for _ in range(2):
            said = repository.fabric("verify", "--level", "path", expect=0)
            assert "the fabric is what the document says" in said, said
            for node in STACKS:
                for other in STACKS:
                    for port in (0, 1):
                        target = addresses(other, f"enp0s16f{port}")[0].split("/")[0]
                        if other != node:
                            assert ", 0% packet loss" in ssh(node, f"ping -q -c 2 -i 0.3 -W 2 -M do -s 7972 {target}", check=False), (node, target)
            repository.survives_a_reboot()
        print(said)


# SSH comes in from 10.0.2.2; a smaller subnet that holds it takes the way back: refused, unless that is allowed.
CUT = """\
  storage:
    mode: ethernet
    mtu: 1500
    ipv4: {subnet: 10.0.2.0/29, addresses: {%s/1: 10.0.2.3}}
    ports: [%s/1]
"""


def apply_that_cuts_off(repository):
    """What it said, in one line."""
    refused = " ".join(repository.fabric("apply", "--auto-approve", expect=3).split())
    assert "comes from 10.0.2.2, to which enp0s2 has the route now" in refused and "nothing was changed" in refused, refused
    return " ".join(repository.fabric("apply", "--auto-approve", "--allow-mgmt-path", expect=11).split())


def cut_off_live():
    """An apply that cuts its own network: the node takes it back by itself, and the run says so."""
    for node in STACKS:
        with Repository(CUT % (node, node), nodes=(node,)) as repository:
            said = apply_that_cuts_off(repository)
            assert "rolled back by the node itself" in said, said
            assert addresses(node, "enp0s16f0") == []
            no_guard_is_left(node)
            print(said)


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is taken back after it, addresses that the boot gave included."""
    for node in STACKS:
        with Repository(CUT % (node, node), nodes=(node,), adapter=", firmware: {params: {SRIOV_EN: 1}}") as repository:
            before = boot_id(node)
            said = apply_that_cuts_off(repository)
            assert "rolled back by the node itself" in said, said
            assert boot_id(node) != before
            assert addresses(node, "enp0s16f0") == []
            no_guard_is_left(node)
            print(said)


def events_of(repository, node):
    """What the journal of the only run says of a node so far."""
    lines = [line for path in repository.path.glob(".fabric/runs/*/journal.jsonl") for line in path.read_text().splitlines(keepends=True)]
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    ids = {each["id"] for each in events if each.get("node") == node and "id" in each}
    return [each for each in events if each.get("id") in ids]


def bond_taken_back():
    """A bond with a VLAN on it is as it was after a change that cut its node off; and options that the document drops are the kernel's again, live."""
    before = bonded("active-backup", ", primary: cx5/1, updelay: 200, downdelay: 100")

    def stands(mtu_of_it, delays, vlan=True):
        for node in STACKS:
            said = proc_bond(node)
            assert said.count("Slave Interface: enp0s16f") == 2, said
            assert all(f"{name} Delay (ms): {value}" in said for name, value in zip(("Up", "Down"), delays)), said
            assert [mtu(node, device) for device in ("bond0", "enp0s16f0", "enp0s16f1")] == 3 * [mtu_of_it]
            assert addresses(node, "bond0") == [f"10.30.0.{node[1]}/24"], addresses(node, "bond0")
            if vlan:
                assert addresses(node, "bond0.100") == [f"10.40.0.{node[1]}/24"], addresses(node, "bond0.100")

    # As CUT.
    cut = bonded("active-backup", ", primary: cx5/1").replace("9000", "4200").replace(
        "subnet: 10.30.0.0/24", "subnet: 10.0.2.0/29, addresses: {%s}" % ", ".join(f"{node}: 10.0.2.{int(node[1:]) + 2}" for node in STACKS))
    with Repository(before) as repository:
        repository.converges()
        stands(9000, (200, 100))
        repository.write(cut)
        said = apply_that_cuts_off(repository)
        print(said[said.find("Plan:"):], flush=True)
        assert "rolled back by the node itself" in said, said
        for node in STACKS:
            no_guard_is_left(node)
        stands(9000, (200, 100))
        repository.write(before)
        repository.converges()  # the MTU of the VLAN was an action of its own, and went well
        stands(9000, (200, 100))
        pinged()
        pinged(size=56, subnet=40)
        # Another mode wants another bond, and the VLAN comes back on it.
        repository.write(bonded("balance-rr", ", updelay: 200, downdelay: 100"))
        repository.converges()
        for node in STACKS:
            assert "round-robin" in proc_bond(node), proc_bond(node)
        stands(9000, (200, 100))
        repository.write(before)
        repository.converges()
        stands(9000, (200, 100))
        dropped = bonded("active-backup", ", primary: cx5/1", vlan=False).replace("    mtu: 9000\n", "")
        repository.write(dropped)
        started = {node: boot_id(node) for node in STACKS}
        repository.converges()
        stands(1500, (0, 0), vlan=False)
        assert started == {node: boot_id(node) for node in STACKS}
        pinged(size=1472)
        repository.survives_a_reboot()
        stands(1500, (0, 0), vlan=False)


def power_loss():
    """The power fails in the middle of an apply, while files are being changed; a plain new one converges."""
    with Repository(TWO_PORTS) as repository:
        applying = subprocess.Popen([binary, "--timeout", "120s", "apply", "--auto-approve"], cwd=repository.path, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        until(300, "n1 is being changed", lambda: applying.poll() is not None
              or any(each.get("phase", "").startswith("changing it") for each in events_of(repository, "n1")))
        control("reset", "n1")
        ended = [each for each in events_of(repository, "n1") if each["event"] == "action_ended"]
        said = applying.communicate(timeout=1800)[0]
        assert not ended, f"it was over before the power failed: {ended}\n{said}"
        assert applying.returncode in (0, 1, 4, 10, 11, 12), (applying.returncode, said)  # 0: the boot had the files, and they were read back
        print(f"n1 was reset in the middle: exit {applying.returncode}", said[said.find("Plan:"):], sep="\n", flush=True)
        until(300, "n1 answers", lambda: boot_id("n1") != "")
        # Not --all: a unit that was wanted by the boot stays known to systemd, stopped and without a file, until it reloads.
        until(120, "no timer is armed any more", lambda: "fabric-guard" not in ssh("n1", "systemctl list-timers"))
        print(repository.fabric("apply", "--auto-approve", expect=0).split("reading")[0][-600:], flush=True)
        repository.fabric("plan", "--detailed-exitcode", expect=0)
        no_guard_is_left("n1")


def infiniband(members="ALL: full"):
    return f"""\
  ib:
    mode: infiniband
    mtu: 4096
    cables: [[n1/1, n2/1]]
    subnet_managers: [{{node: n1, priority: 10}}, {{node: n2, priority: 5}}]
    partitions: {{storage: {{pkey: 0x0010, ipoib: true, members: {{{members}}}}}}}
    ipoib: {{mode: datagram, mtu: 4092, ipv4: {{subnet: 10.30.0.0/24}}}}
    vlans: {{backup: {{id: 16, partition: storage, ipv4: {{subnet: 10.40.0.0/24}}}}}}
"""


# Its name follows the place of the card, as udev's rules of rdma-core have it.
HCA = "ibp0s16f0"


def master_as_seen_from(node, device=HCA):
    """The port GUID of the master, "" if nobody answers."""
    words = ssh(node, f"sminfo -C {device} -P 1 -t 500", check=False).replace(",", " ").split()
    return words[words.index("guid") + 1] if "SMINFO_MASTER" in words and "guid" in words else ""


def own_guid(node, device=HCA):
    groups = ssh(node, f"cat /sys/class/infiniband/{device}/ports/1/gids/0").strip().split(":")
    return hex(int("".join(groups[4:]), 16))


def ib_pair():
    """Two software HCAs back to back: real opensm on both by our units, partitions pushed, IPoIB and a child, through a reboot; a master that dies."""
    with Repository(infiniband("n1: full, n2: full"), rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        repository.converges()
        for node in ("n1", "n2"):
            assert mtu(node, "ibp0s16f0") == 4092, mtu(node, "ibp0s16f0")
            keys = ssh(node, f"cat /sys/class/infiniband/{HCA}/ports/1/pkeys/*").split()
            assert "0x8010" in keys and "0xffff" in keys, keys
        assert master_as_seen_from("n2") == own_guid("n1")
        said = ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 4064 10.30.0.2; ping -q -c 3 -i 0.3 -W 2 10.40.0.2")
        assert said.count(" 0% packet loss") == 2, said
        repository.survives_a_reboot()
        until(120, "n1 manages again", lambda: master_as_seen_from("n2") == own_guid("n1"))
        assert " 0% packet loss" in ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 4064 10.30.0.2")
        # The master dies for good: the other one takes over, and the plan says what is missing.
        ssh("n1", "systemctl stop fabric-opensm-ib.cx5.1.service")
        until(120, "n2 manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        said = " ".join(repository.fabric("verify", expect=0).split())
        assert re.search(r"master n2/cx5/1 of network ib since \S+", said), said
        print(said[said.find("Managers"):], flush=True)
        said = repository.fabric("plan", "--detailed-exitcode", expect=2)
        assert "first: n1 (subnet_manager.start)" in said, said
        repository.converges()
        assert master_as_seen_from("n2") == own_guid("n1")
        # What somebody does to a file by hand is found, whether or not OpenSM has read it yet.
        ssh("n2", "echo 'storage=0x0010, ipoib 0x1=full;' >>/etc/opensm/fabric-ib.cx5.1.partitions")
        said = " ".join(repository.fabric("plan", "--detailed-exitcode", expect=2).split())
        assert "OpenSM ignores" in said, said
        repository.converges()
        # And all of it away again.
        repository.write(NOTHING)
        repository.converges()
        for node in ("n1", "n2"):
            left = ssh(node, "ls /etc/opensm /etc/systemd/system /etc/udev/rules.d | grep fabric; pgrep -x opensm", check=False)
            assert not left.strip(), left


def ib_two_subnets():
    """Two subnets between the same hosts: two instances on each host, which begin at once with every boot, each master of another one."""
    parts = [(1, "left", "n1: 10, n2: 5"), (2, "right", "n1: 5, n2: 10")]
    text = ""
    for port, name, priorities in parts:
        managers = ", ".join("{node: %s, priority: %s}" % tuple(each.split(": ")) for each in priorities.split(", "))
        text += f"""\
  {name}:
    mode: infiniband
    mtu: 2048
    cables: [[n1/{port}, n2/{port}]]
    subnet_managers: [{managers}]
    ipoib: {{ipv4: {{subnet: 10.3{port}.0.0/24}}}}
"""

    def stands():
        until(180, "both manage", lambda: [master_as_seen_from("n1", f"ibp0s16f{port - 1}") for port, *_ in parts]
              == [own_guid("n1", "ibp0s16f0"), own_guid("n2", "ibp0s16f1")])
        said = ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 2016 10.31.0.2; ping -q -c 3 -i 0.3 -W 2 -M do -s 2016 10.32.0.2", check=False)
        assert said.count(" 0% packet loss") == 2, said
        for node in ("n1", "n2"):
            assert len(ssh(node, "pgrep -x opensm").split()) == 2
            for port, name, _ in parts:
                assert "guid2lid" in ssh(node, f"ls /var/cache/opensm/fabric-{name}.cx5.{port}"), node
            # Where two share a folder, one of them dies at the other's rename.
            said = ssh(node, "journalctl -b -u 'fabric-opensm-*' | grep -i -e 'core.dump' -e 'signal=' -e 'status=1[0-9]'", check=False)
            assert not said.strip(), said

    with Repository(text, rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        repository.converges()
        stands()
        repository.survives_a_reboot()
        stands()
        said = " ".join(repository.fabric("verify", expect=0).split())
        assert "master n1/cx5/1 of network left" in said and "master n2/cx5/2 of network right" in said, said
        print(said[said.find("Managers"):], flush=True)


def ib_modes():
    """Datagram and connected mode by the back end's own files, through a reboot; and an MTU that the kernel takes with exit 0 and ignores is not reached."""
    def text(ipoib, managers="    subnet_managers: [{node: n1, priority: 10}]\n"):
        return f"""\
  ib:
    mode: infiniband
    mtu: 2048
    cables: [[n1/1, n2/1]]
{managers}    partitions: {{storage: {{pkey: 0x0010, ipoib: true, members: {{ALL: full}}}}}}
    ipoib: {{{ipoib}, ipv4: {{subnet: 10.30.0.0/24}}}}
    vlans: {{backup: {{id: 16, partition: storage, ipv4: {{subnet: 10.40.0.0/24}}}}}}
"""

    def stands(mode, size):
        for node in ("n1", "n2"):
            assert ssh(node, f"cat /sys/class/net/{HCA}/mode").strip() == mode
            assert mtu(node, HCA) == size, (node, mtu(node, HCA))
        said = ssh("n1", f"ping -q -c 3 -i 0.3 -W 2 -M do -s {size - 28} 10.30.0.2; ping -q -c 3 -i 0.3 -W 2 10.40.0.2", check=False)
        assert said.count(" 0% packet loss") == 2, said

    with Repository(text("mode: datagram, mtu: 2044"), nodes=("n1", "n2"),
                    rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        # A card that still has connected mode.
        for node in ("n1", "n2"):
            ssh(node, "echo 0x1011 >/usr/lib/vmlab/device; sed -i 's/ConnectX5 /ConnectIB /; s/MCX556A-ECA_Ax/MCB194A-FCA_A1/' $(command -v mstconfig)")
        document = repository.path / "fabric.yaml"

        def write(networks):
            repository.write(networks)
            document.write_text(document.read_text().replace("connectx-5-vpi", "connect-ib"))

        write(text("mode: datagram, mtu: 2044"))
        repository.converges()
        stands("datagram", 2044)
        write(text("mode: connected, mtu: 65520"))
        repository.converges()
        stands("connected", 65520)
        repository.survives_a_reboot()
        until(180, "n1 manages again", lambda: master_as_seen_from("n2") == own_guid("n1"))
        stands("connected", 65520)
        write(text("mode: datagram, mtu: 2044"))
        repository.converges()
        stands("datagram", 2044)
        # Another manager, whose groups are of 2048 bytes; the kernel says yes to what does not fit them.
        write(NOTHING)
        repository.converges()
        ssh("n2", "mkdir -p /var/cache/opensm; systemctl reset-failed; systemd-run --unit=somebody opensm -p 12")
        until(120, "somebody manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        write(text("mode: datagram, mtu: 4092", "    subnet_manager: {external: true}\n").replace("mtu: 2048", "mtu: 4096"))
        done = subprocess.run([binary, "--timeout", "120s", "apply", "--auto-approve"], cwd=repository.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1800)
        said = " ".join((done.stdout + done.stderr).split())
        print(f"exit {done.returncode}", said[said.find("Apply:") - 600:][:1500], flush=True)
        assert done.returncode in (10, 11) and re.search(r"expected 4092, found 2044", said), said
        for node in ("n1", "n2"):
            no_guard_is_left(node)


def ib_foreign_master():
    """A master that the document does not know stops the apply before anything is written."""
    with Repository(infiniband(), nodes=("n1", "n2")) as repository:
        ssh("n2", "mkdir -p /var/cache/opensm; systemctl reset-failed; systemd-run --unit=somebody opensm -p 12")
        until(120, "somebody manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        repository.write(infiniband().replace("[{node: n1, priority: 10}, {node: n2, priority: 5}]", "[{node: n1, priority: 10}]"))
        said = " ".join(repository.fabric("apply", "--auto-approve", expect=3).split())
        assert "sm-foreign-master" in said and own_guid("n2")[2:] in said, said
        assert not ssh("n1", "ls /etc/opensm | grep fabric", check=False).strip()


scenarios = {name: value for name, value in list(globals().items())
             if callable(value) and getattr(value, "__doc__", None) and value.__module__ == "__main__" and not isinstance(value, type)
             and not value.__code__.co_argcount}
# InfiniBand needs machines with software HCAs (VMLAB_IB), and those have no Ethernet card; a ring other cables (VMLAB_RING).
kind = "ib_" if os.environ.get("VMLAB_IB") else "ring_" if os.environ.get("VMLAB_RING") else ""
wanted = sys.argv[3:] or [name for name in scenarios if name.startswith(kind) and (kind or not name.startswith(("ib_", "ring_")))]
tries = int(os.environ.get("VMLAB_TRIES") or 1)
failed = 0


def time_is_over(*_):
    print("the time is over: what is not named above did not run", flush=True)
    sys.exit(1 if failed else 77)


signal.signal(signal.SIGTERM, time_is_over)
for name in wanted:
    for left in reversed(range(tries)):
        begun = time.monotonic()
        try:
            scenarios[name]()
            print(f"ok      {name} ({time.monotonic() - begun:.0f} s)", flush=True)
            break
        except Exception as failure:  # pylint: disable=broad-except
            failed += not left
            print(f"{'again  ' if left else 'FAILED '} {name} ({time.monotonic() - begun:.0f} s): {failure}", flush=True)
print(f"\n{'back end':16}" + "".join(f"{name:10}" for name in CELLS))
for stack in STACKS.values():
    print(f"{stack:16}" + "".join(f"{'passed' if stack in seen.get(name, ()) else '-':10}" for name in CELLS))
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)
