// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/rehearse/rehearsals.hpp"

namespace fabric::report {

namespace {

using rehearse::Outage;
using rehearse::Rehearsal;
using rehearse::SeedResult;

constexpr std::size_t kIndent = 10;
// The result fits one screen: more items than this are only counted.
constexpr std::size_t kMissingShown = 4;
constexpr std::string_view kPlan = "Plan: ";

Text section(const Text& name, const Text& body, const Style& style) {
  return paint(style, Colour::bold, pad(name, kIndent)) + hang(body, style.width, kIndent) + "\n";
}

Text seed_text(const SeedResult& result) {
  return compose("seed {}", result.seed);
}

Text faults_text(const Rehearsal& rehearsal) {
  std::map<std::string, std::size_t> struck;
  std::size_t spared = 0;
  for (const SeedResult& result : rehearsal.results) {
    if (result.faults.empty()) ++spared;
    for (const auto& [fault, times] : result.faults)
      ++struck[fault];
  }
  std::vector<Text> parts;
  for (const auto& [fault, seeds] : struck)
    parts.push_back(compose("{} {}", fault, seeds));
  if (parts.empty()) return "none struck";
  return compose(
      "in {} of {}: {}",
      rehearsal.results.size() - spared,
      count(rehearsal.results.size(), "seed"),
      join_texts(parts, ", "));
}

Text outcome_text(const Rehearsal& rehearsal, const Style& style) {
  struct Group {
    std::size_t seeds = 0, again = 0, converged = 0;
  };
  std::map<int, Group> groups;
  for (const SeedResult& result : rehearsal.results) {
    Group& group = groups[exit_number(result)];
    ++group.seeds;
    if (result.again) ++group.again;
    if (result.converged) ++group.converged;
  }
  Text text;
  for (const auto& [code, group] : groups) {
    Text line = compose("{:>4}  {} exit {}", group.seeds, pad(outcome_words(code), 20), code);
    if (group.again > 0) line += ", and a second apply completed it";
    if (group.converged < group.seeds) line += compose(" in {} only", group.converged);
    const Colour colour = group.converged < group.seeds ? Colour::red : Colour::none;
    text += paint(style, Colour::bold, pad(text.empty() ? "Outcome" : "", kIndent)) +
            paint(style, colour, line) + "\n";
  }
  return text;
}

// The result of one that lasts longer than without faults, the longest; null: none does.
template <class Find>
const SeedResult* longest(const Rehearsal& rehearsal, Find find) {
  const SeedResult* worst = &rehearsal.baseline;
  const auto lasted = [&find](const SeedResult& result) {
    const std::optional<Outage>& outage = find(result);
    return outage ? outage->lasted : Duration{0};
  };
  for (const SeedResult& result : rehearsal.results) {
    if (lasted(result) > lasted(*worst)) worst = &result;
  }
  return worst == &rehearsal.baseline ? nullptr : worst;
}

Text down_text(const Rehearsal& rehearsal) {
  const std::vector<NodeName>& planned = rehearsal.baseline.service.down_at_once;
  Text text = compose(
      "{} at once by the plan itself{}",
      count(planned.size(), "node"),
      planned.size() > 1 ? compose(" ({})", fold(planned)) : "");
  const SeedResult* worst = nullptr;
  for (const SeedResult& result : rehearsal.results) {
    const std::size_t most = worst == nullptr ? planned.size() : worst->service.down_at_once.size();
    if (result.service.down_at_once.size() > most) worst = &result;
  }
  if (worst == nullptr) return text + ", and never more";
  return text + compose(
                    "; {} with faults ({}, {})",
                    worst->service.down_at_once.size(),
                    fold(worst->service.down_at_once),
                    seed_text(*worst));
}

Text replay_text(const rehearse::PathReplay& replay) {
  if (replay.pings == 0) {
    return compose(
        "nothing was pinged on the copies: {} would take too many pings",
        count(replay.waves_left_out, "wave"));
  }
  const Text waves = compose(
      "{} on the copies, with the nodes of {} off{}",
      count(replay.pings, "ping"),
      replay.waves == 1 ? "one wave" : compose("each of {} waves", replay.waves),
      replay.waves_left_out == 0
          ? Text{}
          : compose(" ({} more were left out)", count(replay.waves_left_out, "wave")));
  if (replay.different.empty()) return waves + ": as the plan says";
  const rehearse::PathDifference& first = replay.different.front();
  return waves + compose(
                     ": {} not as predicted; in wave {} {} reaches {} {}",
                     replay.different.size(),
                     first.wave,
                     first.pair.a.str(),
                     first.pair.b.str(),
                     first.predicted ? "no more, but the plan says that it does"
                                     : "still, but the plan says that it does not");
}

// Cables that stay in one piece are not paths that do. The plan itself says more.
Text paths_text(const Rehearsal& rehearsal, const plans::Plan& plan, const Style& style) {
  const std::vector<Text> lines = lost_paths_lines(plan);
  Text text;
  if (!lines.empty()) text += section("Paths", lines.front(), style);
  if (rehearsal.paths.pings + rehearsal.paths.waves_left_out == 0) return text;
  const bool differs = !rehearsal.paths.different.empty();
  return text + paint(
                    style,
                    differs ? Colour::red : Colour::none,
                    section(lines.empty() ? "Paths" : "", replay_text(rehearsal.paths), style));
}

Text cut_text(const Rehearsal& rehearsal, const plans::Plan& plan, const Style& style) {
  if (!rehearsal.has_rings) return {};
  const auto cut_of = [](const SeedResult& result) -> const std::optional<Outage>& {
    return result.service.ring_cut;
  };
  const SeedResult* worst = longest(rehearsal, cut_of);
  Text text;
  if (const std::optional<Outage>& cut = cut_of(rehearsal.baseline); cut) {
    text = "CUT BY THE PLAN ITSELF: " + cut_words(*cut);
  } else {
    text = plan.impact.paths_lost.empty()
               ? Text{"never cut by the plan itself"}
               : Text{"its cables stay in one piece, but paths are lost"};
  }
  if (worst != nullptr) {
    text += compose(
        "; {} with faults ({}): {}",
        outage_words(*cut_of(*worst)),
        seed_text(*worst),
        apart_words(*cut_of(*worst)));
  }
  return section("Ring", text, style);
}

Text manager_text(const Rehearsal& rehearsal, const Style& style) {
  if (!rehearsal.has_managers) return {};
  const auto gap_of = [](const SeedResult& result) -> const std::optional<Outage>& {
    return result.service.unmanaged;
  };
  Text text = "a manager ran all the time after the first was up";
  if (const std::optional<Outage>& gap = gap_of(rehearsal.baseline); gap)
    text = compose("network {} {} without a manager", gap->network, outage_words(*gap));
  if (const SeedResult* worst = longest(rehearsal, gap_of); worst != nullptr) {
    text += compose(
        "; with faults network {} {} ({})",
        gap_of(*worst)->network,
        outage_words(*gap_of(*worst)),
        seed_text(*worst));
  }
  return section("Manager", text, style);
}

Text time_text(const Rehearsal& rehearsal) {
  constexpr std::size_t kHalf = 50;
  constexpr std::size_t kMost = 90;
  const std::vector<Duration> all = rehearsal.durations();
  const auto share = [&all](std::size_t percent) {
    return format_duration(all[(all.size() - 1) * percent / 100]);
  };
  Text text = format_duration(rehearsal.baseline.first.took) + " without faults (boots of 2 min)";
  if (all.empty()) return text;
  return text + compose("; p50 {}, p90 {}, re-runs included", share(kHalf), share(kMost));
}

Text missing_text(const RehearsalContext& context, const Style& style) {
  if (context.missing.empty()) return section("Copies", "nothing was left out", style);
  Text text;
  for (std::size_t i = 0; i < context.missing.size() && i < kMissingShown; ++i)
    text += section(i == 0 ? "Not so" : "", context.missing[i], style);
  if (context.missing.size() > kMissingShown && !style.verbose)
    text += section("", compose("and {} more (-v)", context.missing.size() - kMissingShown), style);
  for (std::size_t i = kMissingShown; style.verbose && i < context.missing.size(); ++i)
    text += section("", context.missing[i], style);
  return text;
}

Text worst_text(const Rehearsal& rehearsal, const RehearsalContext& context, const Style& style) {
  const SeedResult* worst = rehearsal.worst();
  if (worst == nullptr) return {};
  Text text = seed_text(*worst) + ": ";
  if (!worst->violations.empty()) {
    text += worst->violations.front();
  } else {
    text += outcome_words(exit_number(*worst));
    if (!worst->first.failure.empty()) text += ": " + worst->first.failure;
  }
  return section("Worst", text, style) +
         section("", compose("{} --seed {}", context.replay, worst->seed), style);
}

Text conclusion(const Rehearsal& rehearsal, const RehearsalContext& context, const Style& style) {
  std::size_t broken = rehearsal.baseline.violations.empty() ? 0 : 1;
  for (const SeedResult& result : rehearsal.results) {
    if (!result.violations.empty()) ++broken;
  }
  Text text;
  Colour colour = Colour::green;
  if (broken > 0) {
    text = compose(
        "Rehearsal: in {} it did not end as apply promises{}",
        count(broken, "seed"),
        rehearsal.baseline.violations.empty()
            ? "."
            : ": without faults: " + rehearsal.baseline.violations.front());
    colour = Colour::red;
  } else if (!rehearsal.is_gentle()) {
    text = "Rehearsal: it converges, but the plan itself cuts a ring.";
    colour = Colour::red;
  } else {
    text = context.missing.empty() ? "Rehearsal: it converged under every fault."
                                   : "Rehearsal: the simulated part converged under every fault.";
  }
  return paint(style, colour, wrap(text, style.width, 4)) + "\n";
}

Text heading(const RehearsalContext& context, const Text& what, const Style& style) {
  std::size_t reached = 0;
  for (const auto& [name, node] : context.plan.nodes)
    reached += node.reachable ? 1 : 0;
  Text text = compose(
      "{}: copies of {}, {}\n",
      paint(style, Colour::bold, context.plan.fabric),
      count(reached, "node"),
      what);
  if (!context.forced.empty()) text += section("Forced", context.forced, style);
  return text + "\n";
}

}  // namespace

Text rehearsal_text(
    const Rehearsal& rehearsal, const RehearsalContext& context, const Style& style) {
  return heading(
             context,
             compose("{} of faults, in virtual time", count(rehearsal.results.size(), "seed")),
             style) +
         section("Plan", plan_summary(context.plan).substr(kPlan.size()), style) +
         section("Faults", faults_text(rehearsal), style) + outcome_text(rehearsal, style) +
         section("Down", down_text(rehearsal), style) + cut_text(rehearsal, context.plan, style) +
         paths_text(rehearsal, context.plan, style) + manager_text(rehearsal, style) +
         section("Time", time_text(rehearsal), style) + missing_text(context, style) +
         worst_text(rehearsal, context, style) + "\n" + conclusion(rehearsal, context, style);
}

Text story_text(const SeedResult& result, const RehearsalContext& context, const Style& style) {
  Text text = heading(
      context,
      result.seed == 0 ? "no faults" : compose("the story of seed {}", result.seed),
      style);
  constexpr std::size_t kClock = 10;
  for (const rehearse::TraceLine& line : result.trace) {
    if (line.kind == rehearse::TraceLine::Kind::plan) continue;
    const bool is_host = line.kind == rehearse::TraceLine::Kind::host;
    text +=
        pad(clock_text(line.at), kClock) +
        paint(
            style, is_host ? Colour::yellow : Colour::none, hang(line.text, style.width, kClock)) +
        "\n";
  }
  text += "\n";
  if (result.service.ring_cut) text += section("Ring", cut_words(*result.service.ring_cut), style);
  for (const std::string& violation : result.violations)
    text += paint(style, Colour::red, section("Broken", violation, style));
  const Text end = compose(
      "Seed {}: {} (exit {}) after {}{}",
      result.seed,
      outcome_words(exit_number(result)),
      exit_number(result),
      format_duration(result.first.took),
      !result.again      ? "."
      : result.converged ? "; a second apply completed it."
                         : "; a second apply did not complete it.");
  return text + paint(style, result.violations.empty() ? Colour::green : Colour::red, end) + "\n";
}

}  // namespace fabric::report
