// SPDX-License-Identifier: Apache-2.0
// VLANs on a bond: their files, what runs, and one file without the others.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test::bonding {
namespace {

TEST_CASE("a VLAN on a bond has files of its own and is made beneath no other", "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work work = work_of(kVlans, vlan(), node.facts());
  REQUIRE(work.actions.size() == 1);
  std::vector<std::string> paths;
  for (const auto& file : work.actions[0].steps.writes())
    paths.push_back(file.path);
  CHECK(
      paths == std::vector<std::string>{
                   "/etc/systemd/network/10-fabric-vlan-storage.backup.netdev",
                   "/etc/systemd/network/10-fabric-vlan-storage.backup.network",
                   "/etc/systemd/network/10-fabric-bond-bond0.network.d/vlan-storage.backup.conf"});
  CHECK(commands_of(work.actions[0]) == "networkctl reload\nnetworkctl reconfigure bond0\n");
}

TEST_CASE("a VLAN that runs is read back with its number", "[providers]") {
  Node node;
  node.links +=
      link("bond0.100", {"mtu:9000"}) + "/proc/net/vlan/config:bond0.100      | 100  | bond0\n";
  node.ip = R"([{"ifname":"bond0.100","mtu":9000,"flags":["UP"],"addr_info":[)"
            R"({"family":"inet","local":"10.100.0.1","prefixlen":24,"scope":"global"}]}])";
  const auto observation = observe_one(kVlans, vlan(), node.facts());
  CHECK(layers(observation, "id") == "100 | - | absent");
  CHECK(layers(observation, "mtu") == "9000 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.100.0.1/24] | - | absent");
}

TEST_CASE("a VLAN of the same number under another name is told, adopted or not", "[providers]") {
  for (const bool adopted : {false, true}) {
    Node node;
    node.links +=
        link("storage", {"mtu:9000"}) + "/proc/net/vlan/config:storage      | 100  | bond0\n";
    Resource wanted = vlan();
    if (adopted) wanted.binding.emplace("adopt", true);
    Diagnostics diagnostics;
    observe_one(kVlans, wanted, node.facts(), diagnostics);
    REQUIRE(diagnostics.items().size() == 1);
    CHECK(diagnostics.items().front().rule == "foreign-configuration");
    CHECK(
        diagnostics.items().front().message.find("bond0 carries the VLAN 100 as storage already") !=
        std::string::npos);
  }
}

TEST_CASE(
    "one file of a VLAN without the others is our own torn write, or somebody else's wish",
    "[providers]") {
  Node node;
  node.links += bond0("802.3ad 4", kBothSlaves);
  const Work work = work_of(kVlans, vlan(), node.facts());
  const auto network = work.actions.at(0).steps.writes().at(1);
  const auto lines_of = [&network](const std::string& content) {
    std::string text;
    for (const auto line : split_lines(content))
      text += fmt::format("{}:{}\n", network.path, line);
    return text;
  };
  node.files = lines_of(network.content);
  CHECK(layers(observe_one(kVlans, vlan(), node.facts()), "mtu") == "absent | - | absent");
  std::string changed = network.content;
  changed.replace(changed.find("MTUBytes=9000"), 13, "MTUBytes=4242");
  node.files = lines_of(changed);
  const auto observation = observe_one(kVlans, vlan(), node.facts());
  CHECK(layers(observation, "mtu") == "absent | - | 4242");
  CHECK(layers(observation, "addresses") == "absent | - | absent");
}

}  // namespace
}  // namespace fabric::providers::test::bonding
