// The rules about nodes, ports, cables, addresses and modes.
#include "engine/model/rules_detail.hpp"

namespace fabric::rules {

std::vector<RuleInfo> topology_rules() {
  constexpr Severity error = Severity::error;
  constexpr Severity warning = Severity::warning;
  constexpr RuleStage document = RuleStage::document;
  return {
      {"port-reused",
       error,
       document,
       "Two cables can't be plugged into one port.",
       "anchors-topology.md §4.1 (one undirected cable object, each port once)",
       "Correct one of the two cables that the message shows."},
      {"port-two-networks",
       error,
       document,
       "A port is in one network: its link type, MTU and address can be only one.",
       "contract §1; anchors-host.md R2",
       "Take the port out of one of the two networks. Several IP networks over one port are "
       "`vlans`."},
      {"cable-ends-disagree",
       error,
       document,
       "The two ends of a cable must be able to run the same link type at the same speed, and at "
       "the speed that the "
       "document asks for.",
       "anchors-host.md R2 (both ends are checked); schemas/hardware.json",
       "Correct the models, the declared speed, or the cable."},
      {"cable-loopback",
       warning,
       document,
       "A cable with both ends in one node carries nothing between nodes; most often one end is a "
       "typing error.",
       "anchors-topology.md §4.3 (verify class loopback)",
       "Correct one end."},
      {"address-conflict",
       error,
       document,
       "Two ports, or two nodes, answer to one address: traffic reaches either by chance, and one "
       "node would be "
       "configured twice.",
       "RFC 5227; facts.md §7b",
       "Give each its own address, or each node its own `host` number."},
      {"address-outside-subnet",
       error,
       document,
       "An address, gateway or next hop that is not in its subnet can't be reached over the port.",
       "RFC 950; contract §1",
       "Correct the address or widen the subnet."},
      {"subnet-overlap",
       error,
       document,
       "With overlapping subnets on different ports the kernel sends to one of them, whichever "
       "route came first.",
       "RFC 1812 §5.2.4.3; seed 003 (one subnet per fabric)",
       "Give every network and VLAN a subnet of its own."},
      {"mgmt-path-touched",
       warning,
       document,
       "The address over which a node is reached lies in a network that this document configures. "
       "A change there, or a "
       "reboot in a chain, cuts the session that makes it.",
       "anchors-host.md R15; facts.md T18 (never carry SSH over the ring)",
       "Reach the node over another network. `apply` refuses to touch the path without "
       "--allow-mgmt-path."},
      {"ssh-via-cycle",
       error,
       document,
       "A node is reached through another one that is reached through the first.",
       "contract §1, `via`",
       "Let one of the nodes in the message be reached directly."},
      {"key-not-on-platform",
       error,
       document,
       "The key has no meaning on this platform: adapters are in hosts, MLAG is between switches.",
       "contract §1, node keys",
       "Remove the key or correct `platform`."},
      {"mlag-peer-mismatch",
       error,
       document,
       "MLAG is a pair: each switch names the other and both the same domain.",
       "NVIDIA Onyx user manual, MLAG; contract §1",
       "Let both switches name each other and one domain."},
      {"bundle-order",
       error,
       document,
       "The ESX bundles depend on each other and refuse to install in another order.",
       "seed 001 §4.2 (mlx4_en, then ib_basic, then ib_ulp)",
       "List mlx4_en before ib_basic before ib_ulp."},
      {"key-not-in-mode",
       error,
       document,
       "Every mode has its own keys; one of another mode would be ignored.",
       "contract §1, network keys",
       "Remove the key, or choose the mode that has it."},
      {"vlan-id-reused",
       error,
       document,
       "Two VLANs of one network have one ID: they would be the same VLAN with two names.",
       "IEEE 802.1Q §9.6",
       "Give each its own ID."},
  };
}

}  // namespace fabric::rules
