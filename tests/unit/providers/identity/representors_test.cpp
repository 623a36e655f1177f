// SPDX-License-Identifier: Apache-2.0
// Which port is meant: what the kernel tells decides, never the order of names.
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/port/port_match.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kFirst = "/sys/bus/pci/devices/0000:01:00.0/net/";

// Beside the port, as the probe prints it.
std::string beside(
    const std::string& name, const std::string& place, const std::string& dev_port = "0") {
  const std::string at = kFirst + name;
  return at + "/type:1\n" + at + "/address:92:00:00:00:00:01\n" + at + "/mtu:1500\n" + at +
         "/dev_port:" + dev_port + "\n" + at + "/phys_switch_id:a851\n" + at +
         "/phys_port_name:" + place + "\n" + at + "/ethtool-permanent:Permanent address: not set\n";
}

// Of the port itself, in switchdev mode.
std::string uplink(const std::string& place) {
  const std::string at = std::string{kFirst} + "enp1s0f0np0";
  return at + "/phys_switch_id:a851\n" + at + "/phys_port_name:" + place + "\n" + at +
         "/ethtool-permanent:Permanent address: 0c:42:a1:8c:51:a8\n";
}

std::vector<Card> cards_with(const std::string& more) {
  return inventory_of(node_facts({{"pci", fixture("pci-cx5-ethernet.txt") + more}}));
}

std::vector<std::string> findings(const std::vector<Resource>& resources, const NodeFacts& facts) {
  Diagnostics diagnostics;
  adapter_provider().observe(resources, facts, diagnostics);
  std::vector<std::string> found;
  for (const Diagnostic& each : diagnostics.items())
    found.push_back(each.rule + ": " + each.message);
  return found;
}

TEST_CASE("a representor is not the port, whatever it is called", "[providers]") {
  for (const auto& [more, why] :
       {std::pair{uplink("p0") + beside("enp1s0f0", "pf0vf0"), "before it by name"},
        {uplink("p0") + beside("aaa0", "pf0sf88", "1"), "of a sub-function, with a dev_port"},
        {uplink("p0") + beside("eth0", "c1pf0vf3") + beside("eth1", "pf0hpf"), "of a DPU"},
        {uplink("") + beside("eth0", "0") + beside("eth1", "1"), "of a kernel before 5.1"}}) {
    CAPTURE(why);
    const std::vector<Card> cards = cards_with(more);
    REQUIRE(cards.size() == 1);
    REQUIRE(cards[0].ports.size() == 2);
    CHECK_FALSE(cards[0].shares_function());
    CHECK(cards[0].ports[0].netdev == "enp1s0f0np0");
    CHECK(cards[0].ports[0].mac->str() == "0c:42:a1:8c:51:a8");
    CHECK(cards[0].ports[1].netdev == "enp1s0f1np1");
  }
}

TEST_CASE("what the next boot matches is the port and no representor", "[providers]") {
  const std::vector<Card> alone = cards_with("");
  CHECK(systemd_match(alone[0], alone[0].ports[0]) == "Path=pci-0000:01:00.0\nType=ether\n");
  for (const auto& [more, place] :
       {std::pair{uplink("p0") + beside("eth0", "pf0vf0"), R"(ATTR{phys_port_name}=="p0", )"},
        {uplink("") + beside("eth0", "0"), R"(ATTR{address}=="0c:42:a1:8c:51:a8", )"}}) {
    const std::vector<Card> cards = cards_with(more);
    const AdapterPort& port = cards[0].ports[0];
    CHECK(systemd_match(cards[0], port) == "PermanentMACAddress=0c:42:a1:8c:51:a8\nType=ether\n");
    CHECK(udev_port_match(cards[0], port, false).find(place) != std::string::npos);
    // The other function has none.
    CHECK(systemd_match(cards[0], cards[0].ports[1]) == "Path=pci-0000:01:00.1\nType=ether\n");
  }
}

TEST_CASE("interfaces of which nothing tells the port are an error", "[providers]") {
  const std::string at = std::string{kFirst} + "cut0";
  const std::string other =
      at + "/type:1\n" + at + "/address:0c:42:a1:8c:51:b0\n" + at + "/dev_port:0\n";
  const NodeFacts facts = node_facts({{"pci", fixture("pci-cx5-ethernet.txt") + other}});
  CHECK(inventory_of(facts)[0].ports[0].netdev.empty());
  CHECK(
      findings({resource("pve1/adapter/cx5", adapter_binding(), {})}, facts) ==
      std::vector<std::string>{
          "interface-ambiguous: pve1: adapter cx5: port 1 of card 0000:01:00.0 (connectx-5, node "
          "GUID 0x0c42a103008c51a8) has the interfaces cut0, enp1s0f0np0, and nothing shows which "
          "of them is the port"});
}

TEST_CASE("a selector of the second port is an error that says which port it is", "[providers]") {
  const NodeFacts facts = node_facts({{"pci", fixture("pci-cx5-ethernet.txt")}});
  for (const Map& selector :
       {Map{{"pci", "0000:01:00.1"}},
        Map{{"node_guid", "0x0c42a103008c51a9"}},
        Map{{"mac", "0C-42-A1-8C-51-A9"}}}) {
    CAPTURE(to_text(Value{selector}));
    CHECK(find_card(inventory_of(facts), adapter_binding(selector)).card == nullptr);
    const std::vector<std::string> found =
        findings({resource("pve1/adapter/cx5", adapter_binding(selector), {})}, facts);
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("adapter-second-port: pve1: adapter cx5: ") == 0);
    CHECK(found[0].find(" is port 2 of card 0000:01:00.0 ") != std::string::npos);
  }
  for (const Map& selector :
       {Map{{"pci", "0000:01:00.0"}},
        Map{{"node_guid", "0x0c42a103008c51a8"}},
        Map{{"mac", "0c:42:a1:8c:51:a8"}}})
    CHECK(find_card(inventory_of(facts), adapter_binding(selector)).card != nullptr);
}

TEST_CASE("the address of a bond names no card beside the one that it is burnt in", "[providers]") {
  std::string text = fixture("pci-cx5-ethernet.txt");
  const auto say = [&](const std::string& port, const std::string& what) {
    text += "/sys/bus/pci/devices/0000:01:00." + port + "/net/enp1s0f" + port + "np" + port + "/" +
            what + "\n";
  };
  // Both are slaves and use the address of the first.
  for (const auto& [port, mac] : {std::pair{"0", "a8"}, {"1", "a9"}}) {
    say(port, "master:bond0");
    say(port, "address:0c:42:a1:8c:51:a8");
    say(port, std::string{"ethtool-permanent:Permanent address: 0c:42:a1:8c:51:"} + mac);
  }
  const std::vector<Card> cards = inventory_of(node_facts({{"pci", text}}));
  CHECK(find_card(cards, adapter_binding({{"mac", "0c:42:a1:8c:51:a8"}})).card == &cards.front());
  CHECK(
      find_card(cards, adapter_binding({{"mac", "0c:42:a1:8c:51:a9"}}))
          .other_port.find("mac 0c:42:a1:8c:51:a9 is port 2") == 0);
}

TEST_CASE("two adapters that lead to one card are an error", "[providers]") {
  const NodeFacts facts = node_facts({{"pci", fixture("pci-cx5-ethernet.txt")}});
  const auto shared = [&](const Map& first, const Map& second) {
    return findings(
        {resource("pve1/adapter/a", adapter_binding(first), {}),
         resource("pve1/adapter/b", adapter_binding(second), {})},
        facts);
  };
  for (const auto& [first, second] :
       {std::pair{Map{}, Map{}},
        {Map{{"pci", "0000:01:00.0"}}, Map{{"mac", "0c:42:a1:8c:51:a8"}}}}) {
    CHECK(
        shared(first, second) ==
        std::vector<std::string>{
            "adapter-selector-reused: pve1: adapter a and adapter b are both card 0000:01:00.0 "
            "(connectx-5, node GUID 0x0c42a103008c51a8)"});
  }
}

}  // namespace
}  // namespace fabric::providers
