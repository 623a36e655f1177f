# SPDX-License-Identifier: Apache-2.0
"""VLANs on what is reconfigured below them."""
from documents import BOND_WITH_VLAN
from lab import Lab
from steps import ifenslave_is_wanted


def vlan_of_a_port_that_changes():
    """A port is reconfigured with a VLAN on it, both ways: Debian's ifdown takes the VLAN down with it, and it comes back."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: ifupdown, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: ethernet
    mtu: %s
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    cables: [[n1/1, n2/1]]
"""
    with Lab(document=document % 9000) as lab:
        lab.apply()
        for mtu in (4200, 9000):
            (lab.path / "fabric.yaml").write_text(document % mtu)
            lab.apply()
            lab.plan_is_empty()
            addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
            assert "10.30.0.1/24" in addresses and "10.100.0.1/24" in addresses, addresses


def vlan_dropped_with_a_new_bond():
    """One plan drops the VLAN and makes the bond below it anew: what is gone is not brought up again."""
    for backend in ("ifupdown", "ifcfg"):
        document = BOND_WITH_VLAN % backend
        with Lab(document=document) as lab:
            if backend == "ifupdown":
                ifenslave_is_wanted(lab, "n1", "n2")
            lab.apply()
            dropped = "".join(line for line in document.replace("policy: 802.3ad, lacp_rate: fast", "policy: active-backup").splitlines(keepends=True)
                              if "vlans:" not in line)
            assert dropped != document
            (lab.path / "fabric.yaml").write_text(dropped)
            lab.apply()
            lab.plan_is_empty()
            addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
            assert "10.30.0.1/24" in addresses and "10.100.0.1/24" not in addresses, f"{backend}: {addresses}"


def vlan_of_another_id_or_port():
    """A VLAN gets another id, then goes to another port: nothing is left of what it was, now or after a boot."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: %s, adapters: {cx5: {model: connectx-5-en, names: {1: fab1, 2: fab2}}}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    cables: [[n1/1, n2/1]]
"""
    hosts = "hosts: {n1: {backend: %s}, n2: {backend: %s}}\ncables: [[n1/1, n2/1], [n1/2, n2/2]]\n"
    for backend in ("networkd", "ifupdown", "ifcfg"):
        with Lab(document=document % backend, lab_yaml=hosts % (backend, backend)) as lab:
            lab.apply()

            def change(text):
                (lab.path / "fabric.yaml").write_text(text)
                lab.apply()
                lab.plan_is_empty()
                return lab.ssh("n1", "ip -o addr show; ls -R /etc/systemd/network /etc/network /etc/sysconfig/network-scripts; cat /etc/network/interfaces.d/*").stdout

            text = (document % backend).replace("id: 100", "id: 200")
            found = change(text)
            assert "fab1.200" in found and found.count("10.100.0.1/24") <= 2 and "fab1.100" not in found, (backend, found)
            lab.reboot("n1")
            lab.plan_is_empty()
            assert "fab1.100" not in lab.ssh("n1", "ip -o link show").stdout, backend
            text = text.replace("[n1/1, n2/1]", "[n1/2, n2/2]")
            found = change(text)
            assert "fab2.200" in found and "fab1.200" not in found and "fabric-cx5.1.network\n" not in found, (backend, found)
            found = change(text[:text.index("networks:")] + "networks: {}\n")
            assert "200" not in found and "10.30.0.1/" not in found and "vlan-storage" not in found, (backend, found)
