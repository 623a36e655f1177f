// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/lease/ask_nodes.hpp"

#include <map>

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

}  // namespace fabric::execute
