# SPDX-License-Identifier: Apache-2.0
"""Every template of `init` that a lab can play: it plans, applies and verifies as it stands."""
from lab import Lab, root
from steps import proc_bond

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


def lag_over_two_leaves():
    """Bonds to a pair of leaves that nobody manages: the document says that they are one for LACP, and the lab plays them so."""
    document = """\
apiVersion: fabric/v1
name: leaves
nodes:
  n[1-3]: {adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: unmanaged, mlag: {domain: rack7, peer: leaf2}}
  leaf2: {platform: unmanaged, mlag: {domain: rack7, peer: leaf1}}
networks:
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad}
    cables:
    - {ends: ["n[1-3]/cx5/1", "leaf1/[1-3]"]}
    - {ends: ["n[1-3]/cx5/2", "leaf2/[1-3]"]}
"""
    with Lab(document=document) as lab:
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        partners = {line for node in ("n1", "n2", "n3") for line in proc_bond(lab, node).splitlines() if "Partner Mac Address" in line}
        assert len(partners) == 1 and "00:00:00:00:00:00" not in partners.pop(), partners
