// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

namespace {

constexpr std::uint32_t kUsualMiimon = 100;  // milliseconds

// The policies in the order of the kernel's numbers.
constexpr std::array<std::string_view, 7> kBondingModes{
    "balance-rr",
    "active-backup",
    "balance-xor",
    "broadcast",
    "802.3ad",
    "balance-tlb",
    "balance-alb"};

// Any text that is neither name nor number stays as written, for the rule to judge.
Sourced<std::string> read_policy(const Layers& lag) {
  Sourced<std::string> policy = read_text(lag, "policy");
  const auto number = parse_unsigned(policy.value, 10);
  if (number && *number < kBondingModes.size()) policy.value = kBondingModes[*number];
  return policy;
}

}  // namespace

std::optional<LagSpec> decode_ipoib_bond(const Layers& ipoib) {
  const Layers bond = ipoib.section("bond");
  if (bond.empty()) return std::nullopt;
  LagSpec spec;
  spec.range = bond.all().back().node->range;
  spec.bond = read_text(bond, "name");
  spec.policy = {std::string{kBondingModes[1]}, spec.range};
  spec.miimon = {kUsualMiimon, spec.range};
  spec.primary = read_text(bond, "primary");
  return spec;
}

std::optional<LagSpec> decode_lag(const Layers& network, const Sourced<Mode>& mode) {
  const Layers lag = network.section("lag");
  if (lag.empty() && mode.value != Mode::lag) return std::nullopt;
  LagSpec spec;
  spec.range = lag.empty() ? mode.range : lag.all().back().node->range;
  spec.bond = read_text(lag, "bond", "bond0");
  spec.policy = read_policy(lag);
  spec.miimon = read_number(lag, "miimon", kUsualMiimon);
  spec.updelay = find_number(lag, "updelay");
  spec.downdelay = find_number(lag, "downdelay");
  spec.min_links = find_number(lag, "min_links");
  spec.lacp_rate = read_text(lag, "lacp_rate");
  spec.hash_policy = read_text(lag, "hash_policy");
  spec.primary = read_text(lag, "primary");
  spec.ad_select = read_text(lag, "ad_select");
  spec.roce = find_flag(lag, "roce");
  spec.port_channel = read_text(lag, "port_channel");
  spec.made_by = read_text(lag, "made_by");
  return spec;
}

std::optional<QosSpec> decode_qos(const Layers& network) {
  constexpr std::uint32_t kUsualPriority = 3;
  constexpr std::uint32_t kUsualRoce = 26;
  constexpr std::uint32_t kUsualCnp = 48;
  const Layers qos = network.section("qos");
  if (qos.empty()) return std::nullopt;
  QosSpec spec;
  spec.range = qos.all().back().node->range;
  spec.trust = read_text(qos, "trust", "dscp");
  spec.lossless = read_numbers(qos, "lossless");
  if (spec.lossless.empty()) spec.lossless.push_back({kUsualPriority, {}});
  std::ranges::sort(spec.lossless, [](const auto& a, const auto& b) { return a.value < b.value; });
  const auto same =
      std::unique(spec.lossless.begin(), spec.lossless.end(), [](const auto& a, const auto& b) {
        return a.value == b.value;
      });
  spec.lossless.erase(same, spec.lossless.end());
  const Layers dscp = qos.section("dscp");
  spec.roce_dscp = read_number(dscp, "roce", kUsualRoce);
  spec.cnp_dscp = read_number(dscp, "cnp", kUsualCnp);
  spec.ecn = read_flag(qos, "ecn", true);
  return spec;
}

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
    // Of an unreadable membership nothing follows, as that no member is full.
    const bool is_full = !value.is_scalar() || value.text != "limited";
    if (!findings.may_expand(key.members.size(), key.entry->key_range)) break;
    for (std::size_t i = 0; i < key.members.size(); ++i) {
      members.push_back({key.members.at(i), key.entry->key_range, {is_full, value.range}});
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
