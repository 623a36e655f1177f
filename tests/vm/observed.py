# SPDX-License-Identifier: Apache-2.0
"""What the machines themselves say of their devices, and what fabric left on them."""
import json

from machines import PAIRS, ssh


def addresses(node, device):
    links = json.loads(ssh(node, f"ip -j address show dev {device}"))
    return [f"{each['local']}/{each['prefixlen']}" for each in links[0]["addr_info"] if each["scope"] == "global"]


def mtu(node, device):
    return json.loads(ssh(node, f"ip -j link show dev {device}"))[0]["mtu"]


def proc_bond(node):
    return ssh(node, "cat /proc/net/bonding/bond0")


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


def no_guard_is_left(node):
    left = ssh(node, "ls -A /var/lib/fabric/guard 2>/dev/null; ls /etc/systemd/system | grep fabric-guard", check=False)
    assert not left.strip(), left
