// SPDX-License-Identifier: Apache-2.0
#include "plans/shared_activation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/graph/dag.hpp"

namespace fabric::plans {

namespace {

template <class Each>
void add_missing(std::vector<Each>& all, const std::vector<Each>& more) {
  for (const Each& each : more)
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
}

template <class Each>
void add_all(std::vector<Each>& all, const std::vector<Each>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Without conditions that a former condition of the same action brings about.
void add_conditions(ActionDraft& whole, const ActionDraft& more) {
  for (const Condition& each : more.preconditions) {
    const auto& brought = whole.postconditions;
    if (std::find(brought.begin(), brought.end(), each) == brought.end())
      whole.preconditions.push_back(each);
  }
  add_all(whole.postconditions, more.postconditions);
  add_all(whole.file_preconditions, more.file_preconditions);
  add_all(whole.after_boot, more.after_boot);
}

void join(ActionDraft& whole, const ActionDraft& more) {
  FABRIC_CHECK(
      more.by_hand.empty() && more.boots_in.empty() && whole.stage == more.stage,
      "an activation that can't be shared");
  whole.title += "; " + more.title;
  whole.disruption = std::max(whole.disruption, more.disruption);
  whole.steps = activated_together(whole.steps, more.steps, whole.activation);
  // The value that was set last is taken back first.
  whole.undo = activated_together(more.undo, whole.undo, whole.activation);
  whole.timeout = std::max(whole.timeout, more.timeout);
  whole.settles = std::max(whole.settles, more.settles);
  whole.once = whole.once || more.once;
  add_conditions(whole, more);
  if (whole.irreversible.empty()) whole.irreversible = more.irreversible;
  add_missing(whole.disturbs, more.disturbs);
  whole.may_cut_off = whole.may_cut_off || more.may_cut_off;
}

// Actions of different nodes never lie between two of one node: nodes wait for each other in order.
class Sharing {
 public:
  Sharing(std::vector<Action>& actions, Edges& needs, Edges& after)
      : actions_{actions},
        needs_{needs},
        after_{after},
        part_of_(actions.size()),
        parts_(actions.size()),
        later_(actions.size()) {
    for (Vertex vertex = 0; vertex < actions.size(); ++vertex) {
      part_of_[vertex] = vertex;
      parts_[vertex] = {vertex};
    }
    for (const Edges* edges : {&needs_, &after_}) {
      for (const auto& [before, later] : *edges)
        if (actions[before].node == actions[later].node) later_[before].push_back(later);
    }
  }

  // By former vertex: the vertex that now has its work.
  std::vector<Vertex> run() {
    for (const Vertex vertex : in_order()) {
      const Action& action = actions_[vertex];
      if (action.draft.activation.name.empty()) continue;
      auto& wholes = wholes_[{action.node, action.wave, action.draft.activation.name}];
      const auto whole = std::find_if(
          wholes.begin(), wholes.end(), [&](Vertex each) { return may_join(each, vertex); });
      if (whole == wholes.end()) {
        wholes.push_back(vertex);
      } else {
        take_in(*whole, vertex);
      }
    }
    for (const auto& [key, wholes] : wholes_) {
      for (const Vertex whole : wholes) {
        std::string& title = actions_[whole].draft.title;
        title = fmt::format("in {}: {}", std::get<2>(key), title);
      }
    }
    return renumbered();
  }

 private:
  std::vector<Vertex> in_order() const {
    graph::Dag dag{actions_.size()};
    for (const Edges* edges : {&needs_, &after_}) {
      for (const auto& [before, later] : *edges)
        dag.add_edge(before, later);
    }
    const auto order = dag.topological_order();
    FABRIC_CHECK(order.has_value(), "actions wait for each other");
    return *order;
  }

  // An activation has no work of one resource twice, and no work that must come between the two.
  bool may_join(Vertex whole, Vertex more) const {
    for (const ResourceAddress& address : actions_[more].covers) {
      const auto& covers = actions_[whole].covers;
      if (std::find(covers.begin(), covers.end(), address) != covers.end()) return false;
    }
    return !leads_around(whole, more) && !leads_around(more, whole);
  }

  // True if another action lies between them.
  bool leads_around(Vertex from, Vertex to) const {
    std::set<Vertex> seen{from};
    std::vector<Vertex> left{from};
    while (!left.empty()) {
      const Vertex at = left.back();
      left.pop_back();
      for (const Vertex part : parts_[at]) {
        for (const Vertex later : later_[part]) {
          const Vertex whole = part_of_[later];
          if (whole == to && at != from) return true;
          if (whole != to && seen.insert(whole).second) left.push_back(whole);
        }
      }
    }
    return false;
  }

  void take_in(Vertex into, Vertex vertex) {
    Action& whole = actions_[into];
    const Action& more = actions_[vertex];
    join(whole.draft, more.draft);
    add_missing(whole.mutex, more.mutex);
    std::sort(whole.mutex.begin(), whole.mutex.end());
    whole.guard = std::max(whole.guard, more.guard);
    add_all(whole.covers, more.covers);
    part_of_[vertex] = into;
    parts_[into].push_back(vertex);
  }

  std::vector<Vertex> renumbered() {
    std::vector<Vertex> place(actions_.size());
    std::vector<Action> left;
    for (Vertex vertex = 0; vertex < actions_.size(); ++vertex) {
      if (part_of_[vertex] != vertex) continue;
      place[vertex] = left.size();
      left.push_back(std::move(actions_[vertex]));
    }
    actions_ = std::move(left);
    for (Vertex& vertex : part_of_)
      vertex = place[vertex];
    for (Edges* edges : {&needs_, &after_}) {
      Edges renumbered;
      for (const auto& [before, later] : *edges) {
        const std::pair<Vertex, Vertex> now{part_of_[before], part_of_[later]};
        if (now.first != now.second) renumbered.insert(now);
      }
      *edges = std::move(renumbered);
    }
    return std::move(part_of_);
  }

  std::vector<Action>& actions_;
  Edges& needs_;
  Edges& after_;
  std::vector<Vertex> part_of_;  // the action that has its work; itself, if no other took it in
  std::vector<std::vector<Vertex>> parts_, later_;  // the latter of the same node
  std::map<std::tuple<NodeName, std::uint32_t, std::string>, std::vector<Vertex>> wholes_;
};

}  // namespace

void share_activations(
    std::vector<Action>& actions, Edges& needs, Edges& after, std::map<Vertex, Vertex>& closes) {
  const bool any = std::any_of(actions.begin(), actions.end(), [](const Action& action) {
    return !action.draft.activation.name.empty();
  });
  if (!any) return;
  const std::vector<Vertex> now = Sharing{actions, needs, after}.run();
  std::map<Vertex, Vertex> closing;
  for (const auto& [closer, opener] : closes)
    closing.emplace(now[closer], now[opener]);
  closes = std::move(closing);
}

}  // namespace fabric::plans
