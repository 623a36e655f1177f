// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/conversation.hpp"

#include <fmt/format.h>

#include "engine/remote/conversation.hpp"

namespace fabric::lab {

ExecResult converse(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const remote::step::Converse& talk) {
  ExecResult result;
  const std::unique_ptr<PromptSession> session = machine.open_prompt(network, user);
  if (session == nullptr) {
    result.not_run = Error{
        ErrorCode::invalid, fmt::format("{}: the machine has no prompt", machine.name().str())};
    return result;
  }
  Duration took{0};
  const remote::Terminal terminal = [&](const std::string& keys) -> std::optional<std::string> {
    const PromptSession::Shown shown = keys.empty() ? session->greet() : session->type(keys);
    took += shown.took;
    if (session->ended() || machine.stopped()) return std::nullopt;
    return shown.text;
  };
  remote::Conversation held = remote::converse(talk, terminal);
  result.exit_status = held.output.exit_status;
  result.standard_output = std::move(held.output.standard_output);
  result.standard_error = std::move(held.output.standard_error);
  result.replies = std::move(held.replies);
  if (!held.complete) result.delivery = Delivery::stall;
  result.took = took;
  return result;
}

}  // namespace fabric::lab
