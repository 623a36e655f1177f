#include "engine/execute/executor.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/execute/exit_code.hpp"
#include "engine/execute/journal.hpp"
#include "plans/planner.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::FakeFault;
using fabric::test::FakeFleet;
using fabric::test::FakeNode;
using fabric::test::node;
using fabric::test::ResourceBuilder;

namespace {

using Lines = std::vector<std::string>;

class Recorder final : public ExecutionObserver {
 public:
  Lines events;
  std::size_t heartbeats = 0;
  void wave_started(const plans::Wave& wave) override {
    events.push_back(fmt::format("wave {}", wave.number));
  }
  void action_started(const plans::Action& action) override {
    events.push_back("start " + action.id);
  }
  void action_phase(const plans::Action& action, const std::string& phase) override {
    events.push_back(action.id + ": " + phase);
  }
  void action_ended(const plans::Action& action, const ActionResult& result) override {
    events.push_back(fmt::format("end {} {}", action.id, to_string(result.state)));
  }
  void heartbeat(const std::vector<std::string>& /*running*/) override { ++heartbeats; }
};

// A fleet, a document, and what apply makes of them.
struct World {
  FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  Registry registry = test::fake_registry();
  Random random{1};
  Recorder recorder;
  std::function<bool()> interrupted;

  World() {
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
  }

  // A card whose setting X must become 2, and an interface that comes after it.
  FakeNode& add(const std::string& name) {
    FakeNode& host = fleet.add(name);
    host.at("settings/cx5", "X", Layer::running) = "1";
    host.at("settings/cx5", "X", Layer::next_boot) = "1";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
    resources.push_back(
        ResourceBuilder{name + "/interface/p1"}.wants("mtu", 9000).after(name + "/settings/cx5"));
    return host;
  }

  void ring(const Lines& names) {
    NetworkSpec network;
    network.mode.value = Mode::chain;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const PortRef a{node(names[i]), "cx5", "1"};
      const PortRef b{node(names[(i + 1) % names.size()]), "cx5", "2"};
      network.cables.push_back({{a, {}}, {b, {}}, {}, {}, {}, {}, {}});
    }
    spec.networks.emplace("storage", network);
  }

  plans::Plan plan() {
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes)
      facts.push_back(fleet.facts(name));
    Diagnostics diagnostics;
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }

  ExecuteInputs inputs(const plans::Plan& plan) {
    return {plan, resources, registry, fleet, random, {}, "run-1", interrupted};
  }
  RunResult apply(const plans::Plan& plan) {
    return fabric::execute::execute(inputs(plan), {&recorder});
  }
  RunResult apply() { return apply(plan()); }
};

Lines states(const RunResult& run) {
  Lines all;
  for (const ActionResult& result : run.actions) {
    all.push_back(fmt::format("{} {}", result.id, to_string(result.state)));
  }
  return all;
}

// The fault happens to steps whose text begins so, `times` times.
auto fault_on(const std::string& what, FakeFault fault, int times = 1) {
  return [what, fault, left = times](const NodeName&, const remote::Step& step) mutable {
    std::string text = "write";
    if (const auto* run = std::get_if<remote::step::Run>(&step)) text = run->command.argv.front();
    if (text != what || left == 0) return FakeFault::none;
    --left;
    return fault;
  };
}

}  // namespace

TEST_CASE("a plan is carried out, and a second one is empty", "[execute]") {
  World world;
  world.add("a");
  const RunResult run = world.apply();
  CHECK(states(run) == Lines{"a0001 done", "a0002 done", "a0003 done"});
  CHECK(
      world.recorder.events == Lines{
                                   "wave 1",
                                   "start a0001",
                                   "a0001: reading back",
                                   "end a0001 done",
                                   "start a0002",
                                   "a0002: reading back",
                                   "end a0002 done",
                                   "start a0003",
                                   "a0003: rebooting",
                                   "a0003: waiting for the node to go down",
                                   "a0003: waiting for the node to come back",
                                   "a0003: watching whether it stays up",
                                   "a0003: reading back",
                                   "end a0003 done"});
  CHECK(
      world.fleet.trace ==
      Lines{"a set settings/cx5 X=2", "a write /fake/interface/p1", "a systemctl reboot"});
  CHECK(world.recorder.heartbeats > 5);
  CHECK(world.plan().empty());
  CHECK(exit_code(run, true, Verification::passed) == ExitCode::done);
}

TEST_CASE("a plan carried out twice writes nothing the second time", "[execute]") {
  World world;
  world.add("a");
  const plans::Plan plan = world.plan();
  world.apply(plan);
  world.fleet.trace.clear();
  CHECK(
      states(world.apply(plan)) ==
      Lines{"a0001 already_satisfied", "a0002 already_satisfied", "a0003 already_satisfied"});
  CHECK(world.fleet.trace.empty());
}

TEST_CASE("a lost reply is no failure: the read-back decides", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lost_reply);
  const RunResult run = world.apply();
  CHECK(run.all_done());
  CHECK(
      run.actions[0].detail == "set settings/cx5 X=2: connection lost; read back and found right");
}

TEST_CASE("a command that was lost before it ran is tried once more", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lost_command);
  CHECK(world.apply().all_done());

  SECTION("but only once") {
    World again;
    again.add("a");
    again.fleet.fault = fault_on("set", FakeFault::lost_command, 2);
    const RunResult run = again.apply();
    CHECK(states(run) == Lines{"a0001 failed", "a0002 skipped", "a0003 skipped"});
    CHECK(
        run.actions[0].detail ==
        "set settings/cx5 X=2: connection lost, and read back a/settings/cx5 X (next_boot): "
        "expected 2, found 1");
    CHECK(run.actions[0].code == ErrorCode::maybe_applied);
  }
}

TEST_CASE("what is done once is never begun again after a lost reply", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  plans::Plan plan = world.plan();
  plan.actions[0].draft.once = true;
  plan.actions[0].draft.timeout = Duration{600'000};
  const auto sets = [&world] {
    return std::count(world.fleet.trace.begin(), world.fleet.trace.end(), "a set settings/cx5 X=2");
  };

  SECTION("it did not happen") {
    world.fleet.fault = fault_on("set", FakeFault::lost_command);
    const RunResult run = world.apply(plan);
    CHECK(states(run) == Lines{"a0001 failed", "a0002 skipped", "a0003 skipped"});
    CHECK(run.actions[0].detail.find("expected 2, found 1") != std::string::npos);
    CHECK(sets() == 1);
  }
  SECTION("it happened") {
    world.fleet.fault = fault_on("set", FakeFault::lost_reply);
    CHECK(world.apply(plan).all_done());
    CHECK(sets() == 1);
  }
  const auto goes_on = [&](const NodeName&, const remote::Step& step) {
    const auto* run = std::get_if<remote::step::Run>(&step);
    if (run == nullptr || run->command.argv.front() != "set") return FakeFault::none;
    host.at("settings/cx5", "X", Layer::next_boot) = "?";
    return FakeFault::lost_command;
  };
  SECTION("it goes on for four minutes, which are waited for") {
    world.fleet.fault = goes_on;
    world.interrupted = [&] {
      std::optional<std::string>& next = host.at("settings/cx5", "X", Layer::next_boot);
      if (world.fleet.clock().now() > TimePoint{Duration{240'000}} && next == "?") next = "2";
      return false;
    };
    CHECK(world.apply(plan).all_done());
    CHECK(sets() == 1);
  }
  SECTION("nobody ever learns what became of it") {
    world.fleet.fault = goes_on;
    const RunResult run = world.apply(plan);
    CHECK(states(run) == Lines{"a0001 unknown", "a0002 skipped", "a0003 skipped"});
    CHECK(world.fleet.clock().now() > TimePoint{Duration{600'000}});
    CHECK(sets() == 1);
  }
}

TEST_CASE("a write that was cut is written again", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("write", FakeFault::lost_command, 2);
  CHECK(world.apply().all_done());
}

TEST_CASE("an exit status of 0 is not believed", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::lies);
  const RunResult run = world.apply();
  CHECK(run.actions[0].state == ActionState::failed);
  CHECK(
      run.actions[0].detail ==
      "every step reported success, and read back a/settings/cx5 X (next_boot): expected 2, found "
      "1");
  CHECK(run.actions[2].cause == "a0001");
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::failed);
}

TEST_CASE("a command that fails is told with its last words", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("set", FakeFault::exit_1);
  CHECK(
      world.apply().actions[0].detail ==
      "set settings/cx5 X=2: exit 1: -E- Failed to open the device, and read back "
      "a/settings/cx5 X (next_boot): expected 2, found 1");
}

TEST_CASE("four nodes of a ring reboot one after the other", "[execute]") {
  World world;
  for (const std::string name : {"a", "b", "c", "d"})
    world.add(name);
  world.ring({"a", "b", "c", "d"});
  CHECK(world.apply().all_done());
  CHECK(world.fleet.most_down == 1);
  for (const auto& [name, host] : world.fleet.nodes)
    CHECK(host.boots == 2);
}

TEST_CASE("a node that never comes back is lost, and nobody cuts the ring further", "[execute]") {
  World world;
  for (const std::string name : {"a", "b", "c"})
    world.add(name);
  world.ring({"a", "b", "c"});
  world.fleet.nodes.at(node("a")).dead_after_reboot = true;
  const RunResult run = world.apply();
  CHECK(run.lost_nodes == std::vector<NodeName>{node("a")});
  CHECK(run.actions[2].state == ActionState::unknown);
  CHECK(run.actions[2].code == ErrorCode::timed_out);
  CHECK(world.fleet.most_down == 1);
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::node_lost);
  CHECK(
      states(run) == Lines{
                         "a0001 done",
                         "a0002 done",
                         "a0003 unknown",
                         "a0004 not_started",
                         "a0005 not_started",
                         "a0006 skipped",
                         "a0007 not_started",
                         "a0008 not_started",
                         "a0009 skipped"});
  CHECK(run.actions[5].cause == "a0003");
}

TEST_CASE("a node that keeps its boot_id was not rebooted", "[execute]") {
  World world;
  world.add("a").ignores_reboot = true;
  const RunResult run = world.apply();
  CHECK(run.actions[2].state == ActionState::failed);
  CHECK(
      run.actions[2].detail ==
      "not rebooted: boot_id is still " + world.fleet.nodes.at(node("a")).boot_id());
  CHECK(run.lost_nodes.empty());
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::partly_applied);
}

TEST_CASE("a reboot whose reply is lost is proven all the same", "[execute]") {
  World world;
  world.add("a");
  world.fleet.fault = fault_on("systemctl", FakeFault::lost_reply);
  CHECK(world.apply().all_done());
  CHECK(world.fleet.nodes.at(node("a")).boots == 2);
}

TEST_CASE("what moved since the plan was made is stale and not overwritten", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  host.at("settings/cx5", "X", Layer::next_boot) = "7";

  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(fresh.error().code == ErrorCode::stale);
  CHECK(fresh.error().message == "a/settings/cx5 X (next_boot): expected 1, found 7");

  const RunResult run = world.apply(plan);
  CHECK(run.actions[0].code == ErrorCode::stale);
  CHECK(world.fleet.trace.empty());
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::stale);
}

TEST_CASE("a plan is fresh while nothing that it relies on has moved", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  CHECK(check_fresh(world.inputs(plan)).has_value());
  SECTION("a reboot by somebody else does not matter") {
    ++host.boots;
  }
  SECTION("what was done already does not matter") {
    host.at("settings/cx5", "X", Layer::next_boot) = "2";
  }
  CHECK(check_fresh(world.inputs(plan)).has_value());
}

TEST_CASE("another machine under the same name is stale", "[execute]") {
  World world;
  FakeNode& host = world.add("a");
  const plans::Plan plan = world.plan();
  const std::string before = host.machine_id;
  host.machine_id = "ffffffffffffffffffffffffffffffff";
  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(fresh.error().message == "a machine_id: expected " + before + ", found " + host.machine_id);
  CHECK(world.apply(plan).actions[0].code == ErrorCode::stale);
}

TEST_CASE("a node that can't be reached fails its own work and stops the next wave", "[execute]") {
  World world;
  world.add("a");
  world.add("b");
  const plans::Plan plan = world.plan();
  world.fleet.nodes.at(node("a")).up_at = TimePoint::max();
  const auto fresh = check_fresh(world.inputs(plan));
  REQUIRE_FALSE(fresh.has_value());
  CHECK(fresh.error().code == ErrorCode::unreachable);
  CHECK(fresh.error().message == "a: connection refused");
  const RunResult run = world.apply(plan);
  CHECK(run.actions[0].code == ErrorCode::unreachable);
  CHECK(run.actions[3].state == ActionState::not_started);
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::incomplete);
}

TEST_CASE("an interrupt lets what runs end and begins nothing more", "[execute]") {
  World world;
  world.add("a");
  int asked = 0;
  world.interrupted = [&asked] {
    return ++asked > 4;
  };
  const RunResult run = world.apply();
  CHECK(run.cancelled);
  CHECK(run.actions[0].state == ActionState::done);
  CHECK(run.actions[2].state == ActionState::not_started);
  CHECK(run.actions[2].detail == "the run was interrupted");
  CHECK(exit_code(run, true, Verification::not_run) == ExitCode::cancelled);
}

namespace {

class MemorySink final : public JournalSink {
 public:
  Lines lines;
  std::size_t room = 1'000;
  Result<void> append(std::string_view line) override {
    if (lines.size() >= room) return Error{ErrorCode::denied, "no space left on device"};
    lines.emplace_back(line);
    return {};
  }
};

}  // namespace

TEST_CASE("the journal is written ahead, one line an event", "[execute]") {
  World world;
  world.add("a");
  MemorySink sink;
  Journal journal{sink, world.fleet.clock()};
  const plans::Plan plan = world.plan();
  fabric::execute::execute(world.inputs(plan), {&journal});
  REQUIRE(sink.lines.size() > 5);
  CHECK(
      sink.lines[0] == R"({"actions":3,"event":"run_started","fabric":"","plan":")" + plan.digest +
                           R"(","run":"run-1","time":"2026-11-18T11:06:40.000Z"})");
  CHECK(sink.lines.back().find(R"("event":"run_ended","results":{"done":3})") != std::string::npos);
}

TEST_CASE("a journal that can't be written stops the run before anything is sent", "[execute]") {
  World world;
  world.add("a");
  MemorySink sink;
  sink.room = 2;  // run_started, wave_started
  Journal journal{sink, world.fleet.clock()};
  world.interrupted = [&journal] {
    return !journal.health().has_value();
  };
  const plans::Plan plan = world.plan();
  const RunResult run = fabric::execute::execute(world.inputs(plan), {&journal});
  CHECK(world.fleet.trace.empty());
  CHECK(run.cancelled);
  CHECK(run.actions[0].state == ActionState::not_started);
}
