// SPDX-License-Identifier: Apache-2.0
// The commands that a machine runs, and the faults that they meet.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/lab/lab_impl.hpp"
#include "engine/remote/conversation.hpp"

namespace fabric::lab {

namespace {

constexpr std::int64_t kDay = 86'400'000;  // in milliseconds

bool needs_snapshot(Fault fault) {
  return fault == Fault::lost_command || fault == Fault::lying_exit || fault == Fault::stall;
}

}  // namespace

Lab::Impl::Draw Lab::Impl::draw_fault(const Machine& machine, HostLife& life, const Work& work) {
  if (life.fault != Fault::none && life.fault_after > 0) {
    // The configuration that works is the one in force when the fault strikes, not one that is
    // still being tried out.
    const bool trying = cuts_off(life.fault) && machine.next_event();
    if (!trying && --life.fault_after == 0) life.network_that_works = machine.network_in_force();
  } else if (
      life.fault != Fault::none && text_of(work).find(life.fault_only) != std::string::npos) {
    return {life.fault, false};
  }
  if (fault_percent == 0 || !random.chance(fault_percent)) return {};
  constexpr std::array<Fault, 4> kByChance = {
      Fault::lost_reply, Fault::lost_command, Fault::stall, Fault::power_loss};
  return {kByChance[random.below(kByChance.size())], true};
}

ExecResult Lab::Impl::run(const SentWork& sent) {
  const auto* typed = std::get_if<TypedKeys>(&sent.work);
  const auto prompt = typed == nullptr ? prompts.end() : prompts.find(typed->session);
  PromptSession* session = prompt == prompts.end() ? nullptr : prompt->second.session.get();
  return perform_on(hand(sent.node), world, sent.user, sent.work, session);
}

ExecResult Lab::Impl::perform(const NodeName& node, std::string_view user, const Work& work) {
  begin();
  HostLife& life = lives.at(node);
  Machine& machine = hand(node);
  machine.now = std::max(machine.now, now);
  set_clocks(machine, life);
  SentWork sent{node, std::string{user}, work};
  const Draw draw = draw_fault(machine, life, work);
  std::unique_ptr<SavedState> before;
  if (needs_snapshot(draw.fault)) before = machine.save();
  machine.set_disk_full(draw.fault == Fault::disk_full);
  const bool torn = draw.fault == Fault::torn_input && tear(sent.work);
  if (draw.fault == Fault::power_loss)
    machine.power_fails_after = machine.changes() + 1 + random.below(2);
  const std::uint64_t changes = machine.changes();
  const bool was_going_down = machine.shutdown_at.has_value();
  const TimePoint begun = machine.now;
  world.flows().exec = ++commands;
  ExecResult result = run(sent);
  result.number = commands;
  machine.set_disk_full(false);
  const bool changed = machine.changes() != changes;
  Draw met = draw;
  const bool strikes = draw.fault == Fault::torn_input
                           ? torn
                           : changed || draw.by_chance || draw.fault == Fault::stall;
  if (!strikes) met.fault = Fault::none;
  if (before && met.fault == Fault::none) before.reset();
  settle(machine, life, met, std::move(before), result);
  note_flows(sent, result);
  // A waiting command does not move the host's clock: other commands go on meanwhile.
  if (servers.contains(result.number)) machine.now = begun;
  if (changed) settle_links();
  if (cuts_off(met.fault) && !is_cut_off(node)) met.fault = Fault::none;
  note_shutdown(node, was_going_down);
  if (machine.power_failed) {
    life.event = machine.now;
    loses_power(node, machine.now);
    result.host_down = true;
  }
  if (changed || met.fault != Fault::none) tell(node, now, met.fault, changed);
  if (life.power != Power::up && machine.now >= life.event) result.host_down = true;
  return result;
}

void Lab::Impl::note_flows(const SentWork& sent, const ExecResult& result) {
  FlowTable& flows = world.flows();
  for (FlowTable::Waiting& server : flows.waiting) {
    if (server.exec != result.number) continue;
    server.until = now + result.took;
    if (result.delivery == Delivery::normal) servers.emplace(server.exec, sent);
  }
  for (const FlowTable::Waiting& server : flows.waiting) {
    const auto waiting = servers.find(server.exec);
    if (!server.visit || server.visit->gbps <= 0 || waiting == servers.end()) continue;
    Machine& machine = hand(waiting->second.node);
    const TimePoint before = machine.now;
    flows.visit = server.visit;
    amended.push_back(run(waiting->second));
    amended.back().number = server.exec;
    flows.visit.reset();
    machine.now = before;
  }
  std::erase_if(flows.waiting, [this](const FlowTable::Waiting& server) {
    const bool over = server.visit || server.until <= now || !servers.contains(server.exec);
    if (over) servers.erase(server.exec);
    return over;
  });
}

void Lab::Impl::note_shutdown(const NodeName& node, bool was_going_down) {
  const Machine& machine = hand(node);
  if (!machine.shutdown_at || was_going_down) return;
  ++monitor.reboots;
  ++monitor.reboots_by_node[node.str()];
  HostLife& life = lives.at(node);
  life.power = Power::going_down;
  life.event = *machine.shutdown_at;
  watch(&node);
}

// Work from before the first look: no fault meets it, and it takes no time.
void Lab::Impl::catch_up(const NodeName& node, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  for (const std::string& line : lines)
    change(node, CommandLine{line, ""});
  lives.at(node).network_that_works = machines.at(node)->network_in_force();
}

void Lab::Impl::change(const NodeName& node, const CommandLine& line) {
  begin();
  Machine& machine = hand(node);
  const TimePoint begun = machine.now;
  run({node, "root", line});
  settle_links();
  machine.now = begun;
}

// No session is open to it: no fault of a connection meets it.
void Lab::Impl::event_on(const NodeName& node) {
  Machine& machine = hand(node);
  machine.on_event(world);
  settle_links();
  note_shutdown(node, false);
  tell(node, machine.now, Fault::none);
  if (!lives.at(node).on_the_way.empty() && !is_cut_off(node)) arrive_late(node);
}

void Lab::Impl::arrive_late(const NodeName& node) {
  Machine& machine = hand(node);
  HostLife& life = lives.at(node);
  for (const SentWork& sent : std::exchange(life.on_the_way, {})) {
    const std::uint64_t before = machine.changes();
    run(sent);
    if (machine.changes() != before) monitor.late_changes.push_back({node, sent.work});
  }
  // The fault has struck. The rolled back change does not cut the host off again.
  life.fault = Fault::none;
  tell(node, machine.now, Fault::late);
}

// Decides the command's outcome. `before`: set if it must never have happened.
void Lab::Impl::settle(
    Machine& machine,
    HostLife& life,
    const Draw& draw,
    std::unique_ptr<SavedState> before,
    ExecResult& result) {
  const bool once = draw.fault == Fault::lost_reply || draw.fault == Fault::lost_command ||
                    draw.fault == Fault::power_loss || draw.fault == Fault::torn_input ||
                    draw.fault == Fault::clock_jump;
  if (once && !draw.by_chance) life.fault = Fault::none;
  switch (draw.fault) {
    case Fault::lost_reply:
    case Fault::torn_input:
      result.delivery = Delivery::lost_reply;
      break;
    case Fault::clock_jump:
      machine.epoch += kDay;
      break;
    case Fault::lost_command:
      result.delivery = Delivery::lost_command;
      break;
    case Fault::stall:
      result.delivery = Delivery::stall;
      if (random.below(2) == 0) before.reset();  // it ran, or it did not
      break;
    case Fault::power_loss:
      machine.power_failed = true;
      break;
    case Fault::none:
    case Fault::refused:
    case Fault::slow_boot:
    case Fault::no_boot:
    case Fault::boots_twice:
    case Fault::disk_full:
    case Fault::lying_exit:
    case Fault::cut_off:
    case Fault::late:
      break;
  }
  machine.power_fails_after.reset();
  if (!before) return;
  machine.restore(std::move(before));
  machine.shutdown_at.reset();
}

ExecResult Lab::look(const NodeName& node, std::string_view line, std::string_view input) {
  return look(node, CommandLine{std::string{line}, std::string{input}});
}

ExecResult Lab::look(const NodeName& node, const Work& work) {
  impl_->begin();
  Machine& machine = impl_->hand(node);
  const TimePoint now = machine.now;
  const Random random = machine.random;
  const std::uint64_t changes = machine.changes();
  ExecResult result = impl_->run({node, "root", work});
  FABRIC_CHECK(machine.changes() == changes, "whoever looks changes nothing");
  machine.now = now;
  machine.random = random;
  return result;
}

std::vector<ExecResult> Lab::take_amended() {
  return std::exchange(impl_->amended, {});
}

ExecResult Lab::exec(
    const NodeName& node, std::string_view user, std::string_view line, std::string_view input) {
  return perform(node, user, CommandLine{std::string{line}, std::string{input}});
}

ExecResult Lab::perform(const NodeName& node, std::string_view user, const Work& work) {
  if (accepts_connections(node)) return impl_->perform(node, user, work);
  ExecResult result;
  if (keeps_sessions(node)) {
    impl_->lives.at(node).on_the_way.push_back({node, std::string{user}, work});
    result.delivery = Delivery::stall;
    return result;
  }
  result.delivery = Delivery::lost_command;
  result.exit_status = 255;
  result.host_down = true;
  return result;
}

void Lab::change(const NodeName& node, std::string_view line, std::string_view input) {
  impl_->change(node, CommandLine{std::string{line}, std::string{input}});
}

std::uint64_t Lab::open_prompt(const NodeName& node, std::string_view user, ExecResult& greeting) {
  if (!accepts_connections(node)) return 0;
  Machine& machine = impl_->hand(node);
  machine.now = std::max(machine.now, impl_->now);
  std::unique_ptr<PromptSession> session = machine.open_prompt(impl_->world, user);
  if (session == nullptr) return 0;
  PromptSession::Shown shown = session->greet();
  greeting.standard_output = std::move(shown.text);
  greeting.took = shown.took;
  const std::uint64_t number = ++impl_->prompts_opened;
  impl_->prompts.emplace(number, OpenPrompt{node, std::string{user}, std::move(session)});
  return number;
}

bool Lab::prompt_ended(std::uint64_t session) const {
  const auto prompt = impl_->prompts.find(session);
  return prompt == impl_->prompts.end() || prompt->second.session->ended();
}

void Lab::close_prompt(std::uint64_t session) {
  impl_->prompts.erase(session);
}

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
