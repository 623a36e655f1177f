// SPDX-License-Identifier: Apache-2.0
// The rollback timer of switches with NVUE, against the lab's switch.
#include "engine/lab/runner.hpp"
#include "engine/model/document/load.hpp"
#include "providers/nvue/machine/nvue_platforms.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric {
namespace {

using platform::GuardState;

constexpr const char* kToken = "00000000000000aa";
constexpr const char* kOther = "00000000000000bb";

FabricSpec document(SourceMap& sources) {
  const FileId file = sources.add(
      "fabric.yaml", "apiVersion: fabric/v1\nname: one\nnodes:\n  leaf1: {platform: cumulus}\n");
  LoadedDocument loaded = load_document(sources, {file});
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  return std::move(loaded.spec);
}

struct Switch {
  remote::StepResult perform(remote::Step step) {
    runner.start({++ticket, leaf, std::move(step)});
    while (true) {
      const std::optional<remote::StepResult> result = runner.wait_any(Duration{3'600'000});
      if (result) return *result;
    }
  }
  remote::StepResult run(remote::Argv argv) {
    return perform(
        remote::step::Run{remote::Command{std::move(argv), {}, Duration{60'000}}, false});
  }
  std::string said(const std::string& script) {
    return run({"sh", "-c", script}).output.standard_output;
  }
  // As the executor sends the commands of an action.
  remote::StepResult guarded(remote::Argv argv, const char* token = kToken) {
    return perform(timer.while_armed(
        token,
        platform::cumulus_platform().command_step(
            remote::Command{std::move(argv), {}, Duration{60'000}})));
  }
  remote::StepResult arm(Duration timeout, const char* token = kToken) {
    return perform(timer.arm({token, "action a0001 of leaf1", timeout, false}, {}));
  }
  GuardState ask(const char* token = kToken) { return timer.state(perform(timer.ask(token))); }
  GuardState disarm(const char* token = kToken) {
    return timer.state(perform(timer.disarm(token)));
  }
  void wait(Duration duration) { perform(remote::step::Pause{duration}); }
  void set_mtu() {
    REQUIRE(
        guarded({"nv", "set", "interface", "swp1", "link", "mtu", "9000"}).output.exit_status == 0);
  }
  bool is_applied() {
    return said("nv config show -r applied -o commands").find("mtu 9000") != std::string::npos;
  }
  bool is_saved() {
    return said("nv config show -r startup -o commands").find("mtu 9000") != std::string::npos;
  }

  SourceMap sources;
  NodeName leaf = *NodeName::parse("leaf1");
  const platform::RollbackTimer& timer = *platform::cumulus_platform().rollback_timer();
  lab::Lab lab{document(sources), test::simulated()};
  lab::Runner runner{lab};
  remote::Ticket ticket = 0;
};

TEST_CASE("what is applied under the timer waits to be confirmed, and is saved then", "[nvue]") {
  Switch leaf;
  REQUIRE(leaf.arm(Duration{60'000}).output.exit_status == 0);
  CHECK(leaf.ask() == GuardState::armed);
  leaf.set_mtu();
  CHECK(leaf.guarded({"nv", "config", "apply", "-y"}).output.exit_status == 0);
  CHECK(leaf.is_applied());
  CHECK_FALSE(leaf.is_saved());
  CHECK(leaf.said("nv config revision").find(" confirm ") != std::string::npos);
  CHECK(leaf.ask() == GuardState::armed);
  CHECK(leaf.disarm() == GuardState::disarmed);
  CHECK(leaf.is_applied());
  CHECK(leaf.is_saved());
  CHECK(leaf.ask() == GuardState::disarmed);
  // The same again, when the answer was lost.
  CHECK(leaf.disarm() == GuardState::disarmed);
  leaf.wait(Duration{120'000});
  CHECK(leaf.is_applied());
}

TEST_CASE("what is confirmed is saved where the switch does not do that by itself", "[nvue]") {
  Switch leaf;
  leaf.said("nv set system config auto-save state disabled; nv config apply -y; nv config save");
  leaf.arm(Duration{60'000});
  leaf.set_mtu();
  leaf.guarded({"nv", "config", "apply", "-y"});
  CHECK_FALSE(leaf.is_saved());
  CHECK(leaf.disarm() == GuardState::disarmed);
  CHECK(leaf.is_saved());
}

TEST_CASE("what nobody confirms the switch rolls back by itself", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{60'000});
  leaf.set_mtu();
  leaf.guarded({"nv", "config", "apply", "-y"});
  leaf.wait(Duration{50'000});
  CHECK(leaf.is_applied());
  leaf.wait(Duration{15'000});
  CHECK_FALSE(leaf.is_applied());
  CHECK(leaf.ask() == GuardState::rolled_back);
  CHECK(leaf.disarm() == GuardState::rolled_back);
  leaf.perform(leaf.timer.clear(kToken));
  CHECK(leaf.ask() == GuardState::disarmed);
  CHECK(leaf.said("ls /var/lib/fabric/guard").empty());
}

TEST_CASE("a timer that is fired rolls back at once, and what comes later does nothing", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{600'000});
  leaf.set_mtu();
  leaf.guarded({"nv", "config", "apply", "-y"});
  CHECK(leaf.timer.state(leaf.perform(leaf.timer.fire(kToken))) == GuardState::rolled_back);
  CHECK_FALSE(leaf.is_applied());
  leaf.said("nv set interface swp1 link mtu 9000");
  leaf.perform(leaf.timer.clear(kToken));
  const remote::StepResult late = leaf.guarded({"nv", "config", "apply", "-y"});
  CHECK(late.output.exit_status == 75);
  CHECK_FALSE(leaf.is_applied());
}

TEST_CASE("an apply that comes when the time is over does nothing", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{5'000});
  leaf.set_mtu();
  leaf.wait(Duration{6'000});
  CHECK(leaf.guarded({"nv", "config", "apply", "-y"}).output.exit_status == 75);
  CHECK_FALSE(leaf.is_applied());
  CHECK(leaf.ask() == GuardState::rolled_back);
}

TEST_CASE("an apply that is refused or finds nothing to do leaves nothing to confirm", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{60'000});
  CHECK(leaf.guarded({"nv", "config", "apply", "-y"}).output.exit_status == 0);
  CHECK(leaf.ask() == GuardState::armed);
  CHECK(leaf.disarm() == GuardState::disarmed);
}

TEST_CASE("two timers do not stand side by side, nor beside a foreign confirmation", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{600'000});
  const remote::StepResult second = leaf.arm(Duration{60'000}, kOther);
  CHECK(second.output.exit_status == 75);
  CHECK(second.output.standard_error.find("action a0001 of leaf1") != std::string::npos);
  const auto found = leaf.timer.found(leaf.perform(leaf.timer.find()));
  REQUIRE(found.size() == 1);
  CHECK(found.front().token == kToken);
  CHECK(found.front().holder == "action a0001 of leaf1");
  CHECK_FALSE(found.front().firing);
  leaf.disarm();

  leaf.said("nv set interface swp9 link mtu 1500; nv config apply -y --confirm 600s");
  CHECK(leaf.arm(Duration{60'000}).output.exit_status == 75);
  const auto foreign = leaf.timer.found(leaf.perform(leaf.timer.find()));
  REQUIRE(foreign.size() == 1);
  CHECK(foreign.front().foreign);
  CHECK(foreign.front().holder.starts_with("revision "));
  CHECK(foreign.front().firing);
}

TEST_CASE(
    "a boot before the confirmation brings back what was saved, and that is known", "[nvue]") {
  Switch leaf;
  leaf.arm(Duration{600'000});
  leaf.set_mtu();
  leaf.guarded({"nv", "config", "apply", "-y"});
  leaf.run({"systemctl", "reboot"});
  leaf.wait(Duration{30'000});
  CHECK_FALSE(leaf.is_applied());
  CHECK(leaf.ask() == GuardState::rolled_back);
  // What an earlier boot has left stands in nobody's way.
  CHECK(leaf.arm(Duration{60'000}, kOther).output.exit_status == 0);
}

TEST_CASE(
    "a boot that brings back less than what was in force before ends the timer too", "[nvue]") {
  Switch leaf;
  leaf.said(
      "nv set system config auto-save state disabled; nv config apply -y; nv config save; "
      "nv set interface swp9 link mtu 1500; nv config apply -y");
  leaf.arm(Duration{600'000});
  leaf.set_mtu();
  leaf.guarded({"nv", "config", "apply", "-y"});
  leaf.run({"systemctl", "reboot"});
  leaf.wait(Duration{30'000});
  CHECK_FALSE(leaf.is_applied());
  CHECK(leaf.ask() == GuardState::rolled_back);
  CHECK(leaf.timer.found(leaf.perform(leaf.timer.find())).empty());
}

}  // namespace
}  // namespace fabric
