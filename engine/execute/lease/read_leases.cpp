// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/lease/read_leases.hpp"

namespace fabric::execute {

void ask_nodes(
    const std::vector<NodeName>& nodes,
    remote::StepRunner& runner,
    Random& random,
    const FirstStep& first,
    const NextStep& next) {
  constexpr Duration kPatience{1'000};
  remote::Ticket ticket = random.next() >> 1U;
  std::map<remote::Ticket, NodeName> asked;
  for (const NodeName& node : nodes) {
    asked.emplace(ticket, node);
    runner.start({ticket++, node, first(node)});
  }
  while (!asked.empty()) {
    const std::optional<remote::StepResult> result = runner.wait_any(kPatience);
    const auto found = result ? asked.find(result->ticket) : asked.end();
    if (found == asked.end()) continue;
    if (auto step = next(found->second, *result)) {
      runner.start({result->ticket, found->second, *std::move(step)});
    } else {
      asked.erase(found);
    }
  }
}

namespace {

Result<std::optional<Lease>> lease_in(
    const platform::NodeLock& lock, const remote::StepResult& result) {
  if (result.outcome != remote::Outcome::succeeded) return result.error;
  LeaseAnswer answer = FABRIC_TRY(lock.answer(result));
  return std::move(answer.found);
}

}  // namespace

std::map<NodeName, Result<std::optional<Lease>>> read_leases(
    const platform::NodePlatforms& nodes, remote::StepRunner& runner, Random& random) {
  std::map<NodeName, Result<std::optional<Lease>>> leases;
  const auto lock = [&nodes](const NodeName& node) -> const platform::NodeLock& {
    return *nodes.at(node)->node_lock();
  };
  ask_nodes(
      with_lock(nodes),
      runner,
      random,
      [&lock](const NodeName& node) { return lock(node).read(); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        leases.emplace(node, lease_in(lock(node), result));
        return std::nullopt;
      });
  return leases;
}

}  // namespace fabric::execute
