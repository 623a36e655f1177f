// SPDX-License-Identifier: Apache-2.0
// /etc/hosts: the management address of each node, and the addresses of its networks as
// NODE-NETWORK, or NODE-NETWORK-ADAPTER-PORT where the node has several there.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

namespace {

struct Named {
  IpAddress address;
  std::string port;  // "cx5-1"
};

void add_network(
    const FabricSpec& spec, const std::string& network, const IpSpec& ip, std::string& text) {
  std::map<NodeName, std::vector<Named>> nodes;
  for (const auto& [port, addresses] : ip.addresses) {
    const NodeSpec* node = spec.find_node(port.node.str());
    if (node == nullptr || !is_exported(*node)) continue;
    std::vector<Named>& known = nodes[port.node];
    for (const Sourced<IpAddress>& address : addresses) {
      // The slaves of a bond share one.
      const bool again = std::ranges::any_of(
          known, [&](const Named& each) { return each.address.str() == address.value.str(); });
      const std::string own =
          port.adapter.empty() ? port.port : fmt::format("{}-{}", port.adapter, port.port);
      if (!again) known.push_back({address.value, own});
    }
  }
  for (const auto& [node, addresses] : nodes) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      std::string name = fmt::format("{}-{}", node.str(), network);
      if (addresses.size() > 1) {
        const std::string full = fmt::format("{}-{}", name, addresses[i].port);
        name = i == 0 ? full + " " + name : full;
      }
      text += fmt::format("{}\t{}\n", addresses[i].address.str(), name);
    }
  }
}

}  // namespace

Result<std::string> hosts_file(const FabricSpec& spec) {
  std::string text = "# written by fabric export hosts\n";
  for (const auto& [name, node] : spec.nodes) {
    const Result<IpAddress> address = IpAddress::parse(node.address.value);
    if (is_exported(node) && address) text += fmt::format("{}\t{}\n", address->str(), name.str());
  }
  for (const auto& [name, network] : spec.networks) {
    add_network(spec, name, network.ipv4, text);
    add_network(spec, name, network.ipv6, text);
    for (const VlanSpec& vlan : network.vlans)
      add_network(spec, fmt::format("{}-{}", name, vlan.name), vlan.ipv4, text);
    if (network.ipoib) add_network(spec, name, network.ipoib->ipv4, text);
  }
  return text;
}

}  // namespace fabric::report
