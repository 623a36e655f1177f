// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/guard/orphaned_guards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "engine/execute/lease/read_leases.hpp"

namespace fabric::execute {

namespace {

Error rolled_back(const OrphanGuard& guard) {
  if (guard.foreign)
    return {
        ErrorCode::stale,
        fmt::format(
            "{}: {} of another login waits to be confirmed, else it is rolled back: plan again "
            "after that",
            guard.node.str(),
            guard.holder)};
  return {
      ErrorCode::stale,
      fmt::format(
          "{}: {} of a run that was cut short is being rolled back: plan again when the rollback "
          "has ended",
          guard.node.str(),
          guard.holder)};
}

Error not_disarmed(const OrphanGuard& guard, const remote::CommandOutput& output) {
  return {
      ErrorCode::denied,
      fmt::format(
          "{}: the rollback timer of {} could not be disarmed: {}",
          guard.node.str(),
          guard.holder,
          trim(without_secrets(output.standard_error)))};
}

}  // namespace

FoundGuards find_guards(
    const platform::NodePlatforms& nodes, remote::StepRunner& runner, Random& random) {
  constexpr int kAttempts = 2;
  std::map<NodeName, std::vector<OrphanGuard>> of_node;
  std::vector<NodeName> asked;
  for (const auto& [node, host] : nodes) {
    if (host->rollback_timer() != nullptr) asked.push_back(node);
  }
  const auto timer = [&nodes](const NodeName& node) -> const platform::RollbackTimer& {
    return *nodes.at(node)->rollback_timer();
  };
  std::map<NodeName, int> attempts;
  FoundGuards found;
  ask_nodes(
      asked,
      runner,
      random,
      [&timer](const NodeName& node) { return timer(node).find(); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        if (result.outcome == remote::Outcome::succeeded) {
          for (platform::FoundGuard& guard : timer(node).found(result))
            of_node[node].push_back(
                {node,
                 std::move(guard.token),
                 std::move(guard.holder),
                 guard.firing,
                 guard.foreign});
          return std::nullopt;
        }
        // One that lets a command hang does so again.
        const bool is_late = result.error.code == ErrorCode::timed_out;
        if (!is_late && ++attempts[node] < kAttempts) return timer(node).find();
        found.not_asked.emplace(node, result.error);
        return std::nullopt;
      });
  for (auto& [node, guards] : of_node)
    std::move(guards.begin(), guards.end(), std::back_inserter(found.guards));
  return found;
}

Result<void> confirm_guards(
    const std::vector<OrphanGuard>& guards,
    const platform::NodePlatforms& platforms,
    remote::StepRunner& runner,
    Random& random) {
  const auto timer = [&platforms](const NodeName& node) -> const platform::RollbackTimer& {
    return *platforms.at(node)->rollback_timer();
  };
  const auto firing = std::find_if(
      guards.begin(), guards.end(), [](const OrphanGuard& guard) { return guard.firing; });
  if (firing != guards.end()) return rolled_back(*firing);
  std::map<NodeName, std::vector<OrphanGuard>> left;
  for (const OrphanGuard& guard : guards)
    left[guard.node].push_back(guard);
  std::vector<NodeName> nodes;
  for (const auto& [node, of_node] : left)
    nodes.push_back(node);
  std::map<NodeName, Error> failures;
  ask_nodes(
      nodes,
      runner,
      random,
      [&](const NodeName& node) { return timer(node).disarm(left.at(node).back().token); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        std::vector<OrphanGuard>& of_node = left.at(node);
        if (result.outcome != remote::Outcome::succeeded) {
          failures.emplace(node, with_context(result.error, node.str()));
          return std::nullopt;
        }
        if (result.output.exit_status != 0) {
          failures.emplace(node, not_disarmed(of_node.back(), result.output));
          return std::nullopt;
        }
        if (timer(node).state(result) != platform::GuardState::disarmed) {
          failures.emplace(node, rolled_back(of_node.back()));
          return std::nullopt;
        }
        of_node.pop_back();
        if (of_node.empty()) return std::nullopt;
        return timer(node).disarm(of_node.back().token);
      });
  if (!failures.empty()) return failures.begin()->second;
  return {};
}

}  // namespace fabric::execute
