# SPDX-License-Identifier: Apache-2.0
"""What only a boot of this plan makes readable: the plan announces another round, and apply goes on with it."""
from lab import Lab

NODES = "apiVersion: fabric/v1\nname: rounds\nnodes:\n  n[1-%d]: {network_backend: %s, adapters: {cx: {model: %s}}}\nnetworks:\n  net:\n    mode: ethernet\n    mtu: 9000\n"
MESH = NODES % (3, "networkd", "connectx-7") + """\
    transit: static
    loopback: {subnet: 10.9.0.0/24}
    ipv4: {subnet: 10.8.0.0/24, per: cable}
    cables: [[n1/1, n2/2], [n2/1, n3/2], [n3/1, n1/2]]
"""
VLAN = """\
    ipv4: {subnet: 10.8.0.0/24}
    vlans: {back: {id: 7, ipv4: {subnet: 10.31.0.0/24}}}
    cables: [[n1/1, n2/1]]
"""
BACK_ENDS = "networkd", "ifupdown", "netplan", "ifcfg"


def mesh_of_vpi_cards():
    """Ports that a boot makes Ethernet have kernel parameters of their own only then: one apply of the document, two rounds, nothing left to do; a plan file is one round, and names the command of the next."""
    with Lab(document=MESH) as lab:
        planned = " ".join(lab.fabric("--lab", "plan", "--out", "one.plan", expect=0).stdout.split())
        assert "a further round follows after the boot of n[1-3]" in planned, planned
        one = " ".join(lab.fabric("--lab", "apply", "one.plan", expect=10).stderr.split())
        assert "this plan file was one round; for the next one: fabric --lab plan --out FILE" in one, one
        lab.fabric("--lab", "plan", "--out", "two.plan", expect=0)
        lab.fabric("--lab", "apply", "two.plan", expect=0)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
    with Lab(document=MESH) as lab:
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def vlans_of_vpi_cards():
    """A VLAN goes by the name of its port, which the port's own files give it where the boot makes the port: each back end, one apply."""
    for backend in BACK_ENDS:
        hosts = "hosts: {%s}\n" % ", ".join("%s: {backend: %s}" % (node, backend) for node in ("n1", "n2"))
        with Lab(document=NODES % (2, backend, "connectx-6-vpi") + VLAN, lab_yaml=hosts) as lab:
            lab.apply()
            lab.plan_is_empty()
            assert "10.31.0.1/24" in lab.ssh("n1", "ip addr").stdout, backend
            lab.reboot("n1")
            lab.plan_is_empty()
