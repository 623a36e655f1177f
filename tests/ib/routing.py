#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real OpenSM that is told to route by ftree: it does so on a tree, and on a ring of switches it ends in minhop without
saying so to anybody. Its log is read by the parser that `verify` uses.

Roots and I/O nodes of a document are those that OpenSM takes them for, by the files that the provider writes.

usage: routing.py FABRIC_BINARY MANAGER_FILES
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator

BINARY, RENDER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
HOSTS = ["h1", "h2", "h3", "h4", "h5", "h6"]
LEAVES, SPINES = ["leaf1", "leaf2", "leaf3"], ["spine1", "spine2"]
TREE = [((host, 1), (LEAVES[i // 2], i % 2 + 1)) for i, host in enumerate(HOSTS)]
TREE += [((leaf, 3 + s), (spine, 1 + l)) for l, leaf in enumerate(LEAVES) for s, spine in enumerate(SPINES)]
# The GUIDs of simulator.netlist; a ConnectX-3's port has the one behind its card's.
DOCUMENT = """apiVersion: fabric/v1
name: routing
nodes:
  h1: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-3, ports: 1, node_guid: "0x0002c90300000010"}}}
  h[2-6]: {adapters: {hca: {model: connectx-3, ports: 1, node_guid: "0x0002c903000000[2-6]0"}}}
  leaf[1-3]: {platform: unmanaged, node_guid: "0x0002c902000000[1-3]0"}
  spine[1-2]: {platform: unmanaged, node_guid: "0x0002c902000000[4-5]0"}
networks:
  ib:
    mode: infiniband
    mtu: 4096
    cables: [["h[1-2]/hca/1", "leaf1/[1-2]"], ["h[3-4]/hca/1", "leaf2/[1-2]"], ["h[5-6]/hca/1", "leaf3/[1-2]"],
             ["leaf1/[3-4]", "spine[1-2]/1"], ["leaf2/[3-4]", "spine[1-2]/2"], ["leaf3/[3-4]", "spine[1-2]/3"]]
    subnet_managers: [{node: h1, priority: 10}]
    subnet_manager: {routing_engine: ftree, roots: ["spine[1-2]"], io: ["h[5-6]"]}
"""


def both_ways(cables):
    return {one: other for cable in cables for one, other in (cable, cable[::-1])}


def routed(folder, cables, switches, hosts):
    """What the parser makes of the log of OpenSM."""
    text = simulator.netlist(both_ways(cables), switches, hosts, 8, "4xEDR")
    with simulator.Fabric(folder, text, f"{hosts[0]} HCA-1", ("-R", "ftree")) as fabric:
        log = fabric.folder / "osm.log"
        fabric.wait(lambda: "tables configured" in log.read_text(errors="replace"), "osm.log", 60)
        done = subprocess.run([BINARY, "parse", "opensm-log", log], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["routing"]


def told_nodes(folder):
    """Who is what in the log of an OpenSM that runs by the document's files: only its debug lines say it."""
    folder.mkdir()
    (folder / "fabric.yaml").write_text(DOCUMENT)
    subprocess.run([RENDER, folder / "fabric.yaml", folder / "files"], check=True)
    there = folder / "files" / "h1"
    options = there / "fabric-ib.hca.1.conf"
    options.write_text(options.read_text().replace("/etc/opensm/", f"{there}/").replace("/var/log/", f"{there}/"))
    text = simulator.netlist(both_ways(TREE), [*LEAVES, *SPINES], HOSTS, 8, "4xEDR")
    with simulator.Fabric(folder / "net", text, "h1 HCA-1", ("--config", options, "-D", "0x0f")) as fabric:
        log = fabric.folder / "osm.log"
        fabric.wait(lambda: "tables configured" in log.read_text(errors="replace"), "osm.log", 60)
        said = log.read_text(errors="replace")
    marked = {kind: {int(guid, 16) for guid in re.findall(rf"Marking {kind} port GUID (0x[0-9a-f]+)", said)} for kind in ("CN", "I/O")}
    roots = {int(guid, 16) for guid in re.findall(r"Ranking root switch with GUID (0x[0-9a-f]+)", said)}
    return marked["CN"], marked["I/O"], roots


def main():
    simulator.need_programs()
    with tempfile.TemporaryDirectory() as folder:
        print("a tree", flush=True)
        record = routed(f"{folder}/tree", TREE, [*LEAVES, *SPINES], HOSTS)
        assert record["engine"] == "ftree", record
        print("a ring", flush=True)
        switches = ["s1", "s2", "s3", "s4"]
        ring = [((host, 1), (switches[i], 1)) for i, host in enumerate(HOSTS[:4])]
        ring += [((switches[i], 2), (switches[(i + 1) % 4], 3)) for i in range(4)]
        record = routed(f"{folder}/ring", ring, switches, HOSTS[:4])
        assert record["engine"] == "minhop" and any("ERR" in error for error in record["errors"]), record
        print(record["errors"][0])
        print("I/O nodes and roots by the document", flush=True)
        compute, io, roots = told_nodes(pathlib.Path(folder) / "told")
        port = {host: simulator.HOST_GUIDS + 0x10 * i + 1 for i, host in enumerate(HOSTS, 1)}
        assert io == {port["h5"], port["h6"]} and compute == {port[host] for host in HOSTS[:4]}, (io, compute)
        assert roots == {simulator.SWITCH_GUIDS + 0x40, simulator.SWITCH_GUIDS + 0x50}, roots


main()
