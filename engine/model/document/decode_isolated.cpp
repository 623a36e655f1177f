// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"
#include "engine/model/node_set.hpp"

namespace fabric {

namespace {

// "tenant=red"
bool take_label(const FabricSpec& spec, IsolatedSide& side) {
  const std::size_t equals = side.text.find('=');
  if (equals == std::string::npos) return false;
  const std::string label = side.text.substr(0, equals);
  for (const auto& [name, node] : spec.nodes) {
    const auto found = node.labels.find(label);
    if (found != node.labels.end() && found->second.value == side.text.substr(equals + 1))
      side.nodes.push_back(name);
  }
  return !side.nodes.empty();
}

// "compute", "compute/red"
bool take_network(const FabricSpec& spec, IsolatedSide& side) {
  const std::size_t slash = side.text.find('/');
  const auto network = spec.networks.find(side.text.substr(0, slash));
  if (network == spec.networks.end()) return false;
  const std::string part = slash == std::string::npos ? "" : side.text.substr(slash + 1);
  const auto is_it = [&part](const auto& each) {
    return each.name == part;
  };
  const std::vector<VlanSpec>& vlans = network->second.vlans;
  const std::vector<PartitionSpec>& partitions = network->second.partitions;
  const auto vlan = std::find_if(vlans.begin(), vlans.end(), is_it);
  const bool has_partition = std::any_of(partitions.begin(), partitions.end(), is_it);
  if (slash != std::string::npos && vlan == vlans.end() && !has_partition) return false;
  side.network = network->first;
  if (has_partition) {
    side.partition = part;
  } else if (vlan != vlans.end() && !vlan->partition.value.empty()) {
    side.partition = vlan->partition.value;
  } else if (vlan != vlans.end()) {
    side.vlan = part;
  }
  return true;
}

bool take_nodes(const FabricSpec& spec, IsolatedSide& side, Findings& findings, bool& is_told) {
  const Result<NodeSet> set = NodeSet::parse(side.text);
  if (!set) {
    findings.error("bad-node-set", side.range, set.error().message);
    is_told = true;
    return false;
  }
  if (!findings.may_expand(set->size(), side.range)) return false;
  for (std::size_t i = 0; i < set->size(); ++i) {
    const NodeSpec* node = spec.find_node(set->at(i));
    if (node == nullptr) return false;
    side.nodes.push_back(node->name);
  }
  std::sort(side.nodes.begin(), side.nodes.end());
  return true;
}

std::optional<IsolatedSide> read_side(
    const yaml::Node& text, const FabricSpec& spec, Findings& findings) {
  IsolatedSide side{text.text, text.range};
  bool is_told = false;
  if (take_label(spec, side) || take_network(spec, side) ||
      take_nodes(spec, side, findings, is_told))
    return side;
  if (!is_told)
    findings
        .error(
            "isolated-unknown",
            text.range,
            fmt::format("'{}' is no node, label, network, VLAN or partition", text.text))
        .with_help(
            "write a node or node set, LABEL=VALUE, a network, or NETWORK/NAME of one of its VLANs "
            "or partitions");
  return std::nullopt;
}

}  // namespace

std::vector<IsolatedPair> decode_isolated(
    const yaml::Node& document, const FabricSpec& spec, Findings& findings) {
  std::vector<IsolatedPair> pairs;
  const Layer list = Layers{document}.value("isolated");
  if (!list) return pairs;
  for (const yaml::Node& pair : list.node->items) {
    if (pair.items.size() != 2 || !pair.items[0].is_scalar() || !pair.items[1].is_scalar())
      continue;
    std::optional<IsolatedSide> a = read_side(pair.items[0], spec, findings);
    std::optional<IsolatedSide> b = read_side(pair.items[1], spec, findings);
    if (a && b) pairs.push_back({*std::move(a), *std::move(b)});
  }
  return pairs;
}

}  // namespace fabric
