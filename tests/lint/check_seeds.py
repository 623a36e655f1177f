#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a row of docs/seeds.md names no test that exists, and no reason why a person does it.

usage: check_seeds.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
stories = set()
for path in (root / "tests/lab/stories").glob("*.py"):
    stories.update(re.findall(r"^def (\w+)\(", path.read_text(), re.MULTILINE))
problems, rows = [], 0
for number, line in enumerate((root / "docs/seeds.md").read_text().splitlines(), 1):
    cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
    if not cells or cells[0] == "instruction" or set(cells[0]) == {"-"}:
        continue
    rows += 1
    if len(cells) != 3:
        problems.append(f"docs/seeds.md:{number}: {len(cells)} cells, expected 3")
        continue
    shown = cells[2]
    if re.match(r"a person: \S.{10,}", shown):
        continue
    named = re.findall(r"`([^`]+)`", shown)
    if not named:
        problems.append(f"docs/seeds.md:{number}: neither a test nor `a person` with a reason: {shown!r}")
    for name in named:
        there = name[6:] in stories if name.startswith("story ") else (root / name).exists()
        if not there:
            problems.append(f"docs/seeds.md:{number}: there is no {name}")
print("\n".join(problems + [f"{rows} rows, {len(problems)} problems"]))
sys.exit(bool(problems) or rows == 0)
