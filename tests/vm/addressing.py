# SPDX-License-Identifier: Apache-2.0
"""Addresses of both families, MTU and routes on plain ports, and all of it away again."""
import json

from backends import cell
from machines import PAIRS, STACKS, ssh
from networks import NOTHING, TWO_PORTS, network
from observed import addresses, is_released, mtu, no_file_is_left, no_guard_is_left, pinged
from repository import Repository


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
WITHOUT_DEFAULT_ROUTE["ifupdown2"] = WITHOUT_DEFAULT_ROUTE["ifupdown"]


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
        said = " ".join(repository.fabric("--verbose", "plan", expect=0).split())
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
