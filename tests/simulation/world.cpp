#include "tests/simulation/world.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/discovery/discover.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/expand.hpp"
#include "plans/plan_file.hpp"
#include "plans/planner.hpp"
#include "providers/builtin.hpp"

namespace fabric::simulation {

WatchingRunner::WatchingRunner(
    lab::Lab& lab,
    lab::Runner& runner,
    const FabricSpec& spec,
    std::vector<std::string>& violations)
    : lab_{lab},
      runner_{runner},
      neighbours_{rings(spec)},
      max_unavailable_{spec.rollout.max_unavailable.value},
      violations_{violations} {}

void WatchingRunner::begin_plan(const std::string& run) {
  reboots_.clear();
  run_ = run;
}

void WatchingRunner::watch_lock(const NodeName& node, const std::string& what) {
  const std::optional<std::string> lock = lab_.read_file(node, "/var/lib/fabric/lock");
  if (lock && lock->starts_with("run " + run_ + "\n")) return;
  violations_.push_back(fmt::format("{}: {} without its lock", node.str(), what));
}

// Judged when the command goes out: what is down then because of us is what we answer for. Power
// that fails by itself is bad luck.
void WatchingRunner::watch_reboot(const NodeName& node) {
  note_power();
  for (const plans::RingNeighbours::Neighbour& neighbour : neighbours_.of(node)) {
    if (sent_down_.contains(neighbour.node)) {
      violations_.push_back(fmt::format(
          "{} is rebooted while its neighbour {} is down", node.str(), neighbour.node.str()));
    }
  }
  sent_down_.insert(node);
  if (sent_down_.size() > max_unavailable_) {
    violations_.push_back(fmt::format(
        "{} nodes are down because of us, {} may be", sent_down_.size(), max_unavailable_));
  }
}

void WatchingRunner::start(remote::StepRequest request) {
  const auto* run = std::get_if<remote::step::Run>(&request.step);
  const bool reboot = run != nullptr && run->command.argv == remote::Argv{"systemctl", "reboot"};
  const NodeName node = request.node;
  const auto before = lab_.monitor().reboots_by_node;
  if (reboot) watch_reboot(node);
  const auto* write = std::get_if<remote::step::WriteFile>(&request.step);
  const auto* removal = std::get_if<remote::step::RemoveFile>(&request.step);
  if (lab_.power(node) == lab::Power::up) {
    if (reboot) watch_lock(node, "it is rebooted");
    if (write != nullptr) watch_lock(node, write->path + " is written");
    if (removal != nullptr) watch_lock(node, removal->path + " is removed");
  }
  runner_.start(std::move(request));
  if (!reboot) return;
  const auto count = [&](const std::map<std::string, std::uint32_t>& reboots) {
    const auto found = reboots.find(node.str());
    return found == reboots.end() ? 0U : found->second;
  };
  if (count(lab_.monitor().reboots_by_node) > count(before) && ++reboots_[node] > 1) {
    violations_.push_back(fmt::format("{} was rebooted twice by one plan", node.str()));
  }
}

std::optional<remote::StepResult> WatchingRunner::wait_any(Duration patience) {
  std::optional<remote::StepResult> result = runner_.wait_any(patience);
  note_power();
  return result;
}

// Who was up once again and has gone down since did so by itself.
void WatchingRunner::note_power() {
  std::erase_if(
      sent_down_, [this](const NodeName& node) { return lab_.power(node) == lab::Power::up; });
}

std::optional<remote::PeerIdentity> WatchingRunner::identity(const NodeName& node) const {
  return runner_.identity(node);
}

class World::Recorder final : public execute::ExecutionObserver {
 public:
  Recorder(World& world, std::uint32_t interrupt_after) : world_{world}, left_{interrupt_after} {}

  bool interrupted() {
    if (left_ == 0) return false;
    return --left_ == 0 ? (over_ = true) : over_;
  }
  bool over() const { return over_; }
  void action_started(const plans::Action& action) override {
    put(fmt::format("start {} {} {}", action.id, action.node.str(), action.draft.title));
  }
  void action_phase(const plans::Action& action, const std::string& phase) override {
    put(fmt::format("{} {}: {}", action.id, action.node.str(), phase));
  }
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override {
    put(fmt::format(
        "end {} {} {} {}", action.id, action.node.str(), to_string(result.state), result.detail));
  }

 private:
  void put(const std::string& line) {
    const auto now = world_.runner_.clock().now().time_since_epoch();
    world_.trace_.push_back(fmt::format("{:>9} {}", now.count(), line));
  }
  World& world_;
  std::uint32_t left_;
  bool over_ = false;
};

World::World(std::uint64_t seed)
    : scenario_{make_scenario(seed)},
      lab_{scenario_.spec, scenario_.lab},
      runner_{lab_},
      watching_{lab_, runner_, scenario_.spec, violations_},
      random_{seed} {
  providers::add_builtin_providers(registry_);
  Diagnostics diagnostics;
  resources_ = expand(scenario_.spec, diagnostics);
  if (diagnostics.has_errors()) violation("the document can't be expanded");
  lab_.set_fault_percent(scenario_.fault_percent);
}

plans::Plan World::plan(bool& errors) {
  std::vector<NodeName> nodes;
  for (const auto& [name, node] : scenario_.spec.nodes)
    nodes.push_back(name);
  std::vector<Probe> probes = registry_.probes();
  probes.push_back(discovery::identity_probe());
  const std::vector<NodeFacts> facts = discovery::discover(nodes, probes, watching_, random_, {});
  Diagnostics diagnostics;
  const auto snapshot = discovery::observe(resources_, facts, registry_, diagnostics);
  plans::Plan plan = plans::make_plan(
      {scenario_.spec, scenario_.sources, resources_, snapshot, registry_, {}}, diagnostics);
  errors = diagnostics.has_errors();
  for (const Diagnostic& item : diagnostics.items())
    trace_.push_back(item.rule + ": " + item.message);
  for (const plans::PlannedChange& change : plan.changes) {
    trace_.push_back(fmt::format(
        "          change {} {} {}",
        change.address.str(),
        change.attribute.attribute,
        change.not_planned));
  }
  return plan;
}

Round World::round(std::uint32_t interrupt_after) {
  Round round;
  const plans::Plan made = plan(round.errors);
  round.empty = made.empty();
  round.complete = made.complete();
  if (round.errors) return round;
  const auto plan = plans::parse_plan_file(plans::to_plan_file(made));
  if (!plan) {
    violation("the plan file can't be read back: " + plan.error().message);
    return round;
  }
  const std::string run = fmt::format("simulated-{}", ++rounds_);
  watching_.begin_plan(run);
  std::set<NodeName> nodes;
  for (const plans::Action& action : plan->actions)
    nodes.insert(action.node);
  execute::Leases leases{
      {{run, "simulation", "here", run}, execute::LeaseTerms{}.length, {}},
      {nodes.begin(), nodes.end()},
      watching_,
      random_};
  if (const Result<void> locked = leases.take(); !locked) {
    trace_.push_back("not locked: " + locked.error().message);
    round.exit = locked.error().code == ErrorCode::locked ? execute::ExitCode::locked
                                                          : execute::ExitCode::incomplete;
    check_files();
    return round;
  }
  Recorder recorder{*this, interrupt_after};
  const execute::ExecuteInputs inputs{
      *plan,
      resources_,
      registry_,
      watching_,
      random_,
      {64, scenario_.spec.rollout.max_failures.value},
      run,
      [&recorder] { return recorder.interrupted() || recorder.over(); },
      &leases};
  const execute::RunResult result = execute::execute(inputs, {&recorder});
  for (const NodeName& node : leases.release())
    trace_.push_back(node.str() + " stays locked");
  round.exit = execute::exit_code(result, made.complete(), execute::Verification::not_run);
  trace_.push_back(fmt::format("exit {}", static_cast<int>(round.exit)));
  check_files();
  return round;
}

void World::clear_faults() {
  lab_.set_fault_percent(0);
  for (const NodeName& node : lab_.nodes()) {
    if (!lab_.set_fault(node, lab::Fault::none)) violation("a fault can't be cleared");
  }
  // Longer than any boot, slow ones included.
  constexpr Duration kAllUp{3'600'000};
  runner_.start({0, lab_.nodes().front(), remote::step::Pause{kAllUp}});
  while (!runner_.wait_any(kAllUp)) {
  }
}

void World::check_files() {
  for (const NodeName& node : lab_.nodes()) {
    for (const std::string& path : lab_.touched_files(node)) {
      if (path.find("fabric") != std::string::npos) continue;
      violation(fmt::format("{}: {} is not ours and was touched", node.str(), path));
    }
  }
}

}  // namespace fabric::simulation
