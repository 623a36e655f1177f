#include "engine/execute/guarded_run.hpp"

#include <deque>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/execute/conditions.hpp"
#include "engine/execute/former_values.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

namespace {

constexpr Duration kGuard{120'000};

// Reads once, changes once, and ends as it was told to.
class ScriptedRun final : public ActionRun {
 public:
  explicit ScriptedRun(ActionResult result, bool lost = false)
      : result_{std::move(result)}, lost_{lost} {}
  remote::Step begin() override { return step("read"); }
  std::optional<remote::Step> next(const remote::StepResult& /*result*/) override {
    ++at_;
    if (at_ == 1 && changes_) return step("change");
    return std::nullopt;
  }
  bool changes_node() const override { return at_ == 1; }
  const ActionResult& result() const override { return result_; }
  bool node_lost() const override { return lost_; }
  bool changes_ = true;

 private:
  static remote::Step step(const char* what) {
    return remote::step::Run{remote::Command{{what}, {}, Duration{1'000}}, false};
  }
  ActionResult result_;
  bool lost_;
  int at_ = 0;
};

ActionResult ending(ActionState state, std::string detail = {}) {
  ActionResult result;
  result.id = "a0001";
  result.state = state;
  result.detail = std::move(detail);
  return result;
}

// What a step is, in one word.
std::string word(const remote::Step& step) {
  return std::visit(
      Overloaded{
          [](const remote::step::Run& run) {
            const remote::Argv& argv = run.command.argv;
            const bool gated = run.gate.starts_with("/var/lib/fabric/guard/");
            if (argv.front() == "change" && !gated) return std::string{"change at any time"};
            if (argv.front() != "sh") return argv.front();
            if (argv.size() == 1) return std::string{"arm"};
            if (argv.at(1) == "-s") return std::string{run.fresh_session ? "look" : "?"};
            const std::string& script = argv.at(2);
            const auto has = [&script](const char* text) {
              return script.find(text) != std::string::npos;
            };
            if (has("start --no-block")) return std::string{run.fresh_session ? "fire" : "?"};
            if (has("/disarmed\"")) return std::string{run.fresh_session ? "disarm" : "?"};
            if (has("remove \"$1\" \"$2\"\necho")) return std::string{"clear"};
            return std::string{run.fresh_session ? "ask" : "?"};
          },
          [](const remote::step::WriteFile&) { return std::string{"write"}; },
          [](const remote::step::CopyFile&) { return std::string{"copy"}; },
          [](const remote::step::RemoveFile&) { return std::string{"remove"}; },
          [](const remote::step::RunHere&) { return std::string{"here"}; },
          [](const remote::step::Pause&) {
            return std::string{"pause"};
          }},
      step);
}

// A node that answers each word of a step with what the test says, else with success.
struct Bench {
  std::map<std::string, std::deque<std::string>> answers;  // "" = no answer
  std::vector<std::string> words;
  TimePoint now{};
  plans::Action action{.id = "a0001", .node = node("a")};
  plans::PlanNode plan_node;
  const std::vector<Resource> resources;
  Registry registry = test::fake_registry();
  ConditionJudge judge{resources, registry};
  Random random{1};
  std::vector<std::string> phases;
  std::vector<Condition> former;

  explicit Bench(std::vector<Resource> given = {}) : resources{std::move(given)} {
    action.guard = kGuard;
    action.draft.kind = "network.activate";
    action.draft.undo_writes = {{"/etc/a b", "before\n", 0644, "root:root"}};
    action.draft.undo_removes = {"/etc/new"};
    action.draft.undo_commands = {{"networkctl", "reload"}};
  }

  ActionResult run(std::unique_ptr<ScriptedRun> inner, bool* lost = nullptr) {
    GuardedRun guarded{
        action,
        {plan_node,
         judge,
         random,
         [this](const std::string& phase) { phases.push_back(phase); },
         nullptr,
         nullptr,
         former},
        std::move(inner)};
    std::optional<remote::Step> step = guarded.begin();
    for (int steps = 0; step; ++steps) {
      REQUIRE(steps < 500);
      step = guarded.next(perform(*step));
    }
    if (lost != nullptr) *lost = guarded.node_lost();
    return guarded.result();
  }

  remote::StepResult perform(const remote::Step& step) {
    const std::string what = word(step);
    if (what == "pause") {
      now += std::get<remote::step::Pause>(step).duration;
    } else {
      now += Duration{100};
      words.push_back(what);
    }
    remote::StepResult result;
    result.ended = now;
    std::deque<std::string>& said = answers[what];
    if (said.empty()) return result;
    const std::string answer = said.front();
    if (said.size() > 1) said.pop_front();
    if (answer.empty()) {
      result.outcome = remote::Outcome::unknown;
      result.error = {ErrorCode::unreachable, "no route"};
    } else if (answer.starts_with("!")) {
      result.output.exit_status = 75;
      result.output.standard_error = answer.substr(1) + "\n";
    } else if (what == "look") {
      const remote::Command& command = std::get<remote::step::Run>(step).command;
      result.output = test::probe_output(command, [&answer](const std::string& id) {
        return id == "fake-state" ? answer : std::string{};
      });
    } else {
      result.output.standard_output = answer + "\n";
    }
    return result;
  }
};

using Words = std::vector<std::string>;
const Words kArming{"read", "arm"};

Words after_arming(Words words) {
  words.insert(words.begin(), kArming.begin(), kArming.end());
  return words;
}

}  // namespace

TEST_CASE(
    "the timer is armed before the change and disarmed over a new session after it", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::done);
  CHECK(result.rollback == Rollback::none);
  CHECK(bench.words == after_arming({"change", "disarm", "ask"}));
}

TEST_CASE("that the timer is gone is read back, for its tools may lie", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"armed", "", "disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::done);
  CHECK(bench.words == after_arming({"change", "disarm", "ask", "disarm", "ask", "ask"}));
}

TEST_CASE("a tool that goes on lying about the timer is not asked for ever", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"armed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::unknown);
  CHECK(result.detail.find("did not fire") != std::string::npos);
  CHECK(bench.now.time_since_epoch() > kGuard);
}

TEST_CASE("what changes nothing arms nothing", "[execute]") {
  Bench bench;
  auto inner = std::make_unique<ScriptedRun>(ending(ActionState::already_satisfied));
  inner->changes_ = false;
  CHECK(bench.run(std::move(inner)).state == ActionState::already_satisfied);
  CHECK(bench.words == Words{"read"});
}

TEST_CASE("nothing is changed where the timer can't be armed", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"!another rollback timer is armed: x"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(result.detail.find("another rollback timer is armed: x") != std::string::npos);
  CHECK(bench.words == Words{"read", "arm", "disarm"});
}

TEST_CASE("a timer that may be armed is cleared before the node is left alone", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"", "", ""};
  bench.answers["disarm"] = {"", "", "disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(
      bench.words ==
      std::vector<std::string>{"read", "arm", "arm", "arm", "disarm", "disarm", "disarm"});
  SECTION("but not for ever") {
    Bench silent;
    silent.answers["arm"] = {""};
    silent.answers["disarm"] = {""};
    silent.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
    CHECK(silent.now < TimePoint{} + kGuard + Duration{20'000});
  }
}

TEST_CASE("a lost reply while arming is asked again", "[execute]") {
  Bench bench;
  bench.answers["arm"] = {"", "active"};
  bench.answers["disarm"] = {"disarmed"};
  bench.answers["ask"] = {"disarmed"};
  CHECK(
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done))).state ==
      ActionState::done);
  CHECK(bench.words == after_arming({"arm", "change", "disarm", "ask"}));
}

TEST_CASE("a change that is not right is taken back, and that is read back", "[execute]") {
  Bench bench;
  bench.answers["fire"] = {"firing"};
  bench.answers["ask"] = {"", "firing", "rolled-back"};
  const ActionResult result =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "mtu is 1500")));
  CHECK(result.state == ActionState::failed);
  CHECK(result.rollback == Rollback::verified);
  CHECK(result.detail.starts_with("mtu is 1500; rolled back"));
  CHECK(bench.words == after_arming({"change", "fire", "ask", "ask", "ask", "clear"}));
}

TEST_CASE("what was taken back runs as before, or that is said", "[execute]") {
  Bench bench{{test::ResourceBuilder{"a/interface/p1"}.wants("mtu", 9000)}};
  bench.former = {{test::address("a/interface/p1"), "mtu", Layer::running, 1500}};
  bench.answers["ask"] = {"rolled-back"};
  const std::string right = "interface/p1 mtu 0 1500", wrong = "interface/p1 mtu 0 9000";
  const auto roll_back = [&bench](std::deque<std::string> found) {
    bench.answers["look"] = std::move(found);
    return bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "no")));
  };
  SECTION("at once") {
    const ActionResult result = roll_back({right});
    CHECK(result.rollback == Rollback::verified);
    CHECK(bench.words == after_arming({"change", "fire", "ask", "look", "clear"}));
  }
  SECTION("after a moment, over a connection that has to be made again") {
    CHECK(roll_back({wrong, "", wrong, right}).rollback == Rollback::verified);
  }
  SECTION("never") {
    const ActionResult result = roll_back({wrong});
    CHECK(result.state == ActionState::failed);
    CHECK(result.rollback == Rollback::failed);
    CHECK(result.detail.ends_with(
        "files as they were; but it does not run as before: a/interface/p1 mtu (running): "
        "expected 1500, found 9000"));
    CHECK(bench.words.back() == "clear");
  }
  SECTION("nobody knows") {
    const ActionResult result = roll_back({""});
    CHECK(result.rollback == Rollback::failed);
    CHECK(result.detail.find("can't be read back: no route") != std::string::npos);
  }
}

TEST_CASE("what ran before an action is what the plan found", "[execute]") {
  const ResourceAddress p1 = test::address("a/interface/p1");
  plans::Plan plan;
  const auto changes = [&](const char* attribute, std::optional<Reading> running) {
    plans::PlannedChange change{.address = p1};
    change.attribute.attribute = attribute;
    change.attribute.observed.running = std::move(running);
    plan.changes.push_back(std::move(change));
  };
  changes("mtu", Reading::of(1500));
  changes("master", Reading::absent());
  changes("mode", Reading::unknown("?"));
  plans::Action action{.id = "a0001", .node = node("a")};
  for (const char* attribute : {"mtu", "master", "mode", "addresses"})
    action.draft.postconditions.push_back({p1, attribute, Layer::running, 7});
  action.draft.postconditions.push_back({p1, "mtu", Layer::persistent, 7});
  CHECK(
      former_values(plan, action) == std::vector<Condition>{
                                         {p1, "mtu", Layer::running, 1500},
                                         {p1, "master", Layer::running, {}},
                                         {p1, "addresses", Layer::running, 7}});
  SECTION("also of what is removed, whatever its read-back can say") {
    action.draft.postconditions.clear();
    action.draft.stage = Stage::activate;
    action.covers = {p1};
    CHECK(former_values(plan, action).empty());
    for (plans::PlannedChange& change : plan.changes)
      change.kind = ChangeKind::remove;
    CHECK(former_values(plan, action) == std::vector<Condition>{{p1, "mtu", Layer::running, 1500}});
  }
  action.draft.kind = "reboot";
  CHECK(former_values(plan, action).empty());
}

TEST_CASE("a node that was cut off comes back by its own timer", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {""};
  bench.answers["ask"] = {"", "", "rolled-back"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::failed);
  CHECK(result.code == ErrorCode::timed_out);
  CHECK(result.rollback == Rollback::verified);
  CHECK(bench.now.time_since_epoch() > kGuard);
}

TEST_CASE("a node that stays away after its timer needs a human", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {""};
  bench.answers["ask"] = {""};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.state == ActionState::unknown);
  CHECK(result.rollback == Rollback::failed);
  CHECK(result.detail.find("can't be reached: no route") != std::string::npos);
}

TEST_CASE("a rollback that failed on the node needs a human", "[execute]") {
  Bench bench;
  bench.answers["ask"] = {"rollback-failed"};
  const ActionResult result =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::unknown, "lost")));
  CHECK(result.rollback == Rollback::failed);
  CHECK(result.detail.find("failed in part") != std::string::npos);
}

TEST_CASE("a timer that was faster than the confirmation wins", "[execute]") {
  Bench bench;
  bench.answers["disarm"] = {"firing"};
  bench.answers["ask"] = {"rolled-back"};
  const ActionResult result = bench.run(std::make_unique<ScriptedRun>(ending(ActionState::done)));
  CHECK(result.rollback == Rollback::verified);
  CHECK(bench.words == after_arming({"change", "disarm", "ask", "clear"}));
}

TEST_CASE("a boot is guarded from the boot on, and confirmed by being reached", "[execute]") {
  Bench bench;
  bench.action.draft.kind = "reboot";
  bench.answers["disarm"] = {"", "", "disarmed"};
  bench.answers["ask"] = {"disarmed"};
  const ActionResult failed =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::failed, "chaining is off")));
  CHECK(failed.state == ActionState::failed);
  CHECK(failed.rollback == Rollback::none);
  CHECK(failed.detail == "chaining is off");
  CHECK(bench.words == after_arming({"change", "disarm", "disarm", "disarm", "ask"}));

  bench.words.clear();
  bool lost = false;
  const ActionResult gone =
      bench.run(std::make_unique<ScriptedRun>(ending(ActionState::unknown, "gone"), true), &lost);
  CHECK(lost);
  CHECK(gone.detail.find("takes the network files back") != std::string::npos);
  CHECK(bench.words == after_arming({"change"}));
}
