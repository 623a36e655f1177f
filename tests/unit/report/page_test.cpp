// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/page.hpp"

#include <map>
#include <string>

#include "engine/model/document/load.hpp"
#include "engine/report/html/pages.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {
namespace {

constexpr const char* kRing =
    "apiVersion: fabric/v1\nname: pve-ring\nnodes:\n"
    "  pve[1-4]: {adapters: {cx5: {model: connectx-5-vpi}}}\n"
    "networks:\n  storage:\n    mode: chain\n    ipv4: {subnet: 10.30.0.0/24}\n"
    "    cables: [ring: [pve1, pve2, pve3, pve4]]\n";

struct Loaded {
  explicit Loaded(const std::string& text)
      : document{load_document(sources, {sources.add("fabric.yaml", text)})} {}

  SourceMap sources;
  LoadedDocument document;
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

// What the script of the page is given, as the browser finds it: up to the first end of a script.
std::string data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  return page.substr(at + begin.size(), page.find("</script", at) - at - begin.size());
}

std::map<std::string, std::string> states_in(const Value& drawing) {
  std::map<std::string, std::string> states;
  for (const Value& node : *drawing.find("nodes")->as_list())
    states[node.string_or_empty("name")] = node.string_or_empty("state");
  return states;
}

std::vector<std::string> cable_states_in(const Value& drawing) {
  std::vector<std::string> states;
  for (const Value& cable : *drawing.find("cables")->as_list())
    states.push_back(cable.string_or_empty("state"));
  return states;
}

plans::Plan plan_of_ring() {
  plans::Plan plan = two_nodes();
  plan.nodes[name("pve3")] = {};
  plans::PlanNode lost;
  lost.reachable = false;
  lost.failure = "no route to host";
  plan.nodes[name("pve4")] = lost;
  return plan;
}

Value drawn(const plans::Plan* plan, const FabricSpec* spec) {
  static const Diagnostics none;
  static const SourceMap sources;
  return plan_drawing({plan, spec, none, sources}).value();
}

}  // namespace

TEST_CASE("a page of a plan tells what becomes of each node and cable", "[report]") {
  const Loaded ring{kRing};
  const plans::Plan plan = plan_of_ring();
  const Value drawing = drawn(&plan, &ring.document.spec);
  CHECK(
      states_in(drawing) ==
      std::map<std::string, std::string>{
          {"pve1", "changing"}, {"pve2", "changing"}, {"pve3", "fine"}, {"pve4", "unknown"}});
  // From pve1 around: the settings of an adapter are those of both its ports.
  CHECK(
      cable_states_in(drawing) ==
      std::vector<std::string>{"changing", "changing", "unknown", "unknown"});
  const List& nodes = *drawing.find("nodes")->as_list();
  const std::string json = to_json(nodes.front());
  CHECK(json.find("\"HOST_CHAINING_MODE\"") != std::string::npos);
  CHECK(json.find("1500, file absent -> 9000") != std::string::npos);
  CHECK(json.find("fabric.yaml:7; mode chain") != std::string::npos);
  CHECK(to_json(nodes.back()).find("Not reached: no route to host") != std::string::npos);
  const List& waves = *drawing.find("waves")->as_list();
  REQUIRE(waves.size() == 3);
  CHECK(waves[1].string_or_empty("title") == "Wave 1");
  CHECK(waves[1].string_or_empty("why") == "ring storage: neighbours never together");
}

TEST_CASE("what a plan leaves is told from what it changes", "[report]") {
  const Loaded ring{kRing};
  plans::Plan plan = plan_of_ring();
  for (plans::PlannedChange& change : plan.changes) {
    if (change.address.node == name("pve2")) change.withheld = plans::Withheld{};
  }
  CHECK(states_in(drawn(&plan, &ring.document.spec))["pve2"] == "wrong");
}

TEST_CASE("a plan without its document is drawn without cables", "[report]") {
  const plans::Plan plan = plan_of_ring();
  const Value drawing = drawn(&plan, nullptr);
  CHECK(states_in(drawing).size() == 4);
  CHECK(cable_states_in(drawing).empty());
}

TEST_CASE("where no plan could be made the document is drawn with its findings", "[report]") {
  const Loaded ring{kRing};
  Diagnostics findings;
  findings.error("some-rule", {}, "pve3: nothing is right");
  const Value drawing =
      plan_drawing({nullptr, &ring.document.spec, findings, ring.sources}).value();
  CHECK(states_in(drawing)["pve3"] == "wrong");
  CHECK(states_in(drawing)["pve1"] == "fine");
  CHECK(drawing.find("folded")->as_list()->size() == 1);
}

TEST_CASE("a page of verify tells what is wrong with which cable and node", "[report]") {
  const Loaded ring{kRing};
  const FabricSpec& spec = ring.document.spec;
  verify::Report report;
  for (const CableSpec& cable : spec.networks.begin()->second.cables)
    report.cables.push_back(
        {cable.a.value, cable.b.value, "storage", verify::CableState::ok, "", {}});
  report.cables[1].state = verify::CableState::mis_wired;
  report.cables[1].detail = "pve2/cx5/1 is cabled to pve4/cx5/2 (LLDP)";
  report.cables[2].state = verify::CableState::no_data;
  report.unexpected.push_back({"pve1/cx5/1", "pve3/cx5/1"});
  report.unexpected.push_back({"pve4/cx5/1", "an unknown device"});
  report.findings.push_back({Severity::error, "r", {}, "pve2/cx5/1 leads elsewhere", "", {}});
  const std::vector<verify::WorkOrder> orders = verify::work_orders(spec, report);
  const Value drawing = verify_drawing({report, spec, ring.sources, orders}).value();
  CHECK(
      cable_states_in(drawing) ==
      std::vector<std::string>{"fine", "wrong", "unknown", "fine", "wrong"});
  auto states = states_in(drawing);
  CHECK(states["pve1"] == "fine");
  CHECK(states["pve2"] == "wrong");
  CHECK(states["pve4"] == "wrong");
  CHECK(drawing.string_or_empty("verdict") == "1 error; 3 of 4 cables judged.");
  CHECK(drawing.find("tables")->as_list()->size() == (orders.empty() ? 0 : 1));
}

TEST_CASE("no text of a node or a document breaks out of a page", "[report]") {
  for (const std::string text :
       {"</script><script>alert(1)</script>",
        "<!--<script>",
        "]]>&lt;/script&gt;",
        "a\u2028b\u2029c",
        "\u202e\x1b[31m\x07",
        "'\"`\\u003c/script>"}) {
    plans::Plan plan = two_nodes();
    plan.fabric = text;
    for (plans::PlannedChange& change : plan.changes) {
      change.address.name = change.attribute.attribute = change.attribute.reason = text;
      change.attribute.desired = text;
      change.source.file = text;
      change.withheld = plans::Withheld{.why = plans::Withheld::Why::rollout, .detail = text};
    }
    for (plans::Action& action : plan.actions)
      action.draft.title = action.draft.by_hand = action.draft.kind = text;
    plan.diagnostics.push_back({Severity::error, text, text, text, {text, 3, 1}});
    const std::string page = plan_page({&plan, nullptr, {}, {}});
    // The data's and the script's.
    CHECK(times(page, "</script") == 2);
    CHECK(times(page, "<script") == 2);
    const std::string data = data_in(page);
    CHECK(data.find_first_of("<>&\n\r\x1b\x07") == std::string::npos);
    CHECK(times(page, "\u2028") + times(page, "\u2029") + times(page, "\u202e") == 0);
    CHECK(parse_json(data).has_value());
    const std::string title = page.substr(0, page.find("</title>"));
    CHECK(times(title.substr(title.find("<title>") + 7), "<") == 0);
  }
}

TEST_CASE("a page runs nothing but its own script, and asks for nothing", "[report]") {
  const plans::Plan plan = two_nodes();
  const std::string page = plan_page({&plan, nullptr, {}, {}});
  CHECK(page == plan_page({&plan, nullptr, {}, {}}));
  CHECK(page.find("content=\"default-src 'none'; script-src 'sha256-") != std::string::npos);
  CHECK(page.find("'unsafe-inline'") == std::string::npos);
  for (const char* foreign : {"http:", "https:", "src=", "href=", "url(", "@import", "innerHTML"}) {
    INFO(foreign);
    // The one address is the name of SVG.
    CHECK(times(page, foreign) == (std::string{foreign} == "http:" ? 1 : 0));
  }
}

}  // namespace fabric::report::test
