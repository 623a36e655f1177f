// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/progress.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/execute/open_edges.hpp"
#include "engine/execute/wave_order.hpp"

namespace fabric::execute {

namespace {

using Index = std::size_t;  // of an action in its plan; lower = earlier

bool succeeded(ActionState state) {
  return state == ActionState::done || state == ActionState::already_satisfied;
}

bool failed(ActionState state) {
  return state == ActionState::failed || state == ActionState::unknown;
}

// One holder at a time, the others wait in order: a node, or a mutex.
struct Lock {
  bool held = false;
  std::set<Index> waiting;
};

}  // namespace

// An action whose edges and wave allow it is a candidate. A candidate that meets a held lock moves
// to that lock's queue and comes back when the lock is released, one at a time, so that no event
// looks at everything that waits. Invariant: an action in the queue of a free lock would be lost;
// therefore code that parks a candidate offers the next of every free lock that the candidate had
// come from.
struct Progress::Impl {
  struct State {
    std::vector<Lock*> locks;  // its node first, then its mutexes
    bool ended = false, running = false, begun = false;
    ActionResult result;
  };

  Impl(const plans::Plan& plan_in, ProgressLimits limits_in)
      : plan{plan_in},
        limits{std::move(limits_in)},
        states(plan_in.actions.size()),
        edges{plan_in},
        waves{plan_in},
        pauses{plan_in, limits.pause_after, limits.canaries},
        lost{limits.down} {
    std::unordered_map<std::string_view, Index> index;
    for (Index i = 0; i < states.size(); ++i)
      index.emplace(plan.actions[i].id, i);
    for (Index i = 0; i < states.size(); ++i) {
      const plans::Action& action = plan.actions[i];
      State& state = states[i];
      state.result.id = action.id;
      state.locks.push_back(&nodes[action.node]);
      for (const std::string& mutex : action.mutex)
        state.locks.push_back(&mutexes[mutex]);
      if (!action.closes.empty()) closers.emplace_back(at(index, action.closes), i);
      if (!edges.waits(i)) ready(i);
    }
    index_of.insert(index.begin(), index.end());
    open_waves();
  }

  static Index at(const std::unordered_map<std::string_view, Index>& index, const std::string& id) {
    const auto found = index.find(id);
    FABRIC_CHECK(found != index.end(), "a plan with an edge to nowhere");
    return found->second;
  }

  void ready(Index i) {
    if (waves.is_open(i)) {
      candidates.insert(i);
    } else {
      waves.hold(i);
    }
  }

  // Opens the next wave when everything before it has ended and not too much of it failed.
  void open_waves() {
    while (const std::optional<std::uint32_t> wave = waves.next()) {
      if (limits.on_error != OnError::go_on && failed_nodes.size() > limits.max_failures) {
        stop(fmt::format(
            "wave {} was not begun: {} failed (max_failures is {})",
            *wave,
            failed_nodes.size() == 1 ? failed_nodes.begin()->str()
                                     : fmt::format("{} nodes", failed_nodes.size()),
            limits.max_failures));
        return;
      }
      if (pauses.before(*wave, waves.opened())) {
        paused = paused || !stopped;
        stop(fmt::format(
            "the run paused before wave {} (--pause-after {})",
            *wave,
            to_string(limits.pause_after)));
        return;
      }
      candidates.merge(waves.open(*wave));
    }
  }

  void stop(const std::string& why) {
    if (!stopped) stopped = why;
  }

  void offer_next(Lock& lock) {
    if (lock.held || lock.waiting.empty()) return;
    candidates.insert(*lock.waiting.begin());
    lock.waiting.erase(lock.waiting.begin());
  }

  // Takes the locks of `i`, or parks it at the first that is held.
  bool take_locks(Index i) {
    State& state = states[i];
    const auto held = std::find_if(
        state.locks.begin(), state.locks.end(), [](const Lock* lock) { return lock->held; });
    if (held == state.locks.end()) {
      for (Lock* lock : state.locks)
        lock->held = true;
      return true;
    }
    (*held)->waiting.insert(i);
    for (Lock* lock : state.locks)
      offer_next(*lock);
    return false;
  }

  bool disturbs(Index i) const { return plan.actions[i].draft.disruption >= Disruption::traffic; }

  // One more node disturbed would be one too many. Without a lost one the waves see to that.
  bool too_many_down(const NodeName& node) const {
    if (limits.domains.count(lost, node) == 0) return false;
    Down down{lost, {}};
    down.unreached.insert(disturbed.begin(), disturbed.end());
    for (const auto& [name, planned] : plan.nodes) {
      if (!planned.reachable) (planned.offline ? down.offline : down.unreached).insert(name);
    }
    return limits.domains.room(limits.max_unavailable, down, node) == 0;
  }

  // REQUIRES: too_many_down(node).
  const NodeName& lost_beside(const NodeName& node) const {
    return *std::find_if(lost.begin(), lost.end(), [&](const NodeName& other) {
      return limits.domains.of(other) == limits.domains.of(node);
    });
  }

  void start(Index i, std::vector<const plans::Action*>& started) {
    if (disturbs(i)) disturbed.insert(plan.actions[i].node);
    states[i].running = true;
    states[i].begun = true;
    ++running;
    started.push_back(&plan.actions[i]);
  }

  // What it would have waited for does not begin any more.
  void start_closers(std::vector<const plans::Action*>& started) {
    for (const auto& [opener, closer] : closers) {
      if (!states[opener].begun || states[closer].begun || states[closer].ended) continue;
      if (nodes.at(plan.actions[closer].node).held || !take_locks(closer)) continue;
      candidates.erase(closer);
      start(closer, started);
    }
  }

  std::vector<const plans::Action*> start_ready() {
    std::vector<const plans::Action*> started;
    std::vector<Index> held;
    while (!stopped && running < limits.at_once && !candidates.empty()) {
      const Index i = *candidates.begin();
      candidates.erase(candidates.begin());
      if (states[i].ended) continue;  // skipped meanwhile
      if (edges.waits(i)) {           // put off meanwhile, and comes back
        for (Lock* lock : states[i].locks)
          offer_next(*lock);
        continue;
      }
      if (!waves.is_open(i)) {  // put off meanwhile
        waves.hold(i);
        for (Lock* lock : states[i].locks)
          offer_next(*lock);
        continue;
      }
      if (disturbs(i) && too_many_down(plan.actions[i].node)) {
        held.push_back(i);
        continue;
      }
      if (!take_locks(i)) continue;
      start(i, started);
    }
    candidates.insert(held.begin(), held.end());
    if (running == 0 && !held.empty()) {
      stop(fmt::format(
          "{} is down, and max_unavailable is {}",
          lost_beside(plan.actions[held.front()].node).str(),
          limits.max_unavailable));
    }
    if (stopped) start_closers(started);
    std::sort(started.begin(), started.end());  // they stand in one vector
    return started;
  }

  void end(Index i, ActionResult result) {
    State& state = states[i];
    state.result = std::move(result);
    state.ended = true;
    waves.ended(i);
    pauses.ended(plan.actions[i], state.result.state);
    for (const Index later : edges.end(i, succeeded(state.result.state)))
      ready(later);
  }

  // Everything that needs `root`, however far away.
  std::vector<ActionResult> skip_dependants(Index root, const std::string& what) {
    std::set<Index> skipped;
    std::deque<Index> todo{root};
    while (!todo.empty()) {
      for (const Index i : edges.needed_by(todo.front())) {
        if (!states[i].ended && skipped.insert(i).second) todo.push_back(i);
      }
      // What never begins need not be ended.
      for (const auto& [opener, closer] : closers) {
        if (opener == todo.front() && !states[opener].begun && !states[closer].ended &&
            skipped.insert(closer).second)
          todo.push_back(closer);
      }
      todo.pop_front();
    }
    std::vector<ActionResult> results;
    for (const Index i : skipped) {
      ActionResult result;
      result.id = plan.actions[i].id;
      result.state = ActionState::skipped;
      result.cause = plan.actions[root].id;
      result.detail = fmt::format(
          "needs {} ({}), which {}", result.cause, plan.actions[root].draft.title, what);
      results.push_back(result);
      end(i, std::move(result));
    }
    return results;
  }

  std::vector<ActionResult> finish(const ActionResult& result) {
    const auto found = index_of.find(result.id);
    FABRIC_CHECK(found != index_of.end(), "a result of no action");
    const Index i = found->second;
    State& state = states[i];
    FABRIC_CHECK(state.running, "a result of an action that does not run");
    FABRIC_CHECK(result.state != ActionState::skipped, "an action that ran can't be skipped");
    state.running = false;
    if (result.state == ActionState::not_started || !result.began) state.begun = false;
    --running;
    disturbed.erase(plan.actions[i].node);
    for (Lock* lock : state.locks)
      lock->held = false;
    end(i, result);
    std::vector<ActionResult> skipped;
    if (failed(result.state)) {
      failed_nodes.insert(plan.actions[i].node);
      if (limits.on_error == OnError::stop)
        stop(fmt::format("{} failed (--on-error stop)", plan.actions[i].node.str()));
      skipped = skip_dependants(
          i, result.state == ActionState::failed ? "failed" : "may or may not have happened");
    }
    for (Lock* lock : state.locks)
      offer_next(*lock);
    open_waves();
    return skipped;
  }

  // With the actions that need them or come after them, whose waves can't end before.
  void put_off(const NodeName& node) {
    if (limits.canaries.contains(node)) return;
    std::set<Index> moved;
    for (Index i = 0; i < states.size(); ++i) {
      const plans::Action& action = plan.actions[i];
      if (action.node == node && action.wave > 0 && !states[i].ended) moved.insert(i);
    }
    moved = edges.with_dependants(moved);
    std::erase_if(moved, [this](Index i) { return states[i].ended; });
    if (!moved.empty()) waves.put_off(moved);
    for (const Index i : edges.turn_round(moved))
      ready(i);
    for (const Index i : moved) {
      if (candidates.erase(i) != 0 && !edges.waits(i)) waves.hold(i);
    }
    open_waves();
  }

  void put_off(const plans::Action& action) {
    const Index i = index_of.at(action.id);
    FABRIC_CHECK(states[i].running, "an action that does not run is put off");
    states[i].running = false;
    --running;
    disturbed.erase(action.node);
    for (Lock* lock : states[i].locks)
      lock->held = false;
    candidates.insert(i);
    put_off(action.node);
    for (Lock* lock : states[i].locks)
      offer_next(*lock);
  }

  std::vector<ActionResult> results() const {
    FABRIC_CHECK(running == 0, "results of a run that goes on");
    std::vector<ActionResult> all;
    for (const State& state : states) {
      all.push_back(state.result);
      if (!state.ended) all.back().detail = stopped.value_or("the run ended before");
    }
    return all;
  }

  const plans::Plan& plan;
  ProgressLimits limits;
  std::vector<State> states;
  std::unordered_map<std::string_view, Index> index_of;
  std::map<NodeName, Lock> nodes;
  std::map<std::string_view, Lock> mutexes;
  std::set<Index> candidates;
  OpenEdges edges;
  WaveOrder waves;
  Pauses pauses;
  std::set<NodeName> failed_nodes;
  std::set<NodeName> lost, disturbed;            // the latter: by what runs now
  std::vector<std::pair<Index, Index>> closers;  // with what they close first
  std::optional<std::string> stopped;
  bool paused = false;
  std::size_t running = 0;
};

Progress::Progress(const plans::Plan& plan, ProgressLimits limits)
    : impl_{std::make_unique<Impl>(plan, std::move(limits))} {}
Progress::~Progress() = default;

std::vector<const plans::Action*> Progress::start_ready() {
  return impl_->start_ready();
}

std::vector<ActionResult> Progress::finish(const ActionResult& result) {
  return impl_->finish(result);
}

void Progress::put_off(const plans::Action& action) {
  impl_->put_off(action);
}

void Progress::put_off(const NodeName& node) {
  impl_->put_off(node);
}

void Progress::lose(const NodeName& node) {
  impl_->lost.insert(node);
}

void Progress::stop(const std::string& why) {
  impl_->stop(why);
}

bool Progress::running() const {
  return impl_->running > 0;
}

bool Progress::paused() const {
  return impl_->paused;
}

std::vector<ActionResult> Progress::results() const {
  return impl_->results();
}

}  // namespace fabric::execute
