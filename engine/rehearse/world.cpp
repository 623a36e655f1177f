// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/world.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/execute/exit_code.hpp"
#include "engine/platform/host_parts.hpp"
#include "engine/rehearse/plan_subset.hpp"
#include "engine/rehearse/simulated_host.hpp"
#include "engine/remote/observed_runner.hpp"
#include "plans/plan_file.hpp"

namespace fabric::rehearse {

namespace {

std::map<NodeName, const SimulatedPlatform*> fenced_nodes(const Scene& scene) {
  std::map<NodeName, const SimulatedPlatform*> nodes;
  for (const auto& [name, node] : scene.spec.nodes) {
    const Platform platform = node.platform.value;
    const SimulatedPlatform* simulated = scene.simulated.find(platform);
    if (simulated != nullptr && scene.registry.host(platform).fencing() != nullptr)
      nodes.emplace(name, simulated);
  }
  return nodes;
}

std::string_view power_text(lab::Power power) {
  switch (power) {
    case lab::Power::up:
      return "is up again";
    case lab::Power::going_down:
      return "shuts down";
    case lab::Power::down:
      return "is down";
    case lab::Power::booting:
      return "is down, and boots";
    case lab::Power::dead:
      return "is down, and does not boot";
  }
  return "";
}

std::string first_failure(const plans::Plan& plan, const execute::RunResult& run) {
  for (const execute::ActionResult& result : run.actions) {
    const bool failed = result.state == execute::ActionState::failed ||
                        result.state == execute::ActionState::unknown;
    if (!failed) continue;
    const plans::Action* action = plan.find_action(result.id);
    return fmt::format(
        "{}: {}: {}",
        action == nullptr ? result.id : action->node.str(),
        action == nullptr ? "" : action->draft.kind,
        result.detail);
  }
  return {};
}

}  // namespace

bool is_promised(ExitCode code) {
  switch (code) {
    case ExitCode::done:
    case ExitCode::failed:
    case ExitCode::unreachable:
    case ExitCode::stale:
    case ExitCode::cancelled:
    case ExitCode::timed_out:
    case ExitCode::partly_applied:
    case ExitCode::node_lost:
    case ExitCode::rolled_back:
      return true;
    case ExitCode::locked:  // no other operator is there, and the locks of a lost run have run out
    case ExitCode::not_verified:
    case ExitCode::changes:
    case ExitCode::invalid:
    case ExitCode::policy:
    case ExitCode::interrupted:
    case ExitCode::terminated:
    case ExitCode::bug:
      return false;
  }
  return false;
}

class World::Recorder final : public workflow::Listener {
 public:
  Recorder(World& world, const execute::ConditionJudge& judge, const RunFaults& faults)
      : world_{world},
        judge_{judge},
        left_{faults.interrupt_after},
        until_meddled_{faults.meddle_after},
        until_stranger_{faults.stranger_after} {}

  bool interrupted() {
    if (left_ == 0) return over_;
    if (--left_ == 0) {
      over_ = true;
      world_.note(TraceLine::Kind::host, "the operator presses Ctrl-C");
    }
    return over_;
  }
  void problem(std::string_view text) override { put(std::string{text}); }
  void action_started(const plans::Action& action) override {
    told_.insert_or_assign(action.id, std::nullopt);
    world_.begun_.insert(action.node);
    if (action.draft.disruption >= Disruption::traffic)
      world_.watching_.watch_disruption(action.node);
    boots_[action.id] = world_.boots_[action.node];
    // The foreign writer waits for an action that writes a file with an MTU.
    if (until_meddled_ > 1) {
      --until_meddled_;
    } else if (until_meddled_ == 1) {
      world_.meddle(action);
      if (!world_.meddled_.empty()) until_meddled_ = 0;
    }
    if (until_stranger_ > 0 && --until_stranger_ == 0) {
      world_.watching_.replace_host_key(action.node);
      world_.note(TraceLine::Kind::host, action.node.str() + " has another host key");
    }
    put(fmt::format("start {} {} {}", action.id, action.node.str(), action.draft.title));
  }
  void action_phase(const plans::Action& action, const std::string& phase) override {
    put(fmt::format("{} {}: {}", action.id, action.node.str(), phase));
  }
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override {
    put(fmt::format(
        "end {} {} {} {}", action.id, action.node.str(), to_string(result.state), result.detail));
    if (world_.mtus_)
      world_.mtus_->look("after " + action.draft.title + " on " + action.node.str());
    if (result.booted && world_.boots_[action.node] == boots_[action.id])
      world_.violation(action.node.str() + " is reported as rebooted, and has not booted");
    told_.insert_or_assign(action.id, result.state);
    if (result.state != execute::ActionState::done) return;
    world_.check_done(action, judge_);
    world_.check_durable(action);
  }
  // For each begun action, by id: its end, as it was reported.
  const std::map<std::string, std::optional<execute::ActionState>>& told() const { return told_; }

 private:
  void put(std::string line) { world_.note(TraceLine::Kind::action, std::move(line)); }
  World& world_;
  const execute::ConditionJudge& judge_;
  std::uint32_t left_, until_meddled_, until_stranger_;
  bool over_ = false;
  std::map<std::string, std::uint32_t> boots_;  // of the action's node when it started
  std::map<std::string, std::optional<execute::ActionState>> told_;
};

// The deeds of another operator, or of the machine that fabric runs on, between two steps of a run;
// and the answers of the nodes.
class World::Interference final : public remote::StepObserver {
 public:
  Interference(World& world, const plans::Plan& plan, const RunFaults& faults, std::string run)
      : world_{world},
        plan_{plan},
        stall_{faults.stall},
        until_stall_{faults.stall.at},
        run_{std::move(run)} {}

  void step_started(const remote::StepRequest& request) override {
    const bool stalls = until_stall_ > 0 && remote::may_change(request.step);
    if (stalls && --until_stall_ == 0) world_.stall(stall_);
    world_.edit_before_step(plan_, request);
    sent_.insert_or_assign(request.ticket, Sent{request.node, world_.now()});
  }
  void step_ended(const remote::StepResult& result) override {
    const auto sent = sent_.find(result.ticket);
    if (sent == sent_.end()) return;
    const auto& [node, at] = sent->second;
    const platform::Fencing* fence =
        world_.scene_.registry.host(world_.platform_of(node)).fencing();
    if (fence != nullptr && fence->is_refusal(result))
      world_.leases_.refused(node, at, world_.now(), run_);
    sent_.erase(sent);
  }

 private:
  struct Sent {
    NodeName node;
    TimePoint at;
  };
  World& world_;
  const plans::Plan& plan_;
  const Stall& stall_;
  std::uint32_t until_stall_;
  std::string run_;
  std::map<remote::Ticket, Sent> sent_;
};

lab::LabSpec machines_of(const Scene& scene) {
  lab::LabSpec lab = scene.lab;
  for (const auto& [platform, maker] : scene.simulated.makers())
    lab.makers.emplace(platform, maker);
  return lab;
}

World::World(Scene scene, std::uint64_t seed)
    : scene_{std::move(scene)},
      lab_{scene_.spec, machines_of(scene_)},
      runner_{lab_, scene_.files},
      watching_{lab_, runner_, scene_.spec, scene_.registry, scene_.simulated, violations_},
      leases_{lab_, fenced_nodes(scene_), scene_.lab, violations_},
      service_{scene_.spec, lab_, scene_.unreached},
      random_{seed},
      forgetting_{seed ^ 0x666f'7267'6574'0000},
      foreign_{lab_, scene_.simulated, violations_} {
  watching_.set_host_keys(scene_.host_keys);
  choose_nodes();
  for (const NodeName& node : lab_.nodes()) {
    const std::vector<std::string> touched = lab_.touched_files(node);
    touched_before_[node] = {touched.begin(), touched.end()};
    power_[node] = lab_.power(node);
  }
  for (const auto& [node, path] : scene_.foreign)
    foreign_.left(node, path);
  lab_.watch([this](const lab::HostEvent& event) { happened(event); });
  service_.look(now());
}

Platform World::platform_of(const NodeName& node) const {
  return scene_.spec.nodes.at(node).platform.value;
}

void World::note(TraceLine::Kind kind, std::string text) {
  note_refusals();
  const TimePoint at = trace_.empty() ? now() : std::max(now(), trace_.back().at);
  trace_.push_back({kind, at, std::move(text)});
}

void World::struck(const NodeName& node, lab::Fault fault, TimePoint at) {
  ++faults_[std::string{to_string(fault)}];
  trace_.push_back(
      {TraceLine::Kind::host, at, fmt::format("{} meets {}", node.str(), to_string(fault))});
}

// Nothing reaches a host that refuses connections, so nothing happens there that could be heard of.
void World::note_refusals() {
  for (const NodeName& node : lab_.nodes()) {
    const bool refuses = lab_.power(node) == lab::Power::up && !lab_.accepts_connections(node);
    if (refuses && !scene_.unreached.contains(node) && refusing_.insert(node).second)
      struck(node, lab::Fault::refused, now());
  }
}

void World::happened(const lab::HostEvent& event) {
  // These are met by a boot, not by a command.
  const bool of_a_boot = event.fault == lab::Fault::slow_boot ||
                         event.fault == lab::Fault::no_boot ||
                         (event.fault == lab::Fault::boots_twice && event.power == lab::Power::up);
  if (event.fault != lab::Fault::none && !of_a_boot) struck(event.node, event.fault, event.at);
  lab::Power& before = power_[event.node];
  if (before != event.power) {
    trace_.push_back(
        {TraceLine::Kind::host,
         event.at,
         fmt::format("{} {}", event.node.str(), power_text(event.power))});
    const lab::Fault fault = lab_.fault(event.node);
    const bool slow = event.power == lab::Power::booting && fault == lab::Fault::slow_boot;
    if (slow || event.power == lab::Power::dead) struck(event.node, fault, event.at);
    if (event.power == lab::Power::up) {
      ++boots_[event.node];
      leases_.booted(event.node, event.at);
    }
    before = event.power;
  }
  for (const Actor& actor : actors_) {
    const remote::Step* step = actor.runner->at_work();
    if (event.changed && step != nullptr) leases_.changed(event.node, event.at, actor.run, *step);
  }
  for (; late_changes_ < lab_.monitor().late_changes.size(); ++late_changes_)
    judge(lab_.monitor().late_changes[late_changes_]);
  if (!lab_.stays_cut_off(event.node)) {
    cut_off_.erase(event.node);
  } else if (
      !meddled_with_.contains(event.node) && !scene_.allow_no_rollback.contains(event.node) &&
      cut_off_.insert(event.node).second) {
    violation(event.node.str() + " is cut off, and nothing on it rolls that back");
  }
  service_.look(event.at);
}

// A lock may be given up late: its run is over.
void World::judge(const lab::LateChange& late) {
  const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(late.node));
  if (simulated != nullptr && simulated->is_lock_work(late.work)) return;
  violation(fmt::format(
      "{}: a step sent before the rollback of its network has changed it afterwards",
      late.node.str()));
}

Round World::round(const RunFaults& faults, const plans::Plan* given) {
  meddled_.clear();
  const TimePoint begun = now();
  Round round;
  if (given != nullptr) {
    round = apply(*given, faults);
    round.complete = true;
  } else {
    const workflow::Planned made = plan();
    const plans::Plan plan = without(made.plan, scene_.left_out, scene_.unreached);
    if (made.valid) round = apply(plan, faults);
    round.errors = !made.valid;
    for (const Diagnostic& each : made.diagnostics.items()) {
      if (each.severity == Severity::error) round.refused_by.insert(each.rule);
      round.found.emplace(each.rule, each.subject.str());
    }
    for (const plans::PlannedChange& each : plan.changes)
      if (each.withheld)
        round.withheld.insert(each.address.str() + "/" + each.attribute.attribute.str());
    round.empty = plan.empty();
    round.idle = plan.actions.empty();
  }
  round.took = std::chrono::duration_cast<Duration>(now() - begun);
  return round;
}

Round World::apply(const plans::Plan& made, const RunFaults& faults) {
  Round round;
  const bool is_cut = !scene_.unreached.empty() || !scene_.left_out.empty();
  round.complete = made.complete() || is_cut;
  const bool reached_all = made.reached_all() || is_cut;
  const auto plan = plans::parse_plan_file(plans::to_plan_file(made));
  if (!plan) {
    violation("the plan file can't be read back: " + plan.error().message);
    return round;
  }
  const std::string run = fmt::format("simulated-{}", ++rounds_);
  begun_.clear();
  watching_.begin_plan(*plan);
  watching_.set_hook_faults(faults);
  note_written(*plan);
  const std::vector<Resource> resources = workflow::planned_resources(desired(), *plan);
  const execute::ConditionJudge judge{resources, scene_.registry};
  Recorder recorder{*this, judge, faults};
  SimulatedHost host{watching_, Desk::here, run, faults.killed_at, [&recorder] {
                       return recorder.interrupted();
                     }};
  foreign_.shown(*plan);
  edit_ = faults.edit;
  edit_before_all(*plan);
  Interference interference{*this, *plan, faults, run};
  remote::ObservedRunner interfered{watching_, interference};
  std::optional<Result<execute::RunResult>> result;
  actors_ = {{&runner_, run}};
  try {
    result.emplace(workflow::execute_plan(
        {desired(), *plan, reached_all}, {host, recorder, interfered, random_}));
  } catch (const ControllerKilled&) {
    note_run(run, *plan, recorder.told());
    leases_.end(run);
    note(TraceLine::Kind::host, "the machine that fabric runs on dies");
    watching_.kill_plan();
    check_journal(host.journal_after_power_cut(forgetting_), recorder.told());
    foreign_.look();
    round.killed = true;
    return round;
  }
  note_run(run, *plan, recorder.told());
  leases_.end(run);
  watching_.end_plan();
  if (*result) {
    round.exit = execute::exit_code(**result, reached_all, execute::Verification::not_run);
    round.failure = first_failure(*plan, **result);
    note(TraceLine::Kind::action, fmt::format("exit {}", static_cast<int>(round.exit)));
  } else {
    round.exit = exit_code_for(result->error());
    round.failure = result->error().message;
    note(TraceLine::Kind::action, "not begun: " + round.failure);
  }
  check_files();
  foreign_.look();
  return round;
}

}  // namespace fabric::rehearse
