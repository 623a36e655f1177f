#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each source file of ours says its licence in its first lines.

usage: check_licence.py ROOT [--write]

The tag stands in the first line, in scripts behind the line that names their interpreter. --write puts it there. What is
made by programs, cases of golden tests and corpora are no sources.
"""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("engine", "providers", "plans", "schemas", "tests", "cmake", "docs", "examples", "packaging")
NAMES = (".cpp", ".hpp", ".py", ".sh", ".cmake", "CMakeLists.txt")
TAG = "SPDX-License-Identifier: Apache-2.0"


def is_source(path):
    parts = pathlib.PurePosixPath(path).parts
    is_case = parts[:2] == ("tests", "golden") and len(parts) > 4
    return path.endswith(NAMES) and not is_case and "corpus" not in parts


def tagged(path, text):
    """The text with its tag."""
    line = f"{'//' if path.suffix in ('.cpp', '.hpp') else '#'} {TAG}\n"
    first, end, rest = text.partition("\n")
    return first + end + line + rest if first.startswith("#!") else line + text


listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", *FOLDERS], check=True, capture_output=True, text=True).stdout
sources = [path for path in listed.splitlines() if is_source(path) and (root / path).exists()]
missing = [path for path in sources if not any(TAG in line for line in (root / path).read_text().splitlines()[:2])]
if "--write" in sys.argv[2:]:
    for path in missing:
        (root / path).write_text(tagged(root / path, (root / path).read_text()))
    print(f"{len(missing)} of {len(sources)} files were tagged")
    sys.exit(0)
for path in missing:
    print(f"{path}: its licence is missing: {TAG} (check_licence.py ROOT --write)")
print(f"{len(sources)} sources, {len(missing)} without their licence")
sys.exit(1 if missing else 0)
