// SPDX-License-Identifier: Apache-2.0
#include "engine/report/rehearse/rehearsals.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/value/lists.hpp"

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

namespace {

// Null: there was none.
Value outage_value(const std::optional<rehearse::Outage>& outage) {
  if (!outage) return {};
  return Map{
      {"network", outage->network},
      {"lasted_ms", std::int64_t{outage->lasted.count()}},
      {"over", outage->over},
      {"apart", to_list(outage->apart, [](const auto& each) { return to_list(each); })},
      {"down", to_list(outage->down)}};
}

Map seed_value(const rehearse::SeedResult& result) {
  Map faults;
  for (const auto& [fault, times] : result.faults)
    faults.emplace(fault, std::int64_t{times});
  return {
      {"seed", static_cast<std::int64_t>(result.seed)},
      {"exit_code", exit_number(result)},
      {"failure", result.first.failure},
      {"again", result.again},
      {"converged", result.converged},
      {"took_ms", std::int64_t{result.first.took.count()}},
      {"until_done_ms", std::int64_t{result.until_done.count()}},
      {"faults", std::move(faults)},
      {"down_at_once", to_list(result.service.down_at_once)},
      {"ring_cut", outage_value(result.service.ring_cut)},
      {"unmanaged", outage_value(result.service.unmanaged)},
      {"violations", to_list(result.violations)}};
}

Map replay_value(const rehearse::PathReplay& replay) {
  List different;
  for (const rehearse::PathDifference& each : replay.different) {
    different.emplace_back(
        Map{{"wave", std::int64_t{each.wave}},
            {"network", each.network},
            {"from", each.pair.a.str()},
            {"to", each.pair.b.str()},
            {"predicted", each.predicted ? "kept" : "lost"}});
  }
  return {
      {"pings", static_cast<std::int64_t>(replay.pings)},
      {"waves", static_cast<std::int64_t>(replay.waves)},
      {"waves_left_out", static_cast<std::int64_t>(replay.waves_left_out)},
      {"different", std::move(different)}};
}

}  // namespace

void emit_seed(const JsonEvents& events, const rehearse::SeedResult& result, bool story) {
  if (story) {
    for (const rehearse::TraceLine& line : result.trace) {
      if (line.kind == rehearse::TraceLine::Kind::plan) continue;
      events.emit(
          "info",
          "rehearse_event",
          line.text,
          {{"at_ms", std::int64_t{line.at.time_since_epoch().count()}}});
    }
  }
  events.emit(
      result.violations.empty() ? "info" : "error",
      "rehearse_seed",
      fmt::format("seed {}: {}", result.seed, outcome_words(exit_number(result))),
      seed_value(result));
}

void emit_rehearsal(
    const JsonEvents& events,
    const rehearse::Rehearsal& rehearsal,
    const RehearsalContext& context) {
  Map exits;
  std::int64_t converged = 0;
  for (const rehearse::SeedResult& result : rehearsal.results) {
    Value& count = exits[fmt::format("{}", exit_number(result))];
    const std::int64_t* so_far = count.as_integer();
    count = (so_far == nullptr ? 0 : *so_far) + std::int64_t{1};
    if (result.converged) ++converged;
  }
  const std::vector<Duration> durations = rehearsal.durations();
  const auto share = [&durations](std::size_t percent) -> Value {
    if (durations.empty()) return {};
    return std::int64_t{durations[(durations.size() - 1) * percent / 100].count()};
  };
  constexpr std::size_t kHalf = 50;
  constexpr std::size_t kMost = 90;
  const rehearse::SeedResult* worst = rehearsal.worst();
  const bool well = rehearsal.kept_promises() && rehearsal.is_gentle();
  events.emit(
      well ? "info" : "error",
      "rehearse_summary",
      fmt::format("{} of {} seeds converged", converged, rehearsal.results.size()),
      {{"seeds", static_cast<std::int64_t>(rehearsal.results.size())},
       {"converged", converged},
       {"exit_codes", std::move(exits)},
       {"without_faults", seed_value(rehearsal.baseline)},
       {"p50_ms", share(kHalf)},
       {"p90_ms", share(kMost)},
       {"worst_seed", worst == nullptr ? Value{} : Value{static_cast<std::int64_t>(worst->seed)}},
       {"forced", context.forced},
       {"paths", replay_value(rehearsal.paths)},
       {"not_copied", to_list(context.missing)}});
}

}  // namespace fabric::report
