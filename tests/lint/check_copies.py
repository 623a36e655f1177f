#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file stands twice below tests/golden, tests/facts or tests/documents.

usage: check_copies.py ROOT

A golden case links to what it shares with others: saved facts in tests/facts, a document in examples/ or tests/documents,
the file of another case. Files of at most FEW_LINES lines may be equal by chance.
"""
import collections
import pathlib
import sys

FEW_LINES = 5
FOLDERS = ("tests/golden", "tests/facts", "tests/documents", "examples")


def copies(files):
    """The groups of paths with the same content; `files` is pairs of a path and its bytes."""
    groups = collections.defaultdict(list)
    for path, content in files:
        if content.count(b"\n") > FEW_LINES:
            groups[content].append(path)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def files_of(root):
    paths = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*")))
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths if path.is_file() and not path.is_symlink()]


if __name__ == "__main__":
    long, short = b"line\n" * (FEW_LINES + 1), b"line\n" * FEW_LINES
    assert copies([("b", long), ("a", long), ("c", short), ("d", short), ("e", long + b"\n")]) == [["a", "b"]]
    files = files_of(pathlib.Path(sys.argv[1]).resolve())
    groups = copies(files)
    for first, *others in groups:
        print(f"{', '.join(others)}: the same as {first}; link to it")
    print(f"{len(files)} files, {sum(len(group) - 1 for group in groups)} of them copies")
    sys.exit(1 if groups or not files else 0)
