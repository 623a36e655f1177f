// SPDX-License-Identifier: Apache-2.0
#include "plans/impact.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::node;

namespace {

struct Case {
  plans::Candidates candidates;
  discovery::Snapshot snapshot;
  Diagnostics diagnostics;

  Case& session(const std::string& name, const std::string& output) {
    NodeFacts facts{node(name), std::nullopt, {}, {}, {}};
    facts.probes["session"] = {"", 0, output, ""};
    discovery::ObservedNode observed{facts, {}};
    observed.session = platform::linux_platform().session_path(facts);
    snapshot.nodes.emplace(node(name), std::move(observed));
    return *this;
  }
  Case& work(const std::string& address, std::vector<std::string> disturbs) {
    Change change{test::ResourceBuilder{address}, ChangeKind::update, {}};
    plans::Candidate candidate{std::move(change), {}, {}};
    candidate.drafts.emplace_back().kind = "network.activate";
    candidate.drafts.back().disturbs = std::move(disturbs);
    candidates.push_back(std::move(candidate));
    return *this;
  }
  // A port beside the session's that gets `value`.
  Case& gives(const std::string& name, const std::string& attribute, Value value) {
    work(name + "/interface/p1", {"enp1s0f0np0"});
    AttributeChange& change = candidates.back().change.attributes.emplace_back();
    change.attribute = attribute;
    change.desired = std::move(value);
    change.observed.running =
        change.desired.as_list() == nullptr ? Reading::absent() : Reading::of(Value{List{}});
    return *this;
  }
  std::vector<NodeName> touched() {
    return touched_management_paths(candidates, snapshot, diagnostics);
  }
};

}  // namespace

TEST_CASE("work on what carries the session is told, once a resource and once a node", "[plans]") {
  Case both;
  both.session("a", "client 192.0.2.1\ndevice vmbr0\ndevice eno1\ndevice eno2\n")
      .session("b", "client 192.0.2.1\ndevice eno1\n")
      .work("a/interface/p1", {"eno1"})
      .work("a/interface/p2", {"eno2"})
      .work("b/interface/p1", {"enp1s0f0np0"});
  CHECK(both.touched() == std::vector<NodeName>{node("a")});
  REQUIRE(both.diagnostics.items().size() == 2);
  const Diagnostic& first = both.diagnostics.items().front();
  CHECK(first.rule == "mgmt-path-touched");
  CHECK(first.severity == Severity::warning);
  CHECK(
      first.message ==
      "a/interface/p1 would be reconfigured, and the SSH session to a comes in by vmbr0, which "
      "lies "
      "on eno1");
}

TEST_CASE("what the plan leaves alone is no finding", "[plans]") {
  Case none;
  none.session("a", "client 192.0.2.1\ndevice eno1\n").session("b", "");
  none.work("a/interface/p1", {"eno1"}).work("b/interface/p1", {"eno1"});
  for (plans::Candidate& candidate : none.candidates)
    candidate.withheld = plans::Withheld{};
  CHECK(none.touched().empty());
  CHECK(none.diagnostics.items().empty());
}

TEST_CASE("a path that nobody could trace is touched by work on any interface", "[plans]") {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"", "nothing on the node shows the session's origin"},
      {"unknown client\n", "nothing on the node shows the session's origin"},
      {"client 192.0.2.1\n", "no interface is known to have the route back to 192.0.2.1"},
      {"client 192.0.2.1\nunknown route\n", "no route leads back to 192.0.2.1"},
      {"client 127.0.0.1\nunknown loopback\ndevice lo\n",
       "the session comes in over loopback, so a program on the node forwards it"},
      {"client 192.0.2.1\ndevice vmbr0\ndevice vxlan9\nunknown tunnel vxlan9\n",
       "the session may come in by the tunnel vxlan9, and the way to its other end is not known"},
      {"client 192.0.2.1\ndevice eth0\nunknown virtual eth0\n", "no port is found beneath eth0"},
      {"client 192.0.2.1\ndevice br0\nunknown openvswitch br0\n",
       "the ports of Open vSwitch beneath br0 can't be read"}};
  for (const auto& [session, why] : all) {
    INFO(session);
    Case unknown;
    unknown.session("a", session).work("a/interface/p1", {"eno7"}).work("a/interface/p2", {"p2"});
    CHECK(unknown.touched() == std::vector<NodeName>{node("a")});
    REQUIRE(unknown.diagnostics.items().size() == 1);
    const Diagnostic& finding = unknown.diagnostics.items().front();
    CHECK(finding.rule == "mgmt-path-touched");
    CHECK(
        finding.message ==
        "the path of the SSH session to a is not known, so work on its interfaces and cards counts "
        "as touching it: a/interface/p1 and 1 more; " +
            why);
    CHECK(finding.help.find("--allow-mgmt-path") != std::string::npos);
  }
  Case not_asked;
  not_asked.snapshot.nodes.emplace(
      node("a"), discovery::ObservedNode{NodeFacts{node("a"), std::nullopt, {}, {}, {}}, {}});
  not_asked.work("a/interface/p1", {"eno7"});
  CHECK(not_asked.touched().size() == 1);
}

TEST_CASE("of a path that is not known, only what no interface notices is left alone", "[plans]") {
  struct Given {
    const char* kind;
    Disruption disruption;
    bool touches;
  };
  const std::vector<Given> all = {
      {"sysctl.set", Disruption::runtime, false},
      {"package.install", Disruption::none, false},
      {"settings.set", Disruption::none, false},
      {"subnet_manager.start", Disruption::runtime, false},
      {"network.write", Disruption::none, true},
      {"link_name.write", Disruption::none, true},
      {"sriov.set", Disruption::runtime, true},
      {"module.write", Disruption::none, true},
      {"firmware.burn", Disruption::none, true},
      {"anything.new", Disruption::link, true}};
  for (const Given& given : all) {
    INFO(given.kind);
    Case one;
    one.session("a", "").work("a/thing/x", {});
    one.candidates.back().drafts.back().kind = given.kind;
    one.candidates.back().drafts.back().disruption = given.disruption;
    CHECK(one.touched().size() == (given.touches ? 1 : 0));
  }
  Case by_boot;
  by_boot.session("a", "").work("a/settings/x", {"p1"});
  std::swap(by_boot.candidates.back().drafts, by_boot.candidates.back().done_by_boot);
  CHECK(by_boot.touched().size() == 1);
}

TEST_CASE("a boot that takes the session's port away is told by what it does", "[plans]") {
  Case boot;
  boot.session("a", "client 192.0.2.1\ndevice eno1\n");
  for (const char* address : {"a/settings/cx5", "a/link_name/cx5.1", "a/settings/cx6"}) {
    const bool name = std::string_view{address}.find("link_name") != std::string_view::npos;
    Change change{test::ResourceBuilder{address}, ChangeKind::update, {}};
    AttributeChange& attribute = change.attributes.emplace_back();
    attribute.attribute = name ? "name" : "LINK_TYPE_P1";
    attribute.desired = name ? Value{"fab1"} : Value{1};
    ActionDraft draft;
    draft.kind = name ? "link_name.write" : "settings.set";
    draft.disturbs = {"eno1"};
    plans::Candidate candidate{std::move(change), {}, {}};
    // One of them was set before, and only the boot is left.
    (candidate.address().name == "cx6" ? candidate.done_by_boot : candidate.drafts)
        .push_back(std::move(draft));
    boot.candidates.push_back(std::move(candidate));
  }
  CHECK(boot.touched() == std::vector<NodeName>{node("a")});
  std::vector<std::string> messages;
  for (const Diagnostic& each : boot.diagnostics.items())
    messages.push_back(each.message);
  const std::string session = ", and the SSH session to a comes in by eno1";
  CHECK(
      messages == std::vector<std::string>{
                      "a/settings/cx5 would set LINK_TYPE_P1=1 for the next boot" + session,
                      "a/link_name/cx5.1 would set name=fab1 for the next boot" + session,
                      "a/settings/cx6 would set LINK_TYPE_P1=1 for the next boot" + session});
}

TEST_CASE("a route that takes the way back to the session's client is told", "[plans]") {
  const std::string far = "client 198.51.100.7\nroute default\nroute 192.0.2.0/24\ndevice eno1\n";
  const std::string near = "client 192.0.2.1\nroute default\nroute 192.0.2.0/24\ndevice eno1\n";
  const auto list = [](const char* text) {
    return Value{List{Value{text}}};
  };
  const auto to = [](const char* text) {
    return Value{List{Value{Map{{"to", text}, {"via", "10.30.0.9"}}}}};
  };
  struct Given {
    std::string session, attribute;
    Value value;
    std::string route;  // "" = none takes it
  };
  const std::vector<Given> all = {
      {far, "gateway", "10.30.0.254", "a default route"},
      {near, "gateway", "10.30.0.254", ""},
      {far, "gateway6", "fd00::fe", ""},
      {"client fd01::7\nroute default\ndevice eno1\n", "gateway6", "fd00::fe", "a default route"},
      {far, "routes", to("198.51.0.0/16"), "a route to 198.51.0.0/16"},
      {near, "routes", to("192.0.0.0/16"), ""},
      {near, "routes", to("192.0.2.0/24"), "a route to 192.0.2.0/24"},
      {near, "addresses", list("192.0.2.3/29"), "a route to 192.0.2.0/29"},
      {near, "addresses", list("10.30.0.1/24"), ""},
      // What nobody knows the routes of.
      {"client 198.51.100.7\ndevice eno1\n", "gateway", "10.30.0.254", ""},
  };
  for (const Given& given : all) {
    INFO(given.session << given.attribute << " " << to_text(given.value));
    Case one;
    one.session("a", given.session).gives("a", given.attribute, given.value);
    CHECK(one.touched().size() == (given.route.empty() ? 0 : 1));
    if (given.route.empty() || one.diagnostics.items().empty()) continue;
    const std::string& message = one.diagnostics.items().front().message;
    CHECK(message.find("would add " + given.route + ",") != std::string::npos);
  }
}

TEST_CASE("a route that is there already takes nothing, nor does one that goes", "[plans]") {
  const std::string far = "client 198.51.100.7\nroute default\ndevice eno1\n";
  Case there;
  there.session("a", far).gives("a", "gateway", "10.30.0.254");
  there.candidates.back().change.attributes.back().observed.running = Reading::of("10.30.0.253");
  CHECK(there.touched().empty());
  Case goes;
  goes.session("a", far).gives("a", "gateway", "10.30.0.254");
  goes.candidates.back().change.kind = ChangeKind::remove;
  CHECK(goes.touched().empty());
}
