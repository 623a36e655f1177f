#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many seeds at once: builds the simulation without sanitizers, plays them on all cores and sums up.

usage: seeds.py [COUNT [FIRST]]        20,000 from seed 1 unless told otherwise
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

count, first = int(sys.argv[1]) if len(sys.argv) > 1 else 20000, int(sys.argv[2]) if len(sys.argv) > 2 else 1
root = pathlib.Path(__file__).resolve().parents[2]
build = root / "build/release"
cores = os.cpu_count() or 1
if not (build / "build.ninja").exists():
    subprocess.run(["cmake", "--preset", "release", "-S", root], cwd=root, check=True, stdout=subprocess.DEVNULL)
subprocess.run(["cmake", "--build", build, "-j", str(cores), "--target", "simulation_test"], check=True, stdout=subprocess.DEVNULL)
begun = time.monotonic()
parts = [subprocess.Popen([build / "tests/simulation/simulation_test", "--seeds", str(count), "--first", str(first), "--part", f"{i + 1}/{cores}"],
                          stdout=subprocess.PIPE, text=True) for i in range(cores)]
outcomes, played, failed = collections.Counter(), 0, 0
for part in parts:
    said, _ = part.communicate()
    summed = re.search(r"^(\d+) seeds, (\d+) with violations$", said, re.MULTILINE)
    if summed is None:
        sys.exit(f"a part ended with {part.returncode} and no sum:\n{said[-2000:]}")
    played += int(summed[1])
    failed += int(summed[2])
    print(said[:summed.start()], end="")
    for number, outcome in re.findall(r"^ +(\d+)  (.*)$", said[summed.end():], re.MULTILINE):
        outcomes[outcome] += int(number)
print(f"{played} seeds in {time.monotonic() - begun:.0f} s, {failed} with violations")
for outcome, number in sorted(outcomes.items(), key=lambda each: -each[1]):
    print(f"{number:8}  {outcome}")
sys.exit(failed != 0 or played != count)
