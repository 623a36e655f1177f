// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/machine/rollback_timer.hpp"

#include <array>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "providers/nvue/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kGuards = "/var/lib/fabric/guard";
constexpr Duration kTimeout{60'000};
// For a revision that waits for a confirmation and is not of a run that fabric knows.
constexpr std::string_view kForeign = "0000000000000000";

std::string folder(const std::string& token) {
  return fmt::format("{}/{}", kGuards, token);
}

remote::step::Run shell(
    const remote::Script& script,
    const std::string& token,
    const remote::Argv& arguments,
    bool fresh) {
  remote::Argv argv{"sh", "-c", script, "fabric-guard", folder(token)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {remote::Command{std::move(argv), {}, kTimeout}, fresh};
}

bool is_apply(const remote::Argv& argv) {
  constexpr std::array<std::string_view, 3> kWords{"nv", "config", "apply"};
  return argv.size() >= kWords.size() && std::equal(kWords.begin(), kWords.end(), argv.begin());
}

}  // namespace

remote::Step NvueRollbackTimer::arm(const GuardOrder& order, const WorkSteps& /*undo*/) const {
  return shell(
      sh::revision_arm,
      order.token,
      {std::to_string(order.timeout.count() / 1000), order.holder},
      false);
}

bool NvueRollbackTimer::holds_back(const remote::Step& step) const {
  return remote::has_gate(step) || !remote::is_sent(step);
}

remote::Step NvueRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  FABRIC_CHECK(holds_back(step), "a step that the rollback timer can't hold back");
  remote::set_gate(step, folder(token) + "/armed");
  auto* run = std::get_if<remote::step::Run>(&step);
  if (run == nullptr || !is_apply(run->command.argv)) return step;
  run->command.argv = shell(sh::revision_apply, token, run->command.argv, false).command.argv;
  return step;
}

remote::Step NvueRollbackTimer::disarm(const std::string& token) const {
  return shell(sh::revision_confirm, token, {}, true);
}

remote::Step NvueRollbackTimer::fire(const std::string& token) const {
  return shell(sh::revision_reject, token, {}, true);
}

remote::Step NvueRollbackTimer::ask(const std::string& token) const {
  remote::step::Run run = shell(sh::revision_ask, token, {}, true);
  run.reads_only = true;
  return run;
}

remote::Step NvueRollbackTimer::clear(const std::string& token) const {
  return shell(sh::revision_clear, token, {}, true);
}

GuardState NvueRollbackTimer::state(const remote::StepResult& result) const {
  const std::string_view word = trim(result.output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

remote::Step NvueRollbackTimer::find() const {
  remote::step::Run run = shell(sh::revision_find, std::string{kForeign}, {}, false);
  run.reads_only = true;
  return run;
}

std::vector<FoundGuard> NvueRollbackTimer::found(const remote::StepResult& result) const {
  std::vector<FoundGuard> guards;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const auto words = split_words(line);
    if (words.size() < 2) continue;
    if (words[0] == "foreign") {
      guards.push_back({std::string{kForeign}, fmt::format("revision {}", words[1]), true, true});
      continue;
    }
    // The token becomes part of commands.
    if (words[1].size() != kForeign.size() || !parse_unsigned(words[1], 16)) continue;
    const std::size_t at = line.find(words[1]) + words[1].size();
    guards.push_back(
        {std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

}  // namespace fabric::platform
