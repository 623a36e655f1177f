#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates the examples of docs/writing-a-document.md and the one of README.md.

usage: examples.py FABRIC SOURCE_DIR

Every fenced yaml block is a document, or a further file of the one before it where its first line is
"# with: FILE". What is no document of its own fails, as does a page without examples.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

fabric, root = sys.argv[1], pathlib.Path(sys.argv[2])
LEAST = {"README.md": 1, "docs/writing-a-document.md": 14}


def documents(text):
    """Of each document its line and its files."""
    found = []
    for match in re.finditer(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line, content = text.count("\n", 0, match.start()) + 2, match.group(1)
        with_other = re.match(r"# with: (\S+)\n", content)
        if with_other:
            found[-1][1].append(content)
        else:
            found.append((line, [content]))
    return found


failures = []
for page, least in LEAST.items():
    examples = documents((root / page).read_text())
    if len(examples) < least:
        failures.append(f"{page}: {len(examples)} examples, expected at least {least}")
    for line, files in examples:
        with tempfile.TemporaryDirectory() as folder:
            for number, content in enumerate(files):
                pathlib.Path(folder, f"{number}.yaml").write_text(content)
            done = subprocess.run([fabric, "--no-color", "validate", folder], capture_output=True, text=True, timeout=60)
            # A warning is no example to follow either.
            if done.returncode != 0 or re.search(r"^(error|warning)\[", done.stdout + done.stderr, re.MULTILINE):
                failures.append(f"{page}:{line}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{page}: {len(examples)} examples")
sys.exit("\n".join(failures) if failures else 0)
