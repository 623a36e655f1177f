// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/channel_mark.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/lag_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric {

namespace {

constexpr std::string_view kMark = "fabric:";

bool has_one_of(const Resource& bond, const std::vector<std::string>& ports) {
  const List& list = bond.bound_list(keys::kSwitchPorts);
  return std::any_of(list.begin(), list.end(), [&](const Value& port) {
    return std::find(ports.begin(), ports.end(), to_text(port)) != ports.end();
  });
}

}  // namespace

std::string channel_mark(const Resource& resource) {
  return std::string{kMark} + to_text(resource.binding.at(std::string{keys::kFabric}));
}

std::string_view made_by(std::string_view description) {
  const bool is_quoted =
      description.size() > 1 && description.front() == '"' && description.back() == '"';
  const std::string_view text =
      is_quoted ? description.substr(1, description.size() - 2) : description;
  return text.starts_with(kMark) ? text.substr(kMark.size()) : std::string_view{};
}

std::vector<Resource> left_channels(
    std::span<const Resource> wanted,
    const NodeName& node,
    const std::vector<MarkedChannel>& channels) {
  std::vector<Resource> left;
  for (const MarkedChannel& channel : channels) {
    const std::string_view document = made_by(channel.description);
    if (document.empty()) continue;
    std::string name =
        channel.ports.empty() ? channel.name : switch_bond_name(channel.ports.front());
    std::replace(name.begin(), name.end(), ' ', '-');
    Resource bond{{node, std::string{kinds::kBond}, std::move(name)}, {}, {}, {}, {}};
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const Resource& each) {
      return each.address == bond.address || has_one_of(each, channel.ports);
    });
    if (is_wanted) continue;
    bond.binding.emplace(keys::kSwitchPorts, to_list(channel.ports));
    bond.binding.emplace(keys::kBond, channel.name);
    bond.binding.emplace(keys::kFabric, std::string{document});
    for (const std::string& port : channel.ports)
      bond.beneath.push_back({node, std::string{kinds::kInterface}, port});
    bond.desired.emplace("members", DesiredAttribute{to_list(channel.ports), {}, {}});
    left.push_back(std::move(bond));
  }
  return left;
}

}  // namespace fabric
