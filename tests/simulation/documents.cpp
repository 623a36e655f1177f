// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/documents.hpp"

#include <fmt/format.h>

namespace fabric::simulation {

std::string document_of(const Shape& shape, Random& random) {
  const std::string set = fmt::format("n[1-{}]", shape.nodes);
  const bool names = shape.ifupdown || random.chance(30);
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"{0}\":\n"
      "    adapters:\n"
      "      cx5:\n"
      "        model: connectx-5-vpi\n"
      "{1}"
      "networks:\n"
      "  storage:\n"
      "    mode: chain\n"
      "    mtu: {2}\n"
      "    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    cables: [{{ring: [\"{0}\"]}}]\n"
      "rollout: {{max_unavailable: {3}, max_failures: {4}}}\n",
      set,
      names ? "        names: {1: eth40a, 2: eth40b}\n" : "",
      pick(random, std::array{1500, 8000, 9000}),
      random.chance(60) ? 1 : 2 + random.below(2),
      random.chance(70) ? 0 : 1);
}

// Nothing of the ring's draws is used, so that the seeds of rings keep their stories.
std::string pair_document(const Shape& shape, Random& random) {
  constexpr std::array kPolicies{
      "active-backup", "balance-xor", "802.3ad", "balance-rr", "balance-tlb", "broadcast"};
  const std::string policy = pick(random, kPolicies);
  const bool vlan = random.chance(40);
  const std::string mtu = fmt::format("{}", pick(random, std::array{1500, 4200, 9000}));
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"n[1-2]\":\n"
      "    adapters:\n"
      "      cx5:\n"
      "        model: connectx-5-vpi\n"
      "{0}"
      "networks:\n"
      "  direct:\n"
      "    mode: lag\n"
      "    mtu: {1}\n"
      "    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    lag: {{bond: bond0, policy: {2}{3}{4}}}\n"
      "{5}"
      "    cables: [[n1/1, n2/1], [n1/2, n2/2]]\n"
      "rollout: {{max_unavailable: {6}, max_failures: {7}}}\n",
      shape.ifupdown || random.chance(30) ? "        names: {1: eth40a, 2: eth40b}\n" : "",
      mtu,
      policy,
      random.chance(40) ? ", miimon: 50, updelay: 100" : "",
      policy == "802.3ad" ? ", lacp_rate: fast" : "",
      vlan ? "    vlans: {backup: {id: 100, ipv4: {subnet: 10.40.0.0/24}}}\n" : "",
      1 + random.below(2),
      random.chance(70) ? 0 : 1);
}

// Plain Ethernet at a switch that nobody logs in to; often by racks.
std::string star_document(const Shape& shape, Random& random) {
  const bool racks = random.chance(60);
  const std::uint64_t count = 1 + random.below(3);  // of racks
  std::string text = "apiVersion: fabric/v1\nname: simulated\nnodes:\n";
  for (std::uint64_t node = 1; node <= shape.nodes; ++node) {
    text += fmt::format(
        "  n{}: {{labels: {{rack: r{}}}, adapters: {{cx5: {{model: connectx-5-vpi{}}}}}}}\n",
        node,
        1 + node % count,
        shape.ifupdown ? ", names: {1: eth40a, 2: eth40b}" : "");
  }
  return text + fmt::format(
                    "  leaf: {{platform: unmanaged}}\n"
                    "networks:\n"
                    "  lan:\n"
                    "    mode: ethernet\n"
                    "    mtu: {0}\n"
                    "    ipv4: {{subnet: 10.30.0.0/24}}\n"
                    "    cables: [[\"n[1-{1}]/1\", \"leaf/[1-{1}]\"]]\n"
                    "rollout: {{max_unavailable: {2}, max_failures: {3}{4}}}\n",
                    pick(random, std::array{1500, 4200, 9000}),
                    shape.nodes,
                    1 + random.below(2),
                    random.chance(70) ? 0 : 1,
                    racks ? ", per: rack" : "");
}

// Two hosts back to back, a subnet manager on one or both, IPoIB or none.
std::string subnet_document(const Shape& shape, Random& random) {
  const bool both = random.chance(75);
  const std::string ipoib =
      shape.old_card ? "    ipoib: {mode: connected, mtu: 65520, ipv4: {subnet: 10.30.0.0/24}}\n"
      : random.chance(60) ? "    ipoib: {mode: datagram, mtu: 4092, ipv4: {subnet: 10.30.0.0/24}}\n"
                          : "";
  return fmt::format(
      "apiVersion: fabric/v1\n"
      "name: simulated\n"
      "nodes:\n"
      "  \"n[1-2]\": {{packages: [opensm, infiniband-diags], adapters: {{hca: {{model: {}}}}}}}\n"
      "networks:\n"
      "  direct:\n"
      "    mode: infiniband\n"
      "    mtu: 4096\n"
      "    cables: [[n1/1, n2/1]]\n"
      "    subnet_managers: [{{node: n1, priority: 10}}{}]\n"
      "{}"
      "rollout: {{max_unavailable: {}, max_failures: {}}}\n",
      shape.old_card ? "connectx-3" : "connectx-5-vpi",
      both ? ", {node: n2, priority: 5}" : "",
      ipoib,
      1 + random.below(2),
      random.chance(70) ? 0 : 1);
}

// Virtual functions and options of the driver; or a card that only the recovery mode shows, whose
// parameters are for a plan of their own.
std::string esxi_document(const Shape& shape, Random& random) {
  const std::string set = fmt::format("[1-{}]", shape.nodes);
  std::string text = fmt::format(
      "apiVersion: fabric/v1\nname: simulated\nnodes:\n  \"n{}\":\n    platform: esxi\n", set);
  if (random.chance(60)) text += "    modules: {nmlx5_core: {pfctx: \"0x08\"}}\n";
  text += fmt::format(
      "    adapters: {{cx7: {{model: connectx-7, ports: 1, {}}}}}\n",
      shape.hidden_card ? std::string{"firmware: {recovery_mode: true}"}
                        : fmt::format("sriov: {{vfs: {}}}", pick(random, std::array{4, 15})));
  if (!shape.hidden_card) {
    text += fmt::format(
        "  ibsw: {{platform: unmanaged}}\n"
        "networks:\n"
        "  ndr:\n"
        "    mode: infiniband\n"
        "    cables: [[\"n{0}/1\", \"ibsw/1/{0}\"]]\n"
        "    subnet_manager: {{external: true}}\n",
        set);
  }
  return text + fmt::format(
                    "rollout: {{max_unavailable: {}, max_failures: {}}}\n",
                    1 + random.below(2),
                    random.chance(70) ? 0 : 1);
}

// Bonds of one policy at one switch, or at a pair of them.
std::string leaf_document(const Shape& shape, Random& random, Random& onyx) {
  const bool cumulus = random.chance(60);
  const bool pair = cumulus ? random.chance(35) : onyx.chance(50);
  const std::string links = cumulus ? "[swp49, swp50]" : "[\"1/31\", \"1/32\"], vip: 192.0.2.82/24";
  const std::string policy =
      pick(random, std::array<std::string, 3>{"active-backup", "balance-xor", "802.3ad"});
  const std::string channel = policy == "802.3ad"       ? ", port_channel: lacp"
                              : policy == "balance-xor" ? ", port_channel: static"
                                                        : "";
  const std::string port = cumulus ? "swp" : "1/";
  std::string text = fmt::format(
      "apiVersion: fabric/v1\nname: simulated\nnodes:\n"
      "  \"n[1-{}]\": {{network_backend: networkd, adapters: {{cx5: {{model: connectx-5-en}}}}}}\n",
      shape.nodes);
  for (int leaf = 1; leaf <= (pair ? 2 : 1); ++leaf) {
    text += fmt::format(
        "  leaf{}: {{platform: {}{}}}\n",
        leaf,
        cumulus ? "cumulus" : "mlnx-os",
        pair ? fmt::format(", mlag: {{domain: rack, peer: leaf{}, ipl: {}}}", 3 - leaf, links)
             : "");
  }
  text += fmt::format(
      "networks:\n  storage:\n    mode: lag\n    mtu: {}\n    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    lag: {{bond: bond0, policy: {}{}}}\n",
      pick(random, std::array{1500, 4200, 9000}),
      policy,
      channel);
  if (random.chance(40)) text += "    vlans: {backup: {id: 100, ipv4: {subnet: 10.40.0.0/24}}}\n";
  return text + fmt::format(
                    "    cables: [[\"n[1-{0}]/1\", \"leaf1/{1}[1-{0}]\"], [\"n[1-{0}]/2\", "
                    "\"{2}/{1}[{3}-{4}]\"]]\n"
                    "rollout: {{max_unavailable: {5}, max_failures: {6}}}\n",
                    shape.nodes,
                    port,
                    pair ? "leaf2" : "leaf1",
                    shape.nodes + 1,
                    2 * shape.nodes,
                    1 + random.below(2),
                    random.chance(70) ? 0 : 1);
}

}  // namespace fabric::simulation
