#include "engine/rehearse/world.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/discovery/discover.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/execute/crash_recovery.hpp"
#include "engine/platform/orphan.hpp"
#include "engine/platform/peers.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/rehearse/plan_subset.hpp"
#include "engine/remote/shell.hpp"
#include "plans/plan_file.hpp"
#include "plans/planner.hpp"

namespace fabric::rehearse {

namespace {

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

std::vector<NodeName> nodes_with_actions(const plans::Plan& plan) {
  std::set<NodeName> nodes;
  for (const plans::Action& action : plan.actions)
    nodes.insert(action.node);
  return {nodes.begin(), nodes.end()};
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

bool is_promised(execute::ExitCode code) {
  using execute::ExitCode;
  switch (code) {
    case ExitCode::done:
    case ExitCode::failed:
    case ExitCode::incomplete:
    case ExitCode::stale:
    case ExitCode::cancelled:
    case ExitCode::timed_out:
    case ExitCode::partly_applied:
    case ExitCode::node_lost:
    case ExitCode::rolled_back:
      return true;
    case ExitCode::locked:  // nobody else is there, and what a lost run left has run out
    case ExitCode::not_verified:
      return false;
  }
  return false;
}

class World::Recorder final : public execute::ExecutionObserver {
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
      world_.note(TraceLine::Kind::host, "somebody presses Ctrl-C");
    }
    return over_;
  }
  void action_started(const plans::Action& action) override {
    if (action.draft.disruption >= Disruption::link) world_.watching_.watch_disruption(action.node);
    boots_[action.id] = world_.boots_[action.node];
    // Whoever meddles waits for an action that writes a file with an MTU.
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
    const bool claims_boot =
        action.draft.kind == methods::kReboot &&
        (result.state == execute::ActionState::done || result.detail.starts_with("it booted"));
    if (claims_boot && world_.boots_[action.node] == boots_[action.id])
      world_.violation(action.node.str() + " is said to be rebooted, and has not booted");
    if (result.state == execute::ActionState::done) world_.check_done(action, judge_);
  }

 private:
  void put(std::string line) { world_.note(TraceLine::Kind::action, std::move(line)); }
  World& world_;
  const execute::ConditionJudge& judge_;
  std::uint32_t left_, until_meddled_, until_stranger_;
  bool over_ = false;
  std::map<std::string, std::uint32_t> boots_;  // of the action's node when it started
};

World::World(Scene scene, std::uint64_t seed)
    : scene_{std::move(scene)},
      lab_{scene_.spec, scene_.lab},
      runner_{lab_, scene_.files},
      watching_{lab_, runner_, scene_.spec, violations_},
      service_{scene_.spec, lab_, scene_.unreached},
      random_{seed} {
  watching_.set_host_keys(scene_.host_keys);
  for (const NodeName& node : lab_.nodes()) {
    const std::vector<std::string> touched = lab_.touched_files(node);
    touched_before_[node] = {touched.begin(), touched.end()};
    power_[node] = lab_.power(node);
  }
  lab_.watch([this](const lab::HostEvent& event) { happened(event); });
  service_.look(now());
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
    if (event.power == lab::Power::up) ++boots_[event.node];
    before = event.power;
  }
  for (; lab_violations_ < lab_.monitor().violations.size(); ++lab_violations_)
    violation(lab_.monitor().violations[lab_violations_]);
  if (!lab_.stays_cut_off(event.node)) {
    cut_off_.erase(event.node);
  } else if (!meddled_with_.contains(event.node) && cut_off_.insert(event.node).second) {
    violation(event.node.str() + " is cut off, and nothing on it rolls that back");
  }
  service_.look(event.at);
}

platform::NodePlatforms World::platforms(const std::vector<NodeName>& nodes) const {
  std::vector<NodeName> reached;
  std::copy_if(
      nodes.begin(), nodes.end(), std::back_inserter(reached), [this](const NodeName& node) {
        return is_reached(scene_.spec, scene_.spec.nodes.at(node));
      });
  return platform::platforms_of(reached, scene_.spec, scene_.registry);
}

std::vector<NodeFacts> World::discover() {
  discovery::ProbesByPlatform probes;
  for (const Platform platform : scene_.registry.platforms())
    probes.emplace(platform, scene_.registry.probes(platform));
  return discovery::discover(platforms(lab_.nodes()), probes, watching_, random_, {});
}

World::Planned World::plan() {
  const std::vector<NodeFacts> facts = discover();
  Diagnostics diagnostics;
  std::vector<Resource> orphans = find_orphans(scene_.resources, facts, scene_.registry);
  const std::vector<Resource> written = with_orphans(scene_.resources, orphans);
  const std::vector<Resource> resources = with_port_guids(written, facts, scene_.registry);
  const auto snapshot = discovery::observe(resources, facts, scene_.registry, diagnostics);
  Planned planned;
  planned.plan = plans::make_plan(
      {scene_.spec,
       scene_.sources,
       resources,
       snapshot,
       scene_.registry,
       {},
       std::move(orphans),
       false,
       binding_delta(written, resources)},
      diagnostics);
  planned.errors = diagnostics.has_errors();
  for (const Diagnostic& item : diagnostics.items())
    note(TraceLine::Kind::plan, item.rule + ": " + item.message);
  for (const plans::PlannedChange& change : planned.plan.changes) {
    note(
        TraceLine::Kind::plan,
        fmt::format(
            "change {} {} {}",
            change.address.str(),
            change.attribute.attribute,
            change.not_planned));
  }
  return planned;
}

Round World::round(const RunFaults& faults, const plans::Plan* given) {
  meddled_.clear();
  const TimePoint begun = now();
  Round round;
  if (given != nullptr) {
    round = apply(*given, faults);
    round.complete = true;
  } else {
    const Planned made = plan();
    const plans::Plan plan = without(made.plan, scene_.left_out, scene_.unreached);
    if (!made.errors) round = apply(plan, faults);
    round.errors = made.errors;
    round.empty = plan.empty();
  }
  round.took = std::chrono::duration_cast<Duration>(now() - begun);
  return round;
}

Round World::apply(const plans::Plan& made, const RunFaults& faults) {
  Round round;
  round.complete = made.complete() || !scene_.unreached.empty() || !scene_.left_out.empty();
  const auto plan = plans::parse_plan_file(plans::to_plan_file(made));
  if (!plan) {
    violation("the plan file can't be read back: " + plan.error().message);
    return round;
  }
  const std::string run = fmt::format("simulated-{}", ++rounds_);
  watching_.begin_plan(run);
  watching_.set_failing_hook(faults.failing_hook);
  execute::Leases leases{
      {{run, "simulation", "here", run},
       execute::LeaseTerms{}.length,
       // Every run of this machine before this one is over.
       [run](const execute::LeaseHolder& holder) {
         return holder.run != run;
       }},
      platforms(nodes_with_actions(*plan)),
      watching_,
      random_};
  if (const Result<void> locked = leases.take(); !locked)
    return not_begun(std::move(round), "not locked: ", locked.error());
  SimulatedFile file{faults.killed_at};
  execute::DurableSink sink{file};
  execute::Journal journal{sink, runner_.clock()};
  watching_.set_journal(&file);
  const std::vector<Resource> resources =
      with_bindings(with_orphans(scene_.resources, plan->orphans), plan->bindings);
  const execute::ConditionJudge judge{resources, scene_.registry};
  Recorder recorder{*this, judge, faults};
  const execute::ExecuteInputs inputs{
      *plan,
      resources,
      scene_.registry,
      watching_,
      random_,
      {64,
       scene_.spec.rollout.max_failures.value,
       scene_.spec.rollout.max_unavailable.value,
       execute::OnError::stop_wave,
       FailureDomains{scene_.spec}},
      run,
      [&recorder] { return recorder.interrupted(); },
      &leases};
  Result<void> fresh;
  execute::RunResult result;
  try {
    result = perform(inputs, {&journal, &recorder}, fresh);
  } catch (const ControllerKilled&) {
    note(TraceLine::Kind::host, "the machine that fabric runs on dies");
    watching_.set_journal(nullptr);
    watching_.kill_plan();
    round.killed = true;
    return round;
  }
  watching_.end_plan();
  for (const NodeName& node : leases.release())
    note(TraceLine::Kind::action, node.str() + " stays locked");
  if (!fresh) return not_begun(std::move(round), "not begun: ", fresh.error());
  round.exit = execute::exit_code(result, round.complete, execute::Verification::not_run);
  round.failure = first_failure(*plan, result);
  note(TraceLine::Kind::action, fmt::format("exit {}", static_cast<int>(round.exit)));
  check_files();
  return round;
}

Round World::not_begun(Round round, const std::string& what, const Error& why) {
  using execute::ExitCode;
  round.exit = why.code == ErrorCode::locked  ? ExitCode::locked
               : why.code == ErrorCode::stale ? ExitCode::stale
                                              : ExitCode::incomplete;
  round.failure = why.message;
  note(TraceLine::Kind::action, what + why.message);
  check_files();
  return round;
}

execute::RunResult World::perform(
    const execute::ExecuteInputs& inputs,
    const std::vector<execute::ExecutionObserver*>& observers,
    Result<void>& fresh) {
  const auto disarmed =
      execute::settle_locked(platforms(nodes_with_actions(inputs.plan)), watching_, random_);
  fresh = disarmed ? execute::check_fresh(inputs) : Result<void>{disarmed.error()};
  return fresh ? execute::execute(inputs, observers) : execute::RunResult{};
}

void World::clear_faults() {
  note(TraceLine::Kind::host, "all that is broken is mended");
  lab_.set_fault_percent(0);
  watching_.set_host_keys(scene_.host_keys);
  for (const NodeName& node : lab_.nodes()) {
    if (scene_.unreached.contains(node)) continue;
    if (!lab_.set_fault(node, lab::Fault::none)) violation("a fault can't be cleared");
  }
  // Longer than any boot, slow ones included.
  constexpr Duration kAllUp{3'600'000};
  runner_.start({0, lab_.nodes().front(), remote::step::Pause{kAllUp}});
  while (!runner_.wait_any(kAllUp)) {
  }
}

}  // namespace fabric::rehearse
