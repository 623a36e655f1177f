#include "engine/execute/executor.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>

#include "engine/execute/action_run.hpp"
#include "engine/execute/conditions.hpp"

namespace fabric::execute {

namespace {

constexpr Duration kHeartbeat{5'000};
// How long an interrupt may go unnoticed.
constexpr Duration kPatience{1'000};
constexpr const char* kInterrupted = "the run was interrupted";

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
  }

  RunResult run() && {
    tell([this](ExecutionObserver& to) { to.run_started(inputs_.plan, inputs_.run); });
    quiet_since_ = now();
    for (;;) {
      check_interrupt();
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
    tell([this](ExecutionObserver& to) { to.run_ended(result_.actions); });
    return std::move(result_);
  }

 private:
  struct Running {
    const plans::Action* action = nullptr;
    std::unique_ptr<ActionRun> run;
    TimePoint started;
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
    if (check_interrupt()) {
      progress_.finish(not_started);
      return;
    }
    announce_wave(action.wave);
    tell([&](ExecutionObserver& to) { to.action_started(action); });
    Running running{&action, nullptr, now()};
    // A journal that could not write the line above interrupts, and then nothing is sent.
    if (check_interrupt()) return end(running, std::move(not_started));
    running.run = make_action_run(
        action,
        {inputs_.plan.nodes.at(action.node),
         judge_,
         inputs_.random,
         [this, &action](const std::string& phase) {
           tell([&](ExecutionObserver& to) { to.action_phase(action, phase); });
         },
         [this] {
           return check_interrupt();
         }});
    const remote::Ticket ticket = next_ticket_++;
    remote::Step step = running.run->begin();
    running_.emplace(ticket, std::move(running));
    inputs_.runner.start({ticket, action.node, std::move(step)});
  }

  void announce_wave(std::uint32_t number) {
    if (!announced_.insert(number).second) return;
    for (const plans::Wave& wave : inputs_.plan.waves) {
      if (wave.number == number) tell([&](ExecutionObserver& to) { to.wave_started(wave); });
    }
  }

  void wait() {
    const Duration until_heartbeat = quiet_since_ + kHeartbeat - now();
    const auto result =
        inputs_.runner.wait_any(std::clamp(until_heartbeat, Duration{0}, kPatience));
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
    const auto found = running_.find(result.ticket);
    if (found == running_.end()) return;  // a reading that was given up before the run began
    Running& running = found->second;
    if (auto step = running.run->next(result)) {
      inputs_.runner.start({result.ticket, running.action->node, *std::move(step)});
      return;
    }
    if (running.run->node_lost()) {
      result_.lost_nodes.push_back(running.action->node);
      progress_.lose(running.action->node);
    }
    const Running ended = std::move(running);
    running_.erase(found);
    end(ended, ended.run->result());
  }

  void end(const Running& running, ActionResult result) {
    result.took = now() - running.started;
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
  remote::Ticket next_ticket_;  // not those of a discovery whose late answers may still come
  std::unordered_map<std::string_view, const plans::Action*> by_id_;
  std::set<std::uint32_t> announced_;
  TimePoint quiet_since_;
  RunResult result_;
};

}  // namespace

bool RunResult::all_done() const {
  return std::all_of(actions.begin(), actions.end(), [](const ActionResult& action) {
    return action.state == ActionState::done || action.state == ActionState::already_satisfied;
  });
}

RunResult execute(const ExecuteInputs& inputs, const std::vector<ExecutionObserver*>& observers) {
  return Execution{inputs, observers}.run();
}

}  // namespace fabric::execute
