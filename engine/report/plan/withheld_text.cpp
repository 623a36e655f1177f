// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/withheld_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"

namespace fabric::report {

namespace {

using plans::Plan;
using plans::PlannedChange;

constexpr std::string_view kWaits = "waits for ";

// Of what is waited for: why this plan does not bring it about.
std::string why_not(const Plan& plan, const ResourceAddress& address) {
  const auto node = plan.nodes.find(address.node);
  if (node != plan.nodes.end() && !node->second.reachable) {
    return fmt::format(
        ", and {} {}", address.node.str(), node->second.offline ? "is offline" : "was not reached");
  }
  const auto change =
      std::find_if(plan.changes.begin(), plan.changes.end(), [&address](const PlannedChange& each) {
        return each.address == address && !each.not_planned.empty();
      });
  if (change == plan.changes.end() || change->not_planned.starts_with(kWaits)) return {};
  return ", which is left out: " + change->not_planned;
}

// Without the name of the node itself, so that it is the same for all nodes alike.
std::string reason_of(const Plan& plan, const PlannedChange& change) {
  std::string reason = change.not_planned;
  if (!reason.starts_with(kWaits)) return ": " + reason;
  const auto address = ResourceAddress::parse(std::string_view{reason}.substr(kWaits.size()));
  if (!address) return " " + reason;
  if (address->node == change.address.node)
    reason = fmt::format("{}{}/{}", kWaits, address->kind, address->name);
  return " " + reason + why_not(plan, *address);
}

// Somebody asked for it, and it is of the whole node.
bool is_observed(const PlannedChange& change) {
  return change.not_planned.starts_with("only observed");
}

}  // namespace

std::vector<std::string> withheld_lines(const Plan& plan) {
  std::map<std::pair<NodeName, std::string>, std::vector<std::string>> resources;
  for (const PlannedChange& change : plan.changes) {
    if (change.not_planned.empty() || change.kind == ChangeKind::unknown) continue;
    const auto node = plan.nodes.find(change.address.node);
    if (node != plan.nodes.end() && node->second.held_back == change.not_planned) continue;
    std::vector<std::string>& names = resources[{change.address.node, reason_of(plan, change)}];
    std::string name = fmt::format("{}/{}", change.address.kind, change.address.name);
    if (is_observed(change)) name.clear();
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  std::map<std::string, std::vector<NodeName>> nodes;
  for (const auto& [where, names] : resources) {
    const bool is_whole = names.front().empty();
    const std::string& reason = where.second;
    nodes[is_whole ? reason.substr(2) : fold(names) + reason].push_back(where.first);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, of] : nodes)
    lines.push_back(
        fmt::format("{} {} left out: {}", fold(of), of.size() == 1 ? "is" : "are", reason));
  return lines;
}

}  // namespace fabric::report
