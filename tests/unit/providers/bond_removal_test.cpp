// SPDX-License-Identifier: Apache-2.0
// A bond that goes away: its device, its files, and that it is read back.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test::bonding {
namespace {

TEST_CASE("removing a bond takes its device away too", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work made = work_of(kBonds, bond(), node.facts(), true);
  for (const auto& file : made.actions.at(0).steps.writes())
    node.files += as_files(file.path, file.content);
  const NodeFacts facts = node.facts();
  const Observation observation = observe_one(kBonds, bond(), facts);
  CHECK(layers(observation, "mode") == "802.3ad | - | 802.3ad");
  Change change = test::change_of(kBonds, facts, bond(), observation);
  change.kind = ChangeKind::remove;
  const auto work = kBonds.work(change, WorkContext{facts, observation, false});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  CHECK(work->actions[0].steps.removes().size() == 2);
  CHECK(work->actions[0].undo.writes().size() == 2);
  REQUIRE(work->actions[0].steps.commands().size() == 2);
  CHECK(work->actions[0].steps.commands()[0].back() == "bond0");
  CHECK(work->actions[0].steps.commands()[1] == remote::Argv{"networkctl", "reload"});
  // And that it is away is read back.
  const Condition gone{bond().address, "mode", Layer::running, Value{}};
  const std::vector<Condition>& wanted = work->actions[0].postconditions;
  CHECK(std::find(wanted.begin(), wanted.end(), gone) != wanted.end());
}

// A keyfile can't be written without a mode, and of a bond that goes away none is.
TEST_CASE("every back end lets go of a bond that nobody asks for", "[providers]") {
  for (const std::string backend : {"networkd", "networkmanager", "netplan", "ifcfg"}) {
    CAPTURE(backend);
    Node node;
    node.backends =
        "tool networkctl\nunit systemd-networkd active\ntool netplan\ntool nmcli\nunit "
        "NetworkManager active\n";
    node.links += bond0("802.3ad 4", kBothSlaves);
    Resource wanted = bond();
    wanted.binding["backend"] = backend;
    const Work made = work_of(kBonds, wanted, node.facts(), true);
    for (const auto& file : made.actions.at(0).steps.writes())
      node.files += as_files(file.path, file.content);
    const NodeFacts facts = node.facts();
    const std::vector<Resource> left = kBonds.orphans({}, facts);
    REQUIRE(left.size() == 1);
    Diagnostics diagnostics;
    const Observation observation = observe_one(kBonds, left[0], facts, diagnostics);
    CHECK(diagnostics.items().empty());
    Change change = test::change_of(kBonds, facts, left[0], observation);
    change.kind = ChangeKind::remove;
    const auto work = kBonds.work(change, WorkContext{facts, observation, false});
    INFO((work ? "" : work.error().message));
    CHECK(work.has_value());
  }
}

}  // namespace
}  // namespace fabric::providers::test::bonding
