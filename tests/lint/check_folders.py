#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a folder has no role, or includes in a circle with others.

The role of a folder is one line: the comment at the head of its own CMakeLists.txt, or a line `#   folder/   role` in that
of the nearest folder above that has one; `sh` has none, it holds the scripts of the folder above it. Includes between
folders go one way; folders that still include each other stand in folder_exceptions.txt, a list that may only shrink: an
exception that is no longer needed is a fault too.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
errors = []

code = collections.defaultdict(list)
for top in ("engine", "providers", "plans", "tests"):
    for path in sorted((root / top).rglob("*")):
        inside = path.relative_to(root)
        if path.suffix in (".cpp", ".hpp", ".py", ".sh") and "corpus" not in inside.parts:
            code[inside.parent.as_posix()].append(path)

# Roles.
for folder in sorted(code):
    if folder.startswith("tests") or folder.endswith("/sh"):
        continue
    at, below = pathlib.PurePosixPath(folder), ""
    while not (root / at / "CMakeLists.txt").exists() and at.name:
        below, at = f"{at.name}/{below}", at.parent
    text = (root / at / "CMakeLists.txt").read_text() if at.name else ""
    text = re.sub(r"\A# SPDX-License-Identifier: .*\n", "", text)
    comment = [line for line in text.splitlines() if line.startswith("# ")]
    has_role = any(line.startswith(f"#   {below} ") for line in comment) if below else text.startswith("# ")
    if not has_role:
        where = f"{at}/CMakeLists.txt"
        errors.append(f"{folder}: its role is missing: " + (f"a line '#   {below}   ROLE' in {where}" if below else
                                                         f"a comment at the head of {where}"))

# Circles.
edges = collections.defaultdict(lambda: collections.defaultdict(list))
for folder, files in code.items():
    if folder.startswith("tests"):
        continue
    for path in files:
        for include in INCLUDE.findall(path.read_text()):
            target = pathlib.PurePosixPath(include).parent.as_posix()
            if target != folder:
                edges[folder][target].append(f"{path.relative_to(root).as_posix()} includes {include}")


def reaches(start):
    seen, todo = set(), [start]
    while todo:
        for target in edges[todo.pop()]:
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


reached = {folder: reaches(folder) for folder in list(edges)}
circles = {}
for folder in edges:
    for target in edges[folder]:
        if folder in reached.get(target, ()):
            circles[f"{folder} -> {target}"] = edges[folder][target]

exceptions_file = root / "tests/lint/folder_exceptions.txt"
allowed = {line.strip() for line in exceptions_file.read_text().splitlines() if line.strip() and not line.startswith("#")}
for edge in sorted(circles.keys() - allowed):
    errors.append(f"{edge}: a circle, by {circles[edge][0]}")
for edge in sorted(allowed - circles.keys()):
    errors.append(f"{exceptions_file.name}: '{edge}' is no circle any more; take the line out")
if len(sys.argv) > 2 and sys.argv[2] == "--write-exceptions":
    head = [line for line in exceptions_file.read_text().splitlines() if line.startswith("#")]
    exceptions_file.write_text("\n".join(head + sorted(circles)) + "\n")
print("\n".join(errors))
sys.exit(bool(errors))
