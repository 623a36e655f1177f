// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/pings.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "providers/posix/machine/ping_script.hpp"

namespace fabric::platform {

namespace {

constexpr int kAnswerSeconds = 1;

// "1 packets transmitted, 1 packets received, 0% packet loss": how many were received.
std::optional<std::uint64_t> received(const PingOutput& output) {
  for (const std::string_view line : output.lines) {
    if (line.find("packets transmitted") == std::string_view::npos) continue;
    const std::vector<std::string_view> words = split_words(line);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with("received")) {
        const bool has_noun = words[i - 1] == "packets" && i >= 2;
        return parse_unsigned(words[has_noun ? i - 2 : i - 1], 10);
      }
    }
  }
  return std::nullopt;
}

// By what it says: of its exit status nothing is known (E-esxi-vmkping).
class Vmkping final : public PingTool {
 public:
  remote::Argv command(const Ping& ping, bool full) const override {
    remote::Argv argv{"vmkping"};
    if (is_ipv6(ping)) argv.emplace_back("-6");
    argv.insert(
        argv.end(), {"-I", ping.from_interface, "-c", "1", "-W", std::to_string(kAnswerSeconds)});
    if (full) argv.insert(argv.end(), {"-d", "-s", std::to_string(ping.mtu - header_bytes(ping))});
    argv.push_back(ping.to_address);
    return argv;
  }
  bool has_exit_status() const override { return false; }

  PingJudgement judge(const PingOutput& output) const override {
    const std::optional<std::uint64_t> answers = received(output);
    if (answers && *answers > 0) return {Passage::passed, {}};
    if (answers || contains(output, "message too long")) return {Passage::lost, complaint(output)};
    const std::string said = complaint(output);
    return {Passage::untested, said.empty() ? "vmkping said nothing" : said};
  }
};

const PingTool& vmkping() {
  static const Vmkping ping;
  return ping;
}

}  // namespace

remote::Step EsxiPings::ping(std::span<const Ping> pings) const {
  return remote::step::Run{
      .command = ping_command(vmkping(), pings, "/bin:/sbin"), .reads_only = true};
}

std::vector<PingAnswer> EsxiPings::ping_answers(
    std::span<const Ping> pings, const remote::StepResult& result) const {
  return platform::ping_answers(vmkping(), pings, result.output);
}

}  // namespace fabric::platform
