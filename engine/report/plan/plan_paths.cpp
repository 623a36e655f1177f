// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

namespace {

using plans::PathsLostInWave;

constexpr std::size_t kPairsShown = 3;

bool are_alike(const PathsLostInWave& one, const PathsLostInWave& other) {
  return one.network == other.network && one.working == other.working && one.lost == other.lost &&
         one.unknown == other.unknown && one.apart.size() == other.apart.size() &&
         one.away.size() == other.away.size();
}

struct Run {
  const PathsLostInWave* first = nullptr;
  std::uint32_t last = 0;
};

// The losses of one network in consecutive waves.
std::vector<Run> runs_of(const std::vector<PathsLostInWave>& waves) {
  std::vector<Run> runs;
  for (const PathsLostInWave& wave : waves) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
      return run.last + 1 == wave.wave && are_alike(*run.first, wave);
    });
    if (found == runs.end()) {
      runs.push_back({&wave, wave.wave});
    } else {
      found->last = wave.wave;
    }
  }
  return runs;
}

// "pve2 and pve3, pve2 and pve4, ..."
std::string apart_text(const PathsLostInWave& lost) {
  std::vector<std::string> pairs;
  for (const auto& [one, other] : lost.apart) {
    if (pairs.size() == kPairsShown) break;
    pairs.push_back(fmt::format("{} and {}", one.str(), other.str()));
  }
  std::string text = join(pairs, ", ");
  if (lost.apart.size() > kPairsShown)
    text += fmt::format(" and {} more", lost.apart.size() - kPairsShown);
  return text;
}

Text line_of(const Run& run) {
  const PathsLostInWave& lost = *run.first;
  const bool is_one = run.last == lost.wave;
  Text line = is_one
                  ? compose("wave {} ", lost.wave)
                  : compose("each of waves {}-{}, like wave {} ", lost.wave, run.last, lost.wave);
  if (lost.by_partitions()) {
    return line + compose(
                      "changes members of partitions: {} of {} pairs of hosts in network {} lose "
                      "contact, for example {}",
                      lost.lost,
                      lost.working,
                      lost.network,
                      apart_text(lost));
  }
  if (lost.is_unjudged()) {
    return line + compose(
                      "while {} {} down: network {} has {} pairs of addresses, too many to compute "
                      "which of them are lost",
                      fold(lost.away),
                      lost.away.size() == 1 ? "is" : "are",
                      lost.network,
                      lost.working);
  }
  line += compose(
      "while {} {} down: {} of {} pairs of addresses in network {} that work now are lost",
      fold(lost.away),
      lost.away.size() == 1 ? "is" : "are",
      lost.lost,
      lost.working,
      lost.network);
  if (lost.unknown != 0) line += compose(", {} are not known", lost.unknown);
  if (lost.apart.empty()) {
    line += "; no other hosts lose each other";
  } else {
    line += compose(
        "; {} of {} pairs of other hosts lose each other: {}",
        lost.apart.size(),
        lost.host_pairs,
        apart_text(lost));
  }
  return line;
}

// `last`: of waves in a row that are alike.
Text line_of(const plans::SingleInWave& wave, std::uint32_t last) {
  const Text waves =
      last == wave.wave ? compose("wave {} ", wave.wave)
                        : compose("each of waves {}-{}, like wave {} ", wave.wave, last, wave.wave);
  const Text line =
      waves + compose("while {} {} down: ", fold(wave.away), wave.away.size() == 1 ? "is" : "are");
  if (wave.hosts.empty())
    return line +
           compose(
               "network {} is too large to compute which hosts depend on one thing", wave.network);
  return line + compose(
                    "{} {} in network {} depend{} on one thing, {}",
                    count(wave.hosts.size(), "host"),
                    fold(wave.hosts),
                    wave.network,
                    wave.hosts.size() == 1 ? "s" : "",
                    wave.example);
}

}  // namespace

std::vector<Text> lost_paths_lines(const plans::Plan& plan) {
  std::vector<Text> lines;
  std::string example;
  bool is_meanwhile = false;
  for (const Run& run : runs_of(plan.impact.paths_lost)) {
    lines.push_back(line_of(run));
    is_meanwhile = is_meanwhile || !run.first->by_partitions();
    if (example.empty()) example = run.first->example;
  }
  if (!example.empty()) lines.push_back(compose("for example {}", example));
  if (is_meanwhile)
    lines.emplace_back("`fabric graph --down NODE` names the pairs that are left meanwhile");
  const std::vector<plans::SingleInWave>& single = plan.impact.single.waves;
  for (std::size_t i = 0; i < single.size();) {
    const plans::SingleInWave& first = single[i];
    std::uint32_t last = first.wave;
    for (++i;
         i < single.size() && single[i].wave == last + 1 && single[i].network == first.network &&
         single[i].away.size() == first.away.size() && single[i].hosts.size() == first.hosts.size();
         ++i)
      ++last;
    lines.push_back(line_of(first, last));
  }
  if (plan.impact.asks_for_paths)
    lines.emplace_back("agreeing to the plan accepts these losses (rollout.paths_lost: ask)");
  return lines;
}

}  // namespace fabric::report
