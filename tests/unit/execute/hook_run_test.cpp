// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/hook_run.hpp"

#include "engine/provider/disruption_hooks.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::node;

namespace {

Resource drain(const std::string& name) {
  Resource resource{*ResourceAddress::parse(name + "/drain/hooks"), {}, {}, {}, {}};
  resource.binding = {
      {"before", List{"drain", "--now"}},
      {"after", List{"sh", "-c", "undrain $1"}},
      {"timeout_ms", 5000}};
  resource.desired.emplace("drained", DesiredAttribute{false, {}, ""});
  return resource;
}

constexpr const char* kRecord = "/var/lib/fabric/drained";

// A conversation by hand: what is asked is seen, and the node answers as told.
struct Talk {
  std::vector<Resource> resources{drain("a")};
  Registry registry;
  ConditionJudge judge;
  Random random{1};
  plans::PlanNode plan_node;
  plans::Action action{.id = "a0001", .node = node("a")};
  std::vector<std::string> phases;
  std::unique_ptr<HookRun> run;
  std::optional<remote::Step> step;
  bool drained = false;

  explicit Talk(bool before) : registry{with_drain()}, judge{resources, registry} {
    action.draft = before ? *before_disruption(resources[0], DrainRecord{kRecord, {}, {}})
                          : *after_disruption(resources[0], DrainRecord{kRecord, {}, {}});
    run = std::make_unique<HookRun>(
        action,
        ActionContext{
            plan_node,
            judge,
            random,
            [this](const std::string& phase) { phases.push_back(phase); },
            nullptr,
            [] {
              return std::string{"failed"};
            }});
    step = run->begin();
  }

  static Registry with_drain() {
    Registry registry;
    registry.add(platform::linux_platform());
    registry.add(Platform::linux, providers::drain_provider());
    return registry;
  }

  void answer(remote::CommandOutput output, remote::Outcome outcome = remote::Outcome::succeeded) {
    remote::StepResult result;
    result.outcome = outcome;
    result.output = std::move(output);
    if (outcome != remote::Outcome::succeeded)
      result.error = Error{ErrorCode::timed_out, "no end within 5 s"};
    step = run->next(result);
  }

  // Whatever is read or written on the node until the command here is asked for.
  const remote::step::RunHere* until_here(bool node_answers = true) {
    while (step) {
      if (const auto* here = std::get_if<remote::step::RunHere>(&*step)) return here;
      on_node(node_answers);
    }
    return nullptr;
  }

  void on_node(bool node_answers) {
    if (!node_answers) return answer({}, remote::Outcome::failed);
    if (std::holds_alternative<remote::step::WriteFile>(*step)) drained = true;
    if (std::holds_alternative<remote::step::RemoveFile>(*step)) drained = false;
    const auto* read = std::get_if<remote::step::Run>(&*step);
    if (read == nullptr) return answer({});
    answer(test::probe_output(read->command, [this](const std::string& id) {
      return id == "drained" ? std::string{drained ? "drained\n" : "not drained\n"} : std::string{};
    }));
  }
};

}  // namespace

TEST_CASE("before: the record is on the node when the command is run", "[execute]") {
  Talk talk{true};
  const auto* here = talk.until_here();
  REQUIRE(here != nullptr);
  CHECK(talk.drained);
  CHECK(here->command.argv == remote::Argv{"drain", "--now", "a"});
  CHECK(here->command.timeout == Duration{5'000});
  CHECK(
      here->environment ==
      std::map<std::string, std::string>{{"FABRIC_HOOK", "before"}, {"FABRIC_NODE", "a"}});
  CHECK(talk.phases.back() == "running drain --now a");
  talk.answer({0, "3 jobs left\n", ""});
  CHECK_FALSE(talk.step);
  CHECK(talk.run->result().state == ActionState::done);
  CHECK(talk.run->result().detail == "3 jobs left");
}

TEST_CASE("a command that fails says why, in its own last words", "[execute]") {
  Talk talk{true};
  REQUIRE(talk.until_here() != nullptr);
  SECTION("exit status") {
    talk.answer({1, "evicting\n", "error: pod a/db-0 has local storage\n"});
    CHECK(
        talk.run->result().detail == "drain --now a: exit 1: error: pod a/db-0 has local storage");
    CHECK(talk.run->result().output == "evicting\nerror: pod a/db-0 has local storage\n");
  }
  SECTION("secrets") {
    talk.answer({1, "password: Canary9\n", "error: token=Canary9\n"});
    CHECK(talk.run->result().detail == "drain --now a: exit 1: error: token=(secret)");
    CHECK(talk.run->result().output == "password: (secret)\nerror: token=(secret)\n");
  }
  SECTION("deadline") {
    talk.answer({}, remote::Outcome::unknown);
    CHECK(talk.run->result().detail == "drain --now a: no end within 5 s");
    CHECK(talk.run->result().code == ErrorCode::timed_out);
  }
  CHECK(talk.run->result().state == ActionState::failed);
  CHECK(talk.run->result().began);
}

TEST_CASE("exit status 75 before a disruption means not yet", "[execute]") {
  Talk talk{true};
  REQUIRE(talk.until_here() != nullptr);
  SECTION("75") {
    talk.answer({75, "2 guests are moving\n", ""});
    CHECK(talk.run->result().not_yet);
    CHECK(talk.run->result().detail == "drain --now a: exit 75: 2 guests are moving");
  }
  SECTION("another one") {
    talk.answer({74, "", "no\n"});
    CHECK_FALSE(talk.run->result().not_yet);
  }
  CHECK(talk.run->result().state == ActionState::failed);
}

TEST_CASE("what said not yet waits before it is asked again, and hears an interrupt", "[execute]") {
  Talk talk{true};
  bool interrupted = false;
  HookRun again{
      talk.action,
      ActionContext{
          talk.plan_node,
          talk.judge,
          talk.random,
          [](const std::string&) {},
          [&interrupted] { return interrupted; },
          nullptr,
          {},
          {},
          false,
          Duration{2'500}}};
  remote::StepResult passed;
  std::optional<remote::Step> step = again.begin();
  Duration waited{0};
  while (step && std::holds_alternative<remote::step::Pause>(*step)) {
    waited += std::get<remote::step::Pause>(*step).duration;
    SECTION("interrupted") {
      interrupted = true;
      CHECK_FALSE(again.next(passed));
      CHECK(again.result().not_yet);
      return;
    }
    step = again.next(passed);
  }
  CHECK(waited == Duration{2'500});
  CHECK(step);
}

TEST_CASE("exit status 75 after a disruption is a failure like any other", "[execute]") {
  Talk talk{false};
  REQUIRE(talk.until_here() != nullptr);
  talk.answer({75, "", "later\n"});
  CHECK_FALSE(talk.run->result().not_yet);
  CHECK(talk.run->result().state == ActionState::failed);
}

TEST_CASE("without the record nothing is run", "[execute]") {
  Talk talk{true};
  CHECK(talk.until_here(false) == nullptr);
  CHECK(talk.run->result().state == ActionState::failed);
  CHECK_FALSE(talk.run->result().began);
}

TEST_CASE("after: the record stays until the command went well", "[execute]") {
  Talk talk{false};
  talk.drained = true;
  const auto* here = talk.until_here();
  REQUIRE(here != nullptr);
  CHECK(here->command.argv == remote::Argv{"sh", "-c", "undrain $1", "fabric", "a"});
  CHECK(here->environment.at("FABRIC_OUTCOME") == "failed");
  SECTION("well") {
    talk.answer({0, "", ""});
    CHECK(talk.until_here() == nullptr);
    CHECK_FALSE(talk.drained);
    CHECK(talk.run->result().state == ActionState::done);
  }
  SECTION("not") {
    talk.answer({2, "", "no controller\n"});
    CHECK_FALSE(talk.step);
    CHECK(talk.drained);
    CHECK(talk.run->result().state == ActionState::failed);
  }
  SECTION("the node is gone") {
    talk.answer({0, "", ""});
    CHECK(talk.until_here(false) == nullptr);
    CHECK(
        talk.run->result().detail.find(
            "the hook ran, but its record on the node could not be removed: ") == 0);
  }
}
