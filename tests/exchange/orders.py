#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources of one fabric give one document, in whatever order they are named.

usage: orders.py FABRIC_BINARY SOURCE_ROOT [SEED...]

Each folder of tests/golden/import that has two sources or more: all of them at once, in the order of their names and in seeded others.
"""
import pathlib
import random
import subprocess
import sys

SHUFFLES = 3
NO_SOURCE = {"cmd", "expected", "facts", "fabric.yaml"}


def document(fabric, folder, sources):
    facts = ["--facts", "facts"] if (folder / "facts").is_dir() else []
    done = subprocess.run([fabric, *facts, "import", *sources], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    # The first line names the sources as they were given.
    return "\n".join(line for line in done.stdout.splitlines() if not line.startswith("# Imported")), done.returncode, done.stderr


def main():
    fabric = str(pathlib.Path(sys.argv[1]).resolve())
    seeds = [int(each) for each in sys.argv[3:]] or [1]
    several = wrong = 0
    for folder in sorted((pathlib.Path(sys.argv[2]).resolve() / "tests/golden/import").iterdir()):
        sources = sorted(each.name for each in folder.iterdir() if each.is_file() and each.name not in NO_SOURCE)
        if len(sources) < 2:
            continue
        first, code, said = document(fabric, folder, sources)
        if code != 0:
            print(f"{folder.name}: {' '.join(sources)} are not sources of one fabric: {said.strip().splitlines()[0]}")
            continue
        several += 1
        for seed in seeds:
            drawn = random.Random(seed)
            for _ in range(SHUFFLES):
                order = drawn.sample(sources, len(sources))
                other, code, said = document(fabric, folder, order)
                if code != 0 or other != first:
                    wrong += 1
                    print(f"{folder.name}: in the order {' '.join(order)} the document is another than in the order {' '.join(sources)}\n"
                          f"{first}\n--- the other ---\n{other}\n{said}")
    print(f"{several} folders, {wrong} orders give another document")
    sys.exit(1 if wrong or several < 5 else 0)


main()
