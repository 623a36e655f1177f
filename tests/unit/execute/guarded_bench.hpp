// SPDX-License-Identifier: Apache-2.0
// A guarded action and a node that answers as a test says: what is done, in one word a step.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/overloaded.hpp"
#include "engine/base/random.hpp"
#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/execute/action/observer.hpp"
#include "engine/execute/guard/guarded_run.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/registry.hpp"
#include "engine/remote/runner.hpp"
#include "plans/plan.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/support/fake_provider.hpp"

namespace fabric::test {

inline constexpr Duration kGuard{120'000};

// Reads once, changes once, and ends as it was told to.
class ScriptedRun final : public execute::ActionRun {
 public:
  explicit ScriptedRun(execute::ActionResult result, bool lost = false)
      : result_{std::move(result)}, lost_{lost} {}
  remote::Step begin() override { return step("read"); }
  std::optional<remote::Step> next(const remote::StepResult& /*result*/) override {
    ++at_;
    if (at_ == 1 && changes_) return step("change");
    return std::nullopt;
  }
  bool changes_node() const override { return at_ == 1; }
  const execute::ActionResult& result() const override { return result_; }
  bool node_lost() const override { return lost_; }
  bool changes_ = true;

 private:
  static remote::Step step(const char* what) {
    return remote::step::Run{remote::Command{{what}, {}, Duration{1'000}}, false};
  }
  execute::ActionResult result_;
  bool lost_;
  int at_ = 0;
};

inline execute::ActionResult ending(execute::ActionState state, std::string detail = {}) {
  execute::ActionResult result;
  result.id = "a0001";
  result.state = state;
  result.detail = std::move(detail);
  return result;
}

// What a step is, in one word.
inline std::string word(const remote::Step& step) {
  return std::visit(
      Overloaded{
          [](const remote::step::Run& run) {
            const remote::Argv& argv = run.command.argv;
            const bool gated = run.gate.starts_with("/var/lib/fabric/guard/");
            if (argv.front() == "change" && !gated) return std::string{"change at any time"};
            if (argv.front() != "sh") return std::string{argv.front()};
            constexpr std::size_t kWordsOfArm = 6;
            if (argv.at(1) == "-s" && argv.size() == kWordsOfArm) return std::string{"arm"};
            if (argv.at(1) == "-s") return std::string{run.fresh_session ? "look" : "?"};
            const remote::Script* script = argv.at(2).script();
            if (script == &sh::guard_fire) return std::string{run.fresh_session ? "fire" : "?"};
            if (script == &sh::guard_clear) return std::string{"clear"};
            if (script == &sh::guard_disarm) return std::string{run.fresh_session ? "disarm" : "?"};
            return std::string{run.fresh_session ? "ask" : "?"};
          },
          [](const remote::step::WriteFile&) { return std::string{"write"}; },
          [](const remote::step::CopyFile&) { return std::string{"copy"}; },
          [](const remote::step::RemoveFile&) { return std::string{"remove"}; },
          [](const remote::step::RunHere&) { return std::string{"here"}; },
          [](const remote::step::Converse&) { return std::string{"converse"}; },
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
  Registry registry = fake_registry();
  execute::ConditionJudge judge{resources, registry};
  Random random{1};
  std::vector<std::string> phases;
  std::vector<Condition> former, former_files;

  explicit Bench(std::vector<Resource> given = {}) : resources{std::move(given)} {
    action.guard = kGuard;
    action.draft.kind = "network.activate";
    action.draft.undo.write({"/etc/a b", "before\n", 0644, "root:root"});
    action.draft.undo.remove("/etc/new");
    action.draft.undo.run_each({{"networkctl", "reload"}});
  }

  execute::ActionResult run(std::unique_ptr<ScriptedRun> inner, bool* lost = nullptr) {
    execute::GuardedRun guarded{
        action,
        {plan_node,
         judge,
         random,
         [this](const std::string& phase) { phases.push_back(phase); },
         nullptr,
         nullptr,
         former,
         former_files},
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
      result.output = probe_output(command, [&answer](const std::string& id) {
        return id == "fake-state" ? answer : std::string{};
      });
    } else {
      result.output.standard_output = answer + "\n";
    }
    return result;
  }
};

using Words = std::vector<std::string>;
inline const Words kArming{"read", "arm"};

inline Words after_arming(Words words) {
  words.insert(words.begin(), kArming.begin(), kArming.end());
  return words;
}

}  // namespace fabric::test
