#!/usr/bin/env python3
"""Real OpenSM that is told to route by ftree: it does so on a tree, and on a ring of switches it ends in minhop without
saying so to anybody. Its log is read by the parser that `verify` uses.

usage: routing.py FABRIC_BINARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

BINARY = str(pathlib.Path(sys.argv[1]).resolve())


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


def main():
    simulator.need_programs()
    hosts = ["h1", "h2", "h3", "h4", "h5", "h6"]
    with tempfile.TemporaryDirectory() as folder:
        print("a tree", flush=True)
        leaves, spines = ["leaf1", "leaf2", "leaf3"], ["spine1", "spine2"]
        tree = [((host, 1), (leaves[i // 2], i % 2 + 1)) for i, host in enumerate(hosts)]
        tree += [((leaf, 3 + s), (spine, 1 + l)) for l, leaf in enumerate(leaves) for s, spine in enumerate(spines)]
        record = routed(f"{folder}/tree", tree, [*leaves, *spines], hosts)
        assert record["engine"] == "ftree", record
        print("a ring", flush=True)
        switches = ["s1", "s2", "s3", "s4"]
        ring = [((host, 1), (switches[i], 1)) for i, host in enumerate(hosts[:4])]
        ring += [((switches[i], 2), (switches[(i + 1) % 4], 3)) for i in range(4)]
        record = routed(f"{folder}/ring", ring, switches, hosts[:4])
        assert record["engine"] == "minhop" and any("ERR" in error for error in record["errors"]), record
        print(record["errors"][0])


main()
