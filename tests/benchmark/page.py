#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md, from the rows of one run of performance.py.

usage: page.py ROWS   (to standard output: the page of an earlier run, worded anew)
"""
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import textwrap
import time

import peers

HEAD = """\
# What it costs

How long `fabric` takes, how much processor and memory it needs, and what other programs need that run one command on many hosts.
For readers who want to know whether it is fast enough, or doubt it. This page is written by one command, from one run:

    tests/benchmark/performance.py FABRIC_BINARY     # or tests/long.sh performance, which builds it first

The raw rows are in [performance.jsonl](performance.jsonl). [scale.md](scale.md) says what grows with what, and where it would break.

## How it was measured

| | |
|---|---|
"""
SHORT = 2  # seconds
RUNS_OF_SHORT = 3  # in each round
METHOD = """
All variants run in turns, {rounds} rounds, every second one backwards; a program that takes less than {short} seconds runs {runs}
times a round. The first round warms files up and measures memory; seconds are the fastest of the other rounds. Where
only one round was run, it counts. Of the numbers at once that a program was tried with, only the best of the first round went on.
*CPU* is the time of the program and of all that it starts on this side, user and system; the time of the hosts is not in it. *Memory*
of `fabric` alone is its peak; in the tables that compare programs it is that of all processes of the client together, shared
pages once, looked at 20 times a second.

The hosts are on the same machine: either those of `fabric lab up`, a process with one thread that answers real SSH for simulated
hosts, or the real sshd of this machine behind {real} addresses of the loopback. So client and hosts share {cores}, no network
lies between, and a card is read at once, which takes 1 to 2 s on real hardware. Times are of this machine; look at ratios.
{others}
"""
VALIDATE = """
Nothing but the document is read. *Four lines a node*: all of it and its port written out. *A line a node*: its name and address,
and what all have in common said once; 100,000 in the longer form would be more than the 8 MiB that a document may have.
"""
PLAN = """
`plan --facts DIR --out FILE`: facts that were saved are read, judged and planned; the plan is shown and written. *All kinds*: a
third each of rings, InfiniBand hosts with subnet managers, and hosts with bonds, VLANs, virtual functions and lossless RoCE,
at sizes that three groups divide evenly. *A ring*: one chain of ConnectX-5 hosts, set up host by host. *Nothing changes*: hosts with an
address that are what the document says.
"""
DISCOVER = """
`discover --save DIR` of a ring in the lab, over real SSH: connect, log in, run the probe script, judge, print JSON, save the
facts. The lab takes its share of the processors meanwhile; the CPU here is that of `fabric` alone.
"""
CONVERGE = """
Hosts of one Ethernet network, which need addresses and an MTU and no boot; at most 100 have their links touched at a time.
Measured once, for an apply can't be done twice. Each step is a program of its own and logs in anew.
"""
PEERS = """
The script is the one that `fabric discover` sends, {size} of shell; the others get it as the argument of `sh -c`. All use the
same key exchange ({exchange}) and the same keys, and keep no connection. Each is shown at the best of the numbers at once that
were tried. `fabric` also judges what it reads and prints that as JSON, and with `--save` it writes a file for each host besides;
the others print what the hosts say. *Times* are multiples of what `fabric discover` takes at its best.
"""
REAL = """
{count} addresses of the real sshd of this machine. The hosts start a login and some twenty programs each, and that on the same
processors. So this table shows the time that a program adds to that of the hosts: no client can be faster than they are.
"""
LAB = """
{count} hosts of the lab, where the far end is cheaper than a real host. The rest is mostly the time of the client.
"""
RECORDED = """
{count} hosts that say again what those of the lab have said to the same script, byte for byte but for the nonce, over the same SSH
server: nothing runs there but SSH. So the far end is as fast as a far end can be, and the rest is the time of the client.
*libssh alone*: the library by which `fabric` speaks SSH, one host after the other, its key not looked up and no script sent.
"""
TRUE = """
Hosts of the lab again, but the others only run `true`: what logging in costs them. `fabric` runs all its probes, as above.
"""
FAR = """
The same with a lab whose answers come {latency} ms late, as over a long line: what counts is how many wait at the same time.
"""
# Names of rows.
OURS, SAVING, LIBRARY = "fabric discover", "fabric discover --save", "libssh alone"
WHERE = {"real sshd": "for a real sshd", "lab": "in the lab", "recorded": "where hosts answer at once"}


def machine(binary, built, versions, **more):
    """The row that says where and how the others were measured."""
    cpus = pathlib.Path("/proc/cpuinfo").read_text()
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    release = dict(re.findall(r'^(\w+)="?(.*?)"?$', pathlib.Path("/etc/os-release").read_text(), re.M))
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return {"table": "machine", "fabric": said, "built": built or built_by(binary), "processor": re.search(r"model name\s*: (.*)", cpus)[1],
            "cores": os.cpu_count(), "gigabytes": round(memory / 1024 / 1024, 1), "kernel": platform.release(),
            "virtual": "hypervisor" in cpus, "system": release.get("PRETTY_NAME", ""), "nice": os.nice(0),
            "date": time.strftime("%Y-%m-%d"), "peers": versions, **more}


def built_by(binary):
    """By the cache of CMake above the program."""
    for folder in pathlib.Path(binary).parents:
        if (folder / "CMakeCache.txt").exists():
            cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M))
            kind = cache.get("CMAKE_BUILD_TYPE", "")
            flags = cache.get(f"CMAKE_CXX_FLAGS_{kind.upper()}", "")
            return f"{kind}, {pathlib.Path(cache.get('CMAKE_CXX_COMPILER', '?')).name} {flags}"
    return "not known: no CMakeCache.txt above the program"


class Best:
    """The rounds of one variant, as one."""

    def __init__(self, rows):
        timed = [row for row in rows if row["round"] > 0] or rows
        self.rounds = len(timed) if rows[-1]["round"] > 0 else 0
        looked = [row for row in rows if row.get("sampled")] or rows
        first = rows[0]
        self.name, self.nodes, self.at_once = first["name"], first["nodes"], first["at_once"]
        self.wall, self.cpu = min(row["wall"] for row in timed), min(row["cpu"] for row in timed)
        self.memory = max((row["megabytes"], row["floor"]) for row in looked)
        self.lost = max(row.get("lost", 0) for row in rows)
        self.bytes = max(row.get("bytes", 0) for row in rows)
        self.failed = next((row["failed"] for row in rows if row.get("failed")), "")

    def megabytes(self):
        most, floor = self.memory
        return f"under {floor + 1:.0f}" if most < floor + 1 else f"{most:.0f}"

    def each(self):
        return self.cpu / self.nodes * 1000


def wrapped(text, first="", rest=""):
    return textwrap.fill(text, 120, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False) + "\n"


def point(text):
    return wrapped(text, "* ", "  ")


def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def table(titles, lines):
    return "\n" + "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [titles, ["---"] * len(titles), *lines]) + "\n"


class Page:
    def __init__(self, rows):
        self.machine = next(row for row in rows if row["table"] == "machine")
        self.whole = next((row for row in rows if row["table"] == "whole"), {})
        self.measured = [row for row in rows if "wall" in row]
        groups = {}
        for row in self.measured:
            groups.setdefault((row["table"], row["name"], row["nodes"], row["at_once"]), []).append(row)
        self.best = {}
        for (name, *_), of in groups.items():
            self.best.setdefault(name, []).append(Best(of))

    def setting(self):
        its, others = self.machine, [row["others"] for row in self.measured]
        rows = [("date", its["date"]), ("program", f"{its['fabric']}; {its['built']}"),
                ("processor", f"{its['processor']}, {its['cores']} cores" + (", a virtual machine" if its["virtual"] else "")),
                ("memory", f"{its['gigabytes']} GiB"), ("system", f"{its['system']}, kernel {its['kernel']}")]
        rows += [(f"`{name}`", f"{said}; {peers.VERSIONS[name][1]}") for name, said in its["peers"].items()]
        missing = [f"`{name}`" for name in peers.VERSIONS if name not in its["peers"]]
        if missing:
            rows.append(("not installed, so left out", ", ".join(missing)))
        text = HEAD + "".join(f"| {name} | {what} |\n" for name, what in rows)
        share = [each / its["cores"] for each in others]
        disturbed = (f"Just before each of the {len(others)} runs something else kept {statistics.median(share) * 100:.0f} % of the "
                     f"processors busy (median); {sum(each > 0.25 for each in share) / len(share) * 100:.0f} % of the runs began with "
                     "more than a quarter of them busy.")
        if its["nice"]:
            disturbed += f" All ran with priority {its['nice']} (nice), so that others went first."
        real = next((each.nodes for each in self.best.get("real sshd", [])), 0)
        return text + METHOD.format(rounds=max(row["round"] for row in self.measured) + 1, short=SHORT, runs=RUNS_OF_SHORT, real=real,
                                    others="\n" + wrapped(disturbed).rstrip(), cores=f"{its['cores']} cores")

    def costs(self, name, more=()):
        """Rows of a table of our own; `more`: further columns, by title."""
        titles = ["", "nodes", "s", "CPU s", "memory MB", *[title for title, _ in more], "CPU ms a node"]
        return table(titles, [[each.name + (f" (failed: {each.failed})" if each.failed else ""), f"{each.nodes:,}", seconds(each.wall),
                               seconds(each.cpu), each.megabytes(), *[of(each) for _, of in more], f"{each.each():.3f}"]
                              for each in sorted(self.best.get(name, []), key=lambda each: (each.name, each.nodes, each.at_once))])

    def growth(self, name):
        found = []
        for what in sorted({each.name for each in self.best.get(name, [])}):
            sizes = sorted((each for each in self.best[name] if each.name == what), key=lambda each: each.nodes)
            if len(sizes) > 1:
                found.append(f"{what}: {sizes[-1].each() / sizes[0].each():.2f} times from {sizes[0].nodes:,} to {sizes[-1].nodes:,}")
        return "\n" + wrapped("Growth of the CPU time per node: " + "; ".join(found) + ".") if found else ""

    def against(self, name, ours=None):
        """Each program at its best."""
        found = {}
        for each in self.best.get(name, []) + [each for each in self.best.get(ours, []) if each.name == OURS]:
            found.setdefault(each.name, []).append(each)
        best = {program: min(of, key=lambda each: (-each.rounds, each.lost, each.wall)) for program, of in found.items()}
        fabric = best.pop(OURS)
        lines = [[f"`{each.name}`", each.at_once, ", ".join(str(one.at_once) for one in sorted(found[each.name], key=lambda one: one.at_once)),
                  seconds(each.wall), f"{each.wall / fabric.wall:.1f}", f"{each.each():.1f}", f"{each.each() / fabric.each():.1f}",
                  each.megabytes(), each.lost] for each in [fabric, *sorted(best.values(), key=lambda each: each.wall)]]
        return table(["program", "at once", "tried", "s", "times", "client CPU ms a host", "times", "memory MB", "lost"], lines), fabric, best

    def converge(self):
        steps = self.best.get("converge", [])
        if not steps:
            return ""
        lines = [[each.name + (f" (failed: {each.failed})" if each.failed else ""), seconds(each.wall), seconds(each.cpu), each.megabytes()]
                 for each in steps]
        return (f"\n## {steps[0].nodes:,} hosts from nothing to verified\n" + CONVERGE + table(["step", "s", "CPU s", "memory MB"], lines)
                + f"\nAll of it: {sum(each.wall for each in steps):.0f} s.\n")

    def text(self):
        latency = self.machine["latency"]
        text = self.setting()
        text += "\n## validate\n" + VALIDATE
        text += self.costs("validate") + self.growth("validate")
        text += "\n## plan\n" + PLAN + self.costs("plan", [("plan file MB", lambda each: f"{each.bytes / 1e6:.2f}" if each.bytes else "")]) + self.growth("plan")
        text += "\n## discover\n" + DISCOVER + self.costs("discover", [("at once", lambda each: each.at_once), ("lost", lambda each: each.lost)])
        text += self.converge()
        text += "\n## Against others\n" + PEERS.format(size=f"{self.machine['script_bytes'] / 1000:.0f} KB",
                                                          exchange=self.machine["key_exchange"])
        said = []
        for title, name, words in (("A real sshd", "real sshd", REAL), ("Hosts of the lab", "lab", LAB),
                                   ("Hosts that answer at once", "recorded", RECORDED),
                                   ("Only logging in", "lab, true", TRUE), (f"{latency} ms away", "lab, far", FAR)):
            if name not in self.best:
                continue
            lines, fabric, best = self.against(name, "lab" if name == "lab, true" else None)
            text += f"\n### {title}\n" + words.format(count=fabric.nodes, latency=latency) + lines
            others = [each for each in best.values() if each.name not in (SAVING, LIBRARY)]
            if name in WHERE and others:
                fastest = min(others, key=lambda each: (each.lost, each.wall))
                said.append(f"`{fastest.name}` takes {fastest.wall / fabric.wall:.1f} times as long and {fastest.each() / fabric.each():.1f} "
                            f"times the CPU of the client {WHERE[name]}")
        text += "\n## What it means\n\n"
        plans = sorted((each for each in self.best["plan"] if each.nodes >= 1_000), key=lambda each: (each.nodes, each.name))
        text += point("A plan takes " + ", ".join(f"{seconds(each.wall)} s for {each.nodes:,} hosts ({each.name})" for each in plans) + ".")
        each = sorted(one.each() for one in self.best["discover"])
        text += point(f"A host costs the client of `discover` {each[0]:.1f} to {each[-1]:.1f} ms of CPU in the lab, judging and saving "
                      "included. On real hosts a discovery takes what a host takes, times hosts, divided by `--parallelism`.")
        if said:
            text += point("The fastest of the others, at its best number at once: " + "; ".join(said) + ".")
        text += point("What this page can't show: cards that take seconds to answer, networks that lose packets, hosts that hang.")
        if self.whole:
            text += f"\nThe whole run took {self.whole['seconds'] / 60:.0f} minutes.\n"
        return text


if __name__ == "__main__":
    sys.stdout.write(Page([json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]).text())
