// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/work_run.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

namespace {

bool is_flush(const remote::Argv& argv) {
  return argv.size() == 3 && argv[2].find("sync") != std::string::npos;
}

// An action with one command, which ends as `failing` says; then the node shows `after`. Its disk
// is flushed as `flushing` says, `flushes` times.
ActionResult run(
    Layer witness,
    remote::StepResult failing,
    const std::string& after,
    const remote::StepResult& flushing = {},
    int* flushes = nullptr) {
  const ResourceAddress p1 = test::address("a/interface/p1");
  const std::vector<Resource> resources{
      test::ResourceBuilder{"a/interface/p1"}.wants("mtu", Value{})};
  const Registry registry = test::fake_registry();
  const ConditionJudge judge{resources, registry};
  Random random{1};
  plans::Action action{.id = "a0001", .node = node("a")};
  action.guard = Duration{60'000};
  action.draft.stage = Stage::activate;
  action.draft.steps.run_each({{"ifup", "p1"}});
  action.draft.postconditions = {{p1, "mtu", witness, Value{}}};
  const plans::PlanNode plan_node;
  WorkRun work{action, {plan_node, judge, random, [](const std::string&) {
                        }}};
  bool done = false;
  TimePoint now{};
  std::optional<remote::Step> step = work.begin();
  for (int steps = 0; step; ++steps) {
    REQUIRE(steps < 100);
    remote::StepResult result;
    if (const auto* asked = std::get_if<remote::step::Run>(&*step)) {
      if (asked->command.argv.front() == "ifup") {
        result = failing;
        done = true;
      } else if (is_flush(asked->command.argv)) {
        if (flushes != nullptr) ++*flushes;
        result = flushing;
      } else {
        const std::string state =
            done ? after : "interface/p1 mtu 0 9000\ninterface/p1 mtu 2 9000\n";
        result.output = test::probe_output(asked->command, [&state](const std::string& id) {
          return id == "fake-state" ? state : std::string{};
        });
      }
    }
    result.ended = now += Duration{1'000};
    step = work.next(result);
  }
  return work.result();
}

remote::StepResult exit_1() {
  remote::StepResult result;
  result.output.exit_status = 1;
  result.output.standard_error = "ifup: failed to bring up p1\n";
  return result;
}

remote::StepResult no_reply() {
  remote::StepResult result;
  result.outcome = remote::Outcome::unknown;
  result.error = {ErrorCode::unreachable, "connection reset"};
  return result;
}

}  // namespace

TEST_CASE("a command that failed is forgiven where what runs is right", "[execute]") {
  CHECK(run(Layer::running, exit_1(), "").state == ActionState::done);
  CHECK(run(Layer::running, no_reply(), "").state == ActionState::done);
  CHECK(run(Layer::running, exit_1(), "interface/p1 mtu 0 9000").state == ActionState::failed);
}

TEST_CASE("an action that failed half-way says what it has changed", "[execute]") {
  const ActionResult half =
      run(Layer::running, exit_1(), "interface/p1 mtu 0 1400\ninterface/p1 mtu 2 9000\n");
  CHECK(half.state == ActionState::failed);
  CHECK(half.in_part);
  CHECK(half.detail.ends_with(
      "; the action was done in part: a/interface/p1 mtu was 9000 and is 1400"));
  const ActionResult whole =
      run(Layer::running, exit_1(), "interface/p1 mtu 0 9000\ninterface/p1 mtu 2 9000\n");
  CHECK(whole.state == ActionState::failed);
  CHECK_FALSE(whole.in_part);
}

TEST_CASE("a command that failed is not forgiven by files alone", "[execute]") {
  const ActionResult failed = run(Layer::persistent, exit_1(), "");
  CHECK(failed.state == ActionState::failed);
  CHECK(
      failed.detail ==
      "ifup p1: exit 1: ifup: failed to bring up p1; its files are as desired, but nothing shows "
      "the running state");
  CHECK(run(Layer::persistent, no_reply(), "").state == ActionState::unknown);
  CHECK(run(Layer::persistent, {}, "").state == ActionState::done);
}

TEST_CASE("the last words of a command are told without the secrets in them", "[execute]") {
  remote::StepResult failing = exit_1();
  failing.output.standard_error =
      "/etc/x: bad key:\n-----BEGIN PRIVATE KEY-----\nCanary9\n-----END PRIVATE KEY-----\n\n";
  CHECK(run(Layer::persistent, failing, "").detail.starts_with("ifup p1: exit 1: (secret); "));
  failing.output.standard_error = "line 3: wpa-psk Canary9 is too short\n";
  CHECK(run(Layer::persistent, failing, "")
            .detail.starts_with("ifup p1: exit 1: line 3: wpa-psk (secret) is too short; "));
}

TEST_CASE("what a command wrote is flushed before it is said to be done", "[execute]") {
  int flushes = 0;
  CHECK(run(Layer::persistent, {}, "", {}, &flushes).state == ActionState::done);
  CHECK(flushes == 1);
  // What runs is gone with the power in any case.
  flushes = 0;
  CHECK(run(Layer::running, {}, "", {}, &flushes).state == ActionState::done);
  CHECK(flushes == 0);
  flushes = 0;
  CHECK(
      run(Layer::persistent, exit_1(), "interface/p1 mtu 2 9000", {}, &flushes).state ==
      ActionState::failed);
  CHECK(flushes == 0);
}

TEST_CASE("what can't be flushed is not said to be done", "[execute]") {
  for (const remote::StepResult& trouble : {exit_1(), no_reply()}) {
    int flushes = 0;
    const ActionResult result = run(Layer::persistent, {}, "", trouble, &flushes);
    CHECK(result.state == ActionState::unknown);
    CHECK(result.detail.find("a power cut could undo it") != std::string::npos);
    CHECK(flushes == 3);
  }
}
