// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/estimate.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::execute;

namespace {

NodeName node(std::string_view name) {
  return NodeName::parse(name).value();
}

RecordedAction took(const std::string& on, const std::string& kind, int seconds) {
  RecordedAction action{"a0001", on, kind, "title", true, ActionState::done, {}, {}, {}, {}};
  action.took = std::chrono::seconds{seconds};
  return action;
}

RunRecord run_of(std::vector<RecordedAction> actions) {
  RunRecord run;
  run.actions = std::move(actions);
  return run;
}

plans::Plan plan_of(
    const std::vector<std::tuple<std::string, std::uint32_t, std::string>>& actions) {
  plans::Plan plan;
  for (const auto& [on, wave, kind] : actions) {
    plans::Action action{.node = node(on), .wave = wave};
    action.draft.kind = kind;
    plan.actions.push_back(std::move(action));
  }
  return plan;
}

}  // namespace

TEST_CASE("nodes of a wave are beside each other, waves one after the other", "[execute]") {
  const std::vector<RunRecord> history{
      run_of({took("a", "reboot", 100), took("b", "reboot", 300), took("a", "settings.set", 10)})};
  const auto judged = estimate(
      plan_of(
          {{"a", 1, "settings.set"}, {"a", 1, "reboot"}, {"b", 1, "reboot"}, {"c", 2, "reboot"}}),
      history);
  REQUIRE(judged);
  // b's own boot in the first wave; of c nothing is known, so the median of all boots.
  CHECK(judged->time == std::chrono::seconds{300 + 300});
  CHECK(judged->runs == 1);
  CHECK(judged->unseen.empty());
}

TEST_CASE("what failed tells nothing, and what was never seen is said", "[execute]") {
  RecordedAction failed = took("a", "reboot", 900);
  failed.state = ActionState::failed;
  const std::vector<RunRecord> history{
      run_of({failed}),
      run_of({took("a", "sysctl.set", 2)}),
      run_of({took("a", "sysctl.set", 4)}),
      run_of({took("a", "sysctl.set", 3)})};
  CHECK_FALSE(estimate(plan_of({{"a", 1, "reboot"}}), history));
  const auto judged = estimate(plan_of({{"a", 1, "reboot"}, {"a", 1, "sysctl.set"}}), history);
  REQUIRE(judged);
  CHECK(judged->time == std::chrono::seconds{3});
  CHECK(judged->unseen == std::set<std::string>{"reboot"});
  CHECK(judged->runs == 3);
}

TEST_CASE("nobody knows without a history", "[execute]") {
  CHECK_FALSE(estimate(plan_of({{"a", 1, "reboot"}}), {}));
}
