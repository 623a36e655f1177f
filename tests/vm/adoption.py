# SPDX-License-Identifier: Apache-2.0
"""What somebody else configured: refused, taken over, given back."""
from backends import cell
from machines import STACKS, ssh, until
from networks import NOTHING, bonded, network
from observed import addresses, no_file_is_left, pinged
from repository import Repository

FOREIGN = {
    "networkd": ("/etc/systemd/network/20-mine.network", "[Match]\\nName=enp0s16f0\\n[Network]\\nAddress=10.99.0.NUMBER/24\\n", "networkctl reload"),
    "ifupdown": ("/etc/network/interfaces.d/mine", "auto enp0s16f0\\niface enp0s16f0 inet static\\n\\taddress 10.99.0.NUMBER/24\\n", "ifup enp0s16f0"),
    "netplan": ("/etc/netplan/20-mine.yaml",
           "network: {version: 2, ethernets: {enp0s16f0: {addresses: [10.99.0.NUMBER/24]}}}\\n", "netplan apply"),
    "networkmanager": ("/etc/NetworkManager/system-connections/mine.nmconnection",
           "[connection]\\nid=mine\\ntype=ethernet\\ninterface-name=enp0s16f0\\n[ipv4]\\nmethod=manual\\naddress1=10.99.0.NUMBER/24\\n",
           "nmcli connection reload; nmcli connection up mine"),
}
FOREIGN["ifupdown2"] = FOREIGN["ifupdown"]

# A bond of both ports with an address and a route, as a person writes it for each stack: files, and what activates them. The guest's
# ifupdown2 and ifupdown write `bond-` options alike.
BOND = {
    "networkd": ({
        "/etc/systemd/network/20-bond0.netdev":
            "[NetDev]\nName=bond0\nKind=bond\nMTUBytes=9000\n[Bond]\nMode=balance-xor\nMIIMonitorSec=100ms\nUpDelaySec=200ms\n",
        **{f"/etc/systemd/network/20-slave{port}.network":
            f"[Match]\nName=enp0s16f{port}\n[Link]\nMTUBytes=9000\n[Network]\nBond=bond0\n" for port in (0, 1)},
        "/etc/systemd/network/21-bond0.network":
            "[Match]\nName=bond0\n[Network]\nAddress=10.30.0.NUMBER/24\n[Route]\nDestination=10.77.0.0/24\nGateway=10.30.0.254\n"},
        "ip link set enp0s16f0 down; ip link set enp0s16f1 down; systemctl restart systemd-networkd"),
    "ifupdown": ({
        "/etc/network/interfaces.d/mine":
            "auto bond0\niface bond0 inet static\n\taddress 10.30.0.NUMBER/24\n\tmtu 9000\n\tbond-slaves enp0s16f0 enp0s16f1\n"
            "\tbond-mode balance-xor\n\tbond-miimon 100\n\tbond-updelay 200\n\tup ip route add 10.77.0.0/24 via 10.30.0.254\n"},
        "ifup bond0"),
    "netplan": ({
        "/etc/netplan/20-mine.yaml":
            "network:\n  version: 2\n  ethernets:\n    enp0s16f0:\n      mtu: 9000\n    enp0s16f1:\n      mtu: 9000\n  bonds:\n    bond0:\n      mtu: 9000\n"
            "      interfaces: [enp0s16f0, enp0s16f1]\n      addresses: [10.30.0.NUMBER/24]\n"
            "      routes: [{to: 10.77.0.0/24, via: 10.30.0.254}]\n"
            "      parameters: {mode: balance-xor, mii-monitor-interval: 100, up-delay: 200}\n"},
        "netplan apply"),
    "networkmanager": ({
        "/etc/NetworkManager/system-connections/bond0.nmconnection":
            "[connection]\nid=bond0\ntype=bond\ninterface-name=bond0\n[ethernet]\nmtu=9000\n"
            "[bond]\nmode=balance-xor\nmiimon=100\nupdelay=200\n"
            "[ipv4]\nmethod=manual\naddress1=10.30.0.NUMBER/24\nroute1=10.77.0.0/24,10.30.0.254\n[ipv6]\nmethod=disabled\n",
        **{f"/etc/NetworkManager/system-connections/slave{port}.nmconnection":
            f"[connection]\nid=slave{port}\ntype=ethernet\ninterface-name=enp0s16f{port}\nmaster=bond0\nslave-type=bond\n[ethernet]\nmtu=9000\n"
            for port in (0, 1)}},
        # NetworkManager makes a profile of its own for each port that has none.
        "for port in 0 1; do nmcli connection delete \"$(nmcli -g GENERAL.CONNECTION device show enp0s16f$port)\"; done;"
        "nmcli connection reload; nmcli connection up bond0; nmcli connection up slave0; nmcli connection up slave1"),
}
BOND["ifupdown2"] = BOND["ifupdown"]


def running(node):
    """The addresses, routes and options of the bond, and who its slaves are."""
    options = ssh(node, "cd /sys/class/net/bond0/bonding && grep -H . mode miimon updelay downdelay primary fail_over_mac primary_reselect; cat ../mtu;"
                        " tr ' ' '\\n' <slaves | sort")
    routes = ssh(node, "ip -4 route show dev bond0 | sed 's/ linkdown//; s/ proto [a-z]*//; s/ metric [0-9]*//; s/ onlink//; s/ *$//' | sort")
    return addresses(node, "bond0"), routes, options


def adopt_bond():
    """A person's bond with an address and a route is adopted: it runs as before, and after a reboot as before."""
    document = bonded("balance-xor", ", updelay: 200", vlan=False).replace("0.0/24}", "0.0/24, routes: [{to: 10.77.0.0/24, via: 10.30.0.254}]}")
    with Repository(document) as repository:
        for node, stack in STACKS.items():
            files, activate = BOND[stack]
            for path, text in files.items():
                mode = "600" if stack in ("networkmanager", "netplan") else "644"
                text = text.replace("NUMBER", node[1:]).replace("\n", "\\n").replace("\t", "\\t")
                ssh(node, f"umask 077; printf '{text}' >{path}; chgrp systemd-network {path} 2>/dev/null; chmod {mode} {path}")
            ssh(node, activate)
        until(120, "all have their own bond", lambda: all("bond0" in ssh(node, "ls /sys/class/net")
                                                          and addresses(node, "bond0") == [f"10.30.0.{node[1]}/24"] for node in STACKS))
        until(60, "all have both slaves", lambda: all(running(node)[2].count("enp0s16f") == 2 for node in STACKS))
        before = {node: running(node) for node in STACKS}
        print(before)
        said = repository.fabric("plan", expect=3)
        assert "foreign-configuration" in said, said
        repository.node_keys = "adopt: true"
        repository.write(document)
        print(repository.fabric("plan", expect=0))
        repository.converges()
        assert {node: running(node) for node in STACKS} == before, ({node: running(node) for node in STACKS}, before)
        repository.survives_a_reboot()
        assert {node: running(node) for node in STACKS} == before, ({node: running(node) for node in STACKS}, before)
        pinged()
        cell("adopt")


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
