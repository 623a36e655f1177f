// SPDX-License-Identifier: Apache-2.0
// What a card had before fabric, kept on the node, and the way back to it.
#include <algorithm>
#include <set>

#include "engine/remote/shell.hpp"

#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {
namespace {

constexpr const char* kNetwork =
    "networks:\n  storage:\n    mode: chain\n    mtu: 9000\n"
    "    ipv4: {subnet: 10.30.0.0/24}\n    cables: [{ring: [\"pve[1-3]\"]}]\n";

std::string text_of(const std::string& of_node, const std::string& network) {
  return ring_text(3, false, of_node) + network;
}

// As the tool shows what runs and what the next boot will use.
std::string settings(LabRing& ring, const std::string& node) {
  const std::string query =
      "mstconfig -d 0000:01:00.0 -e q | grep -e HOST_CHAINING_MODE -e LINK_TYPE_P";
  return ring.lab.look(named(node), query, "").standard_output;
}

std::set<std::string> stays(const Planned& planned) {
  std::set<std::string> found;
  for (const Diagnostic& each : planned.diagnostics.items()) {
    if (each.rule == "settings-stay") found.insert(each.message);
  }
  return found;
}

void boot(LabRing& ring, const std::string& node) {
  ring.lab.cut_power(named(node));
  ring.lab.advance(ring.runner.clock().now() + Duration{600'000});
  REQUIRE(ring.lab.power(named(node)) == lab::Power::up);
}

TEST_CASE("released with restore, the cards are as before, also after a boot", "[workflow]") {
  LabRing ring;
  const std::string before = settings(ring, "pve1");
  REQUIRE(ring.apply() == ExitCode::done);
  const std::string chained = settings(ring, "pve1");
  REQUIRE(chained != before);
  // What is not restored stays, and is named.
  const Wanted released = wanted_by(text_of(", state: absent", ""));
  REQUIRE(ring.apply(released, ring.plan(released).plan) == ExitCode::done);
  CHECK(settings(ring, "pve1") == chained);
  const Planned left = ring.plan(released);
  CHECK(left.plan.actions.empty());
  CHECK(stays(left).size() == 3);
  CHECK(
      *stays(left).begin() ==
      "pve1: cx5 keeps settings that fabric made and the document no longer asks for: "
      "HOST_CHAINING_MODE=1 (before: 0), LINK_TYPE_P1=2 (before: 1), LINK_TYPE_P2=2 (before: 1)");
  const Wanted restored = wanted_by(text_of(", state: absent, restore: true", ""));
  REQUIRE(ring.apply(restored, ring.plan(restored).plan) == ExitCode::done);
  CHECK(ring.heard.proven);
  CHECK(settings(ring, "pve1") == before);
  boot(ring, "pve1");
  CHECK(settings(ring, "pve1") == before);
  const Planned after = ring.plan(restored);
  CHECK(after.plan.actions.empty());
  CHECK(stays(after).empty());
  // Fabric's no longer: whoever sets it now keeps it.
  ring.lab.change(named("pve1"), "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=1", "");
  CHECK(ring.plan(restored).plan.changes.empty());
}

TEST_CASE("a network that leaves nothing behind gives back what it asked for", "[workflow]") {
  LabRing ring;
  const std::string before = settings(ring, "pve2");
  const std::string with_restore = std::string{kNetwork} + "    restore: true\n";
  // Written down beside what was set before it was asked for.
  REQUIRE(ring.apply() == ExitCode::done);
  const Wanted asked = wanted_by(text_of("", with_restore));
  REQUIRE(ring.apply(asked, ring.plan(asked).plan) == ExitCode::done);
  CHECK(ring.plan(asked).plan.actions.empty());
  REQUIRE(ring.apply(ring.without_network, ring.plan(ring.without_network).plan) == ExitCode::done);
  CHECK(ring.heard.proven);
  CHECK(settings(ring, "pve2") == before);
  CHECK(stays(ring.plan(ring.without_network)).empty());
  // And again from the beginning.
  REQUIRE(ring.apply() == ExitCode::done);
  CHECK(ring.plan().plan.actions.empty());
}

TEST_CASE("what is given back and not yet in force is owed to the next boot", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  const Wanted restored = wanted_by(text_of(", state: absent, restore: true", ""));
  // Of the plan the settings alone, by hand.
  for (const plans::Action& action : ring.plan(restored).plan.actions) {
    if (action.node != named("pve3") || action.draft.kind != "settings.set") continue;
    for (const remote::step::WriteFile& file : action.draft.steps.writes())
      ring.lab.change(named("pve3"), "cat > " + file.path, file.content);
    for (const remote::Argv& argv : action.draft.steps.commands()) {
      std::string line;
      for (const remote::Word& word : argv)
        line += remote::quote(word) + " ";
      ring.lab.change(named("pve3"), line, "");
    }
  }
  const auto reboots = [&](const Planned& planned) {
    return std::any_of(
        planned.plan.actions.begin(), planned.plan.actions.end(), [](const auto& action) {
          return action.node == named("pve3") && action.draft.kind == "reboot";
        });
  };
  CHECK(reboots(ring.plan(restored)));
  boot(ring, "pve3");
  const Planned after = ring.plan(restored);
  CHECK_FALSE(reboots(after));
  for (const plans::PlannedChange& change : after.plan.changes)
    CHECK_FALSE((change.address.node == named("pve3") && change.address.kind == "settings"));
}

TEST_CASE("a parameter is set to the factory's value by its name", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  const std::string adapters =
      "nodes:\n  pve[1-3]: {adapters: {cx5: {model: connectx-5-vpi, firmware: {params: "
      "{HOST_CHAINING_MODE: default}}}}}\n";
  const Wanted reset = wanted_by("apiVersion: fabric/v1\nname: ring\n" + adapters);
  REQUIRE(ring.apply(reset, ring.plan(reset).plan) == ExitCode::done);
  CHECK(ring.heard.proven);
  const std::string found = settings(ring, "pve1");
  CHECK(found.find("BASIC(1)") == std::string::npos);
  CHECK(found.find("DISABLED(0)") != std::string::npos);
}

}  // namespace
}  // namespace fabric::workflow::test
