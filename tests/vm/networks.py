# SPDX-License-Identifier: Apache-2.0
"""Networks of the documents that several subjects apply."""
from machines import PAIRS


def network(name, number, port, mtu=9000, more=""):
    return f"""\
  {name}:
    mode: ethernet
    mtu: {mtu}
    ipv4: {{subnet: 10.{number}.0.0/24}}
    cables: [{", ".join(f"[{one}/{port}, {other}/{port}]" for one, other in PAIRS)}]
{more}"""


TWO_PORTS = network("storage-a", 30, 1) + network("storage-b", 31, 2)
NOTHING = "  {}\n"


def bonded(policy, more="", vlan=True):
    return f"""\
  storage:
    mode: lag
    mtu: 9000
    ipv4: {{subnet: 10.30.0.0/24}}
    lag: {{bond: bond0, policy: {policy}, miimon: 100, roce: false{more}}}
    cables: [{", ".join(f"[{one}/{port}, {other}/{port}]" for one, other in PAIRS for port in (1, 2))}]
""" + ("    vlans: {backup: {id: 100, ipv4: {subnet: 10.40.0.0/24}}}\n" if vlan else "")
