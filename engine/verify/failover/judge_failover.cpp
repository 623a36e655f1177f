// SPDX-License-Identifier: Apache-2.0
// Judges the pings over a bond while one of its ports was closed.
#include <algorithm>

#include <fmt/format.h>

#include "engine/verify/failover/failover.hpp"

namespace fabric::verify {

namespace {

// Longer than any miimon that one sets, shorter than what a storage path forgives.
constexpr double kForgiven = 2.0;

// Seconds without a reply, from the last before to the first after; the ends count too.
double longest_gap(const platform::PingReplies& replies, double interval) {
  std::uint32_t longest = 0;
  std::uint32_t last = 0;
  for (const std::uint32_t number : replies.sequence) {
    longest = std::max(longest, number - last - 1);
    last = number;
  }
  if (replies.sent > last) longest = std::max(longest, replies.sent - last);
  return longest * interval;
}

void judge_pings(FailoverReport& report, const platform::PortClosingAnswer& answer) {
  for (const std::string& target : report.failover.targets) {
    const auto found = answer.pings.find(target);
    const platform::PingReplies replies =
        found == answer.pings.end() ? platform::PingReplies{} : found->second;
    const double gap = longest_gap(replies, answer.ping_interval);
    const auto received = static_cast<std::uint32_t>(replies.sequence.size());
    const bool worse = report.sent == 0 || gap > report.longest_gap || received == 0;
    if (!worse) continue;
    report.sent = replies.sent;
    report.received = received;
    report.longest_gap = gap;
    if (received == 0) {
      report.state = FailoverState::failed;
      report.detail = fmt::format("no reply from {}, whether or not the port was closed", target);
    } else if (gap > kForgiven) {
      report.state = FailoverState::failed;
      report.detail = fmt::format(
          "no reply came from {} for {:.1f} s while it was closed; {} of {} replies are missing",
          target,
          gap,
          replies.sent - std::min(replies.sent, received),
          replies.sent);
    }
  }
}

std::vector<std::string> silent_ones(const platform::PortClosingAnswer& answer) {
  std::vector<std::string> silent;
  for (const auto& [interface, before] : answer.sent_at_first) {
    const auto after = answer.sent_open.find(interface);
    // A few LACPDUs are no flow.
    constexpr std::uint64_t kChatter = 5;
    if (after != answer.sent_open.end() && after->second < before + kChatter)
      silent.push_back(interface);
  }
  return silent;
}

}  // namespace

platform::PortClosing closing_of(const Failover& failover) {
  return {failover.bond, failover.interface, failover.others, failover.targets};
}

FailoverReport judge_failover(const Failover& failover, const platform::PortClosingAnswer& answer) {
  FailoverReport report{failover, FailoverState::untested, 0, 0, 0, {}, {}};
  report.keeps_link = answer.keeps_link;
  if (!answer.untested.empty()) {
    report.detail = answer.untested;
    return report;
  }
  if (!answer.complete) {
    report.detail = "the answer of the node was cut short";
    return report;
  }
  report.state = FailoverState::passed;
  judge_pings(report, answer);
  report.silent = silent_ones(answer);
  if (answer.stays_down) {
    report.state = FailoverState::failed;
    report.detail = fmt::format("{} did not come up again within 30 s", failover.interface);
  }
  return report;
}

}  // namespace fabric::verify
