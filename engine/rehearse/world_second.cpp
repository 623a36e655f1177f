// SPDX-License-Identifier: Apache-2.0
// Part of a simulated fabric: the machine that fabric runs on pauses, and another operator works
// meanwhile.
#include <algorithm>

#include <fmt/format.h>

#include "engine/execute/exit_code.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/plan_subset.hpp"
#include "engine/rehearse/simulated_host.hpp"
#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

// The document and the plans of a simulated fabric.

namespace {

std::vector<NodeName> reached_nodes(const FabricSpec& spec, const lab::Lab& lab) {
  std::vector<NodeName> nodes = lab.nodes();
  std::erase_if(nodes, [&spec](const NodeName& node) {
    const auto declared = spec.nodes.find(node);
    return declared == spec.nodes.end() || !is_reached(spec, declared->second);
  });
  return nodes;
}

}  // namespace

workflow::Desired World::desired() const {
  // The copies for an existing plan: its document was expanded without errors, and its files belong
  // to no one here.
  static const Diagnostics nothing;
  static const std::vector<plans::InputFile> no_files;
  workflow::Desired desired{
      scene_.spec, scene_.sources, scene_.registry, nodes_, scene_.resources, no_files, nothing};
  desired.limit = scene_.limit;
  desired.outside = outside_;
  desired.own = scene_.own;
  desired.undone = scene_.undone;
  return desired;
}

void World::choose_nodes() {
  watching_.set_down(scene_.unreached);
  nodes_ = reached_nodes(scene_.spec, lab_);
  outside_.clear();
  if (scene_.limit.empty()) return;
  std::erase_if(nodes_, [this](const NodeName& node) {
    return !std::binary_search(scene_.limit.begin(), scene_.limit.end(), node);
  });
  outside_ = workflow::nodes_outside(scene_.spec, nodes_, scene_.resources);
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
            change.withheld ? plans::withheld_text(*change.withheld) : std::string{}));
  }
  return planned;
}

namespace {

class Teller final : public workflow::Listener {
 public:
  explicit Teller(std::function<void(std::string)> tell) : tell_{std::move(tell)} {}
  void problem(std::string_view text) override { tell_(std::string{text}); }
  void action_started(const plans::Action& action) override {
    tell_(fmt::format("start {} {} {}", action.id, action.node.str(), action.draft.title));
  }
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override {
    tell_(fmt::format(
        "end {} {} {} {}", action.id, action.node.str(), to_string(result.state), result.detail));
  }

 private:
  std::function<void(std::string)> tell_;
};

// The document of another operator for the same fabric.
FabricSpec another_document(FabricSpec spec) {
  constexpr std::uint32_t kUsual = 1500, kLarger = 4200;
  for (auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::infiniband) continue;
    network.mtu.value = network.mtu.value == kUsual ? kLarger : kUsual;
  }
  return spec;
}

}  // namespace

void World::stall(const Stall& stall) {
  stood_still_ = true;
  note(
      TraceLine::Kind::host,
      fmt::format(
          "the machine that fabric runs on stands still for {}{}",
          format_duration(stall.lasts),
          stall.clock_stands_still ? ", its clock with it" : ""));
  const TimePoint until = now() + stall.lasts;
  const TimePoint over = stall.second_run ? std::max(until, second_run(stall)) : until;
  runner_.stand_still(
      std::chrono::duration_cast<Duration>(over - runner_.time()), stall.clock_stands_still);
  note(TraceLine::Kind::host, "the machine that fabric runs on goes on");
}

TimePoint World::second_run(const Stall& stall) {
  second_came_ = true;
  lab::Runner runner{lab_, scene_.files};
  runner.stand_still(now().time_since_epoch() + stall.second_after, false);
  InvariantMonitor watching{
      lab_, runner, scene_.spec, scene_.registry, scene_.simulated, violations_};
  watching.set_host_keys(scene_.host_keys);
  watching.set_down(scene_.unreached);
  const std::string run = fmt::format("other-{}", ++seconds_);
  const auto tell = [&](std::string text) {
    const TimePoint at = std::max(runner.time(), trace_.empty() ? now() : trace_.back().at);
    trace_.push_back({TraceLine::Kind::action, at, run + ": " + std::move(text)});
  };
  const FabricSpec spec = stall.other_document ? another_document(scene_.spec) : scene_.spec;
  Diagnostics diagnostics;
  const std::vector<Resource> resources =
      stall.other_document ? expand(spec, diagnostics) : scene_.resources;
  static const Diagnostics nothing;
  static const std::vector<plans::InputFile> no_files;
  workflow::Desired desired{
      spec, scene_.sources, scene_.registry, nodes_, resources, no_files, nothing};
  desired.limit = scene_.limit;
  desired.outside = outside_;
  // A reboot of the paused machine would end the run that this tests.
  desired.own = scene_.own;
  Random random{random_.next()};
  Teller teller{tell};
  actors_.push_back({&runner, run});
  const workflow::Planned planned =
      workflow::make_plan(desired, workflow::discover(desired, {}, teller, watching, random), {});
  tell(planned.valid ? fmt::format("{} actions", planned.plan.actions.size()) : "no plan");
  if (planned.valid) {
    const plans::Plan plan = without(planned.plan, scene_.left_out, scene_.unreached);
    // The state that it finds is the state that it planned for, whichever run wrote it.
    meddled_.clear();
    // A boot of the second run activates files that the first one wrote for its own boot: a
    // rollback of the second run knows only its own files.
    meddled_with_.insert(begun_.begin(), begun_.end());
    watching.begin_plan(plan);
    note_written(plan);
    foreign_.shown(plan);
    SimulatedHost host{watching, Desk::there, run, stall.second_killed_at, {}};
    try {
      const Result<execute::RunResult> result =
          workflow::execute_plan({desired, plan, true}, {host, teller, watching, random});
      watching.end_plan();
      const ExitCode code = result
                                ? execute::exit_code(*result, true, execute::Verification::not_run)
                                : exit_code_for(result.error());
      tell(fmt::format("exit {} {}", static_cast<int>(code), result ? "" : result.error().message));
      if (!is_promised(code) && code != ExitCode::locked)
        violation(fmt::format("{}: exit {} was not promised", run, static_cast<int>(code)));
    } catch (const ControllerKilled&) {
      tell("its machine dies");
      watching.kill_plan();
    }
  }
  watching_.add(watching);
  leases_.end(run);
  actors_.pop_back();
  return runner.time();
}

}  // namespace fabric::rehearse
