// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/lease/fenced_runner.hpp"

#include <utility>
#include <variant>

namespace fabric::execute {

const platform::Fencing* FencedRunner::fencing(const NodeName& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : found->second->fencing();
}

void FencedRunner::start(remote::StepRequest request) {
  const platform::Fencing* fence =
      remote::may_change(request.step) ? fencing(request.node) : nullptr;
  if (fence == nullptr) return runner_.start(std::move(request));
  const auto* here = std::get_if<remote::step::RunHere>(&request.step);
  if (here == nullptr) {
    request.step = fence->while_leased(run_, std::move(request.step));
    return runner_.start(std::move(request));
  }
  remote::Step nothing =
      nodes_.at(request.node)->command_step({{"true"}, {}, here->command.timeout});
  remote::StepRequest ask{
      request.ticket, request.node, fence->while_leased(run_, std::move(nothing))};
  asked_first_.insert_or_assign(request.ticket, std::move(request));
  runner_.start(std::move(ask));
}

std::optional<remote::StepResult> FencedRunner::wait_any(Duration patience) {
  std::optional<remote::StepResult> result = runner_.wait_any(patience);
  const auto asked = result ? asked_first_.find(result->ticket) : asked_first_.end();
  if (asked == asked_first_.end()) return result;
  remote::StepRequest request = std::move(asked->second);
  asked_first_.erase(asked);
  // Whatever became of the question, no change was sent yet.
  if (result->outcome == remote::Outcome::unknown) result->outcome = remote::Outcome::failed;
  const bool may_go =
      result->outcome == remote::Outcome::succeeded && result->output.exit_status == 0;
  if (!may_go) return result;
  runner_.start(std::move(request));
  return std::nullopt;
}

bool FencedRunner::is_refusal(const NodeName& node, const remote::StepResult& result) const {
  const platform::Fencing* fence = fencing(node);
  return fence != nullptr && fence->is_refusal(result);
}

}  // namespace fabric::execute
