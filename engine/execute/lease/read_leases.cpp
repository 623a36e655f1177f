#include "engine/execute/lease/read_leases.hpp"

#include "engine/execute/lease/ask_nodes.hpp"

namespace fabric::execute {

namespace {

Result<std::optional<Lease>> lease_in(const remote::StepResult& result) {
  if (result.outcome != remote::Outcome::succeeded) return result.error;
  LeaseAnswer answer = FABRIC_TRY(lease_answer(result.output));
  return std::move(answer.found);
}

}  // namespace

std::map<NodeName, Result<std::optional<Lease>>> read_leases(
    const std::vector<NodeName>& nodes, remote::StepRunner& runner, Random& random) {
  std::map<NodeName, Result<std::optional<Lease>>> leases;
  ask_nodes(
      nodes,
      runner,
      random,
      [](const NodeName&) { return read_lease_step(); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        leases.emplace(node, lease_in(result));
        return std::nullopt;
      });
  return leases;
}

}  // namespace fabric::execute
