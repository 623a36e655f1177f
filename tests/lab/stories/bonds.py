# SPDX-License-Identifier: Apache-2.0
"""Bonds: through a switch, from host to host, and rolled back by the node itself."""
from documents import BOND_WITH_VLAN, example, hasty
from lab import Lab
from steps import converges_and_stays, ifenslave_is_wanted, no_guard_is_left, proc_bond


def pair_of_bonds():
    """The example of a ConnectX-3 pair as it stands, by ifupdown: bonded, through a reboot, and a slave whose cable is cut is named."""
    # Debian 12's mstflint; newer ones don't know the card.
    lab_yaml = 'hosts: {"machine-[1-2]": {backend: ifupdown, tool_version: "4.21"}}\n'
    with Lab(document=example("cx3-pair-bond"), lab_yaml=lab_yaml) as lab:
        converges_and_stays(lab, "machine-2")
        lab.fabric("lab", "recable", "machine-1/2", "machine-2/1", expect=0)
        lab.verify_says("eth40b", "eth40a")


def lacp_pair():
    """LACP from host to host on ifupdown: it aggregates; with a slave's cable cut, and against nothing, verify says so."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: ifupdown, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document) as lab:
        ifenslave_is_wanted(lab, "n1", "n2")
        converges_and_stays(lab, "n1")
        lab.fabric("lab", "recable", "n1/1", "n2/2", expect=0)
        lab.verify_says("bond-not-aggregated", "slave enp1s0f1np1 is down")


def bond_rolled_back(backend):
    document = BOND_WITH_VLAN % backend
    with Lab(document=document) as lab:
        if backend == "ifupdown":
            ifenslave_is_wanted(lab, "n1", "n2")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("lab", "fault", "n1", "cut-off", expect=0)
        (lab.path / "fabric.yaml").write_text(hasty(document).replace("policy: 802.3ad, lacp_rate: fast", "policy: active-backup"))
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
        assert "10.30.0.1/24" in addresses and "10.100.0.1/24" in addresses, f"{backend}: {addresses}"
        assert "802.3ad" in proc_bond(lab, "n1") and proc_bond(lab, "n1").count("Slave Interface") == 2, f"{backend}: {proc_bond(lab, 'n1')}"
        no_guard_is_left(lab, "n1")
        lab.fabric("lab", "fault", "n1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()


def bond_rolled_back_ifupdown():
    """A bond that is rolled back comes with its ports and with the VLAN on it: Debian's ifupdown."""
    bond_rolled_back("ifupdown")


def bond_rolled_back_ifcfg():
    """A bond that is rolled back comes with its ports and with the VLAN on it: RHEL's network scripts."""
    bond_rolled_back("ifcfg")


def bond_rolled_back_networkd():
    """A bond that is rolled back comes with its ports and with the VLAN on it: systemd-networkd."""
    bond_rolled_back("networkd")


def bond_over_two_cards():
    """A plain bond over a port of each of two cards, from host to host: both are its slaves, also after a reboot, and the cards keep RDMA devices of their own."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]:
    adapters:
      cx5a: {model: connectx-5-en, pci: "0000:01:00.0"}
      cx5b: {model: connectx-5-en, pci: "0000:41:00.0"}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: active-backup, roce: false}
    cables: [[n1/cx5a/1, n2/cx5a/1], [n1/cx5b/1, n2/cx5b/1]]
"""
    slaves = ["Slave Interface: enp1s0f0np0", "Slave Interface: enp65s0f0np0"]

    def is_bonded(node):
        bond = proc_bond(lab, node)
        assert "fault-tolerance (active-backup)" in bond, f"{node}: {bond}"
        assert sorted(line for line in bond.splitlines() if line.startswith("Slave Interface")) == slaves, f"{node}: {bond}"
        # One of the bond and one of each slave.
        assert bond.count("MII Status: up") == 3, f"{node}: {bond}"
        devices = lab.ssh(node, "ls /sys/class/infiniband").stdout
        assert devices and "bond" not in devices, f"{node}: {devices}"

    with Lab(document=document) as lab:
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        for node in ("n1", "n2"):
            is_bonded(node)
        lab.reboot("n1")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        for node in ("n1", "n2"):
            is_bonded(node)
        lab.fabric("lab", "recable", "n1/cx5b/1", "n2/cx5a/2", expect=0)
        lab.verify_says("n1", "enp65s0f0np0")


def bond_rolled_back_netplan():
    """A bond that is rolled back comes with its ports and with the VLAN on it: netplan."""
    bond_rolled_back("netplan")


def bond_rolled_back_networkmanager():
    """A bond that is rolled back comes with its ports and with the VLAN on it: NetworkManager."""
    bond_rolled_back("networkmanager")


def ipoib_bonded(backend):
    document = """\
apiVersion: fabric/v1
name: pair
profiles: {bonded: {adapters: {cx3: {model: connectx-3, names: {1: ib40a, 2: ib40b}}}}}
nodes:
  n1: {profiles: [bonded], packages: [rdma-core]}
  n2: {profiles: [bonded], packages: [rdma-core, opensm, infiniband-diags]}
  leaf1: {platform: unmanaged}
networks:
  ib:
    mode: infiniband
    mtu: 4096
    cables: [["n[1-2]/1", "leaf1/[1-2]"], ["n[1-2]/2", "leaf1/[3-4]"]]
    subnet_managers: [{node: n2, port: 1, priority: 10}]
    ipoib: {mode: connected, mtu: 65520, bond: {name: ibbond0, primary: 1}, ipv4: {subnet: 10.30.0.0/24}}
"""

    def works():
        bond = lab.ssh("n1", "cat /proc/net/bonding/ibbond0").stdout
        assert "(active-backup) (fail_over_mac active)" in bond and bond.count("Slave Interface: ib40") == 2, bond
        assert lab.ssh("n1", "cd /sys/class/net; cat ib40a/mode ib40b/mode ib40a/mtu").stdout.split() == ["connected"] * 2 + ["65520"]
        assert lab.ssh("n1", "ping -c 1 -M do -s 65492 10.30.0.2").returncode == 0
        return bond

    with Lab(document=document, lab_yaml='hosts: {"n[1-2]": {backend: %s, tool_version: "4.21"}}\n' % backend) as lab:
        if backend == "ifupdown":
            ifenslave_is_wanted(lab, "n1", "n2")
        converges_and_stays(lab, "n1")
        if backend == "networkd":
            lab.fabric("--lab", "verify", "--level", "failover", expect=0)
        assert "Currently Active Slave: ib40a" in works()
        lab.fabric("lab", "unplug", "n1/1", expect=0)
        done = lab.fabric("--lab", "verify", expect=13)
        assert "error[cable-missing]: cable n1/cx3/1" in done.stdout and "2 of 2 pass" in done.stdout and "1 error" in done.stdout, done
        assert "Currently Active Slave: ib40b" in works()
        lab.fabric("lab", "recable", "n1/1", "leaf1/1", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        (lab.path / "fabric.yaml").write_text(document.replace("[bonded], ", "[bonded], state: absent, "))
        lab.apply()
        lab.plan_is_empty()
        assert "ibbond0" not in lab.ssh("n1", "ip -o link show").stdout


def ipoib_bond_ifupdown():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; Debian's ifupdown."""
    ipoib_bonded("ifupdown")


def ipoib_bond_ifupdown2():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; ifupdown2."""
    ipoib_bonded("ifupdown2")


def ipoib_bond_networkd():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; systemd-networkd."""
    ipoib_bonded("networkd")


def ipoib_bond_netplan():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; netplan."""
    ipoib_bonded("netplan")


def ipoib_bond_networkmanager():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; NetworkManager."""
    ipoib_bonded("networkmanager")


def ipoib_bond_ifcfg():
    """IPoIB over two ports, active-backup: a boot, a cable out, its removal; RHEL's network scripts."""
    ipoib_bonded("ifcfg")
