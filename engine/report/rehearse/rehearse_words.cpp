// SPDX-License-Identifier: Apache-2.0
#include "engine/report/rehearse/rehearse_words.hpp"

#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::report {

int exit_number(const rehearse::SeedResult& result) {
  return static_cast<int>(result.first.errors ? ExitCode::invalid : result.first.exit);
}

std::string_view outcome_words(int exit_number) {
  switch (static_cast<ExitCode>(exit_number)) {
    case ExitCode::done:
      return "done";
    case ExitCode::failed:
      return "failed";
    case ExitCode::unreachable:
      return "a node not reached";
    case ExitCode::locked:
      return "locked";
    case ExitCode::stale:
      return "the plan was stale";
    case ExitCode::cancelled:
      return "interrupted";
    case ExitCode::timed_out:
      return "timed out";
    case ExitCode::partly_applied:
      return "applied in part";
    case ExitCode::rolled_back:
      return "rolled back";
    case ExitCode::node_lost:
      return "a node was lost";
    case ExitCode::not_verified:
      return "not verified";
    case ExitCode::invalid:
      return "the plan was refused";
    case ExitCode::changes:
    case ExitCode::policy:
    case ExitCode::interrupted:
    case ExitCode::terminated:
    case ExitCode::bug:
      break;
  }
  return reason(static_cast<ExitCode>(exit_number));
}

std::string outage_words(const rehearse::Outage& outage) {
  return fmt::format(
      "for {}{}",
      format_duration(outage.lasted),
      outage.over ? "" : ", and until an operator repairs it");
}

std::string apart_words(const rehearse::Outage& outage) {
  std::vector<std::string> groups;
  for (const std::vector<NodeName>& group : outage.apart)
    groups.push_back(fold(group));
  return fmt::format(
      "{} while {} {} down",
      join(groups, " from "),
      fold(outage.down),
      outage.down.size() == 1 ? "is" : "are");
}

std::string cut_words(const rehearse::Outage& outage) {
  return fmt::format("{} {}: {}", outage.network, outage_words(outage), apart_words(outage));
}

std::string clock_text(TimePoint at) {
  const std::int64_t ms = at.time_since_epoch().count();
  constexpr std::int64_t kHour = 3'600'000;
  constexpr std::int64_t kMinute = 60'000;
  return fmt::format("{}:{:02}:{:02}", ms / kHour, ms % kHour / kMinute, ms % kMinute / 1000);
}

}  // namespace fabric::report
