// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/estimate.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fabric::execute {

namespace {

using Key = std::pair<std::string, std::string>;  // node ("" = any), kind of action

std::map<Key, Duration> medians(const std::vector<RunRecord>& history) {
  std::map<Key, std::vector<Duration>> seen;
  for (const RunRecord& run : history) {
    for (const RecordedAction& action : run.actions) {
      if (!action.ended || action.state != ActionState::done) continue;
      seen[{action.node, action.kind}].push_back(action.took);
      seen[{"", action.kind}].push_back(action.took);
    }
  }
  std::map<Key, Duration> median_of;
  for (auto& [key, times] : seen) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    median_of.emplace(key, *middle);
  }
  return median_of;
}

}  // namespace

std::optional<Estimate> estimate(const plans::Plan& plan, const std::vector<RunRecord>& history) {
  const std::map<Key, Duration> median_of = medians(history);
  Estimate result;
  std::map<std::uint32_t, std::map<NodeName, Duration>> waves;
  bool any = false;
  for (const plans::Action& action : plan.actions) {
    auto found = median_of.find({action.node.str(), action.draft.kind});
    if (found == median_of.end()) found = median_of.find({"", action.draft.kind});
    if (found == median_of.end()) {
      result.unseen.insert(action.draft.kind);
      continue;
    }
    any = true;
    waves[action.wave][action.node] += found->second;
  }
  if (!any) return std::nullopt;
  for (const auto& [wave, nodes] : waves) {
    result.time += std::max_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->second;
  }
  result.runs = static_cast<std::size_t>(std::ranges::count_if(
      history, [](const RunRecord& run) { return run.count(ActionState::done) > 0; }));
  return result;
}

}  // namespace fabric::execute
