#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that netplan configures: imported from facts, adopted, changed, and judged by netplan's own generator.

usage: netplan_adopted.py FABRIC_BINARY SOURCE_ROOT

The facts are those of hosts of the lab with a bond, whose network files are replaced by one of netplan with everything in
it, as an installer writes it. What the plan would do to the files is done in a folder. netplan's generator has to take the
result and to make the same of it as before; where there is none (GENERATE names another one), that alone is left out.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tests/lab"))
from documents import BOND_WITH_VLAN  # noqa: E402  pylint: disable=wrong-import-position
from lab import Lab  # noqa: E402  pylint: disable=wrong-import-position

FILE = "/etc/netplan/50-installer.yaml"
THEIRS = """\
# This is the network config written by 'subiquity'
network:
  version: 2
  ethernets:
    eno1:
      dhcp4: true
    enp1s0f0np0:
      dhcp4: false
      mtu: 9000
    enp1s0f1np1: {mtu: 9000}
  bonds:
    bond0:
      interfaces: [enp1s0f0np0, enp1s0f1np1]
      mtu: 9000
      # of the storage
      addresses:
      - 10.30.0.%(number)d/24
      parameters:
        mode: 802.3ad
        lacp-rate: fast
        mii-monitor-interval: 100

    # another one
    bond7: {interfaces: [], parameters: {mode: active-backup}}
  vlans:
    bond0.100:
      id: 100
      link: bond0
      mtu: 9000
      addresses: [10.100.0.%(number)d/24]
    bond0.200: {id: 200, link: bond0}
  bridges:
    br0:
      interfaces: [bond0.200]
      nameservers: {addresses: [10.1.1.1]}
"""
BACKENDS = f"""\
file {FILE}
file /run/systemd/network/10-netplan-bond0.network
unit systemd-networkd active
tool networkctl
tool netplan
"""
GENERATE = next((path for path in (os.environ.get("GENERATE"), "/usr/libexec/netplan/generate", "/lib/netplan/generate") if path and os.path.exists(path)), None)


def lines_of(files):
    return "".join(f"{path}:{line}\n" for path, text in sorted(files.items()) for line in text.splitlines())


def digest(text):
    """As the node takes it: without what was commented out for fabric, and without what stands in its place."""
    kept = [re.sub(r"^#adopted by fabric [^#]*# ", "", line) for line in text.splitlines() if not re.search(r" #adopted by fabric [^#]*#$", line)]
    return hashlib.sha256("".join(line + "\n" for line in kept).encode()).hexdigest()


def with_files(facts, files):
    """The facts of a host that has these network files and netplan."""
    facts["probes"]["network-files"]["standard_output"] = lines_of(files)
    facts["probes"]["network-backends"]["standard_output"] = BACKENDS
    facts["probes"]["file-digests"]["standard_output"] = "".join(f"{digest(text)} {path}\n" for path, text in sorted(files.items()))


def generated(folder, files):
    """What networkd is told of each interface, without what only says how careful it is; None without netplan."""
    if GENERATE is None:
        return None
    root = folder / f"root{len(list(folder.glob('root*')))}"
    for path, text in files.items():
        here = root / path.lstrip("/")
        here.parent.mkdir(parents=True, exist_ok=True)
        here.touch(mode=0o600)
        here.write_text(text)
    done = subprocess.run([GENERATE, "--root-dir", root], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"netplan refuses it: {done.stderr}\n" + "\n".join(files.values())
    told = {}
    for path in sorted((root / "run/systemd/network").iterdir()):
        keys = re.findall(r"^(?:Name|Kind|Id|Mode|LACPTransmitRate|MIIMonitorSec|MTUBytes|Bond|Bridge|VLAN|Address)=.*", path.read_text(), re.MULTILINE)
        told[path.name] = sorted(keys)
    return told


def done_to(files, plan, node):
    """The files as they are when the plan is done, and the copies that it keeps."""
    files = dict(files)
    for action in plan["actions"]:
        if action["node"] != node or not action["kind"].startswith("network."):
            continue
        for step in action["steps"]:
            if "remove" in step:
                files.pop(step["remove"], None)
            if "write" in step:
                files[step["write"]["path"]] = step["write"]["content"]
            script = step.get("script", {})
            path, *rest = script.get("args") or [""]
            if path not in files:
                continue
            scratch = pathlib.Path("edited.yaml")
            scratch.write_text(files[path])
            done = subprocess.run(["sh", "-c", plan["scripts"][script["name"]], script["name"], str(scratch.resolve()), *rest], capture_output=True, text=True,
                                  timeout=60)
            assert done.returncode == 0, done
            files[path] = scratch.read_text()
    return files


with Lab(document=BOND_WITH_VLAN % "networkd") as lab:
    os.chdir(lab.path)
    lab.apply()
    lab.fabric("--lab", "discover", "--save", "facts", expect=0)
    saved = {node: json.loads((lab.path / f"facts/{node}.json").read_text()) for node in ("n1", "n2")}

    def save(files):
        for node, facts in saved.items():
            with_files(facts, files[node])
            (lab.path / f"facts/{node}.json").write_text(json.dumps(facts))

    theirs = {node: {FILE: THEIRS % {"number": number}} for number, node in ((1, "n1"), (2, "n2"))}
    save(theirs)
    (lab.path / "new").mkdir()
    lab.fabric("--facts", "facts", "import", "--out", "new/imported.yaml", expect=0)
    text = (lab.path / "new/imported.yaml").read_text()
    assert "state: observe, adopt: true" in text and "bond: bond0, policy: 802.3ad" in text and "id: 100" in text, text
    said = lab.fabric("--facts", "facts", "plan", "new/imported.yaml", expect=0).stdout
    assert "0 to add, 0 to change, 0 to remove" in said, said

    (lab.path / "new/imported.yaml").write_text(text.replace("state: observe, ", ""))
    lab.fabric("--facts", "facts", "plan", "new/imported.yaml", "--out", "adopt.plan", expect=0)
    plan = json.loads((lab.path / "adopt.plan").read_text())
    touched = [action for action in plan["actions"] if action["kind"] == "network.activate"]
    assert plan["actions"] and not touched, "nothing that runs is to be changed"
    adopted = {node: done_to(files, plan, node) for node, files in theirs.items()}
    kept = [line for line in adopted["n1"][FILE].splitlines() if "#adopted by fabric" not in line]
    rest = [line for line in kept if line.strip()]
    assert rest == [line for line in """\
# This is the network config written by 'subiquity'
network:
  version: 2
  ethernets:
    eno1:
      dhcp4: true
  bonds:
    # another one
    bond7: {interfaces: [], parameters: {mode: active-backup}}
  vlans:
    bond0.200: {id: 200, link: bond0}
  bridges:
    br0:
      interfaces: [bond0.200]
      nameservers: {addresses: [10.1.1.1]}
""".splitlines()], "\n".join(rest)
    for node in theirs:
        assert generated(lab.path, adopted[node]) == generated(lab.path, theirs[node]), adopted[node]

    # The second plan is empty, and another option touches nothing but our own file.
    save(adopted)
    lab.fabric("--facts", "facts", "plan", "new/imported.yaml", "--detailed-exitcode", expect=0)
    changed = (lab.path / "new/imported.yaml").read_text().replace("lacp_rate: fast", "lacp_rate: slow")
    (lab.path / "new/imported.yaml").write_text(changed)
    lab.fabric("--facts", "facts", "plan", "new/imported.yaml", "--out", "change.plan", expect=0)
    plan = json.loads((lab.path / "change.plan").read_text())
    after = done_to(adopted["n1"], plan, "n1")
    assert [path for path in after if after[path] != adopted["n1"].get(path)] == ["/etc/netplan/91-fabric-bond-bond0.yaml"], after
    told = generated(lab.path, after)
    assert told is None or "LACPTransmitRate=slow" in told["10-netplan-bond0.netdev"], told
    os.chdir("/")
print("adopted", "as netplan itself sees it" if GENERATE else "(netplan is not on this machine: its generator judged nothing)")
