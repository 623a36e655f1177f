#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what the tree is measured by, as counted now; it fails at nothing, the lints do.

usage: house.py ROOT [-v]

-v names the files and folders behind the figures. Places that a lint excuses count here: a figure that the lint keeps at 0
would tell nothing. Returns of a plan's way to a room that it has left are not counted: that needs a walk along calls.
"""
import pathlib
import re
import subprocess
import sys

import check_copies
import check_prose
import check_scripts
import check_size

PRODUCT = ("engine", "providers", "plans")
# The newest switch platforms, by the names that they have in code, documents and CMake, with their folder.
SWITCHES = {"providers/nvue": r"nvos|nvue|cumulus", "providers/mlnx_os": r"mlnx[-_]?os|onyx"}


def product_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", *PRODUCT, "schemas", "cmake"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return [path for path in sorted(set(listed)) if (root / path).is_file()]


def folders_of(files, name):
    """The topmost folders that are called so, and the folders of files with that name elsewhere."""
    found = set()
    for path in files:
        parts = path.split("/")
        at = next((place for place, part in enumerate(parts) if part.split(".")[0] == name or part.startswith(f"{name}_")), None)
        if at is not None and not path.startswith(f"providers/{name}_"):
            found.add("/".join(parts[: at + 1] if at < len(parts) - 1 else parts[:at]))
    return sorted(found)


def naming(root, files, folder, names):
    """Files outside of the folder whose code names the platform; comments are no code."""
    pattern = re.compile(names, re.I)
    return [path for path in files if not path.startswith((f"{folder}/", "providers/simulated/"))
            and path.endswith((".cpp", ".hpp", ".json", ".cmake", "CMakeLists.txt"))
            and pattern.search(re.sub(r"(?m)(//|^\s*#) .*$", "", (root / path).read_text()))]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files, sizes = product_files(root), check_size.sizes(root)
    cpp = [path for path in files if path.endswith((".cpp", ".hpp")) and path.startswith(PRODUCT)]
    lines = sum((root / path).read_bytes().count(b"\n") for path in cpp)
    words = [f"{path}:{line}" for path, line, _ in check_prose.places(root)]
    copies = check_copies.copies(check_copies.files_of(root))
    shell = [f"{path}:{line}" for path, line, _ in check_scripts.programs(root, check_scripts.code_of(root))]
    outside = {folder: naming(root, files, folder, names) for folder, names in SWITCHES.items()}
    esxi = folders_of(files, "esxi")
    rows = [
        ("product C++ lines", lines, "<= 165,000", 167600),
        ("files of product C++", len(cpp), "<= 1,300", 1660),
        ("headers of <= 30 lines with one includer besides their own .cpp", sizes["small headers", "files"], "<= 30", 165),
        ("files of engine and plans that name a platform", sizes["platforms named", "files"], "<= 5", 45),
        ("folders to open for all of ESXi", len(esxi), "1", 6),
        ("places that read our own sentences", len(words), "0", 23),
        ("C++ literals with more than three lines of shell", len(shell), "0", 120),
        ("identical files under tests/golden, tests/facts", sum(len(group) - 1 for group in copies), "0", 601),
        ("files of a switch platform outside of its folder", max(map(len, outside.values())), "<= 5", 18),
    ]
    print("| | 60f4faa3 | now | goal |\n|---|---|---|---|")
    for what, now, goal, then in rows:
        print(f"| {what} | {then:,} | {now:,} | {goal} |")
    if "-v" in sys.argv[2:]:
        for title, paths in (("ESXi", esxi), *outside.items(), ("our own sentences", words), ("shell", shell)):
            print(f"{title}: {' '.join(paths)}")


if __name__ == "__main__":
    main()
