#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fabric of any size whose hosts are what the document says, and their saved facts: a plan of it changes nothing.

usage: converged.py FABRIC_BINARY FOLDER NODES...

One host is brought there in the lab, and every host of a large fabric is a copy of it with a name, addresses, GUIDs and ids of
its own. FOLDER/NODES has fabric.yaml and facts/.
"""
import hashlib
import ipaddress
import json
import pathlib
import re
import sys

import documents
import fabrics
import hosts

FIRST = "c00001"
SUBNET = ipaddress.ip_address("10.64.0.0")
# What a host of this network has before: no boot is needed to bring it there.
LAB = "hosts:\n  \"{nodes}\":\n    adapters:\n      hca: {{settings: {{LINK_TYPE_P1: \"2\"}}}}\n"
AT_ONCE = "rollout: {max_unavailable: 100}\n"


def write_document(folder, count):
    """With what the lab has to know, for `fabric lab up` there."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yaml").write_text(documents.node_set(count) + AT_ONCE)
    (folder / "lab.yaml").write_text(LAB.format(nodes=f"c[{1:05}-{count:05}]"))


def from_the_lab(binary, folder):
    write_document(folder, 2)
    hosts.fabric(binary, folder, "lab", "up")
    try:
        hosts.fabric(binary, folder, "-q", "--lab", "apply", "--auto-approve")
        hosts.fabric(binary, folder, "-q", "--lab", "discover", "--save", "facts")
    finally:
        hosts.fabric(binary, folder, "lab", "down")
    return (folder / "facts" / f"{FIRST}.json").read_text()


def with_digests(facts):
    """A host tells a digest of each file of its network: of the text that it has now."""
    files = {}
    for line in facts["probes"]["network-files"]["standard_output"].splitlines():
        path, text = line.split(":", 1)
        files.setdefault(path, []).append(text + "\n")
    digests = facts["probes"]["file-digests"]
    digests["standard_output"] = re.sub(
        r"^\w+ (\S+)$", lambda found: f"{hashlib.sha256(''.join(files[found[1]]).encode()).hexdigest()} {found[1]}",
        digests["standard_output"], flags=re.M)
    return facts


def stamped(text, number):
    """The facts of the first host as those of another."""
    who = json.loads(text)["probes"]["identity"]["standard_output"]
    boot = fabrics.hexadecimal(32, "boot", number)
    key = json.loads(text)["identity"]["host_key"]
    mac = f"{number:06x}"
    management = re.search(r"192\.0\.2\.\d+", text)[0]
    old_mac = re.search(r"0c:42:a1:(\w\w):(\w\w):(\w\w)", text).groups()
    for old, new in (
            (re.search(r"machine-id:(\w+)", who)[1], fabrics.hexadecimal(32, "machine", number)),
            (re.search(r"boot_id:(\S+)", who)[1], f"{boot[:8]}-{boot[8:12]}-{boot[12:16]}-{boot[16:20]}-{boot[20:]}"),
            (key, "SHA256:" + fabrics.hexadecimal(43, "key", number)),
            (FIRST, f"c{number:05}"), (f"{SUBNET + 1}/", f"{SUBNET + number}/"), (f'{SUBNET + 1}\\"', f'{SUBNET + number}\\"'),
            (management, str(documents.MANAGEMENT + number)),
            (":".join(old_mac), f"{mac[:2]}:{mac[2:4]}:{mac[4:]}"), ("".join(old_mac), mac),
            (f"{old_mac[0]}:{old_mac[1]}{old_mac[2]}", f"{mac[:2]}:{mac[2:]}")):
        text = text.replace(old, new)
    return json.dumps(with_digests(json.loads(text)), indent=2)


def make(binary, folder, counts):
    template = from_the_lab(binary, folder / "lab")
    for count in counts:
        write_document(folder / str(count), count)
        facts = folder / str(count) / "facts"
        facts.mkdir()
        for number in range(1, count + 1):
            (facts / f"c{number:05}.json").write_text(stamped(template, number))


if __name__ == "__main__":
    make(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), [int(count) for count in sys.argv[3:]])
