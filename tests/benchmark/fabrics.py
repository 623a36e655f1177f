#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fabrics of any size with every kind of resource that Linux hosts have, and saved facts of their hosts.

usage: fabrics.py FABRIC_BINARY FOLDER NODES...

Of three groups the facts come from the lab: twenty hosts in a ring of host chaining, eighteen hosts on an InfiniBand switch with a
subnet manager, and eighteen with bonds, VLANs, virtual functions and lossless RoCE on an Ethernet switch. Every group of a large
fabric is a copy of one of the three with names, addresses, GUIDs and ids of its own. FOLDER/NODES has fabric.yaml and facts/.
Only of multiples of sixty a third is of each kind: others are not comparable by the node.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

PER_GROUP = 20
HEAD = "apiVersion: fabric/v1\nname: scale\ndefaults: {ssh: {user: root}}\nnodes:\n"


def management(group):
    return f"172.{16 + group // 200}.{group % 200}"


def hosts(group, first, last, rest):
    number = (group - 1) * PER_GROUP
    return (f'  "g{group:04}n[{first:02}-{last:02}]":\n    address: {management(group)}.[{first}-{last}]\n'
            f'    host: "[{number + first}-{number + last}]"\n{rest}')


def ring(group):
    return f'  "g{group:04}n[01-20]":\n    address: {management(group)}.[1-20]\n    host: "[1-20]"\n    adapters: {{a: {{model: connectx-5-vpi}}}}\n'


def infiniband(group):
    rest = ("    modules: {ib_umad: {}}\n    adapters: {b: {model: connectx-5-vpi, ports: 1, "
            "firmware: {params: {ADVANCED_PCI_SETTINGS: true}}}}\n")
    return (hosts(group, 1, 2, "    packages: [infiniband-diags, opensm]\n" + rest)
            + hosts(group, 3, 18, "    packages: [infiniband-diags]\n" + rest)
            + f'  "l{group:04}[1-2]": {{platform: unmanaged}}\n')


def bonds(group):
    return (hosts(group, 1, 18, "    tuning: [40g]\n    adapters: {c: {model: connectx-5, sriov: {vfs: 4}}}\n")
            + f'  "l{group:04}[1-2]": {{platform: unmanaged}}\n')


def document(nodes):
    """Three cables a node, most of them between switches."""
    groups = range(1, nodes // PER_GROUP + 1)
    kinds = [[group for group in groups if group % 3 == kind] for kind in (1, 2, 0)]
    text = HEAD + "".join(write(group) for write, of in zip((ring, infiniband, bonds), kinds) for group in of) + "networks:\n"
    for group in kinds[0]:
        text += (f"  storage-{group}:\n    mode: chain\n    mtu: 9000\n"
                 f"    ipv4: {{subnet: 10.{group // 12}.{group // 3 % 4 * 64}.0/26}}\n    cables:\n"
                 f'      - ring: ["g{group:04}n[01-20]"]\n')
    text += "  compute:\n    mode: infiniband\n    mtu: 4096\n    ipoib: {mtu: 4092, ipv4: {subnet: 10.160.0.0/11}}\n    cables:\n"
    for group in kinds[1]:
        text += f'      - ["g{group:04}n[01-18]/b/1", "l{group:04}1/[1-18]"]\n      - ["l{group:04}1/[19-80]", "l{group:04}2/[19-80]"]\n'
    text += "    subnet_managers:\n"
    for group in kinds[1]:
        text += f"      - {{node: g{group:04}n01, priority: 15}}\n      - {{node: g{group:04}n02, priority: 14}}\n"
    text += ("  bulk:\n    mode: lag\n    mtu: 9000\n    qos: {lossless: [3]}\n    lag: {bond: bond0, policy: 802.3ad, roce: false}\n"
             "    vlans: {cluster: {id: 50, ipv4: {subnet: 10.64.0.0/11}}}\n    cables:\n")
    for group in kinds[2]:
        text += (f'      - ["g{group:04}n[01-18]/c/1", "l{group:04}1/[1-18]"]\n      - ["g{group:04}n[01-18]/c/2", "l{group:04}1/[21-38]"]\n'
                 f'      - ["l{group:04}1/[51-94]", "l{group:04}2/[51-94]"]\n')
    return text + "rollout: {max_unavailable: 20}\n"


def from_the_lab(binary, folder):
    """Texts of saved facts by group and number of the host."""
    folder.mkdir(parents=True)
    (folder / "fabric.yaml").write_text(document(3 * PER_GROUP))

    def fabric(*arguments):
        done = subprocess.run([binary, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"fabric {' '.join(arguments)}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    fabric("lab", "up")
    try:
        fabric("--lab", "discover", "--save", "facts")
    finally:
        fabric("lab", "down")
    found = {}
    for file in sorted((folder / "facts").iterdir()):
        group, number = re.fullmatch(r"g(\d{4})n(\d\d)\.json", file.name).groups()
        found.setdefault(int(group), {})[number] = file.read_text()
    return found


def hexadecimal(length, *words):
    return hashlib.sha256(" ".join(map(str, words)).encode()).hexdigest()[:length]


def stamped(text, base, group, number):
    """The facts of a host of group `base` as those of another group's."""
    facts = json.loads(text)
    who = facts["probes"]["identity"]["standard_output"]
    ids = [re.search(r"machine-id:(\w+)", who)[1], re.search(r"boot_id:(\S+)", who)[1], facts["identity"]["host_key"]]
    boot = hexadecimal(32, "boot", group, number)
    for old, new in zip(ids, (hexadecimal(32, "machine", group, number),
                              f"{boot[:8]}-{boot[8:12]}-{boot[12:16]}-{boot[16:20]}-{boot[20:]}",
                              "SHA256:" + hexadecimal(43, "key", group, number))):
        text = text.replace(old, new)
    text = re.sub(rf"g{base:04}n(\d\d)", rf"g{group:04}n\1", text)
    text = re.sub(rf"\b{re.escape(management(base))}\.(\d+)", rf"{management(group)}.\1", text)
    high, low = (lambda digits: (digits[:2], digits[2:]))(hexadecimal(4, "mac", group))
    for old, new in (("0c:42:a1", f"0c:{high}:{low}"), ("0c42a1", f"0c{high}{low}"), ("0c42:a1", f"0c{high}:{low}"),
                     ("ac:1f:6b", f"ac:{high}:{low}")):
        text = text.replace(old, new)
    return text


def make(binary, folder, counts):
    folder = pathlib.Path(folder)
    templates = from_the_lab(binary, folder / "lab")
    for nodes in counts:
        facts = folder / str(nodes) / "facts"
        facts.mkdir(parents=True)
        (facts.parent / "fabric.yaml").write_text(document(nodes))
        for group in range(1, nodes // PER_GROUP + 1):
            base = (group - 1) % 3 + 1
            for number, text in templates[base].items():
                (facts / f"g{group:04}n{number}.json").write_text(stamped(text, base, group, number))


if __name__ == "__main__":
    make(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], [int(count) for count in sys.argv[3:]])
