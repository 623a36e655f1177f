// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/progress.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

namespace {

// WaveOrder: which actions of a plan may run as far as waves go. The waves of the plan come in
// their order; what is put off comes after all of them, in an order of its own.

class WaveOrder {
 public:
  using Index = std::size_t;  // of an action in its plan

  explicit WaveOrder(const plans::Plan& plan);

  std::uint32_t of(Index action) const { return wave_of_[action]; }
  bool is_open(Index action) const { return opened_ && wave_of_[action] <= *opened_; }
  // The highest wave that may run; nullopt: none has been opened.
  std::optional<std::uint32_t> opened() const { return opened_; }
  // It could start but for its wave, and comes back by open().
  void hold(Index action) { held_[wave_of_[action]].insert(action); }
  void ended(Index action) { --unended_[wave_of_[action]]; }
  // The wave to open now, as everything before it has ended. Nullopt: something has not, or all is
  // open.
  std::optional<std::uint32_t> next();
  // REQUIRES: wave == next(). What was held for it.
  std::set<Index> open(std::uint32_t wave);
  // Behind everything else, and among themselves in the order that they had. REQUIRES: none of them
  // has ended. What needs one of them is among them.
  void put_off(const std::set<Index>& actions);

 private:
  std::vector<std::uint32_t> wave_of_;
  std::map<std::uint32_t, std::size_t> unended_;
  std::map<std::uint32_t, std::set<Index>> held_;
  std::optional<std::uint32_t> opened_;
};

WaveOrder::WaveOrder(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    wave_of_.push_back(action.wave);
    ++unended_[action.wave];
  }
}

std::optional<std::uint32_t> WaveOrder::next() {
  while (!unended_.empty()) {
    const auto [wave, count] = *unended_.begin();
    if (!opened_ || *opened_ < wave) return wave;
    if (count > 0) return std::nullopt;
    unended_.erase(unended_.begin());
  }
  return std::nullopt;
}

std::set<WaveOrder::Index> WaveOrder::open(std::uint32_t wave) {
  opened_ = wave;
  const auto held = held_.find(wave);
  if (held == held_.end()) return {};
  std::set<Index> ready = std::move(held->second);
  held_.erase(held);
  return ready;
}

void WaveOrder::put_off(const std::set<Index>& actions) {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = opened_.value_or(0);
  for (const Index action : actions)
    first = std::min(first, wave_of_[action]);
  for (const auto& [wave, count] : unended_)
    last = std::max(last, wave);
  for (const Index action : actions) {
    const std::uint32_t before = wave_of_[action];
    const std::uint32_t now = before - first + last + 1;
    wave_of_[action] = now;
    --unended_[before];
    ++unended_[now];
    const auto held = held_.find(before);
    if (held != held_.end() && held->second.erase(action) != 0) held_[now].insert(action);
  }
}

// OpenEdges: what the actions of a plan still wait for, by its edges `needs` and `after`.
//
// Some edges only keep two nodes from being disturbed at once: both hold a mutex. Such an edge can
// be turned round, so that the other node goes first.

class OpenEdges {
 public:
  using Index = std::size_t;  // of an action in its plan

  // REQUIRES: `plan` outlives this.
  explicit OpenEdges(const plans::Plan& plan);

  bool waits(Index action) const { return edges_[action].unmet > 0; }
  const std::vector<Index>& needed_by(Index action) const { return edges_[action].needed_by; }
  // Returns the actions that wait for nothing now. One that needs a failed action waits for ever.
  std::vector<Index> end(Index action, bool succeeded);
  // `actions` with all that wait for one of them, except those only kept apart from them.
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
  // True if the edge between the two only keeps their nodes apart.
  bool only_keeps_apart(Index before, Index after) const;
  // One edge to `action` is met. Returns true if it was the last.
  bool meet(Index action) { return --edges_[action].unmet == 0; }
  void wait_for(Index first, const std::set<Index>& actions);

  const plans::Plan& plan_;
  std::vector<Edges> edges_;
  std::map<NodeName, std::set<std::string_view>> mutexes_;
};

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
  return std::ranges::any_of(
      first.mutex, [&theirs](const std::string& mutex) { return theirs.contains(mutex); });
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
    if (!only_keeps_apart(first, i) || std::ranges::find(needing, i) != needing.end()) continue;
    needing.push_back(i);
    ++edges_[i].unmet;
  }
}

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
    const auto held =
        std::ranges::find_if(state.locks, [](const Lock* lock) { return lock->held; });
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
    return *std::ranges::find_if(lost, [&](const NodeName& other) {
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

  // The actions that they would wait for do not begin any more.
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
      // An action that never begins need not be ended.
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

  // Puts off a node's actions, and those that need them or come after them: they can't end before.
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
  std::vector<std::pair<Index, Index>> closers;  // first: the action that they close
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

namespace {

bool is_work(const plans::Action& action) {
  const std::string& kind = action.draft.kind;
  return action.wave > 0 && kind != methods::kHookBefore && kind != methods::kHookAfter &&
         kind != methods::kHookForget && kind != methods::kHealthCheck;
}

}  // namespace

std::string_view to_string(PauseAfter after) {
  switch (after) {
    case PauseAfter::never:
      return "never";
    case PauseAfter::canary:
      return "canary";
    case PauseAfter::wave:
      return "wave";
  }
  FABRIC_CHECK(false, "a pause without a name");
}

Pauses::Pauses(const plans::Plan& plan, PauseAfter after, const std::set<NodeName>& canaries)
    : after_{after} {
  for (const plans::Wave& wave : plan.waves) {
    const bool has_canary = std::ranges::any_of(
        wave.nodes, [&canaries](const NodeName& node) { return canaries.contains(node); });
    if (has_canary) last_canary_wave_ = std::max(last_canary_wave_, wave.number);
  }
}

void Pauses::ended(const plans::Action& action, ActionState state) {
  if (state == ActionState::done && is_work(action)) did_something_ = true;
}

bool Pauses::before(std::uint32_t wave, std::optional<std::uint32_t> opened) const {
  if (after_ == PauseAfter::never || wave < 2 || !did_something_) return false;
  return after_ == PauseAfter::wave ||
         (opened.value_or(0) <= last_canary_wave_ && wave > last_canary_wave_);
}

}  // namespace fabric::execute
