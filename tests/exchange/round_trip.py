#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports documents, imports what was written, and requires that nothing that the format carries was lost or made up.

usage: round_trip.py FABRIC SOURCE_ROOT [--all]

The documents are the examples, those of the golden cases, and what `fabric import` makes of each data set of other tools
beside the project (../shared, where it is there; some of each kind, or with --all every one). Of each: the cables, addresses or places in the tree that a format
carries are the same in the document and in what was imported again, and a second export gives the same text. A file that
is not of its format is refused with its line.
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

FABRIC, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
DATASETS = ROOT.parent / "shared/domain/datasets"
# Formats that `import` reads, and the suffix of a file of each.
READ_AGAIN = {"topo": ".topo", "ptm": ".dot", "netbox": ".csv", "slurm": ".conf", "slurm-yaml": ".yaml", "ansible": ".yml"}
# The others are compared by their cables.
COMPARED_AS_TEXT = ("slurm", "slurm-yaml", "ansible")
SOME = sys.maxsize if "--all" in sys.argv[3:] else 6
failures, passed = [], 0


def run(*arguments):
    done = subprocess.run([FABRIC, "-q", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def cables_of(document):
    """Each cable as a pair of ends (node, adapter, port). An adapter that is its host's only one has no name here."""
    return cables_in(document.read_text(), document)


@functools.lru_cache(maxsize=2)
def cables_in(_text, document):
    code, text, _ = run("export", "netbox", document)
    rows = [line.split(",") for line in text.splitlines()[1:]] if code == 0 else []
    adapters, cables = {}, set()
    for row in rows:
        for node, port in ((row[0], row[2]), (row[3], row[5])):
            if re.search(r"/P\d$", port):
                adapters.setdefault(node, set()).add(port.rsplit("/", 1)[0])
    for row in rows:
        ends = []
        for node, port in ((row[0], row[2]), (row[3], row[5])):
            adapter, number = port.rsplit("/P", 1) if node in adapters else ("", port)
            ends.append((node, "" if len(adapters.get(node, ())) == 1 else adapter, number))
        cables.add(tuple(sorted(ends)))
    return cables


def difference(name, first, second, document, again):
    """What was lost or made up on the way; empty where nothing was."""
    if name in ("topo", "ptm"):
        written = sum(" -> " in line or "G-> " in line or " -- " in line for line in first.splitlines())
        before, after = cables_of(document), cables_of(again)
        # A document may have cables of a kind that this format does not carry, and names of interfaces that PTM does.
        made_up = {tuple((end[0], end[2]) for end in cable) for cable in after}
        made_up -= {tuple((end[0], end[2]) for end in cable) for cable in before}
        if name == "topo" and made_up or len(after) != written:
            return f"{written} cables were written, {len(after)} came back, made up: {sorted(made_up)[:3]}"
        return ""
    if name == "netbox":
        return str(sorted(cables_of(document) ^ cables_of(again))[:3]).strip("[]")
    # Groups of networks are not read again, and comments by nobody.
    one, other = ([line for line in (text.split("  children:")[0] if name == "ansible" else text).splitlines()
                   if not line.strip().startswith("#")] for text in (first, second))
    return "\n".join(line for line in one if line not in other) or "\n".join(line for line in other if line not in one)


def check(name, document, folder, called):
    global passed
    code, first, said = run("export", name, document)
    if code == 3 and not first:
        return  # nothing that the format could carry
    file = folder / f"first{READ_AGAIN[name]}"
    file.write_text(first)
    again = folder / f"again-{name}.yaml"
    reader = {"netbox": "cable-csv", "slurm-yaml": "slurm"}.get(name, name)
    if code == 0:
        code, _, said = run("import", file, "--from", reader, "--out", again)
    second = ""
    if code == 0 and name in COMPARED_AS_TEXT:
        code, second, said = run("export", name, again)
    if code != 0:
        failures.append(f"{called}, {name}: exit {code}: {said.strip()[:300]}")
        return
    if found := difference(name, first, second, document, again):
        failures.append(f"{called}, {name}: {found}")
        return
    passed += 1


def documents(folder):
    for example in sorted((ROOT / "examples").iterdir()):
        if (example / "fabric.yaml").exists():
            yield example.name, example / "fabric.yaml", READ_AGAIN
    yield "mixed", ROOT / "tests/golden/export/mixed/fabric.yaml", READ_AGAIN
    if not DATASETS.is_dir():
        print("the data sets of other tools are not here")
        return
    for kind, formats in (("ibdm-topo", ("topo", "slurm")), ("ptm", ("ptm",)), ("slurm", ("slurm", "slurm-yaml")), ("ndt", ("netbox",)),
                          ("cables-csv", ("netbox",)), ("ibnetdiscover", ("topo", "netbox"))):
        for source in sorted((DATASETS / kind).iterdir())[:SOME]:
            document = folder / "imported.yaml"
            code, _, said = run("import", source, "--out", document)
            if code != 0:
                if not re.search(r"line \d+|its format is not recognised", said):
                    failures.append(f"{kind}/{source.name}: refused without a line: {said.strip()[:200]}")
                continue
            if run("validate", document)[0] == 0:
                yield f"{kind}/{source.name}", document, formats


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    count = 0
    for called, document, formats in documents(folder):
        count += 1
        for name in formats:
            check(name, document, folder, called)
print("\n".join(failures[:40]))
print(f"{passed} round trips of {count} documents are equal, {len(failures)} are not")
sys.exit(bool(failures) or passed < 10)
