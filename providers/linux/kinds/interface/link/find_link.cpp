// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link/find_link.hpp"

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/cards/find_card.hpp"

namespace fabric::providers {

namespace {

constexpr std::size_t kLongestName = 15;  // IFNAMSIZ less its zero byte

std::string text(const Map& binding, std::string_view key) {
  const auto found = binding.find(key);
  const std::string* value = found == binding.end() ? nullptr : found->second.as_string();
  return value == nullptr ? std::string{} : *value;
}

std::int64_t integer(const Map& binding, std::string_view key) {
  const auto found = binding.find(key);
  const std::int64_t* value = found == binding.end() ? nullptr : found->second.as_integer();
  return value == nullptr ? 0 : *value;
}

bool has_interface(const AdapterPort& port, bool infiniband) {
  return !port.netdev.empty() && port.netdev_is_ethernet != infiniband;
}

// A name from the document applies from the next boot on; otherwise the present name, if it is that
// of an interface of the wanted type (the other one goes away with the link type).
std::string port_name(const Map& binding, const AdapterPort& port, bool infiniband) {
  std::string name = text(binding, keys::kName);
  if (name.empty() && has_interface(port, infiniband)) name = port.netdev;
  return name;
}

struct BoundPort {
  FoundPort found;
  std::string name, device;
};

BoundPort bound_port(const Map& binding, const std::vector<Card>& cards, bool infiniband) {
  BoundPort bound{find_port(cards, binding), {}, {}};
  if (bound.found.port == nullptr) return bound;
  bound.name = port_name(binding, *bound.found.port, infiniband);
  if (has_interface(*bound.found.port, infiniband)) bound.device = bound.found.port->netdev;
  return bound;
}

void find_slaves(FoundLink& link, const Map& binding, const std::vector<Card>& cards) {
  const bool infiniband = text(binding, keys::kLinkType) == "infiniband";
  for (const Value& each : value_at(binding, keys::kSlaves).items()) {
    const Map* slave = each.as_map();
    if (slave == nullptr) continue;
    const BoundPort bound = bound_port(*slave, cards, infiniband);
    if (bound.found.port == nullptr) {
      link.why = bound.found.why;
      return;
    }
    link.target.slaves.push_back(
        {fmt::format("{}.{}", text(*slave, keys::kAdapter), integer(*slave, keys::kPort)),
         bound.name,
         bound.found.card,
         bound.found.port});
    if (link.port == nullptr) link.port = bound.found.port;
  }
  if (link.port == nullptr) link.why = "the resource names no slave";
}

void find_as_port(FoundLink& link, const Map& binding, const std::vector<Card>& cards) {
  link.target.infiniband = text(binding, keys::kLinkType) == "infiniband";
  const BoundPort bound = bound_port(binding, cards, link.target.infiniband);
  link.why = bound.found.why;
  link.target.card = bound.found.card;
  link.target.port = link.port = bound.found.port;
  link.target.name = bound.name;
  link.target.bond = text(binding, keys::kBond);
  link.target.is_named = !text(binding, keys::kName).empty();
  link.device = bound.device;
}

void find_as_vlan(FoundLink& link, const Map& binding, const std::vector<Card>& cards) {
  LinkTarget& target = link.target;
  target.parent_kind = text(binding, keys::kParentKind);
  target.parent_resource = text(binding, keys::kParent);
  if (target.parent_kind == kinds::kBond) {
    find_slaves(link, binding, cards);
    target.slaves.clear();
    target.parent = text(binding, keys::kBond);
  } else {
    const BoundPort bound = bound_port(binding, cards, false);
    link.why = bound.found.why;
    link.port = bound.found.port;
    target.parent = bound.name;
  }
}

void find_as_child(FoundLink& link, const Map& binding, const std::vector<Card>& cards) {
  LinkTarget& target = link.target;
  const BoundPort bound = bound_port(binding, cards, true);
  link.why = bound.found.why;
  link.port = bound.found.port;
  target.infiniband = true;
  target.parent_kind = "interface";
  target.parent_resource =
      fmt::format("{}.{}", text(binding, keys::kAdapter), integer(binding, keys::kPort));
  target.parent = bound.name;
}

}  // namespace

std::string name_above(const Resource& resource, const std::string& parent) {
  const Map& binding = resource.binding;
  if (resource.address.kind == kinds::kVlan)
    return fmt::format("{}.{}", parent, integer(binding, keys::kId));
  // The only one that NetworkManager accepts.
  return fmt::format("{}.{:04x}", parent, integer(binding, keys::kPkey) | kFullMember);
}

FoundLink find_link(
    const Resource& resource, const std::vector<Card>& cards, const RunningLinks& links) {
  FoundLink link{
      LinkTarget{.address = resource.address, .marker = owned_marker(resource)}, {}, nullptr, {}};
  LinkTarget& target = link.target;
  const std::string& kind = resource.address.kind;
  if (kind == kinds::kBond) {
    target.kind = LinkKind::bond;
    target.name = text(resource.binding, keys::kBond);
    target.infiniband = text(resource.binding, keys::kLinkType) == "infiniband";
    find_slaves(link, resource.binding, cards);
  } else if (kind == kinds::kVlan) {
    target.kind = LinkKind::vlan;
    find_as_vlan(link, resource.binding, cards);
    if (!target.parent.empty()) target.name = name_above(resource, target.parent);
  } else if (kind == kinds::kIpoib) {
    target.kind = LinkKind::ipoib_child;
    find_as_child(link, resource.binding, cards);
    if (!target.parent.empty()) target.name = name_above(resource, target.parent);
  } else {
    find_as_port(link, resource.binding, cards);
  }
  if (target.kind != LinkKind::port && links.exists(target.name)) link.device = target.name;
  link.takes_name = target.kind == LinkKind::port && !link.device.empty() &&
                    link.device != target.name && links.exists(target.name);
  const bool other = !link.device.empty() && target.kind == LinkKind::bond &&
                     links.file(link.device, "bonding/mode").empty();
  if (link.why.empty() && other)
    link.why = fmt::format("the node has a {} that is no bond", link.device);
  const std::string master = links.master(link.device);
  if (target.kind != LinkKind::port && links.file(master, "bonding/mode").empty())
    target.bridge = master;
  if (link.why.empty() && target.name.size() > kLongestName) {
    link.why = fmt::format(
        "the interface would be called {}, which is longer than {} characters",
        target.name,
        kLongestName);
  }
  return link;
}

}  // namespace fabric::providers
