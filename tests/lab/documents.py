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
RAILS = """\
apiVersion: fabric/v1
name: rails
nodes:
  s[1-2]: {network_backend: networkd, adapters: {cx6: {model: connectx-6-dx}}}
  leaf1: {platform: %s}
networks:
  rail0: {mode: ethernet, mtu: 9000, access_vlan: 10, ipv4: {subnet: 10.30.0.0/24}, cables: [["s[1-2]/1", "leaf1/[1-2]"]]}
  rail1:
    mode: ethernet
    mtu: 9000
    access_vlan: 20
    ipv4: {subnet: 10.31.0.0/24}
    vlans: {store: {id: 30, ipv4: {subnet: 10.32.0.0/24}}}
    cables: [["s[1-2]/2", "leaf1/[3-4]"]]
"""
BOND_WITH_VLAN = """\
apiVersion: fabric/v1
name: pair
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
"""
IFCFG = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: ifcfg, %sadapters: {cx5: {model: connectx-5-en}}}
networks:
"""


def rollout(document, keys):
    """The document with these keys of `rollout`, where it has none."""
    assert "\nrollout:" not in document and "\nnodes:\n" in document, document
    return document.replace("\nnodes:\n", "\nrollout: {%s}\nnodes:\n" % keys, 1)


def hasty(document):
    """For an apply whose change has to be rolled back: the node that is cut off is not waited for as long as a slow one would be.
    An apply that has to succeed gets the document without this, and with it the deadlines of everybody."""
    return rollout(document, "confirm_timeout: 12s")


def given_up_soon(document):
    """For an apply that has to lose a node: one that never boots is given up before a quarter of an hour is over."""
    return rollout(document, "reboot_timeout: 30s")


def example(name, *changes):
    """The document of an example as it stands, but for pairs of what is there and what replaces it."""
    text = (root / "examples" / name / "fabric.yaml").read_text()
    for old, new in changes:
        assert old in text, f"{name} does not say {old!r} any more"
        text = text.replace(old, new)
    return text


def small_tree(document):
    """The example of the fat tree with 2 leaves and 3 hosts at each: 648 simulated hosts take minutes and show no more."""
    for before, after in (("c[1-2][02-18]", "c[1-2][02-03]"), ("  c[3-36][01-18]: {profiles: [host]}\n", ""),
                          ("leaf[1-36]", "leaf[1-2]"), ("spine[1-18]: {platform: unmanaged, node_guid: \"0x0002c902004110[01-18]\"}",
                           "spine[1-3]: {platform: unmanaged, node_guid: \"0x0002c902004110[01-03]\"}"),
                          ("l: 1-36}, ends: [\"c{l}[01-18]/1\", \"leaf{l}/[1-18]\"]", "l: 1-2}, ends: [\"c{l}[01-03]/1\", \"leaf{l}/[1-3]\"]"),
                          ("l: 1-36}, ends: [\"leaf{l}/[19-36]\", \"spine[1-18]/{l}\"]", "l: 1-2}, ends: [\"leaf{l}/[4-6]\", \"spine[1-3]/{l}\"]"),
                          ("roots: [\"spine[1-18]\"]", "roots: [\"spine[1-3]\"]"), ("max_unavailable: 18", "max_unavailable: 3")):
        assert before in document, before
        document = document.replace(before, after)
    return document
