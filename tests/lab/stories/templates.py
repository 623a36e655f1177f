# SPDX-License-Identifier: Apache-2.0
"""Every template of `init` that a lab can play: it plans, applies and verifies as it stands."""
from lab import Lab, root

# As Proxmox comes: the management port is in a bridge, and nothing reads the settings of a card or hears its neighbours.
PROXMOX = "hosts: {'%s': {backend: ifupdown2, bridge: vmbr0, tool: none, lldpd: false}}\n"


def converges(template, lab_yaml=None):
    document = (root / "engine/cli/scaffold" / f"{template}.yaml").read_text()
    with Lab(document=document, lab_yaml=lab_yaml) as lab:
        said = lab.apply().stdout
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        lab.reboot(next(iter(lab.status()["nodes"])))
        lab.plan_is_empty()
        return said


def template_ring():
    """The ring, on hosts as Proxmox makes them: two rounds by one command."""
    said = converges("ring", PROXMOX % "node[1-4]")
    assert said.count("Rounds ") == 1 and "mstflint on node[1-4]" in said, said


def template_pair():
    """Two machines and a cable."""
    converges("pair")


def template_lag():
    """A bond by LACP, which the switch speaks."""
    converges("lag")


def template_infiniband():
    """Hosts at one switch; OpenSM comes with the manager."""
    converges("infiniband")


def template_fat_tree():
    """A tree of InfiniBand switches."""
    converges("fat-tree")


def bond_without_lacp():
    """A switch that has no LACP is found, and the finding is about the bond."""
    document = (root / "engine/cli/scaffold/lag.yaml").read_text()
    with Lab(document=document, lab_yaml="hosts: {leaf1: {lacp: false}}\n") as lab:
        lab.apply(expect=13)
        lab.verify_says("bond-not-aggregated")
