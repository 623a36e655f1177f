// SPDX-License-Identifier: Apache-2.0
// OpenEdges: what the actions of a plan still wait for, by its edges `needs` and `after`.
//
// Some edges only keep two nodes from being disturbed at once: both hold a mutex. Such an edge can
// be turned round, so that the other node goes first.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::execute {

class OpenEdges {
 public:
  using Index = std::size_t;  // of an action in its plan

  // REQUIRES: `plan` outlives this.
  explicit OpenEdges(const plans::Plan& plan);

  bool waits(Index action) const { return edges_[action].unmet > 0; }
  const std::vector<Index>& needed_by(Index action) const { return edges_[action].needed_by; }
  // Those that wait for nothing now. What needs an action that has not succeeded waits for ever.
  std::vector<Index> end(Index action, bool succeeded);
  // `actions` with all that waits for one of them, but for what is only kept apart from them.
  std::set<Index> with_dependants(const std::set<Index>& actions) const;
  // Others do not wait for `actions` any more to be kept apart from them: `actions` wait for the
  // others. Those that wait for nothing now. REQUIRES: with_dependants() adds nothing to `actions`,
  // and none of them runs or has ended.
  std::vector<Index> turn_round(const std::set<Index>& actions);

 private:
  struct Edges {
    std::size_t unmet = 0;                 // edges whose other end has not ended
    std::vector<Index> needed_by, before;  // dependants by `needs`, by `after`
    bool ended = false;
  };
  // By `needs`.
  bool only_keeps_apart(Index before, Index after) const;
  // One edge to `action` is met. True: it was the last.
  bool meet(Index action) { return --edges_[action].unmet == 0; }
  void wait_for(Index first, const std::set<Index>& actions);

  const plans::Plan& plan_;
  std::vector<Edges> edges_;
  std::map<NodeName, std::set<std::string_view>> mutexes_;
};

}  // namespace fabric::execute
