#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every example converges in the lab over real SSH: plan, apply, verify, a second plan that is empty, also after a boot of everything.

usage: examples.py FABRIC_BINARY SOURCE_ROOT [EXAMPLE...]

An example is a folder of examples/ with a document; those without are run by tests of their own, of the same name. What it says it
needs beside that (its README) stands below.
"""
import contextlib
import functools
import re
import sys

import yaml

from lab import Lab, root, until
from play import play

# Nothing there rolls a change back by itself.
OPTIONS = {"roce-lag": ["--allow-no-rollback", "leaf1"]}
# How an admin reboots a system; ESXi refuses it outside of maintenance mode, and comes back in it.
REBOOT = {"esxi": "esxcli system maintenanceMode set -e true -t 60; esxcli system shutdown reboot -r test -d 10", "esx-classic": "reboot"}
AFTER_BOOT = {"esxi": "esxcli system maintenanceMode set -e false -t 60"}


def boot(lab, nodes):
    """All of them at once: what is not kept is gone everywhere."""
    before = lab.boots(*nodes)
    for node, platform in nodes.items():
        if platform == "mlnx-os":
            lab.at_prompt(node, "enable", "reload noconfirm")
        else:
            lab.ssh(node, REBOOT.get(platform, "systemctl reboot"))
    until("a node does not go down", lambda: all(now > old for now, old in zip(lab.boots(*nodes), before)), every=0.5)
    lab.wait_until_all_are_up()
    for node, platform in nodes.items():
        if platform in AFTER_BOOT:
            lab.ssh(node, AFTER_BOOT[platform])


@contextlib.contextmanager
def converged(name, look_at_plan=None):
    """The lab of an example when all of that is done. `look_at_plan`: at its text, before the apply."""
    folder = root / "examples" / name
    lab_yaml = folder / "lab.yaml"
    document = (folder / "fabric.yaml").read_text()
    with Lab(document=document, lab_yaml=lab_yaml.read_text() if lab_yaml.exists() else None) as lab:
        options = OPTIONS.get(name, [])
        plan = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2).stdout
        if look_at_plan:
            look_at_plan(plan)
        lab.fabric("--lab", "apply", "--auto-approve", *options, expect=0)
        monitor = lab.status()["monitor"]
        assert not monitor["violations"] and not monitor["neighbours_down_together"], monitor
        assert monitor["most_down_at_once"] <= yaml.safe_load(document).get("rollout", {}).get("max_unavailable", 1), monitor
        stays(lab)
        boot(lab, platforms(document, lab.status()["nodes"]))
        stays(lab)
        yield lab


def converges(name):
    with converged(name):
        pass


def stays(lab):
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)


def platforms(document, nodes):
    """Of each of these nodes, as the document says it: in place, or in a profile."""
    tree = yaml.safe_load(document)
    found = {}
    for written, node in tree["nodes"].items():
        node = node or {}
        profiles = [tree["profiles"][profile] for profile in node.get("profiles", [])]
        platform = next((each["platform"] for each in (node, *profiles) if "platform" in each), "linux")
        pattern = r"\d+".join(re.escape(part) for part in re.split(r"\[[^]]*\]", written))
        found.update({name: platform for name in nodes if re.fullmatch(pattern, name)})
    assert set(found) == set(nodes), f"platforms of {sorted(set(nodes) - set(found))} were not found"
    return found


def main():
    there = [path for path in sorted((root / "examples").iterdir()) if path.is_dir()]
    examples = [path.name for path in there if (path / "fabric.yaml").exists()]
    left = [path.name for path in there if path.name not in examples and not (root / "tests" / path.name).is_dir()]
    assert not left, f"no document, and no tests of their own: {left}"
    play({name: functools.partial(converges, name) for name in sys.argv[3:] or examples})


if __name__ == "__main__":
    main()
