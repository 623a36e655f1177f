#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the saved facts of the golden cases anew, from the lab.

usage: renew.py FABRIC_BINARY [SITUATION...]

One folder per situation of examples/ring, or of another example; a golden case links to the files that it needs. Machine and boot
ids and host keys differ from run to run, so the goldens have to be accepted afterwards.
"""
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

binary, here = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(__file__).resolve().parent
examples = here.parent.parent / "examples"


def fabric(work, *arguments):
    done = subprocess.run([binary, *arguments], cwd=work, capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"fabric {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def by_hand(up, node, script):
    """What somebody does on a node behind fabric's back; `up` is what `lab up` said."""
    address = next(line.split()[1] for line in up if line.split()[:1] == [node])
    login = shlex.split(next(line for line in up if line.startswith("log in with: ")).split(": ", 1)[1])
    subprocess.run([*login[:-1], f"root@{address}", script], check=True, timeout=60, stdout=subprocess.DEVNULL)


def save(situation, nodes, steps, reality, example="ring"):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copy(examples / example / "fabric.yaml", work)
        if reality:
            (work / "lab.yaml").write_text(reality)
        up = fabric(work, "lab", "up").splitlines()
        try:
            for step in steps:
                step(work, up)
            fabric(work, "--lab", "discover", "--save", "facts")
        finally:
            fabric(work, "lab", "down")
        for node in nodes:
            facts = json.loads((work / "facts" / f"{node}.json").read_text())
            facts["taken_at"] = "2026-01-01T00:00:00.000Z"
            target = here / situation / f"{node}.json"
            target.parent.mkdir(exist_ok=True)
            target.write_text(json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def apply(work, _):
    fabric(work, "--lab", "apply", "--auto-approve")


def recable(work, _):
    fabric(work, "lab", "recable", "pve1/cx5/1", "pve3/cx5/2")


def drift(_, up):
    by_hand(up, "pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
    by_hand(up, "pve2", "ip link set dev enp1s0f1np1 mtu 1500; echo 0 > /proc/sys/net/ipv4/conf/all/arp_ignore")


NODES = ["pve1", "pve2", "pve3", "pve4"]
PAIR = ["machine-1", "machine-2"]
# The last mstconfig that knew the ConnectX-3.
OLD_TOOL = 'hosts: {"machine-[1-2]": {tool_version: "4.21"}}\n'
# A host whose driver makes virtual functions, and one as it comes.
ESXI = """\
hosts:
  esx2: {tool_version: "4.28"}
  esx1:
    tool_version: "4.28"
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8"
        /vmkernel/module/nmlx5_core.so/options = "pfctx=0x08 max_vfs=15"
    adapters: {cx7: {settings: {ADVANCED_PCI_SETTINGS: "1", FORCE_ETH_PCI_SUBCLASS: "1", SRIOV_EN: "1", NUM_OF_VFS: "16"}}}
"""
# A switch on which somebody has been: a bond with a name of its own, a port that is closed, a VLAN.
CUMULUS = """\
hosts:
  leaf1:
    files:
      /etc/nvue.d/startup.commands: |
        nv set interface bond-of-s3 bond member swp5
        nv set interface bond-of-s3 type bond
        nv set interface swp1 link state down
        nv set interface swp2 link mtu 1500
        nv set bridge domain br_default vlan 100
"""
# The same of a switch with Onyx: a channel with a number of its own, a port that is closed, lines that nobody has saved.
ONYX = """\
hosts:
  leaf1:
    files:
      initial: |
        lldp
        lacp
        interface port-channel 40
        interface ethernet 1/9 channel-group 40 mode active
        interface ethernet 1/1 shutdown
        vlan 7
      running: |
        lldp
        lacp
        interface port-channel 40
        interface ethernet 1/9 channel-group 40 mode active
        interface ethernet 1/10 channel-group 40 mode active
        interface ethernet 1/1 shutdown
        vlan 7
"""
ESX_CLASSIC = (examples / "esx-classic/lab.yaml").read_text()
SITUATIONS = {
    "cumulus": (["leaf1", "leaf2"], [], CUMULUS, "roce-lag-cumulus"),
    "esx-classic": (["esx1"], [], ESX_CLASSIC, "esx-classic"),
    "esxi": (["esx1", "esx2", "sc2-r04ibswa"], [], ESXI, "vsphere8-sriov"),
    "onyx": (["leaf1"], [], ONYX, "roce-lag"),
    "factory": (NODES, [], None),
    "software": (["pve1", "pve2"], [], None),
    "converged": (NODES, [apply], None),
    "miswired": (NODES, [apply, recable], None),
    "drifted": (["pve2"], [apply, drift], None),
    "pair-ethernet": (PAIR, [], OLD_TOOL, "cx3-pair-ethernet"),
    "pair-bond": (PAIR, [], OLD_TOOL, "cx3-pair-bond"),
    "pair-infiniband": (PAIR, [], OLD_TOOL, "cx3-pair-infiniband"),
    "old-firmware": (["pve2"], [], 'hosts: {pve2: {adapters: {cx5: {firmware: "16.22.1002"}}}}\n'),
}
for name in sys.argv[2:] or SITUATIONS:
    save(name, *SITUATIONS[name])
