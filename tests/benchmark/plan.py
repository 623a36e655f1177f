#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a plan of saved facts costs, and whether that grows with the fabric as it should.

usage: plan.py FABRIC_BINARY [NODES...]

Instructions are counted where `perf` may count them: they hardly differ from run to run. Only meaningful for an optimised build.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import fabrics

# Per node, from the smallest fabric to the largest.
MOST_GROWTH = 1.2
MEGABYTES_MOST = 500


def measured(binary, folder):
    """Wall seconds, CPU seconds, megabytes and instructions (None where nobody counts them) of one plan."""
    counted = pathlib.Path(folder) / "counted"
    counter = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(counted)] if shutil.which("perf") else []
    command = [*counter, binary, "-q", "--facts", "facts", "plan"]
    start = os.times()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = os.times().elapsed - start.elapsed
    if process.returncode != 0:
        sys.exit(f"plan: exit {process.returncode}\n{said[-2000:]}")
    found = re.search(r"^(\d+),", counted.read_text(), re.M) if counter and counted.exists() else None
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, int(found[1]) if found else None


def main():
    binary, counts = str(pathlib.Path(sys.argv[1]).resolve()), [int(count) for count in sys.argv[2:]] or [120, 1_020, 10_020]
    per_node, bad = {}, False
    with tempfile.TemporaryDirectory() as folder:
        fabrics.make(binary, folder, counts)
        for nodes in counts:
            runs = [measured(binary, pathlib.Path(folder) / str(nodes)) for _ in range(3)]
            wall, cpu, megabytes, instructions = (min(run[at] for run in runs if run[at] is not None) if runs[0][at] is not None
                                                  else None for at in range(4))
            per_node[nodes] = (instructions or cpu) / nodes
            shown = f"{instructions / nodes / 1e6:6.2f} million instructions a node" if instructions else "instructions are not counted here"
            print(f"{nodes:6} nodes  {wall:6.2f} s  {cpu:6.2f} s CPU  {megabytes:6.0f} MB  {shown}", flush=True)
            bad = bad or megabytes > MEGABYTES_MOST
    growth = per_node[counts[-1]] / per_node[counts[0]]
    print(f"per node, {counts[-1]} against {counts[0]}: {growth:.2f} (at most {MOST_GROWTH}); at most {MEGABYTES_MOST} MB")
    sys.exit(bad or growth > MOST_GROWTH)


if __name__ == "__main__":
    main()
