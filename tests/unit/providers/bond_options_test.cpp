// SPDX-License-Identifier: Apache-2.0
// Options of a bond that runs: what the kernel changes in place, what goes back to its own, and
// what wants another bond.
#include <algorithm>
#include <string>

#include "engine/provider/orphan.hpp"

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test::bonding {
namespace {

TEST_CASE("options that the kernel changes in place do not take the bond down", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves, 0);
  const Resource wanted = bond({{"mode", "802.3ad"}, {"miimon", 100}, {"hash_policy", "layer2+3"}});
  const Work work = work_of(kBonds, wanted, node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ip link set dev bond0 type bond xmit_hash_policy layer2+3 miimon 100\n");
  CHECK(kBonds.disruption(node.facts(), wanted, "miimon") == Disruption::traffic);
}

TEST_CASE("what our file alone says still of a bond goes back to the kernel's own", "[providers]") {
  const Desired before{
      {"mode", "active-backup"},
      {"miimon", 100},
      {"updelay", 200},
      {"hash_policy", "layer2+3"},
      {"primary", "cx5.2"}};
  Node node;
  const Work made = work_of(kBonds, bond(before), node.facts(), true);
  for (const auto& file : made.actions.at(0).steps.writes())
    node.files += as_files(file.path, file.content);
  node.links += bond0("active-backup 1", kBothSlaves) +
                link("bond0", {"bonding/updelay:200", "bonding/primary:enp1s0f1np1"});
  const Resource less = bond({{"mode", "active-backup"}, {"miimon", 100}});
  const auto left = kBonds.orphans({&less, 1}, node.facts());
  const Work work = work_of(kBonds, with_orphans({less}, left, Registry{}).at(0), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ip link set dev bond0 type bond xmit_hash_policy layer2 updelay 0\n"
      "sh -c 'echo >\"/sys/class/net/$1/bonding/primary\"' fabric bond0\n");
  const auto requires_it = [&](const char* attribute, const Value& value) {
    const Condition wanted{less.address, attribute, Layer::running, value};
    const auto& all = work.actions[0].postconditions;
    return std::find(all.begin(), all.end(), wanted) != all.end();
  };
  CHECK(requires_it("updelay", 0));
  CHECK(requires_it("hash_policy", "layer2"));
  CHECK(requires_it("primary", {}));
  // Of what nobody of us ever set nothing is said.
  CHECK_FALSE(requires_it("downdelay", 0));
}

TEST_CASE("an MTU that the document forgot is the kernel's own again, at once", "[providers]") {
  for (const char* backends : {kNetworkd, kIfupdown}) {
    CAPTURE(backends);
    Node node;
    node.backends = backends;
    node.files = kSourced;
    const Work made = work_of(kBonds, bond(), node.facts(), true);
    for (const auto& file : made.actions.at(0).steps.writes())
      node.files += as_files(file.path, file.content);
    node.links += bond0("802.3ad 4", kBothSlaves);
    Resource less = bond();
    less.desired.erase("mtu");
    const auto left = kBonds.orphans({&less, 1}, node.facts());
    const Work work = work_of(kBonds, with_orphans({less}, left, Registry{}).at(0), node.facts());
    REQUIRE(work.actions.size() == 1);
    CHECK(
        work.actions[0].steps.commands().back() ==
        remote::Argv{"ip", "link", "set", "dev", "bond0", "mtu", "1500"});
    const Condition wanted{less.address, "mtu", Layer::running, 1500};
    const auto& all = work.actions[0].postconditions;
    CHECK(std::find(all.begin(), all.end(), wanted) != all.end());
  }
}

TEST_CASE("delays stay what they are when the driver counts in other steps", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves) + link("bond0", {"bonding/updelay:200"});
  const auto commands = [&node](int miimon) {
    const Resource wanted = bond({{"mode", "802.3ad"}, {"miimon", miimon}, {"updelay", 200}});
    return commands_of(work_of(kBonds, wanted, node.facts()).actions.at(0));
  };
  CHECK(commands(50) == "ip link set dev bond0 type bond miimon 50 updelay 200\n");
}

TEST_CASE("another mode wants another bond, and VLANs on it come back with it", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  node.links += bond0("active-backup 1", kBothSlaves);
  node.links +=
      "/proc/net/vlan/config:VLAN Dev name    | VLAN ID\n"
      "/proc/net/vlan/config:bond0.100      | 100  | bond0\n";
  Work work = work_of(kBonds, bond(), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(
      commands_of(work.actions[0]) ==
      "ifdown --force bond0\n"
      "ifdown --force enp1s0f0np0\nip addr flush dev enp1s0f0np0\n"
      "ifdown --force enp1s0f1np1\nip addr flush dev enp1s0f1np1\n"
      "ifup --force bond0\nifup --force enp1s0f0np0\nifup --force enp1s0f1np1\n"
      "sh -c 'ifquery \"$1\" >/dev/null 2>&1 || exit 0; exec ifup --force \"$1\"' fabric "
      "bond0.100\n");
  // Rolled back, too: the last that comes up is what stood on it.
  CHECK(work.actions[0].undo.commands().back().back() == "bond0.100");
  node.backends = kNetworkd;
  work = work_of(kBonds, bond(), node.facts());
  CHECK(
      commands_of(work.actions.at(0)) ==
      "ip link delete bond0\nsystemctl restart systemd-networkd\n");
  // After a reload its ports would never join it (systemd 252).
  CHECK(
      work.actions[0].undo.commands().back() ==
      remote::Argv{"systemctl", "restart", "systemd-networkd"});
}

TEST_CASE("a bond that is a bridge's port is not made anew behind its back", "[providers]") {
  const auto refusal = [](const Node& node, const Resource& wanted) {
    const NodeFacts facts = node.facts();
    const Observation observation = observe_one(kBonds, wanted, facts);
    const auto work = kBonds.work(
        test::change_of(kBonds, facts, wanted, observation),
        WorkContext{facts, observation, false});
    return work ? std::string{} : work.error().message;
  };
  Node node;
  node.links += bond0("active-backup 1", kBothSlaves) + link("bond0", {"master:vmbr0"});
  CHECK(refusal(node, bond()).find("it is a port of vmbr0") != std::string::npos);

  // networkd changes the MTU of the bond that is there; ifupdown deletes it on the way.
  const Resource larger = bond({{"mode", "active-backup"}, {"mtu", 4200}});
  CHECK(refusal(node, larger).empty());
  node.backends = kIfupdown;
  node.files = kSourced;
  CHECK(refusal(node, larger).find("it is a port of vmbr0") != std::string::npos);
  CHECK(refusal(node, bond({{"mode", "active-backup"}, {"miimon", 50}})).empty());

  // What stands on it goes with it.
  Node below;
  below.backends = kIfupdown;
  below.files = kSourced;
  below.links += bond0("active-backup 1", kBothSlaves) + link("bond0.100", {"master:vmbr1"}) +
                 "/proc/net/vlan/config:VLAN Dev name    | VLAN ID\n"
                 "/proc/net/vlan/config:bond0.100      | 100  | bond0\n";
  CHECK(
      refusal(below, larger).find("bond0.100, which stands on it, is a port of vmbr1") !=
      std::string::npos);
}

}  // namespace
}  // namespace fabric::providers::test::bonding
