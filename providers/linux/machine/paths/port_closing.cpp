// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/port_closing.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr double kPingInterval = 0.2;
constexpr Duration kTakes{90'000};

std::uint32_t number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  const auto number = parse_unsigned(trim(text.substr(0, at)), 10);
  return number ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 1'000'000)) : 0;
}

// "64 bytes from 10.30.0.2: icmp_seq=5 ttl=64 time=0.4 ms", "60 packets transmitted, 58 received"
void read_ping(PingReplies& replies, std::string_view line) {
  constexpr std::string_view kSequence = "seq=";
  const std::size_t at = line.find(kSequence);
  if (at != std::string_view::npos && line.find("bytes from") != std::string_view::npos) {
    const std::vector<std::string_view> words = split_words(line.substr(at + kSequence.size()));
    const auto number = words.empty() ? std::nullopt : parse_unsigned(words.front(), 10);
    if (number && *number < 1'000'000) replies.sequence.insert(static_cast<std::uint32_t>(*number));
  }
  replies.sent = std::max(replies.sent, number_before(line, " packets transmitted"));
}

void read_line(PortClosingAnswer& output, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) return;
  if (words[0] == "fabric-ping" && words.size() > 2) {
    const std::size_t rest = line.find(words[1]) + words[1].size();
    read_ping(output.pings[std::string{words[1]}], line.substr(rest));
  } else if (words[0] == "fabric-sent" && words.size() == 4) {
    const std::uint64_t number = parse_unsigned(words[3], 10).value_or(0);
    if (words[1] == "start") output.sent_at_first[std::string{words[2]}] = number;
    if (words[1] == "open") output.sent_open[std::string{words[2]}] = number;
  } else if (words[0] == "fabric-untested") {
    output.untested = trim(line.substr(words[0].size()));
  } else if (words[0] == "fabric-keeps-link") {
    output.keeps_link = true;
  } else if (words[0] == "fabric-stays-down") {
    output.stays_down = true;
  } else if (words[0] == "fabric-end") {
    output.complete = true;
  }
}

}  // namespace

remote::Command port_closing_command(const PortClosing& closing) {
  remote::Argv argv{"sh", "-s", closing.bond, closing.interface, join(closing.others, " ")};
  argv.insert(argv.end(), closing.targets.begin(), closing.targets.end());
  return {std::move(argv), std::string{sh::port_closing.text}, kTakes};
}

PortClosingAnswer parse_port_closing(const remote::CommandOutput& output) {
  PortClosingAnswer answer;
  answer.ping_interval = kPingInterval;
  for (const std::string_view line : split_lines(output.standard_output))
    read_line(answer, line);
  return answer;
}

}  // namespace fabric::platform
