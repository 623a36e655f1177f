// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/withheld_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"

namespace fabric::report {

namespace {

using plans::Plan;
using plans::PlannedChange;
using plans::Withheld;

// Why this plan does not change the resource that others wait for.
std::string why_not(const Plan& plan, const ResourceAddress& address) {
  const auto node = plan.nodes.find(address.node);
  if (node != plan.nodes.end() && !node->second.reachable) {
    return fmt::format(
        ", and {} {}", address.node.str(), node->second.offline ? "is offline" : "was not reached");
  }
  const auto change =
      std::find_if(plan.changes.begin(), plan.changes.end(), [&address](const PlannedChange& each) {
        return each.address == address && each.withheld;
      });
  if (change == plan.changes.end() || change->withheld->why == Withheld::Why::waits) return {};
  return ", which is withheld: " + plans::withheld_text(*change->withheld);
}

// Without the name of the node itself, so that it is the same for all nodes alike.
std::string reason_of(const Plan& plan, const PlannedChange& change) {
  const Withheld& withheld = *change.withheld;
  const std::string text = plans::withheld_text(withheld, &change.address.node);
  return withheld.why == Withheld::Why::waits ? text + why_not(plan, *withheld.on) : text;
}

// A finding about the whole node says it.
bool is_told_of_node(const Withheld& withheld) {
  return withheld.why == Withheld::Why::rollout || withheld.why == Withheld::Why::own_machine;
}

}  // namespace

std::vector<std::string> withheld_lines(const Plan& plan) {
  using Same = std::tuple<NodeName, Withheld::Why, std::string>;
  std::map<Same, std::vector<std::string>> resources;
  for (const PlannedChange& change : plan.changes) {
    if (!change.withheld || change.kind == ChangeKind::unknown) continue;
    const Withheld::Why why = change.withheld->why;
    if (is_told_of_node(*change.withheld)) continue;
    std::vector<std::string>& names =
        resources[{change.address.node, why, reason_of(plan, change)}];
    std::string name = fmt::format("{}/{}", change.address.kind, change.address.name);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  std::map<std::string, std::vector<NodeName>> nodes;
  for (const auto& [same, names] : resources) {
    const auto& [node, why, reason] = same;
    std::string text = fold(names) + (why == Withheld::Why::waits ? " " : ": ") + reason;
    // The operator asked for it, and it is about the whole node.
    if (why == Withheld::Why::observed) text = reason;
    nodes[std::move(text)].push_back(node);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, of] : nodes)
    lines.push_back(
        fmt::format("{} {} withheld: {}", fold(of), of.size() == 1 ? "is" : "are", reason));
  return lines;
}

}  // namespace fabric::report
