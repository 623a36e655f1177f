#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evidence has stable ids: docs/evidence.md has each, rules and code cite them.

usage: check_evidence.py ROOT

Fails when a cited id is not in docs/evidence.md, when an id there is cited nowhere or stands twice, when one says no
source, and when the evidence of a rule names none.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
EVIDENCE = root / "docs" / "evidence.md"
RULES = root / "docs" / "rules.md"  # made from the rules; lint.docs says when it is stale
FOLDERS = ("engine", "plans", "providers", "schemas", "tests", "docs", "examples")
SUFFIXES = {".cpp", ".hpp", ".py", ".sh", ".txt", ".json", ".yaml", ".md"}
CITED = re.compile(r"(?<![\w-])E-[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
problems = []


def known():
    """Of each id the text below its heading."""
    texts, current = {}, None
    for number, line in enumerate(EVIDENCE.read_text().splitlines(), 1):
        if line.startswith("#"):
            found = re.fullmatch(r"### (E-[a-z0-9-]+)", line)
            current = found.group(1) if found else None
            if current in texts:
                problems.append(f"docs/evidence.md:{number}: {current} stands twice")
            if current:
                texts[current] = ""
        elif current:
            texts[current] += line + "\n"
    return texts


def citations():
    """(file, line, id), but for the page that has them all and those made of others."""
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(files) + sorted(root.glob("*.md")):
        if path in (EVIDENCE, RULES) or path.name == pathlib.Path(__file__).name:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for found in CITED.finditer(line):
                yield path.relative_to(root), number, found.group(0)


texts = known()
if len(texts) < 20:
    problems.append(f"docs/evidence.md: {len(texts)} ids found, which is not the page")
for name, text in texts.items():
    if not re.search(r"^Source: \S", text, re.MULTILINE):
        problems.append(f"docs/evidence.md: {name} names no source (a line 'Source: ...')")
used = set()
for path, number, name in citations():
    used.add(name)
    if name not in texts:
        problems.append(f"{path}:{number}: {name} is not in docs/evidence.md")
problems += [f"docs/evidence.md: {name} is cited nowhere" for name in texts if name not in used]
rule = None
for line in RULES.read_text().splitlines():
    rule = line[4:] if line.startswith("### ") else rule
    if line.startswith("* Evidence:") and not CITED.search(line):
        problems.append(f"rule {rule}: its evidence names no id of docs/evidence.md")
print("\n".join(problems) if problems else f"{len(texts)} ids, all cited")
sys.exit(1 if problems else 0)
