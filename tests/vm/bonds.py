# SPDX-License-Identifier: Apache-2.0
"""Bonds of every mode with pulled cables, and VLANs on them."""
import re
import time

from backends import cell
from machines import PAIRS, STACKS, begun, control, ssh, until
from networks import TWO_PORTS, bonded
from observed import addresses, pinged, proc_bond
from repository import Repository


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


# All that the document can say of LACP. ifupdown2 has no ad_select.
LACP = ", updelay: 200, downdelay: 200, lacp_rate: fast, hash_policy: layer3+4, min_links: 1"
OPTIONS = {"lacp_rate": "fast 1", "xmit_hash_policy": "layer3+4 1", "min_links": "1", "updelay": "200", "downdelay": "200"}
AD_SELECT = "ifupdown2" not in STACKS.values()


def each_pair(policy, more=""):
    """A bond of each pair."""
    def pair(name, subnet, one, other):
        return f"""\
  {name}:
    mode: lag
    mtu: 9000
    ipv4: {{subnet: 10.{subnet}.0.0/24}}
    lag: {{bond: bond0, policy: {policy}, miimon: 100, roce: false{more}}}
    cables: [[{one}/1, {other}/1], [{one}/2, {other}/2]]
"""
    return "".join(pair(*place, *ends) for place, ends in zip((("left", 30), ("right", 31)), PAIRS))


def lives_through_pulled_cables(node, other, target):
    """One cable after the other is pulled while frames are sent: they go on."""
    def slaves_up(number):  # the first status is that of the bond itself
        return all(proc_bond(each).count("MII Status: up") == 1 + number for each in (node, other))

    for port in (0, 1):
        until(90, f"both slaves of {node} and {other} are up", lambda: slaves_up(2))
        pings = begun(node, f"ping -n -c 80 -i 0.25 -W 2 {target}")
        time.sleep(4)
        control("pull", f"{node}.{port}")
        until(90, f"one slave is down at {node} and {other}", lambda: slaves_up(1))
        said = pings.communicate(timeout=180)[0]
        control("plug", f"{node}.{port}")
        arrived = [int(number) for number in re.findall(r"icmp_seq=(\d+) ttl", said)]
        # The pull is at the 16th; without KVM a bond may take seconds to notice.
        assert arrived and arrived[0] < 16 and sum(number > 60 for number in arrived) == 20, (node, port, said, proc_bond(node), proc_bond(other))
    until(90, f"both slaves of {node} and {other} are up again", lambda: slaves_up(2))


def has_options(node):
    wanted = dict(OPTIONS, ad_select="bandwidth 1") if AD_SELECT else OPTIONS
    for name, value in wanted.items():
        found = ssh(node, f"cat /sys/class/net/bond0/bonding/{name}").strip()
        assert found == value, (node, name, found)


def active_slave_of_lacp(node):
    """The first port of the aggregator by which it sends and receives."""
    bond, *slaves = proc_bond(node).split("Slave Interface: ")
    active = re.search(r"Active Aggregator Info:\s+Aggregator ID: (\d+)", bond).group(1)
    return next(each.split()[0] for each in slaves if re.search(rf"^Aggregator ID: {active}$", each, re.M))


def bond_modes():
    """balance-rr, balance-xor and LACP with all its options, each with cables that are pulled; from one to the other without a reboot; and each survives one."""
    with Repository(each_pair("balance-rr")) as repository:
        for policy, mode in (("balance-rr", "round-robin"), ("balance-xor", "(xor)")):
            repository.write(each_pair(policy))
            repository.converges()
            for node in STACKS:
                assert mode in proc_bond(node), proc_bond(node)
            for subnet, (node, other) in zip((30, 31), PAIRS):
                lives_through_pulled_cables(node, other, f"10.{subnet}.0.{other[1:]}")
            repository.survives_a_reboot()
        repository.write(each_pair("802.3ad", LACP + ", ad_select: bandwidth" * AD_SELECT))
        repository.converges()
        for node in STACKS:
            until(120, f"LACP of {node} has two ports in its aggregator", lambda: "Number of ports: 2" in proc_bond(node))
            has_options(node)
        for subnet, (node, other) in zip((30, 31), PAIRS):
            lives_through_pulled_cables(node, other, f"10.{subnet}.0.{other[1:]}")
        repository.survives_a_reboot()
        for node in STACKS:
            until(120, f"LACP of {node} aggregates again", lambda: "Number of ports: 2" in proc_bond(node))
            has_options(node)
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


def bond_in_a_bridge():
    """As on Proxmox: a bridge of somebody's has the bond. Its options are changed alive; what would delete it is refused, if the back end does."""
    def bonds(more="", mtu="9000"):  # without an address: those of a bridge's port are not in force
        text = each_pair("active-backup", ", primary: cx5/1" + more).replace("9000", mtu)
        return re.sub(r" *ipv4:.*\n", "", text)

    with Repository(bonds()) as repository:
        repository.converges()
        for node in STACKS:
            ssh(node, "ip link add vmbr0 type bridge && ip link set vmbr0 up && ip link set bond0 master vmbr0")
        repository.fabric("plan", "--detailed-exitcode", expect=0)
        repository.write(bonds(", updelay: 300"))
        repository.converges()
        for node in STACKS:
            assert ssh(node, "cat /sys/class/net/bond0/bonding/updelay").strip() == "300"
        repository.write(bonds(", updelay: 300", "4200"))
        makes_anew = [node for node, stack in STACKS.items() if stack.startswith("ifupdown")]
        said = " ".join(repository.fabric("apply", "--auto-approve", expect=3 if makes_anew else 0).split())
        for node in makes_anew:
            assert f"{node}/bond/bond0: bond0 must be made anew for this, and it is a port of vmbr0" in said, said
        for node in STACKS:
            assert "vmbr0" in ssh(node, "readlink /sys/class/net/bond0/master"), node
