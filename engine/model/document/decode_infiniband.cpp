// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

std::vector<SubnetManagerPlacement> decode_subnet_managers(const Layers& network) {
  std::vector<SubnetManagerPlacement> placements;
  const Layer list = network.value("subnet_managers");
  if (!list) return placements;
  for (const yaml::Node& item : list.node->items) {
    const Layers manager{item};
    SubnetManagerPlacement placement;
    placement.range = item.range;
    placement.node = read_text(manager, "node");
    if (placement.node.value.empty()) continue;
    placement.port = read_text(manager, "port");
    placement.priority =
        find_integer(manager, "priority").value_or(Sourced<std::int64_t>{0, item.range});
    placements.push_back(std::move(placement));
  }
  return placements;
}

std::optional<SubnetManagerSpec> decode_subnet_manager(const Layers& network, Findings& findings) {
  const Layers manager = network.section("subnet_manager");
  if (manager.empty()) return std::nullopt;
  SubnetManagerSpec spec;
  spec.range = manager.all().back().node->range;
  spec.routing_engine = read_text(manager, "routing_engine");
  spec.subnet_prefix = read_text(manager, "subnet_prefix");
  spec.guid = read_text(manager, "guid");
  spec.virtualization = read_flag(manager, "virtualization");
  spec.external = read_flag(manager, "external");
  spec.roots = read_names(manager, "roots", findings);
  spec.io = read_names(manager, "io", findings);
  spec.options = read_text_map(manager.section("options"));
  return spec;
}

namespace {

// An integer, or hex or decimal text.
Sourced<std::int64_t> read_pkey(const Layers& partition, Findings& findings) {
  const auto integer = find_integer(partition, "pkey");
  if (integer) return *integer;
  const Sourced<std::string> text = read_text(partition, "pkey");
  if (text.value.empty()) return {PartitionSpec::kUnreadable, text.range};
  const std::string lower = to_lower(text.value);
  const bool is_hex = lower.starts_with("0x");
  const auto number =
      is_hex ? parse_unsigned(std::string_view{lower}.substr(2), 16) : parse_unsigned(lower, 10);
  constexpr std::uint64_t kMost = 0xffff'ffff;
  if (number && *number <= kMost) return {static_cast<std::int64_t>(*number), text.range};
  findings.error("pkey-invalid", text.range, fmt::format("'{}' is not a P_Key", text.value))
      .with_help("write a number, such as 1 or \"0x8001\"");
  return {PartitionSpec::kUnreadable, text.range};
}

std::vector<PartitionMember> read_members(const Layers& partition, Findings& findings) {
  std::vector<PartitionMember> members;
  const Layer list = partition.value("members");
  if (!list) return members;
  for (const NodeKey& key : read_node_keys(*list.node, findings)) {
    const yaml::Node& value = key.entry->value;
    if (!value.is_scalar() || (value.text != "full" && value.text != "limited")) continue;
    if (!findings.may_expand(key.members.size(), key.entry->key_range)) break;
    for (std::size_t i = 0; i < key.members.size(); ++i) {
      members.push_back(
          {key.members.at(i), key.entry->key_range, {value.text == "full", value.range}});
    }
  }
  return members;
}

}  // namespace

std::vector<PartitionSpec> decode_partitions(const Layers& network, Findings& findings) {
  std::vector<PartitionSpec> partitions;
  const Layer list = network.value("partitions");
  if (!list) return partitions;
  for (const yaml::Entry& entry : list.node->entries) {
    const Layers partition{entry.value};
    if (!partition.value("pkey")) continue;  // `missing-key`, reported
    PartitionSpec spec;
    spec.name = entry.key;
    spec.range = entry.key_range;
    spec.pkey = read_pkey(partition, findings);
    spec.ipoib = read_flag(partition, "ipoib");
    spec.mtu = read_number(partition, "mtu");
    spec.members = read_members(partition, findings);
    partitions.push_back(std::move(spec));
  }
  return partitions;
}

}  // namespace fabric
