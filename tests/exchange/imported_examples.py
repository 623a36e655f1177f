#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Applies each example in the lab, imports it from the facts of its hosts, and says what the imported document lacks.

usage: imported_examples.py FABRIC_BINARY SOURCE_ROOT [EXAMPLE...]

The imported document plans nothing on the facts (what NOT_EMPTY names plans something), and has at most twice the lines of the example. Every key of the example
that it lacks has a sentence below, which says why no host can tell it; a sentence that no example needs is an error.
"""
import concurrent.futures
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tests/lab"))
from documents import small_tree  # noqa: E402  pylint: disable=wrong-import-position
from lab import Lab  # noqa: E402  pylint: disable=wrong-import-position

# Of what no host tells.
NOT_TOLD = {
    "ssh": "the login is the way to a host, and facts do not say by which way they came",
    "user": "it is part of the login",
    "legacy_algorithms": "it is part of the login",
    "become": "it is part of the login",
    "packages": "a host has hundreds of packages, and does not say which of them somebody wants",
    "software": "a version that is there is no minimum that somebody asks for",
    "stack": "it is part of `software`",
    "mft": "it is part of `software`",
    "bundles": "it is part of `software`",
    "os": "a release that is there is no release that somebody asks for",
    "release": "it is part of `os`",
    "minimum": "a version that is there is no minimum that somebody asks for",
    "hooks": "they stand on the machine that fabric runs on",
    "timeout": "it is part of `hooks`",
    "rollout": "how careful a rollout is, no host knows",
    "confirm_timeout": "it is part of `rollout`",
    "max_unavailable": "it is part of `rollout`",
    "canary": "it is part of `rollout`",
    "profiles": "they are a way to write nodes, and imported ones are short by node sets",
    "defaults": "they are a way to write nodes, and imported ones are short by node sets",
    "network_backend": "left out, fabric takes the one that is in charge of the host, which is this one",
    "address": "facts have the name by which a host was reached, and not the address behind it",
    "cables": "nobody spoke LLDP at the other end, or a subnet tells of the cables and hosts do not: `ports` stands in their place",
    "mtu": "neither ESXi hosts nor MLNX-OS switches show the MTU of their InfiniBand ports as the document means it",
    "proof": "how much proof a cable needs, no host knows",
    "node_guid": "switches of InfiniBand are not read: `fabric import` of what ibnetdiscover prints has their GUIDs",
    "modules": "ESX hosts are not read yet: only their names and platforms are",
    "ib_srp": "it is part of `modules`",
    "max_srp_targets": "it is part of `modules`",
    "tagging": "it is part of the `vlans` of ESX hosts, which are not read yet",
    "partition": "it is part of the `vlans` of ESX hosts, which are not read yet",
    "uplinks": "ESX hosts are not read yet",
    "for": "it is a way to write cables",
    "l": "it is a variable of `for`",
    "ends": "it is a part of `for`",
}
# Of hosts whose platform is not read everything is lacking but their names.
UNREAD = {
    "esx-classic": "two of its three hosts are ESX, of which only names are read: their cards, ports and options are lacking",
}
# The imported document of these still plans something.
NOT_EMPTY = {
    "esx-classic": "a partition has ports of ESX hosts as members, and of ESX hosts only names are read: the manager would lose them",
}
KEY = re.compile(r"""(?:^|[{,\s-])"?([A-Za-z_][A-Za-z_0-9]*)"?:(?=\s|$)""", re.MULTILINE)


def keys_of(text):
    text = re.sub(r"(?:^|\s)#.*", "", text)
    return set(KEY.findall(text))


def names_of(text):
    """Keys that are names: of nodes, cards and networks."""
    return set(re.findall(r"^  ([\w-]+):", text, re.MULTILINE)) | set(re.findall(r"adapters:\s*\{?\s*([\w-]+):", text))


def imported(example):
    folder = ROOT / "examples" / example
    document = (folder / "fabric.yaml").read_text()
    if example == "fat-tree":
        document = small_tree(document)
    lab_yaml = (folder / "lab.yaml").read_text() if (folder / "lab.yaml").exists() else None
    with Lab(document=document, lab_yaml=lab_yaml) as lab:
        (lab.path / "hooks").mkdir()
        options = ["--allow-no-rollback", "leaf1"] if "platform: mlnx-os" in document and "lag" in document else []
        done = lab.fabric("--lab", "apply", "--auto-approve", *options)
        assert done.returncode in (0, 13), f"apply: exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        (lab.path / "new").mkdir()
        lab.fabric("--facts", "facts", "import", "--out", "new/imported.yaml", expect=0)
        text = (lab.path / "new/imported.yaml").read_text()
        planned = lab.fabric("--facts", "facts", "plan", "new/imported.yaml", "--detailed-exitcode")
        expected = 2 if example in NOT_EMPTY else 0
        assert planned.returncode == expected, f"plan: exit {planned.returncode}, expected {expected}\n{text}\n{planned.stdout}\n{planned.stderr}"
    lines, most = len(text.splitlines()), 2 * len(document.splitlines())
    assert lines <= most, f"{lines} lines, at most {most} expected:\n{text}"
    lacking = keys_of(document) - keys_of(text) - names_of(document)
    return sorted(lacking), text


examples = sys.argv[3:] or sorted(path.parent.name for path in (ROOT / "examples").glob("*/fabric.yaml"))
failures, needed = [], set()
with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
    started = {pool.submit(imported, example): example for example in examples}
    for future in concurrent.futures.as_completed(started):
        example = started[future]
        try:
            lacking, text = future.result()
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(f"{example}: {failure}")
            continue
        print(f"{example}: lacks {', '.join(lacking) or 'nothing'}")
        for reasons in (UNREAD, NOT_EMPTY):
            if example in reasons:
                print(f"    {reasons[example]}")
        for key in lacking:
            needed.add(key)
            if key in NOT_TOLD:
                print(f"    {key}: {NOT_TOLD[key]}")
            elif example not in UNREAD:
                failures.append(f"{example}: '{key}' is lacking, and nothing says why:\n{text}")
if not sys.argv[3:]:
    failures += [f"every example has '{key}' now: take its sentence out" for key in NOT_TOLD if key not in needed]
print("\n".join(failures))
print(f"{len(examples)} examples, {len(failures)} failures")
sys.exit(bool(failures))
