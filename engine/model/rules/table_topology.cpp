// The rules about nodes, ports, cables, addresses and modes.
#include <iterator>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleStage kDocument = RuleStage::document;

constexpr RuleInfo kRules[] = {
    {"port-reused",
     kError,
     kDocument,
     "Two cables can't be plugged into one port.",
     "docs/document.md, `networks.NETWORK.cables`",
     "Correct one of the two cables that the message shows."},
    {"port-two-networks",
     kError,
     kDocument,
     "A port is in one network: its link type, MTU and address can be only one.",
     "docs/document.md, `networks`",
     "Take the port out of one of the two networks. Several IP networks over one port are "
     "`vlans`."},
    {"cable-ends-disagree",
     kError,
     kDocument,
     "The two ends of a cable must be able to run the same link type at the same speed, and at "
     "the speed that the document asks for.",
     "docs/hardware.md; IEEE 802.3 and InfiniBand Architecture 1.3 define different link layers",
     "Correct the models, the declared speed, or the cable."},
    {"cable-loopback",
     kWarning,
     kDocument,
     "A cable with both ends in one node carries nothing between nodes; most often one end is a "
     "typing error.",
     "ibdiagnet and cable validation tools report it as a class of its own",
     "Correct one end."},
    {"address-conflict",
     kError,
     kDocument,
     "Two ports, or two nodes, answer to one address: traffic reaches either by chance, and one "
     "node would be configured twice.",
     "RFC 5227, address conflict detection",
     "Give each its own address, or each node its own `host` number."},
    {"address-outside-subnet",
     kError,
     kDocument,
     "An address, gateway or next hop that is not in its subnet can't be reached over the port.",
     "RFC 950, subnetting procedure",
     "Correct the address or widen the subnet."},
    {"default-route-twice",
     kWarning,
     kDocument,
     "A node has one default route that counts. One that gets two of them uses either, by metric, "
     "by order, or after the next boot by chance; ifupdown does not bring the second interface up.",
     "seen on Debian 12: ifupdown 0.8.41 'RTNETLINK answers: File exists', systemd-networkd 252 "
     "and netplan leave two of one metric",
     "Keep one `gateway` of a node, and name in `routes` what is reached over the others."},
    {"subnet-overlap",
     kError,
     kDocument,
     "With overlapping subnets on different ports the kernel sends to one of them, whichever "
     "route came first.",
     "RFC 1812, 5.2.4.3",
     "Give every network and VLAN a subnet of its own."},
    {"subnet-split",
     kWarning,
     kDocument,
     "Two ports of a node are in one subnet on wires that nothing joins. The kernel has one "
     "route "
     "to the subnet, so what comes in by the other port is answered by the first and lost.",
     "Linux Documentation/networking/ip-sysctl.rst, arp_ignore and rp_filter; seen between two "
     "Debian 12 machines (tests/vm): half of the paths fail",
     "Give each wire a network and subnet of its own, or make a bond of the ports."},
    {"mgmt-path-touched",
     kWarning,
     kDocument,
     "The address over which a node is reached lies in a network that this document configures. "
     "A change there, or a reboot in a chain, cuts the session that makes it. A plan says the same "
     "of "
     "work on what the session comes in by, and of a gateway, a route or a subnet that takes the "
     "way "
     "back to where it comes from.",
     "University of Waterloo, CF/HostChaining (a host that does not run does not forward); "
     "Mellanox/network-operator issues 1515, 2176 and 2258 (management lost)",
     "Reach the node over another network. `apply` refuses to touch the path without "
     "--allow-mgmt-path."},
    {"ssh-via-cycle",
     kError,
     kDocument,
     "A node is reached through another one that is reached through the first.",
     "docs/document.md, `nodes.NODE.ssh.via`",
     "Let one of the nodes in the message be reached directly."},
    {"key-not-on-platform",
     kError,
     kDocument,
     "The key has no meaning on this platform: adapters are in hosts, MLAG is between switches.",
     "docs/document.md, `nodes.NODE.platform`",
     "Remove the key or correct `platform`."},
    {"mlag-peer-mismatch",
     kError,
     kDocument,
     "MLAG is a pair: each switch names the other and both the same domain.",
     "NVIDIA Onyx user manual, MLAG",
     "Let both switches name each other and one domain."},
    {"bundle-order",
     kError,
     kDocument,
     "The ESX bundles depend on each other and refuse to install in another order.",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.2 "
     "(mlx4_en, then ib_basic, then ib_ulp)",
     "List mlx4_en before ib_basic before ib_ulp."},
    {"key-not-in-mode",
     kError,
     kDocument,
     "Every mode has its own keys; one of another mode would be ignored.",
     "docs/document.md, `networks.NETWORK.mode`",
     "Remove the key, or choose the mode that has it."},
    {"vlan-id-reused",
     kError,
     kDocument,
     "Two VLANs of one network have one ID: they would be the same VLAN with two names.",
     "IEEE 802.1Q, 9.6",
     "Give each its own ID."},
};

}  // namespace

std::vector<RuleInfo> topology_rules() {
  return {std::begin(kRules), std::end(kRules)};
}

}  // namespace fabric::rules
