// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/shared_bonds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric {

std::string pair_mac(std::string_view of, Platform platform) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : of)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  const std::string_view range = traits(platform).pair_mac;
  constexpr std::size_t kAllButOne = std::string_view{"00:00:5e:00:01"}.size();
  if (range.size() == kAllButOne) return fmt::format("{}:{:02x}", range, hash & 0xffU);
  return fmt::format("{}:{:02x}:{:02x}", range, (hash >> 8U) & 0xffU, hash & 0xffU);
}

std::int64_t channel_number(std::string_view written) {
  constexpr std::int64_t kParts = 1000;  // split ports come behind all that are not
  const auto port = SwitchPort::parse(written);
  if (!port) return 1;
  if (port->form == SwitchPort::Form::split)
    return kParts + port->numbers[0] * 8 + port->numbers[1];
  // "1/7/2": cages have four parts at most, and ids end at 1000 (E-onyx-mlag).
  constexpr std::int64_t kBehindWhole = 128, kPartsOfCage = 4;
  const std::vector<std::int64_t>& numbers = port->numbers;
  return numbers.size() < 3 ? numbers.back()
                            : kBehindWhole + (numbers[1] - 1) * kPartsOfCage + numbers[2];
}

namespace {

// The number of the bond's lowest port at the first switch by name: no other bond has it there.
std::int64_t number_of(const SharedBond& bond) {
  return channel_number(bond.ports.begin()->second.front().port);
}

}  // namespace

std::optional<Sourced<std::int64_t>> written_segment(const NodeSpec& node, const SharedBond& bond) {
  for (const auto& [written, id] : node.mlag->segments) {
    const auto read = SwitchPort::parse(written);
    const std::string port =
        read ? as_called(*read, traits(node.platform.value).port_names, node.model.value).str()
             : written;
    const std::vector<PortRef>& ports = bond.ports.at(node.name);
    const bool is_there = std::any_of(
        ports.begin(), ports.end(), [&port](const PortRef& each) { return each.port == port; });
    const auto number = parse_integer(id.value);
    if (is_there && number) return Sourced<std::int64_t>{*number, id.range};
  }
  if (node.mlag->segment.value == 0) return std::nullopt;
  return Sourced<std::int64_t>{
      node.mlag->segment.value + number_of(bond) - 1, node.mlag->segment.range};
}

std::vector<SharedBond> shared_bonds(const FabricSpec& spec, const NetworkSpec& network) {
  const bool has_channels = network.mode.value == Mode::lag && network.lag &&
                            !switch_bond_mode(network.lag->policy.value).empty();
  if (!has_channels) return {};
  std::map<NodeName, std::map<NodeName, std::vector<PortRef>>> ends;
  for (const CableSpec& cable : network.cables) {
    for (const auto& [mine, other] :
         {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
      const auto node = spec.nodes.find(mine->node);
      if (node == spec.nodes.end() || other->adapter.empty()) continue;
      if (node->second.mlag && node->second.mlag->by_evpn())
        ends[other->node][mine->node].push_back(*mine);
    }
  }
  std::vector<SharedBond> bonds;
  for (auto& [host, ports] : ends) {
    if (ports.size() < 2) continue;
    SharedBond bond{host, std::move(ports), {}, {}};
    std::string names;
    for (auto& [name, of_switch] : bond.ports) {
      std::sort(of_switch.begin(), of_switch.end(), [](const PortRef& a, const PortRef& b) {
        return is_lower_port(a.port, b.port);
      });
      names += name.str() + " ";
    }
    const NodeSpec& first = spec.nodes.at(bond.ports.begin()->first);
    bond.mac = {pair_mac(names, first.platform.value), first.mlag->by.range};
    bond.id = {number_of(bond), first.mlag->by.range};
    // The first word by name counts; that all say the same is a rule's to judge.
    for (auto at = bond.ports.rbegin(); at != bond.ports.rend(); ++at) {
      const NodeSpec& node = spec.nodes.at(at->first);
      const Sourced<std::string>& mac = node.mlag->system_mac;
      if (!mac.value.empty()) bond.mac = {to_lower(mac.value), mac.range};
      if (auto id = written_segment(node, bond)) bond.id = *id;
    }
    bonds.push_back(std::move(bond));
  }
  return bonds;
}

std::set<std::pair<NodeName, NodeName>> paired_switches(const FabricSpec& spec) {
  std::set<std::pair<NodeName, NodeName>> pairs;
  bool by_evpn = false;
  for (const auto& [name, node] : spec.nodes) {
    by_evpn = by_evpn || (node.mlag && node.mlag->by_evpn());
    const NodeSpec* peer = node.mlag ? spec.find_node(node.mlag->peer.value) : nullptr;
    if (peer != nullptr && peer != &node) pairs.insert(std::minmax(name, peer->name));
  }
  if (!by_evpn) return pairs;
  for (const auto& [name, network] : spec.networks) {
    for (const SharedBond& bond : shared_bonds(spec, network)) {
      for (auto one = bond.ports.begin(); one != bond.ports.end(); ++one)
        for (auto other = std::next(one); other != bond.ports.end(); ++other)
          pairs.emplace(one->first, other->first);
    }
  }
  return pairs;
}

}  // namespace fabric
