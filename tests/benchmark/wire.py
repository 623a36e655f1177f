#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much CPU time it takes to read what ibnetdiscover prints of a large subnet and to judge its cables, and whether
that grows with the subnet as it should.

usage: wire.py FABRIC_BINARY READ_SUBNET_BINARY

Judging is what `verify` takes more than `validate` and reading the text do. Only meaningful for an optimised build.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import subnets

SMALL, LARGE = 200, 2_000
# Megabytes of text a second, and seconds for reading and judging 2,000 switches: what an operator waits for.
LEAST_SPEED, MOST_SECONDS = 50, 1.0
# Per switch, ten times as many may take a little longer (caches, maps), but no more than this.
MOST_GROWTH = 2.0
RUNS = 3


def cpu_seconds(*command):
    """User and system time of the fastest of a few runs: the least disturbed one."""
    best = float("inf")
    for _ in range(RUNS):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {process.returncode}\n{output[:2000]}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def main():
    taken, speed = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for switches in (SMALL, LARGE):
            document, dump = pathlib.Path(folder) / f"{switches}.yaml", pathlib.Path(folder) / f"{switches}.txt"
            document.write_text(subnets.document(switches))
            dump.write_text(subnets.dump(switches))
            size, reading = subprocess.run([sys.argv[2], str(dump)], check=True, capture_output=True, text=True).stdout.split()
            speed = int(size) / 1e6 / float(reading)
            validating = cpu_seconds(sys.argv[1], "validate", str(document))
            verifying = cpu_seconds(sys.argv[1], "-q", "verify", str(document), "--level", "wire", "--wire", str(dump))
            taken[switches] = verifying - validating
            print(f"{switches:5} switches, {int(size) / 1e6:5.1f} MB: read at {speed:4.0f} MB/s; read and judged in "
                  f"{taken[switches]:.3f} s beside the {validating:.3f} s that the document takes", flush=True)
    growth = taken[LARGE] / LARGE / (taken[SMALL] / SMALL)
    print(f"per switch, {LARGE} against {SMALL}: {growth:.2f} (at most {MOST_GROWTH})")
    sys.exit(growth > MOST_GROWTH or speed < LEAST_SPEED or taken[LARGE] > MOST_SECONDS)


if __name__ == "__main__":
    main()
