// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/explained_pair.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/topology/isolation.hpp"

namespace fabric::report {

namespace {

void add_addresses(const IpSpec& ip, const NodeName& node, std::vector<std::string>& texts) {
  for (const auto& [port, addresses] : ip.addresses) {
    if (port.node != node) continue;
    for (const Sourced<IpAddress>& each : addresses)
      texts.push_back(each.value.str());
  }
}

// True if the network itself, without a VLAN, carries IP.
bool is_of_network(const NetworkSpec& network, const CommonPlace& place) {
  if (!place.vlan.empty()) return false;
  return std::all_of(
      network.partitions.begin(), network.partitions.end(), [&](const PartitionSpec& each) {
        return each.name != place.partition || is_default(each);
      });
}

// "10.0.0.1, fd00::1"; "no address".
std::string addresses_of(
    const NetworkSpec& network, const CommonPlace& place, const NodeName& node) {
  std::vector<std::string> texts;
  if (is_of_network(network, place)) {
    add_addresses(network.ipv4, node, texts);
    add_addresses(network.ipv6, node, texts);
    if (network.ipoib) add_addresses(network.ipoib->ipv4, node, texts);
  }
  for (const VlanSpec& vlan : network.vlans) {
    const bool is_here = place.partition.empty() ? !place.vlan.empty() && vlan.name == place.vlan
                                                 : vlan.partition.value == place.partition;
    if (is_here) add_addresses(vlan.ipv4, node, texts);
  }
  return texts.empty() ? "no address" : join(texts, ", ");
}

SourceRange place_of(const NetworkSpec& network, const CommonPlace& place) {
  for (const VlanSpec& vlan : network.vlans) {
    if (!place.vlan.empty() && vlan.name == place.vlan) return vlan.range;
  }
  for (const PartitionSpec& partition : network.partitions) {
    if (!place.partition.empty() && partition.name == place.partition) return partition.range;
  }
  return network.range;
}

std::string membership(bool full) {
  return full ? "full" : "limited";
}

}  // namespace

std::vector<Provenance> explained_pair(
    const FabricSpec& spec, const NodeName& one, const NodeName& other) {
  std::vector<Provenance> rows;
  const std::string pair = fmt::format("{} - {}", one.str(), other.str());
  for (const CommonPlace& place : Isolation{spec}.common(one, other)) {
    const NetworkSpec& network = spec.networks.at(place.network);
    const std::string memberships =
        network.mode.value != Mode::infiniband
            ? std::string{}
            : fmt::format(
                  "{} and {} member; ", membership(place.one_full), membership(place.other_full));
    rows.push_back(
        {fmt::format("{}, {}", pair, place.words),
         place.talk() ? fmt::format(
                            "{} - {}",
                            addresses_of(network, place, one),
                            addresses_of(network, place, other))
                      : "they do not talk",
         fmt::format("{}network {}", memberships, network.name),
         place_of(network, place)});
  }
  if (rows.empty()) {
    rows.push_back(
        {pair,
         "they do not talk",
         "they have no network, VLAN or partition in common; a host that is in networks of both "
         "and "
         "forwards would join them",
         {}});
  }
  return rows;
}

}  // namespace fabric::report
