# SPDX-License-Identifier: Apache-2.0
"""RHEL's network scripts: ports and bonds."""
from documents import BACKUP, IFCFG, STORAGE
from lab import Lab
from steps import after_a_boot, proc_bond


def ifcfg_ports():
    """RHEL's network scripts: one port, both ports, another MTU, a VLAN, and the removal of each, through reboots."""
    def address(node):
        return lab.ssh(node, "ip -o -4 addr show; cat /sys/class/net/enp1s0f0np0/mtu").stdout

    def files(node):
        return lab.ssh(node, "cd /etc/sysconfig/network-scripts; ls; cat ifcfg-*").stdout

    with Lab(document=IFCFG % "" + STORAGE + BACKUP) as lab:
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + STORAGE)
        lab.apply()
        assert "10.30.0.1/24" in address("n1") and "managed by fabric" in files("n1"), address("n1") + files("n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + STORAGE + BACKUP)
        lab.apply()
        assert "10.31.0.1/24" in address("n1"), address("n1")
        after_a_boot(lab)
        smaller = (STORAGE + BACKUP).replace("9000", "4000")
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + smaller)
        lab.apply()
        assert "4000" in address("n1") and "MTU=4000" in files("n1"), address("n1")
        after_a_boot(lab)
        tagged = STORAGE.replace("    cables", "    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}\n    cables")
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + tagged)
        lab.apply()
        assert "10.31.0.1/" not in address("n1") and "10.100.0.1/24" in address("n1"), address("n1")
        assert "VLAN_ID=100" in files("n1"), files("n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        assert "10.30.0.1" not in address("n1") and "10.100" not in address("n1"), address("n1")
        assert "managed by fabric" not in files("n1") and "ifcfg-eno1" in files("n1"), files("n1")


def ifcfg_bond():
    """RHEL's network scripts: a bond of two ports with a VLAN on it, another option, and its removal."""
    document = IFCFG % "" + """\
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document) as lab:
        lab.apply()
        assert "Number of ports: 2" in proc_bond(lab, "n1") and "LACP rate: fast" in proc_bond(lab, "n1"), proc_bond(lab, "n1")
        assert "10.100.0.1/24" in lab.ssh("n1", "ip -o addr show dev bond0.100").stdout
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(document.replace("lacp_rate: fast", "lacp_rate: slow"))
        lab.apply()
        assert "LACP rate: slow" in proc_bond(lab, "n1"), proc_bond(lab, "n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        left = lab.ssh("n1", "ip -o link show; ls /etc/sysconfig/network-scripts").stdout
        assert "bond0" not in left and "enp1s0f0np0" in left, left


def ifcfg_ipoib():
    """RHEL's network scripts: IP over InfiniBand in both modes, another MTU, and its removal, through reboots."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: ifcfg, %spackages: [rdma-core, opensm, infiniband-diags], adapters: {cx3: {model: connectx-3}}}
networks:
"""
    network = """\
  ib:
    mode: infiniband
    mtu: 4096
    cables: [[n1/1, n2/1]]
    subnet_managers: [{node: n1, priority: 10}]
    ipoib: {%s, ipv4: {subnet: 10.30.0.0/24}}
"""

    def becomes(wish, mode, mtu):
        (lab.path / "fabric.yaml").write_text(document % "" + network % wish)
        lab.apply()
        after_a_boot(lab, "n2")
        found = lab.ssh("n2", "cd /sys/class/net/*ib*/; cat mode mtu").stdout.split()
        assert found == [mode, str(mtu)], found
        assert lab.ssh("n1", f"ping -c 1 -M do -s {mtu - 28} 10.30.0.2").returncode == 0

    # Newer tools don't know the card.
    lab_yaml = 'hosts: {"n[1-2]": {tool_version: "4.21"}}\n'
    with Lab(document=document % "" + network % "mode: datagram, mtu: 4092", lab_yaml=lab_yaml) as lab:
        becomes("mode: datagram, mtu: 4092", "datagram", 4092)
        becomes("mode: connected, mtu: 65520", "connected", 65520)
        assert "CONNECTED_MODE=yes" in lab.ssh("n2", "cat /etc/sysconfig/network-scripts/ifcfg-*").stdout
        becomes("mode: datagram, mtu: 2044", "datagram", 2044)
        (lab.path / "fabric.yaml").write_text(document % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        left = lab.ssh("n2", "cat /etc/sysconfig/network-scripts/ifcfg-*; ip -o -4 address").stdout
        assert "managed by fabric" not in left and "10.30.0.2" not in left, left
