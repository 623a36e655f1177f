// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/run_on_nodes.hpp"

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"

namespace fabric::workflow {

namespace {

constexpr Duration kHeartbeat{5'000};

}  // namespace

std::map<NodeName, remote::StepResult> run_on_nodes(
    Listener& listener,
    const std::map<NodeName, remote::Step>& steps,
    remote::StepRunner& runner,
    std::string_view doing) {
  listener.phase(doing);
  std::map<remote::Ticket, NodeName> running;
  remote::Ticket next = 1;
  for (const auto& [node, step] : steps) {
    running.emplace(next, node);
    runner.start({next, node, step});
    ++next;
  }
  std::map<NodeName, remote::StepResult> answers;
  while (!running.empty()) {
    std::optional<remote::StepResult> result = runner.wait_any(kHeartbeat);
    if (!result) {
      std::vector<NodeName> waiting;
      for (const auto& [ticket, node] : running)
        waiting.push_back(node);
      listener.note(fmt::format("still {} {}", doing, fold(waiting)));
      continue;
    }
    const auto found = running.find(result->ticket);
    if (found == running.end()) continue;
    answers.emplace(found->second, std::move(*result));
    running.erase(found);
  }
  return answers;
}

}  // namespace fabric::workflow
