# SPDX-License-Identifier: Apache-2.0
"""Documents that several stories begin with, whole or in pieces."""
from lab import root

TWO = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {%sadapters: {cx5: {model: connectx-5-vpi}}}
networks:
"""
STORAGE = """\
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
"""
BACKUP = STORAGE.replace("storage", "backup").replace("10.30", "10.31").replace("/1", "/2").replace("cables", "ipv6: {subnet: fd31::/64}\n    cables")
BOND_WITH_VLAN = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 40s, confirm_timeout: 12s}
nodes:
  n[1-2]: {network_backend: %s, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
HOOKS = """\
hooks:
  before_disruption: echo "$1 $FABRIC_HOOK" >>hooks.log; test ! -e refuse-$1 || { echo "pod db-0 can't be evicted" >&2; exit 1; }
  after_disruption: echo "$1 $FABRIC_HOOK $FABRIC_OUTCOME" >>hooks.log; test ! -e refuse-$1
  timeout: 20s
"""
IFCFG = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {network_backend: ifcfg, %sadapters: {cx5: {model: connectx-5-en}}}
networks:
"""


# A busy machine needs its time to confirm; a node that is cut off never does.
def hasty(document):
    return document.replace("{reboot_timeout: 8s}", "{reboot_timeout: 40s, confirm_timeout: 12s}")


def example(name, *changes):
    """The document of an example as it stands, but for pairs of what is there and what replaces it."""
    text = (root / "examples" / name / "fabric.yaml").read_text()
    for old, new in changes:
        assert old in text, f"{name} does not say {old!r} any more"
        text = text.replace(old, new)
    return text
