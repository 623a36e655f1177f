// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/open_edges.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>

#include "engine/base/check.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

OpenEdges::OpenEdges(const plans::Plan& plan) : plan_{plan}, edges_(plan.actions.size()) {
  std::unordered_map<std::string_view, Index> index;
  for (Index i = 0; i < edges_.size(); ++i)
    index.emplace(plan.actions[i].id, i);
  const auto at = [&index](const std::string& id) {
    const auto found = index.find(id);
    FABRIC_CHECK(found != index.end(), "a plan with an edge to nowhere");
    return found->second;
  };
  for (Index i = 0; i < edges_.size(); ++i) {
    const plans::Action& action = plan.actions[i];
    for (const std::string& id : action.needs)
      edges_[at(id)].needed_by.push_back(i);
    for (const std::string& id : action.after)
      edges_[at(id)].before.push_back(i);
    edges_[i].unmet = action.needs.size() + action.after.size();
    mutexes_[action.node].insert(action.mutex.begin(), action.mutex.end());
  }
}

std::vector<OpenEdges::Index> OpenEdges::end(Index action, bool succeeded) {
  edges_[action].ended = true;
  std::vector<Index> free;
  for (const auto* dependants : {&edges_[action].before, &edges_[action].needed_by}) {
    if (dependants == &edges_[action].needed_by && !succeeded) break;
    for (const Index later : *dependants) {
      if (meet(later) && !edges_[later].ended) free.push_back(later);
    }
  }
  return free;
}

// The drain of a node waits as its disturbance does, and holds no mutex of its own.
bool OpenEdges::only_keeps_apart(Index before, Index after) const {
  const plans::Action& first = plan_.actions[before];
  const plans::Action& second = plan_.actions[after];
  const bool disturbs = !second.mutex.empty() || second.draft.kind == methods::kHookBefore;
  if (first.node == second.node || !disturbs) return false;
  const std::set<std::string_view>& theirs = mutexes_.at(second.node);
  return std::any_of(first.mutex.begin(), first.mutex.end(), [&theirs](const std::string& mutex) {
    return theirs.contains(mutex);
  });
}

std::set<OpenEdges::Index> OpenEdges::with_dependants(const std::set<Index>& actions) const {
  std::set<Index> all;
  for (std::deque<Index> todo(actions.begin(), actions.end()); !todo.empty(); todo.pop_front()) {
    const Index i = todo.front();
    if (!all.insert(i).second) continue;
    todo.insert(todo.end(), edges_[i].before.begin(), edges_[i].before.end());
    for (const Index later : edges_[i].needed_by) {
      if (!only_keeps_apart(i, later)) todo.push_back(later);
    }
  }
  return all;
}

std::vector<OpenEdges::Index> OpenEdges::turn_round(const std::set<Index>& actions) {
  std::set<Index> first;
  std::vector<Index> free;
  for (const Index i : actions) {
    std::vector<Index>& needing = edges_[i].needed_by;
    const auto others =
        std::stable_partition(needing.begin(), needing.end(), [&actions](Index later) {
          return actions.contains(later);
        });
    for (auto other = others; other != needing.end(); ++other) {
      first.insert(*other);
      if (meet(*other)) free.push_back(*other);
    }
    needing.erase(others, needing.end());
  }
  for (const Index each : first)
    wait_for(each, actions);
  return free;
}

void OpenEdges::wait_for(Index first, const std::set<Index>& actions) {
  // The disturbance of a node counts, not its drain; a skipped action disturbs no node.
  if (plan_.actions[first].mutex.empty() || edges_[first].ended) return;
  std::vector<Index>& needing = edges_[first].needed_by;
  for (const Index i : actions) {
    if (!only_keeps_apart(first, i) ||
        std::find(needing.begin(), needing.end(), i) != needing.end())
      continue;
    needing.push_back(i);
    ++edges_[i].unmet;
  }
}

}  // namespace fabric::execute
