# SPDX-License-Identifier: Apache-2.0
"""What somebody else configured: refused, taken over, given back."""
from backends import cell
from machines import STACKS, ssh, until
from networks import NOTHING, network
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
