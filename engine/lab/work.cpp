// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/work.hpp"

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/remote/conversation.hpp"

namespace fabric::lab {

namespace {

// Types lines at a prompt of a simulated machine, for remote::step::Converse: decides only by the
// dialect's prompts, pager and questions.

// Delivery::stall if no prompt comes that the dialect knows.
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

ExecResult run(
    Machine& machine, const Network& network, std::string_view user, const CommandLine& command) {
  MachineReply reply = machine.exec(network, user, command.line, command.input);
  ExecResult result;
  result.exit_status = reply.exit_status;
  result.standard_output = std::move(reply.standard_output);
  result.standard_error = std::move(reply.standard_error);
  result.took = reply.took;
  return result;
}

ExecResult type(PromptSession& session, const TypedKeys& typed) {
  ExecResult result;
  PromptSession::Shown shown = session.type(typed.keys);
  result.standard_output = std::move(shown.text);
  result.took = shown.took;
  return result;
}

}  // namespace

std::string text_of(const Work& work) {
  return std::visit(
      Overloaded{
          [](const CommandLine& command) { return command.line; },
          [](const remote::step::Converse& talk) { return join(talk.lines, "\n"); },
          [](const TypedKeys& typed) { return typed.keys; },
          [](const RebootOrder&) {
            return std::string{"reboot"};
          }},
      work);
}

bool tear(Work& work) {
  if (auto* command = std::get_if<CommandLine>(&work)) {
    const bool torn = !command->input.empty();
    command->input.resize(command->input.size() / 2);
    return torn;
  }
  auto* talk = std::get_if<remote::step::Converse>(&work);
  if (talk == nullptr || talk->lines.size() < 2) return false;
  talk->lines.resize(talk->lines.size() / 2);
  return true;
}

ExecResult perform_on(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const Work& work,
    PromptSession* session) {
  return std::visit(
      Overloaded{
          [&](const CommandLine& command) { return run(machine, network, user, command); },
          [&](const remote::step::Converse& talk) {
            return converse(machine, network, user, talk);
          },
          [&](const TypedKeys& typed) {
            return session == nullptr ? ExecResult{} : type(*session, typed);
          },
          [&](const RebootOrder&) {
            machine.order_reboot(network);
            return ExecResult{};
          }},
      work);
}

}  // namespace fabric::lab
