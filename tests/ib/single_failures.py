#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `graph --any 1` says of each cable and switch of an InfiniBand tree, against real OpenSM on ibsim while that cable or
switch is taken out: every two hosts are walked by its forwarding tables, both ways. The two share no code.

NUMBER cables and switches are drawn by lot, 0 is all. Without a document of a small tree, of which one leaf hangs by one cable.
By hand: 0 examples/fat-tree/fabric.yaml, whose 1,296 cables take an hour.

usage: single_failures.py FABRIC_BINARY NUMBER SEED [DOCUMENT]
"""
import itertools
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

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
    """OpenSM at one host of a fabric, and where its tables send what is for each host."""

    def __init__(self, folder, cables, switches, at):
        self.cables, self.at, self.out_before = cables, at, []
        self.switches = [switch for switch in switches if any(node == switch for node, _ in cables)]
        # The manager knows of no host that hangs by another one.
        self.hosts = [*dict.fromkeys(node for node, _ in cables if node not in self.switches)]
        self.names = {simulator.SWITCH_GUIDS + 0x10 * i: name for i, name in enumerate(self.switches, 1)}
        self.ids = {name: f"S-{guid:016x}" for guid, name in self.names.items()} | {
            name: f"H-{simulator.HOST_GUIDS + 0x10 * i:016x}" for i, name in enumerate(self.hosts, 1)}
        text = simulator.netlist(cables, self.switches, self.hosts, max(port for _, port in cables), "4xEDR")
        self.fabric = simulator.Fabric(folder, text, f"{at} HCA-1", ("-D", "0x43"))
        self.dump, self.last_dump = (self.fabric.folder / f"opensm{name}" for name in ("-lfts.dump", ".mcfdbs"))

    def __enter__(self):
        self.fabric.__enter__()
        self.fabric.wait(self.last_dump.exists, "osm.log", 60)
        return self

    def __exit__(self, *failure):
        self.fabric.__exit__(*failure)

    def dumped(self):
        """When its tables were written, which every sweep does at its end; 0 while it does. Another dump follows them."""
        when = self.dump.stat().st_mtime_ns
        return when if when <= self.last_dump.stat().st_mtime_ns else 0

    def swept(self, *commands):
        """Waits for a sweep of what is there after the commands. One may have begun before, so it is the second that ends. Switches
        send traps, which the manager may miss."""
        then = self.dumped()
        self.fabric.tell(*commands)
        for patience in (1, 0):
            ask_at = time.monotonic() + patience
            while (now := self.dumped()) in (0, then):
                if time.monotonic() > ask_at:
                    self.fabric.processes[-1].send_signal(signal.SIGHUP)
                    ask_at += 10
                time.sleep(0.02)
            then = now

    def tables(self):
        """By switch and host: the port."""
        while True:
            then = self.dumped()
            parts = TABLE.split(self.dump.read_text(errors="replace"))[1:]
            if then and then == self.dumped():
                return {self.names[int(guid, 16)]: {host: int(port) for _, port, host in ROW.findall(rows)}
                        for guid, rows in zip(parts[::2], parts[1::2])}

    def lost(self, cables):
        """The pairs that its tables do not join over what is left of its cables, and the hosts that it does not see."""
        tables = self.tables() if (self.at, 1) in cables else {}
        seen = {self.at}.union(*tables.values())
        pairs = {frozenset(pair) for host in set(self.hosts) - seen for pair in itertools.product([host], self.hosts) if len(set(pair)) == 2}
        for target in seen:
            arrives = {target: True}
            for switch in tables:
                way = []
                while switch not in arrives:
                    way.append(switch)
                    arrives[switch] = False
                    switch, _ = cables.get((switch, tables.get(switch, {}).get(target)), (None, 0))
                    arrives.setdefault(None, False)
                arrives.update(dict.fromkeys(way, arrives[switch]))
            pairs |= {frozenset((source, target)) for source in seen - {target} if not arrives.get(cables[source, 1][0], False)}
        return pairs, set(self.hosts) - seen

    def lost_without(self, thing):
        """The pairs that are lost while a cable or a switch is out. Parts that the manager does not see have one of their own."""
        left = without(self.cables, thing)
        out = [f'"{self.ids[thing[0]]}"[{thing[1]}]'] if isinstance(thing, tuple) else [f'"{self.ids[thing]}"']
        is_cut_off = (self.at, 1) not in left
        if not is_cut_off:
            self.swept(*self.out_before, *(f"Unlink {each}" for each in out))
            self.out_before = [f"ReLink {each}" for each in out]
        pairs, unseen = self.lost(left)
        while alone := sorted(host for host in unseen if (host, 1) in left):
            with tempfile.TemporaryDirectory() as folder, Manager(f"{folder}/part", left, self.switches, alone[0]) as part:
                lost, others = part.lost(left)
            unseen &= others
            joined = set(alone) - others
            pairs -= {frozenset(pair) for pair in itertools.combinations(joined, 2)} - lost
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
        wrong, lost_at_all = [], 0
        with Manager(f"{folder}/whole", cables, switches, hosts[0]) as manager:
            assert manager.lost(cables) == (set(), set()), manager.lost(cables)
            for thing in things:
                lost = len(manager.lost_without(thing))
                key = frozenset((thing, cables[thing])) if isinstance(thing, tuple) else thing
                print(f"without {thing}: {lost} pairs are lost", flush=True)
                lost_at_all += lost
                if lost != costs.get(key, 0):
                    wrong.append(f"without {thing}: OpenSM loses {lost} pairs, fabric says {costs.get(key, 0)}")
        assert not wrong, wrong
        assert lost_at_all, "nothing was lost by anything"
        print(f"{len(things)} losses, 0 disagreements")


main()
