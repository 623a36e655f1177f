#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/seeds.md names has passed in this run, or is one of those that only tests/run.sh --all runs.

usage: seeds_ran.py CONFIGURATION RESULTS        gate or all; the folder with ctest's JUnit files and stories.txt

A golden case ran with its suite (`golden.SUITE`), a file in C++ with its program (`unit.SUITE`), and the stories that were
played stand in stories.txt (tests/lab/scenarios.py). That all of them exist is for tests/lint/check_seeds.py.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

ALL_ONLY = ("story ", "tests/golden/lab/")


def passed(results):
    """Names of the tests and stories."""
    names = set()
    for path in results.glob("*.xml"):
        for case in tree.parse(path).iter("testcase"):
            if case.get("status") == "run" and case.find("failure") is None and case.find("skipped") is None:
                names.add(case.get("name"))
    stories = results / "stories.txt"
    if stories.exists():
        names.update("story " + name for name in stories.read_text().split())
    return names


def named(text):
    """Of each row the tests of its last cell, but not what else stands between such quotes in the row."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return {name for row in rows for name in re.findall(r"`((?:story |tests/)[^`]+)`", row[-1])}


def test_of(name):
    found = re.match(r"tests/(golden|unit)/(\w+)/", name)
    return f"{found[1]}.{found[2]}" if found else name


def main():
    configuration, results = sys.argv[1], pathlib.Path(sys.argv[2])
    names = named((pathlib.Path(__file__).resolve().parents[1] / "docs/seeds.md").read_text())
    ran = passed(results)
    missing = sorted(name for name in names if test_of(name) not in ran)
    later = [name for name in missing if configuration == "gate" and name.startswith(ALL_ONLY)]
    missing = [name for name in missing if name not in later]
    for name in missing:
        print(f"docs/seeds.md names {name}, which has not passed in this run")
    print(f"docs/seeds.md names {len(names)} tests: {len(names) - len(later) - len(missing)} passed"
          + (f", {len(later)} are for tests/run.sh --all" if later else ""))
    # A file of another shape, or without results, tells nothing.
    sys.exit(bool(missing) or len(later) == len(names))


main()
