// SPDX-License-Identifier: Apache-2.0
// Kinds of resource on switches with NVUE: what is observed, and the revision that a change is.
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::nvue {
namespace {

using test::change_of;
using test::node_facts;
using test::resource;

constexpr const char* kRuns = R"({
  "bond3": {"link": {"mtu": 9216}, "type": "bond"},
  "swp1": {"link": {"admin-status": "up", "mtu": 9216}, "type": "swp"},
  "swp2": {"link": {"admin-status": "down", "mtu": 1500}, "type": "swp"},
  "swp3": {"link": {"mtu": 9216}, "parent": "bond3"}, "swp4": {"link": {"mtu": 9216}},
  "swp5": {"link": {"mtu": 9216}}})";
constexpr const char* kApplied = R"([{"header": {}}, {"set": {
  "bridge": {"domain": {"br_default": {"vlan": {"10,20": {}}}}},
  "interface": {
    "bond3": {"bond": {"member": {"swp3": {}, "swp5": {}}}, "bridge": {"domain": {"br_default": {}}}},
    "swp1": {"bridge": {"domain": {"br_default": {}}}},
    "swp2": {"link": {"mtu": 1500, "state": {"down": {}}}}}}}])";

NodeFacts facts(std::string applied = kApplied, std::string startup = kApplied) {
  NodeFacts made = node_facts(
      {{kInterfaceProbe, kRuns},
       {kAppliedProbe, std::move(applied)},
       {kStartupProbe, std::move(startup)}});
  made.platform = Platform::cumulus;
  return made;
}

Resource port(const std::string& number, std::vector<std::pair<std::string, Value>> desired) {
  Resource made = resource(
      "pve1/interface/" + number,
      {{"switch_port", number}, {"link_type", "ethernet"}},
      std::move(desired));
  made.platform = Platform::cumulus;
  return made;
}

Resource bond(List ports, std::vector<std::pair<std::string, Value>> desired) {
  const std::string name = "bond" + to_text(ports.front());
  return resource(
      "pve1/bond/" + name,
      {{"switch_ports", std::move(ports)}, {"fabric", "pod"}},
      std::move(desired));
}

TEST_CASE("the ports of a switch with NVUE tell who has a link, and who was shut", "[nvue]") {
  NodeFacts made = facts();
  made.probes[kInterfaceProbe].standard_output = R"({
    "eth0": {"link": {"oper-status": "up"}},
    "swp1": {"link": {"admin-status": "up", "oper-status": "up", "speed": "100G"}},
    "swp2": {"link": {"admin-status": "down", "oper-status": "down"}},
    "swp3s0": {"link": {"admin-status": "up", "oper-status": "down"}},
    "sw1p2": {"link": {"physical-state": "LinkUp", "ib-speed": "hdr", "lanes": "4X",
      "state": {"up": {}}}},
    "sw2p1": {"link": {"physical-state": "Polling", "state": {"down": {}}}},
    "sw2p2": {"link": {"physical-state": "Disabled", "state": {"down": {}}}}})";
  std::map<std::string, NetDevice> ports;
  for (const NetDevice& port : port_provider().front_ports(made))
    ports.emplace(port.name, port);
  CHECK(ports.size() == 6);
  CHECK(ports.at("1").carrier == true);
  CHECK(ports.at("1").speed_mbps == 100'000);
  CHECK_FALSE(ports.at("2").carrier);
  CHECK(ports.at("2").operstate == "down");
  CHECK(ports.at("swp3s0").carrier == false);
  CHECK(ports.at("sw1p2").carrier == true);
  CHECK(ports.at("sw1p2").speed_mbps >= 200'000);
  CHECK(ports.at("sw2p1").carrier == false);
  CHECK_FALSE(ports.at("sw2p2").carrier);
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

std::vector<std::string> words(const std::vector<remote::Argv>& commands) {
  std::vector<std::string> lines;
  for (const remote::Argv& argv : commands)
    if (argv.front() == "nv") lines.push_back(remote::command_line(argv));
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("a port that carries more than is asked for is right", "[nvue]") {
  const Resource wanted = port("1", {{"mtu", 9000}, {"enabled", true}, {"bridged", true}});
  const Observation found = seen<port_provider>(wanted, facts());
  for (const char* attribute : {"mtu", "enabled", "bridged"}) {
    INFO(attribute);
    CHECK(found.attributes.at(attribute).running->equals(wanted.desired.at(attribute).value));
    CHECK(found.attributes.at(attribute).persistent->equals(wanted.desired.at(attribute).value));
  }
}

TEST_CASE("a port is set in one revision, and the way back is what was set", "[nvue]") {
  const Resource wanted = port("2", {{"mtu", 9000}, {"enabled", true}, {"bridged", true}});
  const Result<Work> made = work<port_provider>(wanted, facts());
  REQUIRE(made);
  REQUIRE(made->actions.size() == 1);
  const ActionDraft& draft = made->actions.front();
  CHECK(
      words(draft.steps.commands()) == Lines{
                                           "nv set interface swp2 bridge domain br_default",
                                           "nv set interface swp2 link state up",
                                           "nv set interface swp2 link mtu 9000",
                                           "nv config apply -y"});
  CHECK(
      words(draft.undo.commands()) == Lines{
                                          "nv set interface swp2 link mtu 1500",
                                          "nv set interface swp2 link state down",
                                          "nv unset interface swp2 bridge",
                                          "nv config apply -y"});
  CHECK(
      draft.title ==
      "configure swp2: set interface swp2 bridge domain br_default; "
      "set interface swp2 link state up; set interface swp2 link mtu 9000");
  CHECK(
      draft.way_back ==
      "undo: configure swp2: set interface swp2 link mtu 1500; set interface swp2 link state down; "
      "unset interface swp2 bridge");
  CHECK(draft.may_cut_off);
  CHECK(draft.disruption == Disruption::link);
  CHECK(draft.postconditions.size() == 3);
  CHECK(draft.steps.writes().empty());
}

TEST_CASE("a port leaves its bond in a revision before it enters the bridge", "[nvue]") {
  const Result<Work> made = work<port_provider>(port("5", {{"bridged", true}}), facts());
  REQUIRE(made);
  REQUIRE(made->actions.size() == 2);
  CHECK(
      words(made->actions[0].steps.commands()) ==
      Lines{"nv unset interface bond3 bond member swp5", "nv config apply -y"});
  CHECK(
      words(made->actions[1].steps.commands()) ==
      Lines{"nv set interface swp5 bridge domain br_default", "nv config apply -y"});
}

TEST_CASE("a port that somebody routes at is left alone, with the reason", "[nvue]") {
  const Result<Work> made = work<port_provider>(
      port("4", {{"bridged", true}}),
      facts(
          R"([{"set": {"interface": {"swp4": {"ip": {"address": {"10.0.0.1/31": {}}}}}}}])", "[]"));
  REQUIRE_FALSE(made);
  CHECK(made.error().message.find("swp4 has an address of its own") != std::string::npos);
}

TEST_CASE("what is applied and not saved is saved, and nothing else is done", "[nvue]") {
  const Result<Work> made =
      work<port_provider>(port("1", {{"bridged", true}}), facts(kApplied, "[]"));
  REQUIRE(made);
  REQUIRE(made->actions.size() == 1);
  CHECK(words(made->actions.front().steps.commands()) == Lines{"nv config save"});
  CHECK(made->actions.front().postconditions.front().layer == Layer::persistent);
  CHECK_FALSE(made->actions.front().may_cut_off);
}

TEST_CASE("what is applied and does not run is not applied again", "[nvue]") {
  const Result<Work> made = work<port_provider>(
      port("2", {{"mtu", 9000}}),
      facts(R"([{"set": {"interface": {"swp2": {"link": {"mtu": 9000}}}}}])"));
  REQUIRE_FALSE(made);
  CHECK(
      made.error().message.find("the switch does not run with it (mtu is 1500)") !=
      std::string::npos);
}

TEST_CASE("a port that the switch has not, or does not tell of, is unknown", "[nvue]") {
  CHECK(
      seen<port_provider>(port("99", {{"mtu", 9000}}), facts())
          .attributes.at("mtu")
          .running->why() == "the switch has no port swp99");
  NodeFacts booting = facts();
  booting.probes[kAppliedProbe] = {"nv config show", 1, "", "Error: CLI is unavailable\n"};
  const Observation found = seen<port_provider>(port("1", {{"bridged", true}}), booting);
  CHECK(
      found.attributes.at("bridged").running->why() ==
      "the switch says to nv config show: Error: CLI is unavailable");
}

TEST_CASE("a bond is made of its ports, and keeps the name it has", "[nvue]") {
  const Result<Work> fresh = work<bond_provider>(
      bond(
          {"1", "2"},
          {{"mode", "static"},
           {"members", List{"1", "2"}},
           {"mtu", 9000},
           {"bridged", true},
           {"mlag_id", 1}}),
      facts());
  REQUIRE(fresh);
  CHECK(
      words(fresh->actions.front().steps.commands()) ==
      Lines{
          "nv set interface bond1 description fabric:pod",
          "nv set interface bond1 bridge domain br_default",
          "nv unset interface swp1 bridge",
          "nv set interface bond1 bond member swp1",
          "nv unset interface swp2 link mtu",
          "nv set interface bond1 bond member swp2",
          "nv set interface bond1 bond mlag id 1",
          "nv set interface bond1 bond mode static",
          "nv set interface bond1 link mtu 9000",
          "nv config apply -y"});
  CHECK(
      words(fresh->actions.front().undo.commands()) ==
      Lines{
          "nv unset interface bond1",
          "nv set interface swp2 link mtu 1500",
          "nv set interface swp1 bridge domain br_default",
          "nv config apply -y"});

  const Resource kept = bond({"5", "4"}, {{"mode", "lacp"}, {"members", List{"5", "4"}}});
  CHECK(
      to_text(*seen<bond_provider>(kept, facts()).attributes.at("members").running->value()) ==
      "[5, 3]");
  const Result<Work> more = work<bond_provider>(kept, facts());
  REQUIRE(more);
  CHECK(
      words(more->actions.front().steps.commands()) ==
      Lines{
          "nv set interface bond3 bond member swp4",
          "nv unset interface bond3 bond member swp3",
          "nv config apply -y"});
}

TEST_CASE("a VLAN is carried by the bridge", "[nvue]") {
  const Resource wanted = resource("pve1/vlan/net.a", {}, {{"id", 20}});
  CHECK(seen<vlan_provider>(wanted, facts()).attributes.at("id").running->equals(20));
  const Result<Work> made =
      work<vlan_provider>(resource("pve1/vlan/net.b", {}, {{"id", 30}}), facts());
  REQUIRE(made);
  CHECK(
      words(made->actions.front().steps.commands()) ==
      Lines{"nv set bridge domain br_default vlan 30", "nv config apply -y"});
}

TEST_CASE("a VLAN is carried by each port of its network, whatever the bridge has", "[nvue]") {
  const auto of = [](const std::string& own) {
    return facts(
        R"([{"set": {"bridge": {"domain": {"br_default": {"vlan": {"10-20": {}}}}},
        "interface": {"swp3": {"bridge": {"domain": {"br_default": )" +
        own + "}}}}}}]");
  };
  const Resource wanted = resource(
      "pve1/vlan/net.a", {{"carried_at", List{Value{Map{{"ports", List{"3"}}}}}}}, {{"id", 20}});
  struct Case {
    const char* own;
    bool carried;
    Lines commands;
  };
  const std::string port = "nv set interface swp3 bridge domain br_default ";
  for (const Case& each :
       {Case{"{}", true, {}},
        Case{R"({"vlan": {"all": {}}})", true, {}},
        Case{R"({"vlan": {"15-25": {}}})", true, {}},
        Case{R"({"untagged": 10})", true, {}},
        Case{R"({"vlan": {"10": {}}})", false, {port + "vlan 20", "nv config apply -y"}},
        Case{
            R"({"access": 10})",
            false,
            {port + "untagged 10",
             port + "vlan 10",
             port + "vlan 20",
             "nv unset interface swp3 bridge domain br_default access",
             "nv config apply -y"}}}) {
    INFO(each.own);
    const NodeFacts there = of(each.own);
    const Reading reading = *seen<vlan_provider>(wanted, there).attributes.at("id").running;
    CHECK(reading.equals(20) == each.carried);
    if (each.carried) continue;
    const Result<Work> made = work<vlan_provider>(wanted, there);
    REQUIRE(made);
    Lines commands = words(made->actions.front().steps.commands());
    std::sort(commands.begin(), commands.end() - 1);
    Lines expected = each.commands;
    std::sort(expected.begin(), expected.end() - 1);
    CHECK(commands == expected);
  }
}

TEST_CASE("what has no tag goes into the VLAN of its network, beside tags or alone", "[nvue]") {
  const auto of = [](const std::string& own) {
    return facts(
        R"([{"set": {"bridge": {"domain": {"br_default": {"vlan": {"10,20": {}}}}},
        "interface": {"swp1": {"bridge": {"domain": {"br_default": )" +
        own + "}}}}}}]");
  };
  struct Case {
    const char* own;
    bool tags;
    Lines commands;
  };
  const std::string at = "nv set interface swp1 bridge domain br_default ";
  const std::string drop = "nv unset interface swp1 bridge domain br_default access";
  for (const Case& each :
       {Case{R"({"access": 10})", true, {}},
        Case{R"({"untagged": 10, "vlan": {"20": {}}})", false, {}},
        Case{"{}", false, {at + "access 10"}},
        Case{"{}", true, {at + "untagged 10"}},
        Case{R"({"access": 20})", false, {at + "access 10"}},
        Case{R"({"access": 20})", true, {drop, at + "untagged 10"}},
        Case{R"({"vlan": {"20": {}}})", false, {at + "untagged 10", at + "vlan 10"}}}) {
    INFO(each.own << " " << each.tags);
    Resource wanted = port("1", {{"access_vlan", 10}});
    if (each.tags) wanted.binding.emplace("tags", true);
    const NodeFacts there = of(each.own);
    const Reading reading =
        *seen<port_provider>(wanted, there).attributes.at("access_vlan").running;
    CHECK(reading.equals(10) == each.commands.empty());
    if (each.commands.empty()) continue;
    const Result<Work> made = work<port_provider>(wanted, there);
    REQUIRE(made);
    Lines expected = each.commands;
    expected.emplace_back("nv config apply -y");
    CHECK(words(made->actions.front().steps.commands()) == expected);
  }
}

TEST_CASE("a pair is joined by its ports, one address and a way beside them", "[nvue]") {
  const Resource wanted = resource(
      "pve1/mlag/7",
      {{"peer", "leaf2"}},
      {{"peerlink", List{"49", "50"}},
       {"system_mac", "44:38:39:ff:00:07"},
       {"backup", "192.0.2.2"}});
  const Result<Work> made = work<mlag_provider>(wanted, facts());
  REQUIRE(made);
  CHECK(
      words(made->actions.front().steps.commands()) ==
      Lines{
          "nv set mlag backup 192.0.2.2 vrf mgmt",
          "nv set interface peerlink bond member swp49",
          "nv set interface peerlink bond member swp50",
          "nv set mlag mac-address 44:38:39:ff:00:07",
          "nv set mlag peer-ip linklocal",
          "nv config apply -y"});
  const Observation joined = seen<mlag_provider>(
      wanted, facts(R"([{"set": {"interface": {"peerlink": {"bond": {"member": {"swp49-50": {}}}}},
        "mlag": {"mac-address": "44:38:39:FF:00:07", "backup": {"192.0.2.2": {"vrf": "mgmt"}}}}}])"));
  for (const auto& [name, desired] : wanted.desired) {
    INFO(name);
    CHECK(joined.attributes.at(name).running->equals(desired.value));
  }
}

TEST_CASE("a bond is shared by its segment, in the words of the release", "[nvue]") {
  const Resource sharing = resource("pve1/mlag/evpn", {}, {{"multihoming", true}});
  const Resource wanted = bond({"3", "5"}, {{"segment", 7}, {"segment_mac", "44:38:39:be:ef:aa"}});
  for (const bool is_new : {false, true}) {
    NodeFacts of = facts();
    of.probes[kVersionProbe] = {
        "", 0, fmt::format(R"({{"product-release": "5.{}.0"}})", is_new ? 15 : 9), ""};
    const std::string on = is_new ? "state enabled" : "enable on";
    const Result<Work> made = work<mlag_provider>(sharing, of);
    REQUIRE(made);
    CHECK(
        words(made->actions.front().steps.commands()) ==
        Lines{"nv set evpn multihoming " + on, "nv config apply -y"});
    const Result<Work> shared = work<bond_provider>(wanted, of);
    REQUIRE(shared);
    const std::string segment = "nv set interface bond3 evpn multihoming segment ";
    CHECK(
        words(shared->actions.front().steps.commands()) ==
        Lines{
            segment + "local-id 7",
            segment + on,
            segment + "mac-address 44:38:39:be:ef:aa",
            "nv config apply -y"});
    CHECK(
        words(shared->actions.front().undo.commands()) ==
        Lines{"nv unset interface bond3 evpn", "nv config apply -y"});
    const std::string key = is_new ? R"("state": {"enabled": {}})" : R"("enable": "on")";
    const NodeFacts done = facts(fmt::format(
        R"([{{"set": {{"evpn": {{"multihoming": {{{0}}}}}, "interface": {{"bond3": {{
          "bond": {{"member": {{"swp3": {{}}, "swp5": {{}}}}}},
          "evpn": {{"multihoming": {{"segment": {{{0}, "local-id": 7,
            "mac-address": "44:38:39:BE:EF:AA"}}}}}}}}}}}}}}])",
        key));
    CHECK(seen<mlag_provider>(sharing, done).attributes.at("multihoming").running->equals(true));
    const Observation found = seen<bond_provider>(wanted, done);
    CHECK(found.attributes.at("segment").running->equals(7));
    CHECK(found.attributes.at("segment_mac").running->equals("44:38:39:be:ef:aa"));
    // And so a document says it.
    NodeFacts runs = done;
    runs.probes[kInterfaceProbe].standard_output =
        R"({"swp3": {"link": {}, "type": "swp"}, "swp5": {"link": {}, "type": "swp"}})";
    const SeenNode told = see_switch(runs);
    REQUIRE(told.node.mlag.size() == 1);
    CHECK(told.node.mlag.front().system_mac == "44:38:39:be:ef:aa");
    CHECK(
        told.node.mlag.front().segments ==
        std::map<std::string, std::string>{{"swp3", "7"}, {"swp5", "7"}});
  }
  // Both at once a switch does not do.
  const Result<Work> refused = work<mlag_provider>(
      sharing, facts(R"([{"set": {"mlag": {"mac-address": "44:38:39:ff:00:07"}}}])"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("nv unset mlag") != std::string::npos);
}

TEST_CASE("the release is told for both systems, in old forms too", "[nvue]") {
  NodeFacts of = facts();
  of.probes[kVersionProbe] = {"", 1, "", "Error: Invalid Command: show system version\n"};
  of.probes[kSystemProbe] = {"", 0, R"({"build": "Cumulus Linux 5.4.0", "hostname": "leaf1"})", ""};
  const auto fits = [&of](const char* attribute, const char* value) {
    const Resource wanted = resource("pve1/os/os", {}, {{attribute, value}});
    return seen<os_provider>(wanted, of).attributes.at(attribute).running->equals(value);
  };
  CHECK(fits("release", "cumulus-5"));
  CHECK(fits("release", "cumulus"));
  CHECK(fits("release", "5.4"));
  CHECK_FALSE(fits("release", "cumulus-4"));
  CHECK(fits("minimum", "5.4.0"));
  CHECK_FALSE(fits("minimum", "5.9"));
}

TEST_CASE("a manager is refused where the release has none", "[nvue]") {
  const Resource wanted =
      resource("pve1/subnet_manager/ib", {}, {{"manages", true}, {"priority", 3}});
  NodeFacts none = facts();
  none.probes[kManagerProbe] = {"", 1, "", "Error: Invalid Command: show ib sm\n"};
  CHECK(seen<manager_provider>(wanted, none).attributes.at("manages").running->is_absent());
  const Result<Work> refused = work<manager_provider>(wanted, none);
  REQUIRE_FALSE(refused);
  CHECK(
      refused.error().message.find("this release of NVOS has no subnet manager") !=
      std::string::npos);

  NodeFacts early = facts();
  early.probes[kManagerProbe] = {
      "", 0, R"({"state": "disabled", "is-running": "no", "sm-priority": "3"})", ""};
  const Observation found = seen<manager_provider>(wanted, early);
  CHECK(found.attributes.at("manages").running->equals(false));
  CHECK(found.attributes.at("priority").running->equals(3));
  const Result<Work> started = work<manager_provider>(wanted, early);
  REQUIRE(started);
  CHECK(
      words(started->actions.front().steps.commands()) ==
      Lines{"nv set ib sm state enabled", "nv config apply -y"});
}

TEST_CASE("an admin of the switch finds what they look for", "[nvue]") {
  NodeFacts of = facts();
  of.probes[kLldpProbe] = {
      "", 0, R"({"swp1": {"lldp": {"neighbor": {"s1": {"port": {"name": "eth1"}}}}}})", ""};
  of.probes[kRoceProbe] = {"", 0, R"({"mode": "lossless"})", ""};
  of.probes[kRevisionProbe] = {
      "", 0, R"({"1": {"state": "applied"}, "2": {"state": "pending", "user": "eve"}})", ""};
  of.probes[kMlagProbe] = {"", 1, "", "Error: CLI is unavailable\n"};
  const Map ports = port_provider().inventory(of);
  CHECK(to_text(ports.at("neighbours")) == "[{port: swp1, remote_port: eth1, system_name: s1}]");
  CHECK(to_text(ports.at("roce")) == "{mode: lossless}");
  CHECK(ports.at("ports").as_list()->size() == 6);
  CHECK(
      to_text(os_provider().inventory(of).at("revisions")) ==
      "[{id: 2, state: pending, user: eve}]");
  CHECK(mlag_provider().inventory(of).at("mlag").find("unknown") != nullptr);
}

TEST_CASE("ports of one network in two VLANs are told", "[nvue]") {
  const auto said = [](const std::string& own) {
    const NodeFacts there = facts(
        R"([{"set": {"bridge": {"domain": {"br_default": {"untagged": 5}}}, "interface": {
        "swp1": {"bridge": {"domain": {"br_default": {}}}},
        "swp2": {"bridge": {"domain": {"br_default": {}}}},
        "swp3": {"bridge": {"domain": {"br_default": )" +
        own + "}}}}}}]");
    std::vector<Resource> ports;
    for (const char* number : {"1", "2", "3"}) {
      ports.push_back(port(number, {{"bridged", true}}));
      ports.back().binding.emplace("network", "net");
    }
    Diagnostics diagnostics;
    static_cast<void>(port_provider().observe(ports, there, diagnostics));
    return diagnostics.items().empty() ? std::string{} : diagnostics.items().front().message;
  };
  CHECK(said("{}").empty());
  CHECK(said(R"({"access": 5})").empty());
  CHECK(said(R"({"untagged": "none"})").empty());
  for (const char* own : {R"({"access": 6})", R"({"untagged": 6, "vlan": {"6": {}}})"}) {
    CHECK(
        said(own) ==
        "pve1: frames of network net without a tag go into VLAN 5 at swp1, swp2 and into VLAN 6 at "
        "swp3");
  }
}

}  // namespace
}  // namespace fabric::providers::nvue
