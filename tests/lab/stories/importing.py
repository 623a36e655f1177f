# SPDX-License-Identifier: Apache-2.0
"""What was applied is imported again: the document plans nothing on it and is hardly longer."""
from documents import BOND_WITH_VLAN, TWO, STORAGE
from lab import Lab, root


def comes_back(document, nodes):
    """`nodes`: those to ask by SSH. The facts of the same hosts say the same."""
    with Lab(document=document) as lab:
        lab.apply()
        # Beside fabric.yaml they would be files of one document.
        (lab.path / "new").mkdir()
        lab.fabric("--lab", "import", nodes, "--out", "new/imported.yaml", expect=0)
        lab.fabric("--lab", "plan", "new/imported.yaml", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        lab.fabric("--facts", "facts", "import", "--out", "new/saved.yaml", expect=0)
        live, saved = ([line for line in (lab.path / name).read_text().splitlines() if not line.startswith("# Imported")]
                       for name in ("new/imported.yaml", "new/saved.yaml"))
        assert live == saved, f"{live}\n{saved}"
        most = 2 * len(document.splitlines())
        assert len(live) <= most, f"{len(live)} lines, at most {most} expected"


def example(name):
    return (root / "examples" / name / "fabric.yaml").read_text()


def import_ring():
    """A ring of four hosts, by its chained cards and LLDP."""
    comes_back(example("ring"), "pve[1-4]")


def import_pair_ethernet():
    """Names of interfaces and kernel parameters come back as well."""
    comes_back(example("cx3-pair-ethernet"), "machine-[1-2]")


def import_pair_bond():
    """A bond with its options."""
    comes_back(example("cx3-pair-bond"), "machine-[1-2]")


def import_pair_infiniband():
    """Two subnet managers, IPoIB, and a cable that nothing but the subnet tells."""
    comes_back(example("cx3-pair-infiniband"), "machine-[1-2]")


def import_roce_lag():
    """Bonds of three policies to a switch that nobody manages: what is not known of their cables is not in the document."""
    document = example("roce-lag").replace("platform: mlnx-os\n    ssh: {user: admin}", "platform: unmanaged")
    document = document.replace(", port_channel: static", "").replace(", port_channel: lacp", "").replace("    address: 192.0.2.80\n", "")
    comes_back(document, "s[1-6]")


def import_bond_with_vlan():
    """A VLAN on a bond, by ifupdown as by networkd."""
    comes_back(BOND_WITH_VLAN % "networkd", "n[1-2]")
    comes_back(BOND_WITH_VLAN % "ifupdown, packages: [ifenslave]", "n[1-2]")


def import_foreign_host():
    """What somebody else configured is observed until a person lets it be adopted."""
    with Lab(document=TWO % "" + STORAGE) as lab:
        lab.apply()
        for node in ("n1", "n2"):
            lab.ssh(node, "sed -i '/^#/d' /etc/systemd/network/10-fabric-*; for f in /etc/systemd/network/10-fabric-*; "
                          "do mv $f ${f%/*}/10-own-${f##*-}; done")
        (lab.path / "new").mkdir()
        lab.fabric("--lab", "import", "n[1-2]", "--out", "new/imported.yaml", expect=0)
        text = (lab.path / "new/imported.yaml").read_text()
        assert "state: observe, adopt: true" in text, text
        done = lab.fabric("--lab", "plan", "new/imported.yaml", expect=0)
        assert "0 to add, 0 to change, 0 to remove" in done.stdout, done.stdout
