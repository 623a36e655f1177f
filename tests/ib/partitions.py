#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random documents with partitions: real OpenSM takes every file that the provider writes for them, and the ports of a simulated
subnet get exactly the keys that the document says. And the other way round: one typo and nobody has any of them, which
the parser says.

usage: partitions.py FABRIC_BINARY MANAGER_FILES [COUNT [SEED]]
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import simulator

BINARY, RENDER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 12
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
HOSTS = ["h1", "h2", "h3"]
# In the document only: more members than fit into one line of OpenSM's.
GHOSTS = [f"g{i}" for i in range(1, 241)]
# Any of these could be taken for something else by whoever reads the file.
NAMES = ["storage", "Default", "ALL", "SELF", "ipoib", "mtu", "full", "limited", "both", "defmember", "a", "x-1", "0x10", "10", "sl", "rate", "scope",
         "indx0", "mgroup", "a_b", "UPPER", "ALL_CAS", "ALL_SWITCHES", "a.b", "n" * 60]
# Each of these would be another partition, or the end of the whole file.
HOSTILE = ["a#b", "a:b", "a;b", "a=b", "a,b", "a b", " a", "a=0x10 : ALL=full; b", "a\nb=0x10 : ALL=full;", "a, ipoib", "#", "", "n" * 65, "\u00e4", "a\tb", "a\u2028b"]
LIMITED, FULL = 0x0000, 0x8000
DEFAULT = 0x7fff


def document(draw):
    """A document, and the P_Key table that each host must have; None: the document may be refused."""
    partitions, keys = {}, {host: {0xffff} for host in HOSTS}
    for name in draw.sample(NAMES, draw.randint(1, 4)):
        pkey = draw.choice([draw.randint(1, 0x7ffe), draw.randint(0x8001, 0xfffe), draw.choice([DEFAULT, DEFAULT | FULL])])
        if any(pkey & 0x7fff == other["pkey"] & 0x7fff for other in partitions.values()):
            continue
        members = {}
        if draw.random() < 0.2:
            members["ALL"] = draw.choice(["full", "limited"])
        if draw.random() < 0.3:
            members["SELF"] = "full"
        for host in draw.sample(HOSTS, draw.randint(0, len(HOSTS))):
            members[host] = draw.choice(["full", "limited"])
        if draw.random() < 0.15:
            members |= {ghost: draw.choice(["full", "limited"]) for ghost in GHOSTS}
        if not members:
            continue
        members = dict(draw.sample(list(members.items()), len(members)))
        partitions[name] = {"pkey": pkey, "members": members}
        if draw.random() < 0.6:
            partitions[name]["ipoib"] = True
            if draw.random() < 0.6:
                partitions[name]["mtu"] = draw.choice([2048, 4096])
        for host in HOSTS:
            # Who is named is what is said of it, whatever is said of all.
            said = members.get(host) or (host == "h1" and members.get("SELF")) or members.get("ALL")
            if pkey & 0x7fff == DEFAULT:
                # Everybody is in it; the manager is a full member of it, or nobody could ask it anything.
                said = members.get(host) or (host == "h1" and (members.get("SELF") or "full")) or members.get("ALL") or "limited"
                keys[host].discard(DEFAULT | FULL)
            if said:
                keys[host].add(pkey & 0x7fff | (FULL if said == "full" else LIMITED))
    nodes = {host: {"adapters": {"hca": {"model": "connectx-3", "node_guid": f"0x{simulator.HOST_GUIDS + 0x10 * i:016x}"}}}
             for i, host in enumerate([*HOSTS, *GHOSTS], 1)}
    nodes["h1"]["packages"] = ["opensm", "infiniband-diags"]
    nodes["s1"] = {"platform": "unmanaged"}
    text = {"apiVersion": "fabric/v1", "name": "partitions", "nodes": nodes,
            "networks": {"ib": {"mode": "infiniband", "mtu": 4096, "cables": [[f"{host}/1", f"s1/{i}"] for i, host in enumerate([*HOSTS, *GHOSTS], 1)],
                                "subnet_managers": [{"node": "h1", "priority": 10}], "partitions": partitions}}}
    return json.dumps(text, indent=1), keys


def table(fabric, host, route="0", port="1"):
    """The P_Key table of a port at the end of a direct route from the host."""
    done = subprocess.run(["smpquery", "pkeys", "-D", route, port], env=dict(fabric.attached, SIM_HOST=f"{host} HCA-1"), cwd=fabric.folder,
                          capture_output=True, text=True, check=True)
    words = [word for line in done.stdout.splitlines() if ":" in line for word in line.split(":", 1)[1].split()]
    return {int(word, 16) for word in words if word.startswith("0x")} - {0}


def programmed(folder, options):
    """The P_Key table of each host and of the switch, as OpenSM with these options fills it."""
    cables = {}
    for i, host in enumerate(HOSTS, 1):
        cables[host, 1], cables["s1", i] = ("s1", i), (host, 1)
    with simulator.Fabric(folder, simulator.netlist(cables, ["s1"], HOSTS, 8, "4xFDR"), "h1 HCA-1", ("--config", options)) as fabric:
        tables = {host: table(fabric, host) for host in HOSTS} | {"s1": table(fabric, "h1", "0,1", "0")}
        log = (fabric.folder / "osm.log").read_text(errors="replace")
    return tables, [line for line in log.splitlines() if "prtn" in line or "PARSE" in line]


def render(folder, text):
    folder.mkdir()
    (folder / "fabric.yaml").write_text(text)
    done = subprocess.run([RENDER, folder / "fabric.yaml", folder / "files"], capture_output=True, text=True, check=False)
    if done.returncode == 1:
        return None, done.stderr
    assert done.returncode == 0, (done.stderr, text)
    there = folder / "files" / "h1"
    options = there / "fabric-ib.hca.1.conf"
    options.write_text(options.read_text().replace("/etc/opensm/", f"{there}/").replace("/var/log/", f"{there}/"))
    return there, done.stderr


def parsed(path):
    done = subprocess.run([BINARY, "parse", "partitions-conf", path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def hostile(root):
    """No name that OpenSM would not read as it is meant gets as far as a file; the author is told where it stands."""
    for number, name in enumerate(HOSTILE):
        text = {"apiVersion": "fabric/v1", "name": "hostile",
                "nodes": {"h[1-2]": {"adapters": {"hca": {"model": "connectx-3"}}}},
                "networks": {"ib": {"mode": "infiniband", "cables": [["h1/1", "h2/1"]], "subnet_managers": [{"node": "h1"}],
                                    "partitions": {name: {"pkey": 0x10, "members": {"ALL": "full"}}}}}}
        path = root / f"hostile{number}.yaml"
        path.write_text(json.dumps(text, indent=1))
        done = subprocess.run([BINARY, "validate", path], capture_output=True, text=True, check=False)
        assert done.returncode == 3 and f"{path}:" in done.stderr, (name, done)


def limited(root):
    """A default partition with limited members only, all ports in no other: the manager alone is a full one, so that all reach it."""
    text, _ = document(random.Random(3))
    text = json.loads(text)
    text["networks"]["ib"]["partitions"] = {"Default": {"pkey": DEFAULT, "ipoib": True, "members": {"ALL": "limited"}}}
    files, said = render(root / "limited", json.dumps(text))
    assert files, said
    tables, complaints = programmed(root / "limited-net", files / "fabric-ib.hca.1.conf")
    del tables["s1"]
    assert tables == {"h1": {DEFAULT | FULL}, "h2": {DEFAULT}, "h3": {DEFAULT}}, (tables, complaints)


def of_switch(root):
    """A switch is a member by its own GUID; the port 0 of it gets the key."""
    text, _ = document(random.Random(3))
    text = json.loads(text)
    text["nodes"]["s1"]["node_guid"] = f"0x{simulator.SWITCH_GUIDS + 0x10:016x}"
    text["networks"]["ib"]["partitions"] = {"admin": {"pkey": 0x20, "members": {"h1": "full", "s1": "limited"}}}
    files, said = render(root / "switch", json.dumps(text))
    assert files, said
    tables, complaints = programmed(root / "switch-net", files / "fabric-ib.hca.1.conf")
    assert tables["s1"] == {DEFAULT | FULL, 0x20} and tables["h1"] == {DEFAULT | FULL, 0x8020}, (tables, complaints)


def reread(root):
    """A SIGHUP: members that join or leave, and partitions that come or go, are in force at once; a group that is there stays as it is."""
    text, _ = document(random.Random(3))
    text = json.loads(text)

    def rendered(name, partitions):
        text["networks"]["ib"]["partitions"] = partitions
        files, said = render(root / name, json.dumps(text))
        assert files, said
        return files / "fabric-ib.hca.1.conf", files / "fabric-ib.hca.1.partitions"

    group = {"pkey": 0x20, "ipoib": True, "mtu": 4096}
    options, lying = rendered("reread", {"a": {**group, "members": {"h1": "full", "h2": "full"}}, "b": {"pkey": 0x30, "members": {"h2": "full"}}})
    _, wanted = rendered("reread-then", {"a": {**group, "mtu": 2048, "members": {"h1": "full", "h3": "limited"}},
                                         "c": {"pkey": 0x40, "ipoib": True, "mtu": 4096, "members": {"h1": "full", "h2": "full"}}})
    cables = {}
    for i, host in enumerate(HOSTS, 1):
        cables[host, 1], cables["s1", i] = ("s1", i), (host, 1)
    with simulator.Fabric(root / "reread-net", simulator.netlist(cables, ["s1"], HOSTS, 8, "4xFDR"), "h1 HCA-1", ("--config", options)) as fabric:
        def tables():
            return {host: table(fabric, host) - {DEFAULT | FULL} for host in HOSTS}

        def groups():
            return simulator.group_mtus(subprocess.run(["saquery", "MCMR"], env=fabric.attached, cwd=fabric.folder, capture_output=True, text=True,
                                                       check=True).stdout)

        assert tables() == {"h1": {0x8020}, "h2": {0x8020, 0x8030}, "h3": set()}, tables()
        assert groups()["ff12:401b:8020::ffff:ffff"] == 5, groups()
        lying.write_text(wanted.read_text())
        fabric.processes[1].send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 180
        while tables() != {"h1": {0x8020, 0x8040}, "h2": {0x8040}, "h3": {0x20}}:
            assert time.monotonic() < deadline, (tables(), (fabric.folder / "osm.log").read_text(errors="replace")[-2000:])
            time.sleep(0.1)
        # What makes a group needs a new start (E-opensm-groups).
        assert groups()["ff12:401b:8020::ffff:ffff"] == 5 and groups()["ff12:401b:8040::ffff:ffff"] == 5, groups()


def main():
    simulator.need_programs()
    draw = random.Random(SEED)
    taken = refused = 0
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        hostile(root)
        for number in range(COUNT):
            text, keys = document(draw)
            files, said = render(root / f"d{number}", text)
            if files is None:
                refused += 1
                print(f"  refused: {said.splitlines()[0]}", flush=True)
                continue
            tables, complaints = programmed(root / f"f{number}", files / "fabric-ib.hca.1.conf")
            conf = (files / "fabric-ib.hca.1.partitions").read_text()
            del tables["s1"]
            assert tables == keys, f"seed {SEED}, document {number}: {tables} instead of {keys}\n{conf}\n{complaints}\n{text}"
            taken += 1
        print(f"{taken} files were taken as they are meant, {refused} documents were refused", flush=True)
        assert taken >= COUNT // 3, "hardly any document could be tried"
        print("everybody limited", flush=True)
        limited(root)
        print("a switch", flush=True)
        of_switch(root)
        print("a file that is read again", flush=True)
        reread(root)
        print("a typo", flush=True)
        text, _ = document(random.Random(3))
        files, _ = render(root / "typo", text)
        conf = files / "fabric-ib.hca.1.partitions"
        conf.write_text(conf.read_text() + "storage2=0x0777, ipoib 0x1=full;\n")
        tables, _ = programmed(root / "typo-net", files / "fabric-ib.hca.1.conf")
        assert all(len(keys) == 1 for keys in tables.values()), tables
        code, said = parsed(conf)
        assert "OpenSM ignores" in said or code != 0, (code, said)


main()
