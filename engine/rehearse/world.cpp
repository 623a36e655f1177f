#include "engine/rehearse/world.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/execute/exit_code.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/rehearse/plan_subset.hpp"
#include "plans/plan_file.hpp"

namespace fabric::rehearse {

namespace {

std::vector<NodeName> reached_nodes(const FabricSpec& spec, const lab::Lab& lab) {
  std::vector<NodeName> nodes = lab.nodes();
  std::erase_if(nodes, [&spec](const NodeName& node) {
    const auto declared = spec.nodes.find(node);
    return declared == spec.nodes.end() || !is_reached(spec, declared->second);
  });
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
    case ExitCode::locked:  // nobody else is there, and what a lost run left has run out
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
      world_.note(TraceLine::Kind::host, "somebody presses Ctrl-C");
    }
    return over_;
  }
  void problem(std::string_view text) override { put(std::string{text}); }
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

// The machine that fabric runs on: its disk, its power, and who sits before it.
class World::ControlHost final : public workflow::ControlHost {
 public:
  ControlHost(World& world, Recorder& recorder, std::string run, std::uint32_t killed_at)
      : world_{world}, recorder_{recorder}, run_{std::move(run)}, killed_at_{killed_at} {}

  std::string new_run() override { return run_; }
  execute::LeaseHolder holder(const std::string& run) override {
    return {run, "simulation", "here", run};
  }
  // Every run of this machine before this one is over.
  bool has_ended(const execute::LeaseHolder& holder) override { return holder.run != run_; }
  // They are those of the plan, see Scene::files.
  Result<void> check_copies(const plans::Plan& /*plan*/) override { return {}; }
  workflow::BindFiles bind_files() override { return {}; }
  Result<std::unique_ptr<workflow::OpenRun>> begin_run(
      const std::string& /*run*/, const plans::Plan& /*plan*/) override {
    return std::unique_ptr<workflow::OpenRun>{
        std::make_unique<Record>(world_.watching_, recorder_, killed_at_)};
  }

 private:
  class Record final : public workflow::OpenRun {
   public:
    Record(InvariantMonitor& monitor, Recorder& recorder, std::uint32_t killed_at)
        : monitor_{monitor}, recorder_{recorder}, file_{killed_at} {
      monitor_.set_journal(&file_);
    }
    ~Record() override { monitor_.set_journal(nullptr); }
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    execute::AppendFile& journal() override { return file_; }
    bool interrupted() override { return recorder_.interrupted(); }

   private:
    InvariantMonitor& monitor_;
    Recorder& recorder_;
    SimulatedFile file_;
  };

  World& world_;
  Recorder& recorder_;
  std::string run_;
  std::uint32_t killed_at_;
};

World::World(Scene scene, std::uint64_t seed)
    : scene_{std::move(scene)},
      lab_{scene_.spec, scene_.lab},
      nodes_{reached_nodes(scene_.spec, lab_)},
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

workflow::Desired World::desired() const {
  // The copies of a plan that is there: its document was expanded without errors, and its files are
  // nobody's here.
  static const Diagnostics nothing;
  static const std::vector<plans::InputFile> no_files;
  return {
      scene_.spec, scene_.sources, scene_.registry, nodes_, scene_.resources, no_files, nothing};
}

std::vector<NodeFacts> World::discover() {
  workflow::Listener nobody;
  return workflow::discover(desired(), {}, nobody, watching_, random_);
}

workflow::Planned World::plan() {
  workflow::Planned planned = workflow::make_plan(desired(), discover(), {});
  for (const Diagnostic& item : planned.diagnostics.items())
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
    const workflow::Planned made = plan();
    const plans::Plan plan = without(made.plan, scene_.left_out, scene_.unreached);
    if (made.valid) round = apply(plan, faults);
    round.errors = !made.valid;
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
  const std::vector<Resource> resources = workflow::planned_resources(desired(), *plan);
  const execute::ConditionJudge judge{resources, scene_.registry};
  Recorder recorder{*this, judge, faults};
  ControlHost host{*this, recorder, run, faults.killed_at};
  std::optional<Result<execute::RunResult>> result;
  try {
    result.emplace(workflow::execute_plan(
        {desired(), *plan, round.complete}, {host, recorder, watching_, random_}));
  } catch (const ControllerKilled&) {
    note(TraceLine::Kind::host, "the machine that fabric runs on dies");
    watching_.kill_plan();
    round.killed = true;
    return round;
  }
  watching_.end_plan();
  if (*result) {
    round.exit = execute::exit_code(**result, round.complete, execute::Verification::not_run);
    round.failure = first_failure(*plan, **result);
    note(TraceLine::Kind::action, fmt::format("exit {}", static_cast<int>(round.exit)));
  } else {
    round.exit = exit_code_for(result->error());
    round.failure = result->error().message;
    note(TraceLine::Kind::action, "not begun: " + round.failure);
  }
  check_files();
  return round;
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
