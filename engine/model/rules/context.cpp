// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rules/context.hpp"

#include <algorithm>
#include <array>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"

namespace fabric::rules {

namespace {

struct NamedValue {
  std::string_view parameter;  // a prefix: LINK_TYPE_P1 and _P2 share their names
  std::string_view name;
  std::int64_t value;
};

// The names that mlxconfig prints for the parameters that rules look at.
constexpr std::array<NamedValue, 12> kNames{{
    {"LINK_TYPE", "ib", 1},
    {"LINK_TYPE", "infiniband", 1},
    {"LINK_TYPE", "eth", 2},
    {"LINK_TYPE", "ethernet", 2},
    {"LINK_TYPE", "vpi", 3},
    {"HOST_CHAINING_MODE", "disabled", 0},
    {"HOST_CHAINING_MODE", "basic", 1},
    {"", "true", 1},
    {"", "yes", 1},
    {"", "false", 0},
    {"", "no", 0},
    {"", "enabled", 1},
}};

}  // namespace

Context::Context(const FabricSpec& spec) : spec_{&spec} {
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      ports_[cable.a.value].push_back({&network, &cable, cable.a.range});
      ports_[cable.b.value].push_back({&network, &cable, cable.b.range});
    }
    for (const Sourced<PortRef>& port : network.ports) {
      // A node set lists its ports in order.
      ports_.try_emplace(ports_.end(), port.value)
          ->second.push_back({&network, nullptr, port.range});
    }
    members_.emplace(name, std::vector<PortRef>{});
  }
  for (const auto& [port, uses] : ports_) {
    for (const PortUse& use : uses) {
      std::vector<PortRef>& members = members_.find(use.network->name)->second;
      if (members.empty() || members.back() != port) members.push_back(port);
    }
  }
  collect_adapters();
}

// The ports of one adapter, and the adapters of one node, stand next to each other in the map.
void Context::collect_adapters() {
  const NodeSpec* owner = nullptr;
  for (const auto& [port, uses] : ports_) {
    if (port.adapter.empty()) continue;
    if (owner == nullptr || owner->name != port.node) owner = node(port);
    const AdapterSpec* used = owner == nullptr ? nullptr : owner->find_adapter(port.adapter);
    if (used == nullptr) continue;
    // Nodes of one set share their adapters.
    if (adapters_.empty() || adapters_.back().adapter != used || adapters_.back().node != owner)
      adapters_.push_back({owner, used, {}});
    adapters_.back().ports.emplace(port.number(), uses.front());
  }
}

const std::vector<PortRef>& Context::members(const NetworkSpec& network) const {
  const auto found = members_.find(network.name);
  FABRIC_CHECK(found != members_.end(), "a rule asks for a network of another document");
  return found->second;
}

const PortUse& Context::use(const NetworkSpec& network, const PortRef& port) const {
  const auto found = ports_.find(port);
  FABRIC_CHECK(found != ports_.end(), "a rule asks for a port that no network names");
  for (const PortUse& use : found->second) {
    if (use.network == &network) return use;
  }
  return found->second.front();
}

const NodeSpec* Context::node(const PortRef& port) const {
  const auto found = spec_->nodes.find(port.node);
  return found == spec_->nodes.end() ? nullptr : &found->second;
}

const AdapterSpec* Context::adapter(const PortRef& port) const {
  const NodeSpec* owner = node(port);
  return owner == nullptr || port.adapter.empty() ? nullptr : owner->find_adapter(port.adapter);
}

bool is_esx(Platform platform) {
  return traits(platform).maintenance_mode;
}

const WrittenKey* find_written(const WrittenKeys& keys, std::string_view key) {
  const auto found = std::find_if(
      keys.begin(), keys.end(), [key](const WrittenKey& each) { return each.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

bool has_unread_managers(const NetworkSpec& network) {
  return network.subnet_managers.empty() &&
         find_written(*network.written, "networks.*.subnet_managers") != nullptr;
}

std::string describe(const CableSpec& cable) {
  return cable.a.value.str() + " to " + cable.b.value.str();
}

std::optional<std::int64_t> parameter_number(std::string_view name, std::string_view value) {
  // "ETH(2)" as the tool prints it: the number in parentheses is the truth.
  const std::size_t open = value.find('(');
  if (open != std::string_view::npos && value.ends_with(')')) {
    return parse_integer(value.substr(open + 1, value.size() - open - 2));
  }
  if (const auto number = parse_integer(value)) return number;
  if (value.starts_with("0x") || value.starts_with("0X")) {
    const auto number = parse_unsigned(value.substr(2), 16);
    if (number && *number <= 0xffffffff) return static_cast<std::int64_t>(*number);
  }
  const std::string lower = to_lower(value);
  for (const NamedValue& known : kNames) {
    if (known.name == lower && name.starts_with(known.parameter)) return known.value;
  }
  return std::nullopt;
}

}  // namespace fabric::rules
