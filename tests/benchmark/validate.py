#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much CPU time `fabric validate` takes, and whether it grows with the fabric as it should.

usage: validate.py FABRIC_BINARY

Times differ between machines, ratios little: those are judged. Only meaningful for an optimised build.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import documents

SMALL, LARGE = 1_000, 10_000
# Per node, ten times as many nodes may take a little longer (caches, maps), but no more than this.
MOST_GROWTH = 1.6
# A set says the same in one line: reading ten thousand keys must be what the other form pays for.
MOST_SET = 0.6
RUNS = 5


def cpu_seconds(binary, path):
    """User and system time of the fastest of a few runs: the least disturbed one."""
    best = float("inf")
    for _ in range(RUNS):
        process = subprocess.Popen([binary, "validate", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{path.name}: exit {process.returncode}\n{output[:2000]}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def main():
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        for form, write in documents.FORMS.items():
            for count in (SMALL, LARGE):
                path = pathlib.Path(folder) / f"{form}-{count}.yaml"
                path.write_text(write(count))
                seconds = taken[form, count] = cpu_seconds(sys.argv[1], path)
                print(f"{form:8} {count:6} nodes  {seconds:7.3f} s  {seconds / count * 1e9:9.0f} ns/node", flush=True)
    growth = taken["written", LARGE] / LARGE / (taken["written", SMALL] / SMALL)
    share = taken["set", LARGE] / taken["written", LARGE]
    print(f"per node, {LARGE} against {SMALL} written out: {growth:.2f} (at most {MOST_GROWTH})")
    print(f"a set against the same written out: {share:.2f} (at most {MOST_SET})")
    sys.exit(growth > MOST_GROWTH or share > MOST_SET)


if __name__ == "__main__":
    main()
