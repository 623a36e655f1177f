# SPDX-License-Identifier: Apache-2.0
"""`isolated` on the wire: what must not reach each other is pinged, and a lost ping counts where another one passes."""
import json

from lab import Lab

TENANTS = """\
apiVersion: fabric/v1
name: tenants
nodes:
  a[1-2]: {adapters: {cx5: {model: connectx-5-en, ports: 1}}}
  b[1-2]: {adapters: {cx5: {model: connectx-5-en, ports: 1}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  red: {mode: ethernet, ipv4: {subnet: 10.1.0.0/24}, cables: [["a[1-2]/1", "leaf1/[1-2]"]]}
  blue: {mode: ethernet, ipv4: {subnet: 10.2.0.0/24}, cables: [["b[1-2]/1", "leaf2/[1-2]"]]}
isolated: [["a[1-2]", "b[1-2]"], [red, blue]]
"""


def kept_apart():
    """Two tenants at two switches are apart; a cable between these and a second address of a host join them, and both are named."""
    with Lab(document=TENANTS) as lab:
        lab.apply()
        states = [each["state"] for each in json.loads(lab.fabric("--lab", "verify", "--format", "json").stdout)["isolated"]]
        assert states == ["apart", "apart"], states
        said = lab.fabric("--lab", "verify").stdout
        assert "Isolated  2 of 2 pairs kept apart: 4 pings were lost, as they must be" in said and "isolation-" not in said, said

        lab.fabric("lab", "recable", "leaf1/9", "leaf2/9", expect=0)
        for node, address in (("a1", "10.2.0.91/24"), ("a2", "10.2.0.92/24")):
            device = lab.ssh(node, "ls /sys/bus/pci/devices/0000:01:00.0/net").stdout.split()[0]
            lab.ssh(node, f"ip addr add {address} dev {device}")
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        assert "error[isolation-broken]: a[1-2] and b[1-2] are not kept apart: a1/cx5/1 reaches 10.2.0.1 at b1" in said, said
        assert "error[isolation-broken]: red and blue are not kept apart" in said, said
