// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/rollback_timer.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kGuards = "/var/lib/fabric/guard";
constexpr Duration kTimerTimeout{30'000};

std::string folder(const std::string& token) {
  return fmt::format("{}/{}", kGuards, token);
}

std::string unit(const std::string& token) {
  return "fabric-guard-" + token;
}

remote::step::Run shell(const remote::Script& script, const remote::Argv& arguments) {
  remote::Argv argv{"sh", "-c", script, "fabric-guard"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {remote::Command{std::move(argv), {}, kTimerTimeout}, true};
}

// In the order of the draft: what several actions undo has every file before the first command.
std::string rollback_script(const GuardOrder& order, const WorkSteps& undo) {
  std::string script = fmt::format(
      "#!/bin/sh\n# Written by fabric: rolls back {} unless that is confirmed in time.\n{}",
      order.holder,
      sh::rollback.text);
  const auto call = [&script](const remote::Argv& words) {
    script += remote::command_line(words) + '\n';
  };
  std::size_t copies = 0;
  for (const remote::Step& step : undo) {
    if (const auto* write = std::get_if<remote::step::WriteFile>(&step))
      call({"put_back", fmt::format("restore-{}", copies++), write->path});
    if (const auto* removal = std::get_if<remote::step::RemoveFile>(&step))
      call({"take_away", removal->path});
    if (const auto* run = std::get_if<remote::step::Run>(&step)) {
      remote::Argv words{"run"};
      words.insert(words.end(), run->command.argv.begin(), run->command.argv.end());
      call(words);
    }
  }
  return script + "finish\n";
}

std::string service_text(const GuardOrder& order) {
  return fmt::format(
      "# managed by fabric\n[Unit]\nDescription=Roll back {} of fabric\n\n"
      "[Service]\nType=oneshot\nExecStart=/bin/sh {}/rollback\n",
      order.holder,
      folder(order.token));
}

std::string timer_text(const GuardOrder& order) {
  return fmt::format(
      "# managed by fabric\n[Unit]\nDescription=Wait for {} of fabric to be confirmed\n\n"
      "[Timer]\nOnActiveSec={}s\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n",
      order.holder,
      order.timeout.count() / 1000);
}

}  // namespace

remote::Step LinuxRollbackTimer::arm(const GuardOrder& order, const WorkSteps& undo) const {
  std::string script{sh::guard_arm.text};
  const auto put_file = [&script](const std::string& name, const remote::step::WriteFile& file) {
    script += remote::command_line(
        {"put_file", name, fmt::format("{:04o}", file.mode), file.owner, file.content});
    script += '\n';
  };
  std::size_t copies = 0;
  for (const remote::step::WriteFile& write : undo.writes())
    put_file(fmt::format("restore-{}", copies++), write);
  put_file("rollback", {"", rollback_script(order, undo), 0600});
  put_file("service", {"", service_text(order), 0600});
  put_file("timer", {"", timer_text(order), 0600});
  put_file("ready", {"", order.holder + "\n", 0600});
  script += "start\n";
  remote::Argv argv{
      "sh",
      "-s",
      folder(order.token),
      unit(order.token),
      order.across_reboot ? "next-boot" : "now",
      std::to_string(order.timeout.count() / 1000)};
  return remote::step::Run{
      remote::Command{std::move(argv), std::move(script), kTimerTimeout}, false};
}

bool LinuxRollbackTimer::holds_back(const remote::Step& step) const {
  return remote::has_gate(step) || !remote::is_sent(step);
}

remote::Step LinuxRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  FABRIC_CHECK(holds_back(step), "a step that the rollback timer can't hold back");
  remote::set_gate(step, folder(token) + "/armed");
  return step;
}

remote::Step LinuxRollbackTimer::disarm(const std::string& token) const {
  return shell(sh::guard_disarm, {folder(token), unit(token)});
}

remote::Step LinuxRollbackTimer::fire(const std::string& token) const {
  return shell(sh::guard_fire, {folder(token), unit(token)});
}

remote::Step LinuxRollbackTimer::ask(const std::string& token) const {
  remote::step::Run run = shell(sh::guard_ask, {folder(token)});
  run.reads_only = true;
  return run;
}

remote::Step LinuxRollbackTimer::clear(const std::string& token) const {
  return shell(sh::guard_clear, {folder(token), unit(token)});
}

GuardState LinuxRollbackTimer::state(const remote::StepResult& result) const {
  const std::string_view word = trim(result.output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "rollback-failed") return GuardState::rollback_failed;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

remote::Step LinuxRollbackTimer::find() const {
  return remote::step::Run{
      .command = {{"sh", "-c", sh::guard_find}, {}, kTimerTimeout}, .reads_only = true};
}

std::vector<FoundGuard> LinuxRollbackTimer::found(const remote::StepResult& result) const {
  constexpr std::size_t kTokenLength = 16;
  std::vector<FoundGuard> guards;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const auto words = split_words(line);
    // The token becomes part of commands.
    if (words.size() < 2 || words[1].size() != kTokenLength || !parse_unsigned(words[1], 16))
      continue;
    const std::size_t at = line.find(words[1]) + kTokenLength;
    guards.push_back(
        {std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

}  // namespace fabric::platform
