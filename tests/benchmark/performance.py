#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What validate, plan, discover and apply cost, and what other programs cost for the same hosts: docs/performance.md.

usage: performance.py FABRIC_BINARY [--recorded PROGRAM] [--rows FILE] [--quick] [--built FLAGS]

Everything is measured in turns, in several rounds: what disturbs one variant disturbs its neighbours as well, and the least of the
rounds is what counts. Of the numbers at once that a program is tried with, the best of the first round goes on. Only meaningful for
an optimised build. The raw rows go to FILE, docs/performance.jsonl, a JSON object a line. --quick: the page goes to standard output,
two rounds, without 10,000 hosts over SSH. --built: how the program was compiled, where no CMakeCache.txt above it tells. --recorded:
the program recorded_hosts, where it is not in the build folder of FABRIC_BINARY; without it there is no table of hosts that answer at once.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import converged
import hosts
import measured
import page
import peers

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
sys.path.insert(0, str(HERE.parent / "support"))
from labs import ends_with_this_process  # noqa: E402  pylint: disable=wrong-import-position

# The first round warms files up, and is where memory is looked at.
ROUNDS = 3
REAL_HOSTS, LAB_HOSTS = 128, 256
PLANNED = 100, 1_000, 10_000
OF_ALL_KINDS = 120, 1_020, 10_020  # a third of each
LATENCY = 20  # milliseconds


@dataclasses.dataclass
class Variant:
    table: str
    name: str
    nodes: int
    command: list
    folder: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)
    at_once: int = 0
    file: pathlib.Path = None     # made by it; its size is kept
    saved: pathlib.Path = None    # a folder that it fills with facts
    count: object = None          # of what it printed: how many hosts answered
    rounds: int = ROUNDS
    sampled: bool = False         # memory of all its processes


class Bench:
    def __init__(self, binary, folder, rows, rounds):
        self.binary, self.folder, self.rows, self.rounds = binary, folder, rows, rounds
        self.variants, self.labs, self.closes, self.written = [], [], [], []

    def add(self, *arguments, **more):
        self.variants.append(Variant(*arguments, **more))

    def lab(self, folder, *options):
        """Up until the end."""
        folder.mkdir(parents=True, exist_ok=True)
        ends_with_this_process(folder)
        hosts.fabric(self.binary, folder, "lab", "up", *options)
        self.labs.append(folder)

    def write(self, row):
        self.written.append(row)
        self.rows.write(json.dumps(row) + "\n")
        self.rows.flush()

    def measure(self, variant, turn):
        """A short run is easily disturbed, so it is repeated."""
        first = self.measure_once(variant, turn, variant.sampled and turn == 0)
        if first["wall"] < page.SHORT:
            for _ in range(page.RUNS_OF_SHORT - 1):
                self.measure_once(variant, turn, False)

    def measure_once(self, variant, turn, sampled):
        if variant.saved and variant.saved.exists():
            # Put aside: where many files were deleted just before, ext4 is slow to make new ones.
            variant.saved.rename(tempfile.mkdtemp(dir=self.folder) + "/saved")
        if variant.file:
            variant.file.unlink(missing_ok=True)
        others = measured.others()
        out, err = self.folder / "out", self.folder / "err"
        cost = measured.run(variant.command, variant.folder, variant.environment, out, err, sampled)
        row = {"table": variant.table, "name": variant.name, "nodes": variant.nodes, "at_once": variant.at_once, "round": turn, **cost,
               "sampled": sampled, "others": others}
        if variant.saved:
            row["lost"] = variant.nodes - hosts.read(out, err)
        if variant.count:
            row["lost"] = variant.nodes - variant.count(out, err)
        if variant.file:
            row["bytes"] = variant.file.stat().st_size if variant.file.exists() else 0
        if cost["status"]:
            lines = err.read_bytes().decode(errors="replace").strip().splitlines() or [f"exit {cost['status']}"]
            row["said" if row.get("lost") else "failed"] = next((line for line in lines if line.startswith("error")), lines[-1])[:300]
        self.write(row)
        print(f"{time.strftime('%H:%M:%S')}  {turn}  {variant.table:10} {variant.name:28} {variant.nodes:6} {variant.at_once or '':>4}  "
              f"{cost['wall']:8.2f} s  {cost['cpu']:8.2f} s CPU  {cost['megabytes']:7.0f} MB  "
              f"{str(row['lost']) + ' lost' if row.get('lost') else row.get('failed', '')}", file=sys.stderr, flush=True)
        return row

    def in_turns(self):
        for turn in range(self.rounds):
            due = [variant for variant in self.variants if turn < variant.rounds]
            for variant in due if turn % 2 == 0 else due[::-1]:
                self.measure(variant, turn)
            if turn == 0:
                self.variants = [variant for variant in self.variants if not variant.sampled or variant is self.best_of(variant)]

    def best_of(self, variant):
        """Of the numbers at once that were tried of this program, by the first round."""
        its = [each for each in self.variants if (each.table, each.name) == (variant.table, variant.name)]
        of = [row for row in self.written if (row["table"], row.get("name")) == (variant.table, variant.name)]
        return min(its, key=lambda each: min((row.get("lost", 0), row["wall"]) for row in of if row["at_once"] == each.at_once))

    def close(self):
        for each in self.closes:
            each.close()
        for folder in self.labs:
            hosts.fabric(self.binary, folder, "lab", "down", check=False)


def make(bench, program, *arguments, out=None):
    """By a program of its own: the kernel would count the memory that it takes here as that of each command."""
    subprocess.run([sys.executable, HERE / program, *map(str, arguments)], stdout=out, check=True)


def add_validate(bench):
    for form, name, count in (("written", "four lines a node", 10_000), ("short", "a line a node", 10_000),
                              ("short", "a line a node", 100_000)):
        path = bench.folder / f"{form}-{count}.yaml"
        with open(path, "wb") as file:
            make(bench, "documents.py", count, form, out=file)
        bench.add("validate", name, count, [bench.binary, "-q", "validate", str(path)], bench.folder)


def add_plans(bench, rings):
    """`rings`: folders of labs by their number of hosts; the discoveries that are measured before save facts there."""
    def add(name, count, folder, document=".", facts="facts"):
        file = bench.folder / f"plan-{count}.json"
        bench.add("plan", name, count, [bench.binary, "-q", "--facts", facts, "plan", document, "--out", str(file)], folder, file=file)

    make(bench, "fabrics.py", bench.binary, bench.folder / "kinds", *OF_ALL_KINDS)
    make(bench, "converged.py", bench.binary, bench.folder / "same", *PLANNED)
    for count in OF_ALL_KINDS:
        add("all kinds, everything changes", count, bench.folder / "kinds" / str(count))
    for count in PLANNED:
        if count in rings:
            add("a ring, everything changes", count, rings[count], ".fabric/lab/document", "saved-64")
        add("nothing changes", count, bench.folder / "same" / str(count))


def discovery(bench, folder, table, count, document, at_once, options=(), **more):
    saved = folder / f"saved-{at_once}"
    bench.add(table, page.SAVING, count,
              [bench.binary, *options, "--parallelism", str(at_once), "discover", document, "--save", str(saved)], folder,
              at_once=at_once, saved=saved, **more)


def against(bench, folder, table, count, document, numbers, options=()):
    """As the others, which print what the hosts say; and with what it said saved besides."""
    for at_once in numbers:
        bench.add(table, page.OURS, count, [bench.binary, *options, "--parallelism", str(at_once), "discover", document], folder,
                  at_once=at_once, count=hosts.read, sampled=True)
        discovery(bench, folder, table, count, document, at_once, options, sampled=True)


def add_rings(bench, counts):
    rings = {}
    for count in counts:
        folder = rings[count] = bench.folder / f"ring-{count}"
        bench.lab(folder, "--nodes", str(count))
        for at_once in (64, 256) if count <= 1_000 else (64,):
            discovery(bench, folder, "discover", count, ".fabric/lab/document", at_once, ["--lab"],
                      rounds=1 if count > 1_000 else ROUNDS)
    return rings


def add_peers(bench, table, its, command_file, numbers, count=None):
    """`numbers`: what is tried, by program; the best counts."""
    for name in peers.there():
        for at_once in numbers.get(name, []):
            command, environment = peers.command(name, its, at_once, command_file)
            bench.add(table, name, its.count, command, its.folder, environment, at_once, count=count, sampled=True,
                      rounds=1 if name == "ansible" else ROUNDS)


def add_real(bench, sshd, probe):
    against(bench, sshd.folder, "real sshd", REAL_HOSTS, "fabric.yaml", (16, 64))
    numbers = {name: [64] for name in peers.VERSIONS} | {"ssh": [4, 16, 64], "ansible": [8]}
    add_peers(bench, "real sshd", sshd.hosts, probe, numbers, hosts.answers)


def add_recorded(bench, recorded, probe, numbers):
    its = recorded.hosts
    against(bench, recorded.folder, "recorded", its.count, ".fabric/lab/document", (8, 16, 64), ["--lab"])
    bench.add("recorded", page.LIBRARY, its.count, recorded.bare_sessions(), recorded.folder, at_once=1, count=hosts.answers, sampled=True)
    add_peers(bench, "recorded", its, probe, numbers, hosts.answers)


def add_lab(bench, table, folder, probe, numbers, options=()):
    bench.lab(folder, "--nodes", str(LAB_HOSTS), *options)
    its = hosts.lab_hosts(folder)
    against(bench, folder, table, LAB_HOSTS, ".fabric/lab/document", (16, 64, 256), ["--lab"])
    add_peers(bench, table, its, probe, numbers, hosts.answers)
    return its


def converge(bench, count):
    """Once: what it does can't be done twice."""
    folder = bench.folder / "converge"
    converged.write_document(folder, count)
    bench.lab(folder)
    for name, *command in (("discover --save", "discover", "--save", "facts"), ("plan --out", "plan", "--out", "changes.plan"),
                           ("apply of that plan", "apply", "changes.plan"), ("verify", "verify"),
                           ("plan, empty", "plan", "--detailed-exitcode")):
        bench.measure_once(Variant("converge", name, count, [bench.binary, "--lab", *command], folder), 0, False)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--built", default="")
    given = parser.parse_args()
    if not given.recorded:
        built = [folder / "tests/benchmark/recorded_hosts" for folder in pathlib.Path(given.binary).parents]
        given.recorded = next((program for program in built if program.exists()), None)
    return given


def main():
    asked = arguments()
    begun = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # A lab of ten thousand hosts listens ten thousand times.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="fabric-performance-") as name:
        folder = pathlib.Path(name)
        rows = asked.rows or (folder / "rows" if asked.quick else DOCS / "performance.jsonl")
        before = rows.with_suffix(".new") if not asked.quick else rows
        sshd = hosts.Sshd(folder / "sshd", REAL_HOSTS)
        with open(before, "w", encoding="utf-8") as file:
            bench = Bench(asked.binary, folder, file, 2 if asked.quick else ROUNDS)
            try:
                probe = sshd.probe_command(asked.binary)
                bench.write(page.machine(asked.binary, asked.built, {name: peers.version(name) for name in peers.there()},
                                         script_bytes=probe.stat().st_size, key_exchange=hosts.KEY_EXCHANGE, latency=LATENCY))
                nothing = folder / "true"
                nothing.write_text("true")
                rings = add_rings(bench, (100, 1_000) if asked.quick else (100, 1_000, 10_000))
                add_validate(bench)
                add_plans(bench, rings)
                add_real(bench, sshd, probe)
                numbers = {name: [64] for name in peers.VERSIONS} | {"ssh": [8, 16, 64], "ansible": [16]}
                its = add_lab(bench, "lab", folder / "lab-0", probe, numbers)
                add_peers(bench, "lab, true", its, nothing, numbers | {"ansible": []})
                if asked.recorded:
                    recorded = hosts.Recorded(asked.recorded, its.folder, folder / "recorded", probe)
                    bench.closes.append(recorded)
                    add_recorded(bench, recorded, probe, numbers | {"ansible": []})
                numbers = {name: [256] for name in peers.VERSIONS} | {"ssh": [64, 256], "ansible": []}
                add_lab(bench, "lab, far", folder / "lab-far", probe, numbers, ["--latency", f"{LATENCY}ms"])
                bench.in_turns()
                converge(bench, 100 if asked.quick else 1_000)
                bench.write({"table": "whole", "seconds": round(time.monotonic() - begun), "load": os.getloadavg()[2]})
            finally:
                bench.close()
                sshd.close()
        text = page.Page(bench.written).text()
        if asked.quick:
            print(text)
        else:
            (DOCS / "performance.md").write_text(text)
        os.replace(before, rows)


if __name__ == "__main__":
    main()
