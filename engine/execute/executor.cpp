// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/executor.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

namespace {

constexpr Duration kHeartbeat{5'000};
// The time that an interrupt may go unnoticed.
constexpr Duration kPatience{1'000};
constexpr const char* kInterrupted = "the run was interrupted";
constexpr int kLeaseAttempts = 3;
// A hook that said "not yet" is asked this often while there is patience left.
constexpr int kAskedAtLeast = 100;
constexpr Duration kAskedAtMostEvery{1'000};
constexpr Duration kAskedAtLeastEvery{30'000};
// Reading before and reading back, and a way to the node that is slow.
constexpr Duration kReading{120'000};

// The number of steps that take time: a line of a conversation as much as a command.
std::size_t timed_steps(const ActionDraft& draft) {
  std::size_t steps = 0;
  for (const remote::Step& step : draft.steps) {
    if (const auto* talk = std::get_if<remote::step::Converse>(&step)) {
      steps += talk->lines.size();
    } else if (
        !std::holds_alternative<remote::step::WriteFile>(step) &&
        !std::holds_alternative<remote::step::RemoveFile>(step)) {
      ++steps;
    }
  }
  return steps;
}

// The longest time of an action, so that no other run comes in between.
Duration longest(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  Duration longest = kReading + action.guard;
  if (action.guard > Duration{0}) longest += kReading;  // the reading after a rollback
  const bool waits = draft.once || !draft.by_hand.empty() || draft.kind == methods::kHealthCheck;
  longest += draft.timeout * (timed_steps(draft) + (waits ? 1 : 0));
  if (draft.kind == methods::kReboot) {
    longest += draft.timeout + action.reboot.down + action.reboot.up + action.reboot.stable;
  }
  return longest;
}

class Execution {
 public:
  Execution(const ExecuteInputs& inputs, const std::vector<ExecutionObserver*>& observers)
      : inputs_{inputs},
        observers_{observers},
        judge_{inputs.resources, inputs.registry},
        progress_{inputs.plan, inputs.limits},
        next_ticket_{inputs.random.next() >> 1U} {
    for (const plans::Action& action : inputs.plan.actions)
      by_id_.emplace(action.id, &action);
    for (const plans::Action& action : inputs.plan.actions) {
      if (!action.closes.empty()) closes_.insert_or_assign(action.node, longest(action));
    }
    for (const auto& [node, waited] : inputs.former.put_off) {
      put_off_[node] = {now() - waited, now()};
      progress_.put_off(node);
    }
  }

  RunResult run() && {
    tell([this](ExecutionObserver& to) { to.run_started(inputs_.plan, inputs_.run); });
    quiet_since_ = now();
    for (;;) {
      check_interrupt();
      renew_leases();
      const std::vector<const plans::Action*> started = progress_.start_ready();
      for (const plans::Action* action : started)
        begin(*action);
      if (!running_.empty()) {
        wait();
      } else if (started.empty()) {
        break;
      }
    }
    result_.actions = progress_.results();
    result_.paused = progress_.paused();
    tell([this](ExecutionObserver& to) { to.run_ended(result_.actions); });
    return std::move(result_);
  }

 private:
  struct Running {
    const plans::Action* action = nullptr;
    std::unique_ptr<ActionRun> run;
    TimePoint started;
    // Before anything else the lease is made to outlast it: attempts left, 0 = it does.
    int lease_attempts = 0;
    bool refused = false;  // the node did one of its steps not, for its lease was not in force
  };

  template <class Event>
  void tell(Event event) {
    for (ExecutionObserver* observer : observers_)
      event(*observer);
  }

  TimePoint now() const { return inputs_.runner.clock().now(); }

  bool check_interrupt() {
    if (!result_.cancelled && inputs_.interrupted && inputs_.interrupted()) {
      result_.cancelled = true;
      progress_.stop(kInterrupted);
    }
    return result_.cancelled;
  }

  void begin(const plans::Action& action) {
    ActionResult not_started;
    not_started.id = action.id;
    not_started.detail = kInterrupted;
    // An action that ends another one is not given up for an interrupt.
    const bool may_stop = action.closes.empty();
    if (check_interrupt() && may_stop) {
      progress_.finish(not_started);
      return;
    }
    if (is_left(action)) return leave_done(action);
    announce_wave(action.wave);
    tell([&](ExecutionObserver& to) { to.action_started(action); });
    Running running{&action, nullptr, now()};
    // A journal that could not write the line above interrupts, and then nothing is sent.
    if (check_interrupt() && may_stop) return end(running, std::move(not_started));
    running.run = make_action_run(
        action,
        {inputs_.plan.nodes.at(action.node),
         judge_,
         inputs_.random,
         [this, &action](const std::string& phase) {
           tell([&](ExecutionObserver& to) { to.action_phase(action, phase); });
         },
         [this] { return check_interrupt(); },
         action.closes.empty() ? std::function<std::string()>{}
                               : [this, &action] { return outcome(action.node); },
         former_values(inputs_.plan, action),
         former_files(inputs_.plan, action),
         power_cycles_.contains(action.node),
         pause_before(action)});
    const remote::Ticket ticket = next_ticket_++;
    Leases* leases = inputs_.leases;
    const bool is_covered = leases == nullptr || leases->covers(action.node, needed(action));
    if (!is_covered) running.lease_attempts = kLeaseAttempts;
    remote::Step step =
        is_covered ? running.run->begin() : leases->renewal(action.node, needed(action));
    send(ticket, running_.emplace(ticket, std::move(running)).first->second, std::move(step));
  }

  // True if the action may be left out: one that ends a disruption only if its node has recorded
  // it.
  bool is_left(const plans::Action& action) const {
    const FormerRun& former = inputs_.former;
    return (action.closes.empty() ? former.done : former.known).contains(action.node);
  }

  void leave_done(const plans::Action& action) {
    ActionResult result;
    result.id = action.id;
    result.state = ActionState::already_satisfied;
    result.detail = fmt::format("done by run {}", inputs_.former.run);
    tell([&](ExecutionObserver& to) { to.action_ended(action, result); });
    progress_.finish(result);
  }

  // Since when a node's hook has said "not yet", and when it was asked last.
  struct PutOff {
    TimePoint since, last;
  };

  Duration pause_before(const plans::Action& action) const {
    const auto found = put_off_.find(action.node);
    if (action.draft.kind != methods::kHookBefore || found == put_off_.end()) return Duration{0};
    const Duration between = std::clamp(
        Duration{inputs_.patience / kAskedAtLeast}, kAskedAtMostEvery, kAskedAtLeastEvery);
    return std::max(Duration{0}, found->second.last + between - now());
  }

  // False: the wait is over, and `result` says so.
  bool put_off(const plans::Action& action, ActionResult& result) {
    PutOff& waits = put_off_.try_emplace(action.node, PutOff{now(), now()}).first->second;
    waits.last = now();
    const Duration waited = waits.last - waits.since;
    const std::string said = without_secrets(result.detail);
    if (waited >= inputs_.patience) {
      result.code = ErrorCode::timed_out;
      result.detail =
          fmt::format("{}: rollout.patience ({}) is over", said, format_duration(inputs_.patience));
      return false;
    }
    tell([&](ExecutionObserver& to) {
      to.action_phase(
          action, fmt::format("not yet: {}; {} is tried again later", said, action.node.str()));
    });
    tell([&](ExecutionObserver& to) { to.action_put_off(action, said, waited); });
    progress_.put_off(action);
    quiet_since_ = now();
    return true;
  }

  // All that is sent: the steps of actions fenced, those of leases as they are.
  remote::StepRunner& runner() {
    return inputs_.leases == nullptr ? inputs_.runner : inputs_.leases->fenced();
  }
  void send(remote::Ticket ticket, const Running& running, remote::Step step) {
    remote::StepRunner& to = running.lease_attempts > 0 ? inputs_.runner : runner();
    to.start({ticket, running.action->node, std::move(step)});
  }

  // The time that the lease must last. Work owed to a node is done even if the node is lost by
  // then, if no other run has come in between.
  Duration needed(const plans::Action& action) const {
    const auto closer = closes_.find(action.node);
    const bool owes = action.closes.empty() && closer != closes_.end();
    return longest(action) + (owes ? closer->second : Duration{0});
  }

  std::string outcome(const NodeName& node) const {
    const auto& lost = result_.lost_nodes;
    if (std::find(lost.begin(), lost.end(), node) != lost.end()) return "lost";
    return failed_.contains(node) ? "failed" : "succeeded";
  }

  // Renews the leases of nodes that wait for their turn. That of a node with a running action
  // outlasts it.
  void renew_leases() {
    if (inputs_.leases == nullptr) return;
    for (const NodeName& node : inputs_.leases->due()) {
      const bool is_busy = std::ranges::any_of(
          running_, [&](const auto& each) { return each.second.action->node == node; });
      if (is_busy) continue;
      const remote::Ticket ticket = next_ticket_++;
      renewals_.emplace(ticket, node);
      inputs_.runner.start({ticket, node, inputs_.leases->renewal(node, Duration{0})});
    }
  }

  // The step after the answer of a lease; nullopt when the action has ended by it.
  std::optional<remote::Step> after_lease(Running& running, const remote::StepResult& result) {
    const plans::Action& action = *running.action;
    const Result<void> renewed = inputs_.leases->renewed(action.node, result);
    if (renewed) {
      running.lease_attempts = 0;
      return running.run->begin();
    }
    const bool is_answer = result.outcome == remote::Outcome::succeeded;
    if (!is_answer && --running.lease_attempts > 0)
      return inputs_.leases->renewal(action.node, needed(action));
    ActionResult failed;
    failed.id = action.id;
    failed.state = ActionState::failed;
    failed.code = renewed.error().code;
    failed.detail = renewed.error().message;
    failed.began = false;
    const Running ended = std::move(running);
    running_.erase(result.ticket);
    end(ended, std::move(failed));
    return std::nullopt;
  }

  void announce_wave(std::uint32_t number) {
    if (!announced_.insert(number).second) return;
    for (const plans::Wave& wave : inputs_.plan.waves) {
      if (wave.number == number) tell([&](ExecutionObserver& to) { to.wave_started(wave); });
    }
  }

  void wait() {
    const Duration until_heartbeat = quiet_since_ + kHeartbeat - now();
    const auto result = runner().wait_any(std::clamp(until_heartbeat, Duration{0}, kPatience));
    if (result) take(*result);
    if (now() - quiet_since_ >= kHeartbeat) heartbeat();
  }

  void heartbeat() {
    std::vector<std::string> ids;
    for (const auto& [ticket, running] : running_)
      ids.push_back(running.action->id);
    std::sort(ids.begin(), ids.end());
    quiet_since_ = now();
    if (!ids.empty()) tell([&](ExecutionObserver& to) { to.heartbeat(ids); });
  }

  void take(const remote::StepResult& result) {
    if (const auto renewal = renewals_.find(result.ticket); renewal != renewals_.end()) {
      // One that failed is due again, and no action begins without it.
      (void)inputs_.leases->renewed(renewal->second, result);
      renewals_.erase(renewal);
      return;
    }
    const auto found = running_.find(result.ticket);
    if (found == running_.end()) return;  // a reading that was given up before the run began
    Running& running = found->second;
    if (running.lease_attempts > 0) {
      if (auto step = after_lease(running, result))
        send(result.ticket, found->second, *std::move(step));
      return;
    }
    note_refusal(running, result);
    if (auto step = running.run->next(result))
      return send(result.ticket, running, *std::move(step));
    if (running.run->node_lost()) {
      result_.lost_nodes.push_back(running.action->node);
      progress_.lose(running.action->node);
    }
    const Running ended = std::move(running);
    running_.erase(found);
    ActionResult ending = result_of(ended);
    if (ending.not_yet && put_off(*ended.action, ending)) return;
    end(ended, std::move(ending));
  }

  void note_refusal(Running& running, const remote::StepResult& result) const {
    Leases* leases = inputs_.leases;
    const NodeName& node = running.action->node;
    if (leases == nullptr || !leases->fenced().is_refusal(node, result)) return;
    running.refused = true;
    leases->lost(node);
  }

  static ActionResult result_of(const Running& running) {
    ActionResult result = running.run->result();
    const bool failed = result.state == ActionState::failed || result.state == ActionState::unknown;
    if (!running.refused || !failed) return result;
    result.code = ErrorCode::locked;
    result.detail = "lease lost: the node refused a step; " + result.detail;
    return result;
  }

  void end(const Running& running, ActionResult result) {
    result.took = now() - running.started;
    // The observer writes it down or shows it.
    result.detail = without_secrets(result.detail);
    result.output = without_secrets(result.output);
    if (result.state == ActionState::failed || result.state == ActionState::unknown)
      failed_.insert(running.action->node);
    if (result.power_cycle) power_cycles_.insert(running.action->node);
    tell([&](ExecutionObserver& to) { to.action_ended(*running.action, result); });
    for (const ActionResult& skipped : progress_.finish(result)) {
      const plans::Action& action = *by_id_.at(skipped.id);
      tell([&](ExecutionObserver& to) { to.action_ended(action, skipped); });
    }
    quiet_since_ = now();
  }

  const ExecuteInputs& inputs_;
  const std::vector<ExecutionObserver*>& observers_;
  ConditionJudge judge_;
  Progress progress_;
  std::map<remote::Ticket, Running> running_;
  std::map<remote::Ticket, NodeName> renewals_;
  remote::Ticket
      next_ticket_;  // differs from the tickets of a discovery, whose late answers may still come
  std::unordered_map<std::string_view, const plans::Action*> by_id_;
  std::set<std::uint32_t> announced_;
  std::set<NodeName> failed_;        // nodes with a failed action
  std::set<NodeName> power_cycles_;  // nodes with ActionResult::power_cycle
  std::map<NodeName, PutOff> put_off_;
  std::map<NodeName, Duration> closes_;  // how long what closes its disruption can take
  TimePoint quiet_since_;
  RunResult result_;
};

}  // namespace

bool RunResult::all_done() const {
  return std::ranges::all_of(actions, [](const ActionResult& action) {
    return action.state == ActionState::done || action.state == ActionState::already_satisfied;
  });
}

RunResult execute(const ExecuteInputs& inputs, const std::vector<ExecutionObserver*>& observers) {
  return Execution{inputs, observers}.run();
}

}  // namespace fabric::execute
