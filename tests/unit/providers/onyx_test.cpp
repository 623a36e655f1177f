// SPDX-License-Identifier: Apache-2.0
// Kinds of resource on switches with MLNX-OS and Onyx: what is observed, and the lines of a change.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::onyx {
namespace {

using test::change_of;
using test::node_facts;
using test::resource;

constexpr const char* kPorts =
    "Eth1/1:\n  Admin state                      : Enabled\n  Operational state                : "
    "Up\n"
    "  MTU                              : 1500 bytes (Maximum packet size 1522 bytes)\n\n"
    "Eth1/2:\n  Admin state                      : Disabled\n"
    "  MTU                              : 9216 bytes (Maximum packet size 9238 bytes)\n\n"
    "Eth1/7:\n  Admin state                      : Enabled\n"
    "  MTU                              : 1500 bytes (Maximum packet size 1522 bytes)\n\n"
    "Eth1/8:\n  Admin state                      : Enabled\n"
    "  MTU                              : 1500 bytes (Maximum packet size 1522 bytes)\n";

std::string configuration(const std::string& kind, const std::string& lines) {
  return "##\n## " + kind +
         " database \"initial\"\n## Generated at 2017/11/28 17:52:08 +0000\n##\n" + lines;
}

constexpr const char* kLines =
    "no cli default prefix-modes enable\n"
    "   interface port-channel 4\n"
    "   interface ethernet 1/7-1/8 channel-group 4 mode on\n"
    "   interface ethernet 1/2 mtu 9216 force\n"
    "   interface ethernet 1/2 shutdown\n";

NodeFacts facts(const std::string& running = kLines, const std::string& saved = kLines) {
  NodeFacts made = node_facts(
      {{kEthernetProbe, kPorts},
       {kRunningProbe, configuration("Running", running)},
       {kSavedProbe, configuration("Active saved", saved)}});
  made.platform = Platform::mlnx_os;
  return made;
}

Resource port(const std::string& number, std::vector<std::pair<std::string, Value>> desired) {
  Resource made = resource(
      "pve1/interface/" + number,
      {{"switch_port", number}, {"link_type", "ethernet"}},
      std::move(desired));
  made.platform = Platform::mlnx_os;
  return made;
}

Resource bond(List ports, std::vector<std::pair<std::string, Value>> desired) {
  const std::string name = "bond" + to_text(ports.front());
  Resource made = resource(
      "pve1/bond/" + name,
      {{"switch_ports", std::move(ports)}, {"fabric", "pod"}},
      std::move(desired));
  made.platform = Platform::mlnx_os;
  return made;
}

template <Provider (*kind)()>
Observation seen(const Resource& wanted, const NodeFacts& of) {
  Diagnostics diagnostics;
  return kind().observe({&wanted, 1}, of, diagnostics).front();
}

template <Provider (*kind)()>
Result<Work> work(const Resource& wanted, const NodeFacts& of) {
  const Observation observation = seen<kind>(wanted, of);
  const Provider provider = kind();
  return provider.work(change_of(provider, of, wanted, observation), {of, observation});
}

using Lines = std::vector<std::string>;

TEST_CASE("a port of Onyx is read as it runs and as it was saved", "[onyx]") {
  const NodeFacts there = facts(kLines, "interface ethernet 1/1 shutdown\n");
  const Observation one = seen<port_provider>(
      port("1/1", {{"enabled", true}, {"mtu", 1500}, {"bridged", true}}), there);
  CHECK(one.attributes.at("enabled").running->equals(true));
  CHECK(one.attributes.at("enabled").persistent->equals(false));
  CHECK(one.attributes.at("mtu").running->equals(1500));
  CHECK(one.attributes.at("bridged").running->equals(true));
  const Observation two =
      seen<port_provider>(port("1/2", {{"enabled", true}, {"mtu", 9000}}), there);
  CHECK(two.attributes.at("enabled").running->equals(false));
  CHECK(two.attributes.at("mtu").running->equals(9000));  // 9216 is enough
  CHECK(two.attributes.at("mtu").persistent->equals(1500));
  CHECK(
      seen<port_provider>(port("1/40", {{"enabled", true}}), there)
          .attributes.at("enabled")
          .running->why() == "the switch has no port 1/40");
  // A member of a channel is no port of a network.
  CHECK(seen<port_provider>(port("1/7", {{"bridged", true}}), there)
            .attributes.at("bridged")
            .running->equals(false));
}

TEST_CASE("the running configuration is never taken for the saved one", "[onyx]") {
  NodeFacts there = facts();
  there.probes[kSavedProbe].standard_output = configuration("Running", kLines);
  CHECK(
      seen<port_provider>(port("1/1", {{"enabled", true}}), there)
          .attributes.at("enabled")
          .persistent->why() == "onyx-saved can't be read: it is of the running configuration");
  there.probes[kSavedProbe] = {"show configuration", 1, "% Unrecognized command \"show\".\n", ""};
  CHECK(
      seen<port_provider>(port("1/1", {{"enabled", true}}), there)
          .attributes.at("enabled")
          .persistent->why() ==
      "the switch says to show configuration: % Unrecognized command \"show\".");
}

TEST_CASE("a port of Onyx is changed by whole lines, and saved once it runs so", "[onyx]") {
  const Result<Work> changed =
      work<port_provider>(port("1/1", {{"enabled", true}, {"mtu", 9000}}), facts());
  REQUIRE(changed);
  REQUIRE(changed->actions.size() == 2);
  CHECK(changed->actions[0].steps.lines() == Lines{"interface ethernet 1/1 mtu 9000 force"});
  CHECK(changed->actions[0].undo.lines() == Lines{"interface ethernet 1/1 mtu 1500 force"});
  CHECK(changed->actions[0].may_cut_off);
  CHECK(changed->actions[1].steps.lines() == Lines{"configuration write"});
  CHECK(changed->actions[1].postconditions.front().layer == Layer::persistent);
  // What runs and was not saved is saved and nothing else.
  const Result<Work> saved = work<port_provider>(port("1/2", {{"mtu", 9000}}), facts(kLines, ""));
  REQUIRE(saved);
  REQUIRE(saved->actions.size() == 1);
  CHECK(saved->actions[0].steps.lines() == Lines{"configuration write"});
}

TEST_CASE("a port channel matches the host's bond", "[onyx]") {
  const Resource lacp =
      bond(List{"1/7", "1/8"}, {{"mode", "lacp"}, {"members", List{"1/7", "1/8"}}});
  const Observation found = seen<bond_provider>(lacp, facts());
  CHECK(found.attributes.at("mode").running->equals("static"));
  CHECK(found.attributes.at("members").running->equals(Value{List{"1/7", "1/8"}}));
  const Result<Work> changed = work<bond_provider>(lacp, facts());
  REQUIRE(changed);
  // It keeps its number.
  CHECK(
      changed->actions[0].steps.lines() ==
      Lines{
          "lacp",
          "no interface ethernet 1/7 channel-group",
          "interface ethernet 1/7 channel-group 4 mode active",
          "no interface ethernet 1/8 channel-group",
          "interface ethernet 1/8 channel-group 4 mode active"});
  CHECK(
      changed->actions[0].undo.lines() == Lines{
                                              "no interface ethernet 1/8 channel-group",
                                              "interface ethernet 1/8 channel-group 4 mode on",
                                              "no interface ethernet 1/7 channel-group",
                                              "interface ethernet 1/7 channel-group 4 mode on"});
}

TEST_CASE("a new port channel has the number of its lowest port that is free", "[onyx]") {
  const Resource made = bond(
      List{"1/1", "1/2"}, {{"mode", "static"}, {"members", List{"1/1", "1/2"}}, {"mtu", 9000}});
  CHECK(seen<bond_provider>(made, facts()).attributes.at("mode").running->is_absent());
  const Result<Work> changed = work<bond_provider>(made, facts());
  REQUIRE(changed);
  CHECK(
      changed->actions[0].steps.lines() == Lines{
                                               "interface port-channel 1",
                                               "interface ethernet 1/1 channel-group 1 mode on",
                                               "interface ethernet 1/2 channel-group 1 mode on",
                                               "interface port-channel 1 description fabric:pod",
                                               "interface port-channel 1 mtu 9000 force"});
  const std::string others =
      "interface port-channel 1\ninterface ethernet 1/8 channel-group 1 mode on\n";
  const Result<Work> next = work<bond_provider>(made, facts(others));
  REQUIRE(next);
  CHECK(next->actions[0].steps.lines().front() == "interface port-channel 2");
  const Result<Work> taken = work<bond_provider>(
      bond(List{"1/1"}, {{"mode", "static"}, {"members", List{"1/1"}}}), facts(others));
  REQUIRE_FALSE(taken);
  CHECK(
      taken.error().message ==
      "pve1/bond/bond1/1: the port channels with the numbers of 1/1 have other ports; give them "
      "other numbers there");
}

TEST_CASE("LACP that is off on the whole switch is none", "[onyx]") {
  const std::string lines =
      "interface port-channel 4\ninterface ethernet 1/7-1/8 channel-group 4 mode active\n";
  const Resource wanted =
      bond(List{"1/7", "1/8"}, {{"mode", "lacp"}, {"members", List{"1/7", "1/8"}}});
  CHECK_FALSE(
      seen<bond_provider>(wanted, facts(lines)).attributes.at("mode").running->equals("lacp"));
  const Result<Work> changed = work<bond_provider>(wanted, facts(lines));
  REQUIRE(changed);
  CHECK(changed->actions[0].steps.lines() == Lines{"lacp"});
}

Resource manager() {
  Resource made = resource(
      "pve1/subnet_manager/ib",
      {},
      {{"manages", true}, {"priority", Value{5}}, {"virtualization", true}});
  made.platform = Platform::mlnx_os;
  return made;
}

NodeFacts manager_facts(const char* wish, const char* routing, const std::string& virt) {
  NodeFacts made = node_facts(
      {{kManagerProbe, wish},
       {kManagerRunsProbe, routing},
       {kManagerPriorityProbe, "0\n"},
       {kManagerVirtProbe, virt},
       {kSavedProbe, configuration("Active saved", "")}});
  made.platform = Platform::mlnx_os;
  return made;
}

TEST_CASE("a manager that is enabled and does not run manages nothing", "[onyx]") {
  const char* kUnavailable = "Connection to SM unavailable\n";
  const auto manages = [](const NodeFacts& of) {
    return seen<manager_provider>(manager(), of).attributes.at("manages").running;
  };
  CHECK(manages(manager_facts("enable\n", "minhop\n", "Enabled\n"))->equals(true));
  CHECK(manages(manager_facts("disable\n", kUnavailable, ""))->equals(false));
  const NodeFacts dead = manager_facts("enable\n", kUnavailable, "Enabled\n");
  CHECK(manages(dead)->equals(false));
  // The state of the node itself is more than what the routing says.
  NodeFacts lives = dead;
  lives.probes[kManagerRunningProbe] = {"show ib smnode {name} sm-running", 0, "active\n", ""};
  CHECK(manages(lives)->equals(true));
  lives.probes[kManagerRunningProbe].standard_output = "not active\n";
  lives.probes[kManagerRunsProbe].standard_output = "minhop\n";
  CHECK(manages(lives)->equals(false));
  // To type the same again mends nothing.
  NodeFacts asked = dead;
  asked.probes[kRunningProbe] = {"show running-config", 0, configuration("Running", "ib sm\n"), ""};
  const Result<Work> refused = work<manager_provider>(manager(), asked);
  REQUIRE_FALSE(refused);
  // Where somebody has just taken it back the wish still stands.
  asked.probes[kRunningProbe].standard_output = configuration("Running", "lldp\n");
  CHECK(work<manager_provider>(manager(), asked));
  CHECK(
      refused.error().message.find("does not run with it (manages is false") != std::string::npos);
}

TEST_CASE("the manager is started after what needs its start", "[onyx]") {
  const NodeFacts off = manager_facts("disable\n", "Connection to SM unavailable\n", "Disabled\n");
  const Result<Work> changed = work<manager_provider>(manager(), off);
  REQUIRE(changed);
  CHECK(
      changed->actions[0].steps.lines() ==
      Lines{"ib sm sm-priority 5", "ib sm virt enable", "ib sm"});
  CHECK(changed->actions[1].steps.lines() == Lines{"configuration write"});
  // One that runs does not know of it before its next start.
  NodeFacts runs = manager_facts("enable\n", "minhop\n", "Ignored\n");
  runs.probes[kManagerPriorityProbe].standard_output = "5\n";
  const Result<Work> again = work<manager_provider>(manager(), runs);
  REQUIRE(again);
  CHECK(again->actions[0].steps.lines() == Lines{"ib sm virt enable", "no ib sm", "ib sm"});
}

TEST_CASE("what the next boot has of the manager is known by either form of its lines", "[onyx]") {
  const auto saved = [](const std::string& running, const std::string& lines) {
    NodeFacts made = manager_facts("enable\n", "minhop\n", "Enabled\n");
    made.probes[kRunningProbe] = {"show running-config", 0, configuration("Running", running), ""};
    made.probes[kSavedProbe] = {
        "show configuration",
        0,
        "##\n## Active saved database \"initial\"\n## Hostname: ibsw1\n##\n" + lines,
        ""};
    return seen<manager_provider>(manager(), made).attributes;
  };
  CHECK(saved("", "ib sm\n").at("manages").persistent->equals(true));
  CHECK(saved("", "ib smnode ibsw1 enable\n").at("manages").persistent->equals(true));
  CHECK(saved("", "ib smnode other enable\n").at("manages").persistent->equals(false));
  CHECK(saved("", "ib smnode ibsw1 sm-priority 5\n").at("priority").persistent->equals(5));
  CHECK(saved("", "").at("priority").persistent->equals(0));
  // Whatever the words: both configurations say the same.
  const std::string unknown = "ib sm config something\n";
  CHECK(saved(unknown, unknown).at("virtualization").persistent->equals(true));
  CHECK(saved(unknown, "").at("virtualization").persistent->equals(false));
}

constexpr const char* kPartitionText =
    "\nDefault:\n  PKey : 0x7FFF\n  ipoib: yes\n\n  members:\n    GUID='ALL' member='full'\n\n"
    "storage:\n  PKey : 0x0001\n  ipoib: no\n\n  members:\n"
    "    GUID='E4:1D:2D:03:00:15:6E:80' member='limited'\n"
    "    GUID='e4:1d:2d:03:00:15:6e:90' member='full'\n";

Resource partitions_wanted(List members) {
  Resource made = manager();
  made.desired.clear();
  made = resource(
      "pve1/subnet_manager/ib",
      {{"port_guids", Map{{"s1/cx6/1", "0xe41d2d0300156e80"}, {"s2/cx6/1", "0xe41d2d0300156e81"}}}},
      {{"partitions",
        List{
            Map{{"name", "backup"},
                {"pkey", Value{1}},
                {"ipoib", true},
                {"members", std::move(members)}}}}});
  made.platform = Platform::mlnx_os;
  return made;
}

Map member(const char* who, bool full) {
  return {{"who", who}, {"full", full}};
}

TEST_CASE("members of a partition of the switch come in before others go", "[onyx]") {
  NodeFacts made = manager_facts("enable\n", "minhop\n", "");
  made.probes[kPartitionsProbe] = {"show ib partition", 0, kPartitionText, ""};
  const Resource wanted =
      partitions_wanted(List{member("s1/cx6/1", true), member("s2/cx6/1", false)});
  CHECK_FALSE(
      seen<manager_provider>(wanted, made).attributes.at("partitions").running->is_unknown());
  const Result<Work> changed = work<manager_provider>(wanted, made);
  REQUIRE(changed);
  // The partition has the key, whatever its name.
  CHECK(
      changed->actions[0].steps.lines() ==
      Lines{
          "ib partition storage ipoib force",
          "ib partition storage member e4:1d:2d:03:00:15:6e:80 type full force",
          "ib partition storage member e4:1d:2d:03:00:15:6e:81 type limited force",
          "no ib partition storage member e4:1d:2d:03:00:15:6e:90"});
  CHECK(
      changed->actions[0].undo.lines() ==
      Lines{
          "ib partition storage member e4:1d:2d:03:00:15:6e:90 type full force",
          "no ib partition storage member e4:1d:2d:03:00:15:6e:81",
          "ib partition storage member e4:1d:2d:03:00:15:6e:80 type limited force"});
  CHECK(changed->actions[1].steps.lines() == Lines{"configuration write"});
  CHECK_FALSE(changed->actions[1].postconditions.empty());
  // Whoever is not known is left out, and the others have what they are to have.
  const Result<Work> without = work<manager_provider>(
      partitions_wanted(
          List{member("s1/cx6/1", false), member("s3/cx6/1", true), member("s2/cx6/1", false)}),
      made);
  REQUIRE(without);
  CHECK(
      without->actions[0].steps.lines() ==
      Lines{
          "ib partition storage ipoib force",
          "ib partition storage member e4:1d:2d:03:00:15:6e:81 type limited force",
          "no ib partition storage member e4:1d:2d:03:00:15:6e:90"});
  // A plan that is limited to some nodes does not know who is there.
  Resource unknown = partitions_wanted(List{member("s3/cx6/1", true)});
  unknown.binding.emplace("partly_read", true);
  CHECK(
      seen<manager_provider>(unknown, made)
          .attributes.at("partitions")
          .running->why()
          .find("the port GUID of s3/cx6/1 is not known") != std::string::npos);
  const Result<Work> refused =
      work<manager_provider>(partitions_wanted(List{member("SELF", true)}), made);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("SELF in partition backup") != std::string::npos);
}

TEST_CASE("a partition of the switch has the MTU that the document says", "[onyx]") {
  struct Case {
    std::int64_t bytes;
    const char* lines;  // of the configuration that runs
    const char* typed;  // "" = nothing
    const char* taken_back;
  };
  for (const Case& each :
       {Case{4096, "", "mtu 4K force", "mtu 2K force"},
        Case{2048, "", "", ""},
        Case{1024, "ib partition storage mtu 4K force\n", "mtu 1K force", "mtu 4K force"},
        Case{4096, "ib partition storage mtu 4K force\n", "", ""},
        Case{256, "ib partition backup mtu 256 force\n", "mtu 256 force", "mtu 2K force"}}) {
    CAPTURE(each.bytes, each.lines);
    NodeFacts made = manager_facts("enable\n", "minhop\n", "");
    made.probes[kRunningProbe] = {
        "show running-config", 0, configuration("Running", each.lines), ""};
    std::string text = kPartitionText;
    text.replace(text.find("ipoib: no"), 9, "ipoib: yes");
    made.probes[kPartitionsProbe] = {"show ib partition", 0, text, ""};
    Resource wanted = partitions_wanted(List{member("s1/cx6/1", false)});
    Map partition = *wanted.desired.at("partitions").value.as_list()->front().as_map();
    partition.emplace("mtu", each.bytes);
    List members{member("s1/cx6/1", false), member("s4/cx6/1", true)};
    partition.insert_or_assign("members", members);
    wanted.desired.edit().at("partitions").value = List{partition};
    Map guids = *wanted.binding.at("port_guids").as_map();
    guids.emplace("s4/cx6/1", "0xe41d2d0300156e90");
    wanted.binding.insert_or_assign("port_guids", guids);
    const LayeredReading read = seen<manager_provider>(wanted, made).attributes.at("partitions");
    const bool right = std::string_view{each.typed}.empty();
    CHECK(read.running->equals(wanted.desired.at("partitions").value) == right);
    if (right) continue;
    const Result<Work> changed = work<manager_provider>(wanted, made);
    REQUIRE(changed);
    const std::string start = "ib partition storage ";
    CHECK(changed->actions[0].steps.lines() == Lines{start + each.typed});
    CHECK(changed->actions[0].undo.lines() == Lines{start + each.taken_back});
  }
}

Resource vlan(std::int64_t id, List carriers) {
  Resource made = resource(
      "pve1/vlan/storage.backup",
      {{"network", "storage"}, {"id", Value{id}}, {"carried_at", std::move(carriers)}},
      {{"id", Value{id}}});
  made.platform = Platform::mlnx_os;
  return made;
}

TEST_CASE("a VLAN is carried at each port and channel of its network", "[onyx]") {
  const Resource wanted = vlan(
      100, List{Map{{"ports", List{"1/1"}}}, Map{{"ports", List{"1/7", "1/8"}}, {"bond", true}}});
  const auto running = [&wanted](const std::string& lines) {
    return seen<vlan_provider>(wanted, facts(kLines + lines)).attributes.at("id").running;
  };
  CHECK(running("")->is_absent());
  const std::string both =
      "vlan 99-101\ninterface ethernet 1/1 switchport mode trunk\n"
      "interface port-channel 4 switchport mode hybrid\n"
      "interface port-channel 4 switchport hybrid allowed-vlan add 7\n";
  CHECK(running(both)->is_absent());
  CHECK(running(both + "interface port-channel 4 switchport hybrid allowed-vlan add 100\n")
            ->equals(100));
  CHECK(running(both + "interface port-channel 4 switchport hybrid allowed-vlan 90-110\n")
            ->equals(100));
  CHECK(
      running(both + "interface port-channel 4 switchport hybrid allowed-vlan all\n")->equals(100));
  // A trunk that was told what to carry carries nothing else.
  CHECK(running(
            both + "interface port-channel 4 switchport hybrid allowed-vlan add 100\n"
                   "interface ethernet 1/1 switchport trunk allowed-vlan 7\n")
            ->is_absent());
  const Result<Work> changed = work<vlan_provider>(
      wanted, facts(std::string{kLines} + "interface port-channel 4 switchport access vlan 7\n"));
  REQUIRE(changed);
  CHECK(
      changed->actions[0].steps.lines() ==
      Lines{
          "vlan 100",
          "interface ethernet 1/1 switchport mode hybrid",
          "interface ethernet 1/1 switchport hybrid allowed-vlan add 100",
          "interface port-channel 4 switchport mode hybrid",
          "interface port-channel 4 switchport access vlan 7",
          "interface port-channel 4 switchport hybrid allowed-vlan add 100"});
  CHECK(
      changed->actions[0].undo.lines() ==
      Lines{
          "interface port-channel 4 switchport hybrid allowed-vlan remove 100",
          "interface port-channel 4 switchport mode access",
          "interface port-channel 4 switchport access vlan 7",
          "interface ethernet 1/1 switchport hybrid allowed-vlan remove 100",
          "interface ethernet 1/1 switchport mode access",
          "no vlan 100"});
}

Resource pair(std::vector<std::pair<std::string, Value>> desired) {
  Resource made = resource(
      "pve1/mlag/rack7",
      {{"peer", "leaf2"}, {"vlan", Value{4000}}, {"first", true}},
      std::move(desired));
  made.platform = Platform::mlnx_os;
  return made;
}

TEST_CASE("half of a pair is typed in the order of the manual", "[onyx]") {
  const Resource wanted = pair(
      {{"peerlink", List{"1/1", "1/2"}},
       {"system_mac", "00:00:5e:00:01:5d"},
       {"vip", "192.0.2.82/24"},
       {"backup", "192.0.2.81"}});
  const Result<Work> changed = work<mlag_provider>(wanted, facts());
  REQUIRE(changed);
  const Lines typed = changed->actions[0].steps.lines();
  CHECK(
      typed == Lines{
                   "protocol mlag",
                   "ip routing",
                   "lacp",
                   "interface port-channel 1",
                   "interface ethernet 1/1 channel-group 1 mode active",
                   "interface ethernet 1/2 channel-group 1 mode active",
                   "interface port-channel 1 ipl 1",
                   "vlan 4000",
                   "interface vlan 4000",
                   "interface vlan 4000 ip address 192.168.255.253 255.255.255.252",
                   "interface vlan 4000 ipl 1 peer-address 192.168.255.254",
                   "mlag-vip rack7 ip 192.0.2.82 /24 force",
                   "mlag system-mac 00:00:5e:00:01:5d",
                   "no mlag shutdown"});
  // What the protocol had goes with it, last of all.
  CHECK(changed->actions[0].undo.lines().back() == "no protocol mlag");
  // As the switch prints it afterwards.
  std::string lines = kLines;
  for (const std::string& line : typed)
    lines += line + "\n";
  const Observation there = seen<mlag_provider>(wanted, facts(lines));
  for (const auto& [name, desired] : wanted.desired) {
    INFO(name << ": " << there.attributes.at(name).running->text());
    CHECK(there.attributes.at(name).running->equals(desired.value));
    CHECK(there.attributes.at(name).persistent->is_absent());
  }
  const std::string shut = lines.substr(0, lines.find("no mlag shutdown"));
  CHECK(
      seen<mlag_provider>(wanted, facts(shut)).attributes.at("peerlink").running->text() ==
      "without `no mlag shutdown`");
  const Result<Work> refused = work<mlag_provider>(pair({{"peerlink", List{"1/1"}}}), facts());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("mlag: {vip: 192.0.2.82/24}") != std::string::npos);
}

TEST_CASE("a pair that runs is never renumbered, and its link carries what hosts send", "[onyx]") {
  const std::string lines =
      "protocol mlag\nip routing\nlacp\ninterface port-channel 31\n"
      "interface ethernet 1/1-1/2 channel-group 31 mode active\ninterface port-channel 31 ipl 1\n"
      "vlan 4001\ninterface vlan 4001\ninterface vlan 4001 ip address 10.0.0.1/30 primary\n"
      "interface vlan 4001 ipl 1 peer-address 10.0.0.2\n"
      "mlag-vip rack7 ip 192.0.2.82 /24 force\nno mlag shutdown\n";
  const auto half = [](Map binding) {
    binding.emplace("peer", "leaf2");
    binding.emplace("first", true);
    Resource made = resource(
        "pve1/mlag/rack7",
        std::move(binding),
        {{"peerlink", List{"1/1", "1/2"}}, {"mtu", 9000}, {"vip", "192.0.2.82/24"}});
    made.platform = Platform::mlnx_os;
    return made;
  };
  const Observation found = seen<mlag_provider>(half({}), facts(lines));
  CHECK(found.attributes.at("peerlink").running->equals(Value{List{"1/1", "1/2"}}));
  CHECK(found.attributes.at("mtu").running->equals(1500));
  const Result<Work> larger = work<mlag_provider>(half({}), facts(lines));
  REQUIRE(larger);
  CHECK(larger->actions[0].steps.lines() == Lines{"interface port-channel 31 mtu 9000 force"});
  CHECK(larger->actions[0].undo.lines() == Lines{"interface port-channel 31 mtu 1500 force"});
  // Other addresses are those of the document.
  const Result<Work> moved = work<mlag_provider>(
      half({{"vlan", 4002}, {"address", "10.1.0.1/29"}, {"peer_address", "10.1.0.2/29"}}),
      facts(lines + "interface port-channel 31 mtu 9216 force\n"));
  REQUIRE(moved);
  CHECK(
      moved->actions[0].steps.lines() ==
      Lines{
          "vlan 4002",
          "interface vlan 4002",
          "interface vlan 4002 ip address 10.1.0.1 255.255.255.248",
          "interface vlan 4002 ipl 1 peer-address 10.1.0.2"});
}

TEST_CASE("a channel over a pair has one number at both and is opened", "[onyx]") {
  const Resource wanted = bond(
      List{"1/1"},
      {{"mode", "lacp"}, {"members", List{"1/1"}}, {"mlag_id", Value{9}}, {"bridged", true}});
  const Result<Work> changed = work<bond_provider>(wanted, facts());
  REQUIRE(changed);
  const Lines typed = changed->actions[0].steps.lines();
  CHECK(
      typed == Lines{
                   "lacp",
                   "interface mlag-port-channel 9",
                   "interface ethernet 1/1 mlag-channel-group 9 mode active",
                   "interface mlag-port-channel 9 description fabric:pod",
                   "no interface mlag-port-channel 9 shutdown"});
  const std::string open =
      "lacp\ninterface mlag-port-channel 9\ninterface ethernet 1/1 mlag-channel-group 9 mode "
      "active\n";
  const auto bridged = [&wanted](const std::string& lines) {
    return seen<bond_provider>(wanted, facts(lines)).attributes.at("bridged").running;
  };
  CHECK(bridged(open)->equals(false));
  CHECK(bridged(open + "interface mlag-port-channel 9 no shutdown\n")->equals(true));
  CHECK(bridged(open + "interface mlag-port-channel 1-11 no shutdown\n")->equals(true));
  CHECK(bridged(open + "no interface mlag-port-channel 9 shutdown\n")->equals(true));
  const Result<Work> taken = work<bond_provider>(
      wanted,
      facts(
          "interface mlag-port-channel 9\ninterface ethernet 1/8 mlag-channel-group 9 mode on\n"));
  REQUIRE_FALSE(taken);
  CHECK(
      taken.error().message.find("mlag-port-channel 9 of the switch has other ports (1/8)") !=
      std::string::npos);
}

TEST_CASE("the ports of a switch tell who has a link, and who was shut", "[onyx]") {
  const std::vector<NetDevice> ethernet = port_provider().front_ports(facts());
  REQUIRE(ethernet.size() == 4);
  CHECK(ethernet[0].name == "1/1");
  CHECK(ethernet[0].carrier == true);
  CHECK_FALSE(ethernet[1].carrier);
  CHECK(ethernet[1].operstate == "down");
  // A release that tells no state of the port tells no link.
  CHECK_FALSE(ethernet[2].carrier);
  CHECK(ethernet[2].operstate.empty());
  const auto block = [](const char* port, const char* state, const char* rate) {
    return fmt::format(
        "IB{} state:\n        Logical port state          : Down\n"
        "        Physical port state         : {}\n"
        "        Current line rate           : {}\n\n",
        port,
        state,
        rate);
  };
  NodeFacts made = facts();
  made.probes[kEthernetProbe] = {"", 1, "% Unrecognized command", ""};
  made.probes[kInfinibandProbe] = {
      "",
      0,
      block("1/1", "LinkUp", "100.0 Gbps") + block("1/2", "Polling", "-") +
          block("1/3", "Disabled", "-"),
      ""};
  const std::vector<NetDevice> infiniband = port_provider().front_ports(made);
  REQUIRE(infiniband.size() == 3);
  CHECK(infiniband[0].name == "1/1");
  CHECK(infiniband[0].carrier == true);
  CHECK(infiniband[0].speed_mbps == 100'000);
  CHECK(infiniband[1].carrier == false);
  CHECK_FALSE(infiniband[2].carrier);
  CHECK(infiniband[2].operstate == "down");
}

TEST_CASE("neighbours of a switch are what its JSON says", "[onyx]") {
  NodeFacts made = facts();
  made.probes[kLldpProbe] = {
      "show lldp remote | json-print",
      0,
      "{\n  \"Eth1/4 (Po100)\": [{\"Device ID\": \"00:40:a6:00:44:55\", \"Port ID\": "
      "\"00:40:a6:00:44:56\", \"System Name\": \"Not Advertised\"}],\n  \"Eth1/5\": [{\"Port ID\": "
      "\"Not Advertised\"}]\n}\n",
      ""};
  const auto heard = port_provider().neighbours(made);
  REQUIRE(heard);
  REQUIRE(heard->size() == 1);
  const Neighbour& neighbour = heard->front();
  CHECK(neighbour.local_interface == "1/4");
  CHECK(neighbour.chassis_id == "00:40:a6:00:44:55");
  CHECK(neighbour.port_id_type == "mac");
  CHECK(neighbour.port_id == "00:40:a6:00:44:56");
  CHECK(neighbour.chassis_name.empty());
  made.probes[kLldpProbe].standard_output =
      "{\"Lines\": [\"\", \"No lldp remote information.\", \"\"]}\n";
  CHECK(port_provider().neighbours(made)->empty());
  made.probes[kLldpProbe].standard_output = "% Unrecognized command \"lldp\".\n";
  CHECK_FALSE(port_provider().neighbours(made));
}

TEST_CASE("ports of one network in two VLANs are told at a prompt too", "[onyx]") {
  const auto said = [](const std::string& lines) {
    std::vector<Resource> ports;
    for (const char* number : {"1/1", "1/2", "1/3"}) {
      ports.push_back(port(number, {{"bridged", true}}));
      ports.back().binding.emplace("network", "net");
    }
    Diagnostics diagnostics;
    static_cast<void>(port_provider().observe(ports, facts(kLines + lines), diagnostics));
    return diagnostics.items().empty() ? std::string{} : diagnostics.items().front().message;
  };
  const std::string start = "interface ethernet 1/3 switchport ";
  CHECK(said("").empty());
  CHECK(said(start + "access vlan 1\n").empty());
  CHECK(said(start + "mode trunk\n").empty());
  for (const std::string& lines :
       {start + "access vlan 7\n", start + "mode hybrid\n" + start + "access vlan 7\n"}) {
    CHECK(
        said(lines) ==
        "pve1: frames of network net without a tag go into VLAN 1 at ethernet 1/1, ethernet 1/2 "
        "and "
        "into VLAN 7 at ethernet 1/3");
  }
}

}  // namespace
}  // namespace fabric::providers::onyx
