"""VLANs on what is reconfigured below them."""
from documents import BOND_WITH_VLAN
from lab import Lab
from steps import ifenslave_is_wanted


def vlan_of_a_port_that_changes():
    """A port is reconfigured with a VLAN on it, both ways: Debian's ifdown takes the VLAN down with it, and it comes back."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
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
