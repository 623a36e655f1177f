# SPDX-License-Identifier: Apache-2.0
"""What was applied is imported again: the document plans nothing on it and is hardly longer."""
from documents import BOND_WITH_VLAN, TWO, STORAGE, small_tree
from lab import Lab, root


def comes_back(document, lab_yaml=None, options=(), beside=None, look=lambda text: None):
    """All its hosts and switches are asked by SSH, and none is told what it is; their facts say the same. `beside`: makes files of
    other tools in the lab's folder, and gives their names. `look`: at each document."""
    with Lab(document=document, lab_yaml=lab_yaml) as lab:
        lab.fabric("--lab", "apply", "--auto-approve", *options, expect=0)
        # Beside fabric.yaml they would be files of one document.
        (lab.path / "new").mkdir()
        nodes = sorted(lab.status()["nodes"])
        wanted = {"imported": nodes, "joined": nodes + (beside(lab) if beside else [])}
        for name, sources in wanted.items():
            lab.fabric("--lab", "import", *sources, "--out", f"new/{name}.yaml", expect=0)
            done = lab.fabric("--lab", "plan", f"new/{name}.yaml", "--detailed-exitcode")
            text = (lab.path / f"new/{name}.yaml").read_text()
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            look(text)
            most = 2 * len(document.splitlines())
            assert len(text.splitlines()) <= most, f"{text}\nat most {most} lines expected"
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        # Facts of hosts have no look at their subnet: a dump tells its cables.
        dumps = ["new/dump.txt"] if (lab.path / "new/dump.txt").exists() else []
        lab.fabric("--facts", "facts", "import", *dumps, "--out", "new/saved.yaml", expect=0)
        live, saved = ([line for line in (lab.path / name).read_text().splitlines() if not line.startswith("# Imported")]
                       for name in ("new/imported.yaml", "new/saved.yaml"))
        assert live == saved, f"{live}\n{saved}"


def dump_and_inventory(node):
    """What ibnetdiscover prints on `node`, and an inventory of everybody."""
    def write(lab):
        (lab.path / "new/dump.txt").write_text(lab.ssh(node, "ibnetdiscover").stdout)
        hosts = sorted(lab.status()["nodes"])
        (lab.path / "new/inventory.ini").write_text("[all]\n" + "".join(f"{each} ansible_user=root\n" for each in hosts))
        return ["new/dump.txt", "new/inventory.ini"]
    return write


def example(name):
    return (root / "examples" / name / "fabric.yaml").read_text()


def import_ring():
    """A ring of four hosts, by its chained cards and LLDP."""
    comes_back(example("ring"))


def import_mesh_and_routed_ring():
    """Cables that are subnets of their own, and loopbacks behind them."""
    comes_back(example("mesh-ceph"))
    comes_back(example("ring-cx7"))


def import_pair_ethernet():
    """Names of interfaces and kernel parameters come back as well."""
    comes_back(example("cx3-pair-ethernet"))


def import_pair_bond():
    """A bond with its options."""
    comes_back(example("cx3-pair-bond"))


def import_pair_infiniband():
    """Two subnet managers, IPoIB, and a cable that nothing but the subnet tells."""
    comes_back(example("cx3-pair-infiniband"), beside=dump_and_inventory("machine-1"))


def import_subnet_through_hosts():
    """The hosts of a subnet tell its cables, and its switch that nobody can log in to, as a dump would."""
    document = """\
apiVersion: fabric/v1
name: min
nodes:
  h[1-3]: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-6, ports: 1}}}
  sw1: {platform: unmanaged, model: QM8790}
networks:
  ib:
    mode: infiniband
    cables: [["h[1-3]/1", "sw1/[1-3]"]]
    subnet_managers: [{node: h1, priority: 15}, {node: h2, priority: 14}]
    ipoib: {ipv4: {subnet: 10.40.0.0/24}}
"""
    with Lab(document=document) as lab:
        lab.apply()
        (lab.path / "new").mkdir()
        (lab.path / "new/dump.txt").write_text(lab.ssh("h1", "ibnetdiscover").stdout)
        texts = []
        for name, more in (("hosts", []), ("joined", ["new/dump.txt"])):
            lab.fabric("--lab", "import", "h[1-3]", *more, "--out", f"new/{name}.yaml", expect=0)
            text = (lab.path / f"new/{name}.yaml").read_text()
            done = lab.fabric("--lab", "plan", f"new/{name}.yaml", "--detailed-exitcode")
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            assert "/[1-3]" in text and "nothing tells the cables" not in text, text
            # One host of the subnet is asked, and no other one.
            assert "the subnet of h1 " in text and "the subnet of h2 " not in text, text
            texts.append([line for line in text.splitlines() if not line.startswith("#")])
        assert texts[0] == texts[1], texts


def import_fat_tree():
    """Leaves and spines that nobody can log in to, by the subnet of their hosts, and with a dump and an inventory on top."""
    comes_back(small_tree(example("fat-tree")), beside=dump_and_inventory("c101"))


def import_roce_lag():
    """Bonds of three policies and the switch with MLNX-OS that has their port channels."""
    comes_back(example("roce-lag"), options=["--allow-no-rollback", "leaf1"])


def import_roce_lag_cumulus():
    """Bonds to a pair of switches with Cumulus: MLAG, port channels, a VLAN."""
    comes_back(example("roce-lag-cumulus"))


def import_nvos_subnet():
    """A switch with NVOS, of which nobody has said that it is one; joined with a dump each card is there once."""
    comes_back(example("nvos-subnet"), beside=dump_and_inventory("s1"))


def import_vsphere():
    """ESXi hosts with virtual functions, and the switch that manages their subnet."""
    folder = root / "examples/vsphere8-sriov"
    comes_back(example("vsphere8-sriov"), lab_yaml=(folder / "lab.yaml").read_text())


def import_every_platform():
    """Asked by their names alone, all are what they are."""
    platforms = ["linux", "esxi", "esx-classic", "mlnx-os", "cumulus", "nvos"]
    nodes = "".join(f"  n{at}: {{platform: {platform}}}\n" for at, platform in enumerate(platforms))
    with Lab(document=f"apiVersion: fabric/v1\nname: all\nnodes:\n{nodes}") as lab:
        told = lab.fabric("--lab", "import", *(f"n{at}" for at in range(len(platforms))), expect=0).stdout
        for at, platform in enumerate(platforms):
            line = next(each for each in told.splitlines() if each.strip().startswith(f"n{at}:"))
            assert f"platform: {platform}" in line if platform != "linux" else "platform" not in line, told


def import_bond_with_vlan():
    """A VLAN on a bond, by ifupdown as by networkd."""
    comes_back(BOND_WITH_VLAN % "networkd")
    comes_back(BOND_WITH_VLAN % "ifupdown, packages: [ifenslave]")


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


def import_every_back_end():
    """A bond with a VLAN comes back from the files of each back end."""
    for backend in ("netplan", "networkmanager", "ifcfg", "ifupdown2"):
        comes_back(BOND_WITH_VLAN % backend.removesuffix("2"), lab_yaml=f'hosts: {{"n[1-2]": {{backend: {backend}}}}}\n')


TWO_CARDS = """\
apiVersion: fabric/v1
name: cards
nodes:
  h1: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-6, ports: 1}}}
  h2:
    packages: [infiniband-diags]
    adapters:
      b: {model: connectx-6, ports: 1, pci: "0000:01:00.0"}
      a: {model: connectx-6, ports: 1, pci: "0000:02:00.0"}
      ab: {model: connectx-6-dx, names: {1: left, 2: right}}
  h3: {adapters: {cx6: {model: connectx-6-dx}}}
  sw1: {platform: unmanaged, model: QM8790}
networks:
  ib:
    mode: infiniband
    cables: [[h1/1, sw1/1], [h2/b/1, sw1/2], [h2/a/1, sw1/3]]
    subnet_managers: [{node: h1, priority: 14}]
    ipoib: {ipv4: {subnet: 10.40.0.0/24, addresses: {h2: [10.40.0.4, 10.40.0.14]}}}
  eth: {mode: ethernet, ipv4: {subnet: 10.41.0.0/24}, cables: [[h2/ab/2, h3/1]]}
"""


def import_two_cards():
    """Cards of one family keep the names that fabric's files have of each; a name map that calls the switch otherwise makes no second one."""
    def beside(lab):
        dump = lab.ssh("h1", "ibnetdiscover").stdout
        guid = next(line for line in dump.splitlines() if line.startswith("switchguid=")).split("(")[1].split(")")[0].zfill(16)
        (lab.path / "new/dump.txt").write_text(dump)
        (lab.path / "new/names.map").write_text(f'0x{guid} "leaf A/1"\n')
        (lab.path / "new/slurm.conf").write_text("SwitchName=sw1 Nodes=h[1-2]\n")
        return ["new/dump.txt", "new/slurm.conf", "new/names.map"]

    def look(text):
        assert text.count("platform: unmanaged") == 1 and "labels: {switch: sw1}" not in text, text
        for said in ("a: {model", "b: {model", "ab: {model", "1: left", "2: right"):
            assert said in text, f"{said}: {text}"

    comes_back(TWO_CARDS, beside=beside, look=look)


def import_ports_without_cables():
    """Ports that no source shows the cables of are named at their node, of hosts and of switches."""
    document = """\
apiVersion: fabric/v1
name: dark
nodes:
  c1: {platform: cumulus}
  e1: {platform: esxi, adapters: {cx5: {model: connectx-5-en}}}
networks:
  eth: {mode: ethernet, access_vlan: 7, cables: [{ends: [e1/1, c1/swp1], proof: carrier}]}
"""
    with Lab(document=document) as lab:
        lab.fabric("--lab", "apply", "--auto-approve", "--allow-mgmt-path", expect=0)
        done = lab.fabric("--lab", "import", "c1", "e1", expect=0)
        for said in ("# c1: CHANGE: no source shows the cables of these ports with a link: swp1 (access VLAN 7)",
                     "# e1: CHANGE: no source shows the cables of these ports with a link: cx5/1"):
            assert said in done.stdout, done.stdout
        assert "the document says" not in done.stdout + done.stderr, done.stderr
