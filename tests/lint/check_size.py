#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No root of the tree grows without somebody saying so: tests/lint/size.txt has the lines and files of each.

usage: check_size.py ROOT [--write]

Fails where a figure is above that of size.txt. --write puts today's figures there; the commit that raises one says in its
body what for. `code` is C++, Python, shell and CMake; `data` is every other text: cases of golden tests, facts, tables.
`small headers` are those of at most 30 lines that one file includes besides their own .cpp; `platforms named` are files of engine
and plans that name a platform where they could ask for its traits.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOTS = ("engine", "providers", "plans", "schemas", "tests")
NAMES_PLATFORM = re.compile(r"(?<!\w)Platform::[a-z]")
TRAITS = ("engine/model/platform.hpp", "engine/model/platform.cpp")
CODE = (".cpp", ".hpp", ".py", ".sh", ".cmake", "CMakeLists.txt")


def sizes(root):
    """Lines and files of each kind."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", *ROOTS], check=True, capture_output=True, text=True)
    found = collections.Counter()
    headers, includers = [], collections.Counter()
    for path in sorted(set(listed.stdout.splitlines())):
        if not (root / path).is_file() or (root / path).is_symlink() or path == "tests/lint/size.txt":
            continue
        kind = f"{path.split('/', 1)[0]} {'code' if path.endswith(CODE) else 'data'}"
        found[kind, "files"] += 1
        lines = (root / path).read_bytes().count(b"\n")
        found[kind, "lines"] += lines
        if not path.endswith((".cpp", ".hpp")) or path.startswith("tests/"):
            continue
        text = (root / path).read_text()
        if path.startswith(("engine/", "plans/")) and path not in TRAITS and NAMES_PLATFORM.search(text):
            found["platforms named", "files"] += 1
        if path.endswith(".hpp") and lines <= 30:
            headers.append(path)
        includers.update(set(re.findall(r'^#include "([^"]+)"', text, re.M)) - {path.replace(".cpp", ".hpp")})
    found["small headers", "files"] = sum(includers[path] <= 1 for path in headers)
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = root / "tests/lint/size.txt"
    now = sizes(root)
    kinds = sorted({kind for kind, _ in now})
    if "--write" in sys.argv[2:]:
        table.write_text("".join(f"{kind} {now[kind, 'lines']} lines {now[kind, 'files']} files\n" for kind in kinds))
        sys.exit(0)
    allowed = {}
    for line in table.read_text().splitlines():
        name, kind, lines, _, files, _ = line.split()
        allowed[f"{name} {kind}", "lines"], allowed[f"{name} {kind}", "files"] = int(lines), int(files)
    grown = [(kind, what) for kind in kinds for what in ("lines", "files") if now[kind, what] > allowed.get((kind, what), 0)]
    for kind, what in grown:
        print(f"{kind}: {now[kind, what]} {what}, and size.txt allows {allowed.get((kind, what), 0)}: remove some, or say in the commit what for "
              "(check_size.py ROOT --write)")
    print(f"{sum(now[kind, 'lines'] for kind in kinds)} lines in {sum(now[kind, 'files'] for kind in kinds if now[kind, 'lines'])} files")
    sys.exit(1 if grown else 0)


if __name__ == "__main__":
    main()
