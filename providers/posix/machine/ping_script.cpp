// SPDX-License-Identifier: Apache-2.0
#include "providers/posix/machine/ping_script.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "providers/posix/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr std::uint32_t kIpv4AndIcmpBytes = 20 + 8;
constexpr std::uint32_t kIpv6AndIcmpBytes = 40 + 8;
// Per ping: its own wait, and as much again for a slow node.
constexpr Duration kPerPing{2'000};
constexpr Duration kStart{10'000};

// "fabric-ping 3 small" begins the output of a ping, "fabric-exit 1" ends it.
std::map<std::string, PingOutput, std::less<>> take_apart(std::string_view text) {
  constexpr std::string_view kBegin = "fabric-ping ";
  constexpr std::string_view kEnd = "fabric-exit ";
  std::map<std::string, PingOutput, std::less<>> pings;
  PingOutput* current = nullptr;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with(kBegin)) {
      current = &pings[std::string{line.substr(kBegin.size())}];
    } else if (current != nullptr && line.starts_with(kEnd)) {
      current->exit_status = parse_integer(trim(line.substr(kEnd.size())));
      current = nullptr;
    } else if (current != nullptr) {
      current->lines.push_back(line);
    }
  }
  return pings;
}

PingJudgement judge(const PingTool& tool, const PingOutput& output) {
  if (!output.exit_status) return {Passage::untested, "the answer of the node was cut short"};
  return tool.judge(output);
}

}  // namespace

bool is_ipv6(const Ping& ping) {
  return ping.to_address.find(':') != std::string::npos;
}

std::uint32_t header_bytes(const Ping& ping) {
  return is_ipv6(ping) ? kIpv6AndIcmpBytes : kIpv4AndIcmpBytes;
}

bool contains(const PingOutput& output, std::string_view needle) {
  return std::any_of(output.lines.begin(), output.lines.end(), [&](std::string_view line) {
    return to_lower(line).find(needle) != std::string::npos;
  });
}

std::string complaint(const PingOutput& output) {
  for (auto line = output.lines.rbegin(); line != output.lines.rend(); ++line) {
    const std::string lower = to_lower(trim(*line));
    const bool chatter = lower.empty() || lower.starts_with("ping ") || lower.starts_with("---") ||
                         lower.find("packets transmitted") != std::string::npos ||
                         lower.starts_with("rtt ") || lower.starts_with("round-trip");
    if (!chatter) return std::string{trim(*line)};
  }
  return {};
}

remote::Command ping_command(
    const PingTool& tool, std::span<const Ping> pings, std::string_view path) {
  const auto ask = [&](std::size_t number, bool full) {
    remote::Argv call{"ask", std::to_string(number), full ? "full" : "small"};
    const remote::Argv command = tool.command(pings[number], full);
    call.insert(call.end(), command.begin(), command.end());
    return remote::command_line(call) + "\n";
  };
  std::string script{sh::pings.text};
  for (std::size_t i = 0; i < pings.size(); ++i) {
    script += ask(i, false);
    if (pings[i].mtu == 0) continue;
    script += (tool.has_exit_status() ? "[ $status -ne 0 ] || " : "") + ask(i, true);
  }
  script += "exit 0\n";
  const auto count = static_cast<Duration::rep>(2 * pings.size());
  return {{"sh", "-s", path}, std::move(script), kStart + kPerPing * count};
}

std::vector<PingAnswer> ping_answers(
    const PingTool& tool, std::span<const Ping> pings, const remote::CommandOutput& output) {
  const auto said = take_apart(output.standard_output);
  std::vector<PingAnswer> answers;
  for (std::size_t i = 0; i < pings.size(); ++i) {
    PingAnswer answer;
    const auto small = said.find(fmt::format("{} small", i));
    if (small == said.end()) {
      answer.detail = "the node did not answer the ping script";
    } else {
      const PingJudgement judgement = judge(tool, small->second);
      answer.small = judgement.passage;
      answer.detail = judgement.detail;
    }
    if (answer.small == Passage::passed && pings[i].mtu != 0) {
      const auto full = said.find(fmt::format("{} full", i));
      const PingJudgement judgement = judge(tool, full == said.end() ? PingOutput{} : full->second);
      answer.full = judgement.passage;
      answer.detail = judgement.detail;
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace fabric::platform
