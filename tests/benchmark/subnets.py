# SPDX-License-Identifier: Apache-2.0
"""Subnets of any size: a document with its cables, and what ibnetdiscover would print of it.

Four of five switches are leaves with 12 hosts and 12 cables to spines; 2,000 switches have 19,200 hosts and 38,400 cables.
"""
HOSTS, UPLINKS = 12, 12


def cables(switches):
    """[((node, port), (node, port))], hosts first."""
    leaves = switches * 4 // 5
    spines = switches - leaves
    used = dict.fromkeys(range(1, spines + 1), 0)
    found = [((f"c{leaf:04}{host:02}", 1), (f"leaf{leaf}", host)) for leaf in range(1, leaves + 1) for host in range(1, HOSTS + 1)]
    for leaf in range(1, leaves + 1):
        for up in range(UPLINKS):
            spine = (leaf * UPLINKS + up) % spines + 1
            used[spine] += 1
            found.append(((f"leaf{leaf}", HOSTS + 1 + up), (f"spine{spine}", used[spine])))
    return found


def text_of(end):
    return f"{end[0]}/{end[1]}"


def document(switches):
    leaves = switches * 4 // 5
    lines = ["apiVersion: fabric/v1", "name: benchmark", "nodes:",
             f"  c[0001-{leaves:04}][01-{HOSTS}]: {{adapters: {{hca: {{model: connectx-6, ports: 1}}}}}}",
             f"  leaf[1-{leaves}]: {{platform: unmanaged}}", f"  spine[1-{switches - leaves}]: {{platform: unmanaged}}",
             "networks:", "  compute:", "    mode: infiniband", "    subnet_managers: [{node: c000101, priority: 10}]", "    cables:"]
    return "\n".join(lines + [f"      - [{text_of(a)}, {text_of(b)}]" for a, b in cables(switches)]) + "\n"


def dump(switches):
    links = {}
    for one, other in cables(switches):
        links.setdefault(one[0], {})[one[1]] = other
        links.setdefault(other[0], {})[other[1]] = one
    guid = {name: 0x0002c90300000000 + 0x10 * number for number, name in enumerate(links, 1)}
    text = ["#\n# Topology file: generated on Mon Nov 16 10:00:00 2026\n#\n"]
    for name, ports in sorted(links.items(), key=lambda item: (item[0].startswith("c"), item[0])):
        is_host = name.startswith("c")
        identity = f"0x{guid[name]:x}"
        text.append(f"\nvendid=0x2c9\ndevid=0x{0x101b if is_host else 0xd2f0:x}\nsysimgguid={identity}\n")
        if is_host:
            text.append(f'caguid={identity}\nCa\t1 "H-{guid[name]:016x}"\t\t# "{name} HCA-1"\n')
        else:
            text.append(f'switchguid={identity}({guid[name]:x})\nSwitch\t100 "S-{guid[name]:016x}"\t\t# "MF0;{name}:MQM8700/U1" enhanced port 0 lid 3 lmc 0\n')
        for port, (peer, peer_port) in sorted(ports.items()):
            if is_host:
                text.append(f'[{port}]({guid[name] + port:x}) \t"S-{guid[peer]:016x}"[{peer_port}]\t\t# lid 1 lmc 0 "MF0;{peer}:MQM8700/U1" lid 3 4xHDR\n')
            elif peer.startswith("c"):
                text.append(f'[{port}]\t"H-{guid[peer]:016x}"[{peer_port}]({guid[peer] + peer_port:x}) \t\t# "{peer} HCA-1" lid 1 4xHDR\n')
            else:
                text.append(f'[{port}]\t"S-{guid[peer]:016x}"[{peer_port}]\t\t# "MF0;{peer}:MQM8700/U1" lid 3 4xHDR\n')
    return "".join(text)
