#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `graph --any 1` says of each cable and switch of an InfiniBand tree, against real OpenSM on ibsim without that cable or
switch: every two hosts are walked by its forwarding tables, both ways. The two share no code.

NUMBER cables and switches are drawn by lot, 0 is all. Without a document of a small tree, of which one leaf hangs by one cable.
By hand: 0 examples/fat-tree/fabric.yaml, whose 1,296 cables take hours.

usage: single_failures.py FABRIC_BINARY NUMBER SEED [DOCUMENT]
"""
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import simulator

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
NUMBER, SEED = int(sys.argv[2]), int(sys.argv[3])
TREE = """apiVersion: fabric/v1
name: tree
nodes:
  h[1-8]: {adapters: {hca: {model: connectx-5, ports: 1}}}
  leaf[1-4]: {platform: unmanaged}
  spine[1-2]: {platform: unmanaged}
networks:
  ib:
    mode: infiniband
    mtu: 4096
    subnet_manager: {external: true}
    cables: [["h[1-2]/1", "leaf1/[1-2]"], ["h[3-4]/1", "leaf2/[1-2]"], ["h[5-6]/1", "leaf3/[1-2]"], ["h[7-8]/1", "leaf4/[1-2]"],
             ["leaf[1-3]/7", "spine1/[1-3]"], ["leaf[1-3]/8", "spine2/[1-3]"], [leaf4/7, spine1/4]]
"""
EDGE = re.compile(r'"([^"]+)" -- "([^"]+)" \[taillabel="([^"]+)", headlabel="([^"]+)"')
TABLE = re.compile(r"^Unicast lids .* guid 0x([0-9a-f]+) ", re.MULTILINE)
ROW = re.compile(r"^0x([0-9a-f]+) (\d+) \W*Channel Adapter portguid 0x[0-9a-f]+: '(\S+) HCA-1'", re.MULTILINE)


def declared(document):
    """The cables of the document as {(node, port): (node, port)}, both ways, its switches and its hosts."""
    dot = subprocess.run([BINARY, "graph", document], capture_output=True, text=True, check=True).stdout
    cables, switches, hosts = {}, set(), set()
    for a, b, a_port, b_port in EDGE.findall(dot):
        one, other = (a, int(a_port.split("/")[-1])), (b, int(b_port.split("/")[-1]))
        cables |= {one: other, other: one}
        for node, port in ((a, a_port), (b, b_port)):
            (hosts if "/" in port else switches).add(node)
    return cables, sorted(switches), sorted(hosts)


class Manager:
    """OpenSM at one host of what is left: whom it found, and where its tables send what is for each of them."""

    def __init__(self, folder, cables, switches, hosts, at):
        left = [switch for switch in switches if any(node == switch for node, _ in cables)]
        there = [host for host in hosts if (host, 1) in cables]
        ports = max(port for _, port in cables)
        text = simulator.netlist(cables, left, there, ports, "4xEDR")
        names = {simulator.SWITCH_GUIDS + 0x10 * i: name for i, name in enumerate(left, 1)}
        with simulator.Fabric(folder, text, f"{at} HCA-1", ("-D", "0x43")) as fabric:
            # The dump that is written after the one of the tables.
            fabric.wait((fabric.folder / "opensm.mcfdbs").exists, "osm.log", 60)
            said = (fabric.folder / "opensm-lfts.dump").read_text(errors="replace")
        self.cables, self.tables, self.hosts = cables, {}, {at}
        parts = TABLE.split(said)[1:]
        for guid, rows in zip(parts[::2], parts[1::2]):
            table = self.tables[names[int(guid, 16)]] = {host: int(port) for _, port, host in ROW.findall(rows)}
            self.hosts |= set(table)

    def arrives(self, source, target):
        node, _ = self.cables[source, 1]
        for _ in range(len(self.tables) + 1):
            if node == target:
                return True
            out = self.tables.get(node, {}).get(target)
            if out is None or (node, out) not in self.cables:
                return False
            node, _ = self.cables[node, out]
        return False


def reached(folder, cables, switches, hosts):
    """Pairs of hosts that reach each other, by a manager in each part."""
    pairs, seen = set(), set()
    for number, host in enumerate(hosts):
        if host in seen or (host, 1) not in cables:
            continue
        if cables[host, 1][0] in hosts:
            seen |= {host, cables[host, 1][0]}
            pairs.add(frozenset((host, cables[host, 1][0])))
            continue
        manager = Manager(f"{folder}/{number}", cables, switches, hosts, host)
        seen |= manager.hosts
        for one, other in itertools.combinations(sorted(manager.hosts), 2):
            if manager.arrives(one, other) and manager.arrives(other, one):
                pairs.add(frozenset((one, other)))
    return pairs


def without(cables, thing):
    """`thing`: an end of a cable, or a switch."""
    gone = {thing, cables[thing]} if isinstance(thing, tuple) else {end for end in cables if thing in (end[0], cables[end][0])}
    return {end: other for end, other in cables.items() if end not in gone}


def told(document):
    """By cable (both ends) and by switch: how many pairs of hosts are lost."""
    done = subprocess.run([BINARY, "graph", "--any", "1", "--format", "json", document], capture_output=True, text=True, check=True)
    costs = {}
    for costly in json.loads(done.stdout)["costly"]:
        thing, = costly["things"]
        ends = [end.split("/") for end in thing["name"].split(" - ")]
        key = frozenset((end[0], int(end[-1])) for end in ends) if thing["kind"] == "cable" else thing["name"]
        if thing["kind"] in ("cable", "switch"):
            costs[key] = sum(network.get("pairs", 0) for network in costly["networks"])
    return costs


def main():
    simulator.need_programs()
    with tempfile.TemporaryDirectory() as folder:
        document = pathlib.Path(folder) / "fabric.yaml"
        document.write_text(pathlib.Path(sys.argv[4]).read_text() if len(sys.argv) > 4 else TREE)
        cables, switches, hosts = declared(document)
        costs = told(document)
        things = [*sorted({min(cable) for cable in cables.items()}), *switches]
        if NUMBER:
            things = random.Random(SEED).sample(things, NUMBER)
        pathlib.Path(f"{folder}/whole").mkdir()
        whole = reached(f"{folder}/whole", cables, switches, hosts)
        assert len(whole) == len(hosts) * (len(hosts) - 1) // 2, len(whole)
        wrong, lost_at_all = [], 0
        for number, thing in enumerate(things):
            pathlib.Path(f"{folder}/{number}").mkdir()
            lost = len(whole - reached(f"{folder}/{number}", without(cables, thing), switches, hosts))
            key = frozenset((thing, cables[thing])) if isinstance(thing, tuple) else thing
            print(f"without {thing}: {lost} pairs are lost", flush=True)
            lost_at_all += lost
            if lost != costs.get(key, 0):
                wrong.append(f"without {thing}: OpenSM loses {lost} pairs, fabric says {costs.get(key, 0)}")
        assert not wrong, wrong
        assert lost_at_all, "nothing was lost by anything"
        print(f"{len(things)} losses, 0 disagreements")


main()
