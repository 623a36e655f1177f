#include "plans/management_path.hpp"

#include "engine/platform/linux/linux_platform.hpp"

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

TEST_CASE("what the plan leaves alone and what nobody could trace are no finding", "[plans]") {
  Case none;
  none.session("a", "client 192.0.2.1\ndevice eno1\n").session("b", "");
  none.work("a/interface/p1", {"eno1"}).work("b/interface/p1", {"eno1"});
  none.candidates.front().not_planned = "only observed";
  CHECK(none.touched().empty());
  CHECK(none.diagnostics.items().empty());
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
      {"", "gateway", "10.30.0.254", ""},
  };
  for (const Given& given : all) {
    INFO(given.session << given.attribute << " " << to_text(given.value));
    Case one;
    one.session("a", given.session).gives("a", given.attribute, given.value);
    CHECK(one.touched().size() == (given.route.empty() ? 0 : 1));
    if (given.route.empty() || one.diagnostics.items().empty()) continue;
    const std::string& message = one.diagnostics.items().front().message;
    CHECK(message.find("would bring " + given.route + ",") != std::string::npos);
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
