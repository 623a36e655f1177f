// SPDX-License-Identifier: Apache-2.0
#include "plans/plan_file.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::node;

namespace {

std::vector<plans::PlannedChange> changes_of_every_form() {
  plans::PlannedChange change{.address = address("a/settings/cx5")};
  change.attribute.attribute = "LINK_TYPE_P1";
  change.attribute.observed.running = Reading::unknown("no Current column");
  change.attribute.observed.next_boot = Reading::of(1);
  change.attribute.desired = 2;
  change.attribute.disruption = Disruption::reboot;
  change.attribute.write = change.attribute.activate = true;
  change.attribute.reason = "mode chain needs Ethernet";
  change.source = {"fabric.yaml", 4, 7};
  plans::PlannedChange odd = change;
  odd.attribute.attribute = "odd";
  odd.attribute.observed = {
      Reading::of(Map{{"unknown", "a map that looks like something else"}}),
      Reading::of(Value{}),
      Reading::absent()};
  odd.attribute.desired = List{"10.30.0.1/24", true, 1.5};
  plans::PlannedChange unknown{.address = address("b/settings/cx5"), .kind = ChangeKind::unknown};
  unknown.withheld = plans::Withheld{
      .why = plans::Withheld::Why::unknown, .needs = {"mstflint"}, .detail = "no tool"};
  plans::PlannedChange waits{.address = address("b/sysctl/x")};
  waits.withheld =
      plans::Withheld{.why = plans::Withheld::Why::waits, .on = address("b/settings/cx5")};
  return {change, odd, unknown, waits};
}

std::vector<plans::Action> actions_of_every_form() {
  plans::Action set{.id = "a0001", .node = node("a"), .wave = 1};
  set.draft.kind = "settings.set";
  set.draft.title = "set \"it\"\n";
  set.draft.steps.run_each({{"mstconfig", "-y", "set", "LINK_TYPE_P1=2"}, {"sync"}});
  set.draft.steps.write({"/etc/x.conf", "line\n", 0640, "root:adm"});
  set.draft.steps.copy({"fw.bin", std::string(64, 'a'), 8'388'608, "/var/fw", 0600, "root:root"});
  set.draft.once = true;
  set.draft.settles = Duration{60'000};
  set.draft.by_hand = "hold the \"button\"";
  set.draft.steps.remove("/etc/old.conf");
  const remote::Script& script = remote::kept_script("tell_it", "echo \"$1\"\n");
  set.draft.steps.run({"sh", "-c", script, "fabric", "a b"});
  set.draft.timeout = Duration{90'000};
  set.draft.preconditions = {{address("a/settings/cx5"), "LINK_TYPE_P1", Layer::next_boot, 1}};
  set.draft.postconditions = {{address("a/settings/cx5"), "LINK_TYPE_P1", Layer::next_boot, 2}};
  set.draft.way_back = "set \"it\" back";
  set.draft.undo.write({"/etc/x.conf", "before\n", 0644, "root:root"});
  set.draft.undo.run_each({{"mstconfig", "-y", "set", "LINK_TYPE_P1=1"}});
  plans::Action talk{.id = "a0011", .node = node("a"), .wave = 1};
  talk.draft.kind = "onyx.configure";
  talk.draft.steps.converse({"lacp", "no vlan 7"});
  talk.draft.undo.converse({"vlan 7"});
  plans::Action hook{.id = "a0012", .node = node("a"), .wave = 1};
  hook.draft.kind = "hook.before";
  hook.draft.steps.here({"drain", "a"});
  set.covers = {address("a/settings/cx5")};
  plans::Action reboot{.id = "a0002", .node = node("a"), .wave = 1, .needs = {"a0001"}};
  reboot.mutex = {"ring:storage/a+b"};
  reboot.draft.kind = "reboot";
  reboot.draft.steps.run_each({{"systemctl", "reboot"}});
  reboot.draft.stage = Stage::activate;
  reboot.draft.disruption = Disruption::reboot;
  reboot.draft.irreversible = "a reboot is not rolled back";
  reboot.reboot = {Duration{1}, Duration{2}, Duration{3}};
  reboot.covers = {address("a/settings/cx5")};
  return {set, reboot, talk, hook};
}

// Everything a plan can hold, in every form.
plans::Plan full_plan() {
  plans::Plan plan;
  plan.fabric = "pve-ring";
  plan.orphans.push_back({address("a/vlan/storage.backup"), {}, {}, {}, {}});
  plan.orphans.back().desired.emplace("mtu", DesiredAttribute{});
  plan.orphans.back().beneath = {address("a/bond/bond0")};
  plan.orphans.back().binding = {{"bond", "bond0"}, {"id", 100}};
  plan.bindings = {
      {address("a/subnet_manager/ib.hca.1"),
       {{"port_guids", Map{{"b/hca/1", "0x00000000000000b2"}}}}}};
  plan.inputs = {{"fabric.yaml", sha256(std::string_view{"document"})}};
  plan.nodes[node("a")] = {true, "", "0123", "SHA256:x", "id", sha256(std::string_view{"facts"})};
  plan.nodes[node("b")] = {false, "no route to host", "", "", "", ""};
  plan.changes = changes_of_every_form();
  plan.actions = actions_of_every_form();
  plan.waves = {{1, {node("a")}, "all that are left"}};
  plan.impact = {1, 0, 0, {"burn it"}};
  plan.permissions = {{{"a"}, {}}, {{"a", "b"}, {"b"}}};
  plan.summary = {0, 1, 0, 1, 0};
  plan.diagnostics = {
      {Severity::warning, "rollout-withheld", "b is left as it is", "look", {"fabric.yaml", 1, 1}}};
  plan.digest = plans::plan_digest(plan);
  return plan;
}

// The file with one key replaced, its digest as it was.
std::string edited(const std::vector<std::string>& path, const Value& value) {
  Value root = plans::to_value(full_plan());
  Value* at = &root;
  for (const std::string& step : path) {
    at = at->as_list() != nullptr ? &at->as_list()->at(std::stoul(step)) : &(*at->as_map())[step];
  }
  *at = value;
  return to_json_pretty(root);
}

std::string refusal(const std::string& text) {
  const auto plan = plans::parse_plan_file(text);
  if (plan) return "accepted";
  CHECK(plan.error().code == ErrorCode::invalid);
  return plan.error().message;
}

}  // namespace

TEST_CASE("a plan survives its file byte for byte", "[plans]") {
  const std::string text = plans::to_plan_file(full_plan());
  const auto read = plans::parse_plan_file(text);
  if (!read) FAIL(read.error().message);
  CHECK(plans::to_plan_file(*read) == text);
  CHECK(read->digest == plans::plan_digest(*read));
  CHECK(read->changes[1].attribute.observed == full_plan().changes[1].attribute.observed);
  CHECK(read->actions[0].draft.steps == full_plan().actions[0].draft.steps);
  CHECK(read->changes[2].withheld == full_plan().changes[2].withheld);
  CHECK(read->changes[3].withheld == full_plan().changes[3].withheld);
  CHECK(read->actions[0].draft.preconditions == full_plan().actions[0].draft.preconditions);
}

// The file is also what tests/lint/check_schemas.py holds against schemas/plan.schema.json.
TEST_CASE("the form of the plan file has not changed", "[plans]") {
  const std::string path = FABRIC_TEST_DATA "/every_form.plan.json";
  const std::string text = plans::to_plan_file(full_plan());
  if (std::getenv("FABRIC_ACCEPT") != nullptr) std::ofstream{path, std::ios::binary} << text;
  std::ifstream file{path, std::ios::binary};
  CHECK(text == std::string{std::istreambuf_iterator<char>{file}, {}});
}

TEST_CASE("a plan that was edited is refused, naming the key", "[plans]") {
  CHECK(refusal(edited({"actions", "0", "steps", "0", "run", "3"}, "LINK_TYPE_P1=1"))
            .starts_with("digest: the plan says sha256:"));
  CHECK(refusal(edited({"actions", "0", "steps", "2", "write", "content"}, "evil\n"))
            .starts_with("actions[0].steps[2].write.content: does not have the digest"));
  CHECK(refusal(edited({"scripts", "tell_it"}, "evil\n")).starts_with("digest:"));
  CHECK(refusal(edited({"digest"}, "sha256:0")).starts_with("digest:"));
}

TEST_CASE("a plan of a wrong shape is refused, naming the key", "[plans]") {
  CHECK(
      refusal(edited({"format_version"}, "2.0")) ==
      "format_version: this fabric reads 3.x, the plan is of version 2.0: plan again");
  for (const char* newer : {"4.0", "10.1"}) {
    CHECK(
        refusal(edited({"format_version"}, newer)) ==
        fmt::format(
            "format_version: this fabric reads 3.x, the plan is of version {}: use a newer fabric",
            newer));
  }
  CHECK(
      refusal(edited({"actions", "0", "steps", "5", "script", "name"}, "other")) ==
      "actions[0].steps[5].script.name: 'other' is not one of the plan's scripts");
  CHECK(
      refusal(edited({"scripts", "x;id"}, "echo")) == "scripts.x;id: is not the name of a script");
  CHECK(
      refusal(edited({"withheld", "1", "why"}, "unknown")) ==
      "withheld[1].on: stands with `waits`, and only there");
  CHECK(
      refusal(edited({"withheld", "0", "address"}, "c/settings/cx5")) ==
      "withheld[0].address: is the address of no change");
  CHECK(refusal("{}") == "format_version: missing; this is no plan file");
  CHECK(refusal("[1, 2]") == "format_version: missing; this is no plan file");
  CHECK(
      refusal(edited({"actions", "1", "needs", "0"}, 3)) ==
      "actions[1].needs[0]: expected a string, found 3");
  CHECK(
      refusal(edited({"actions", "1", "colour"}, "red")) ==
      "actions[1].colour: unknown key; a newer fabric may know it");
  CHECK(
      refusal(edited({"actions", "0", "steps", "0", "run"}, "rm -rf /")) ==
      "actions[0].steps[0].run: expected a list, found \"rm -rf /\"");
  CHECK(
      refusal(edited({"actions", "0", "steps", "0"}, Map{{"shell", "rm -rf /"}})) ==
      "actions[0].steps[0]: expected one of `run`, `write`, `copy`, `remove`, `converse`, `here`");
  CHECK(
      refusal(edited({"actions", "0", "steps", "2", "write", "path"}, "etc/x")) ==
      "actions[0].steps[2].write.path: expected an absolute path");
  CHECK(
      refusal(edited({"actions", "0", "wave"}, -1)) ==
      "actions[0].wave: expected a whole number from 0 to 4294967295, found -1");
  CHECK(refusal(edited({"actions", "0", "covers", "0"}, "nonsense"))
            .starts_with("actions[0].covers[0]: "));
  CHECK(
      refusal(edited({"changes", "0", "disruption"}, "gentle")) ==
      "changes[0].disruption: 'gentle' is not one of the choices");
  CHECK(refusal(edited({"nodes"}, 3)) == "nodes: expected an object, found 3");
  CHECK(refusal("{").starts_with("line 1, column"));
}

// Puts a key that this fabric does not know into each object of the plan in turn, and calls `told`
// with the file. Objects whose keys are free (bindings, values of attributes) can't have any.
void with_unknown_key(
    Value& root,
    Value& at,
    const std::string& path,
    const std::function<void(const std::string&)>& told) {
  constexpr const char* kUnknown = "hold_if";
  if (List* items = at.as_list()) {
    for (Value& item : *items)
      with_unknown_key(root, item, path, told);
    return;
  }
  Map* members = at.as_map();
  if (members == nullptr) return;
  members->emplace(kUnknown, true);
  Value whole = root;
  whole.as_map()->erase("digest");
  const std::string digest = sha256(whole);
  whole.as_map()->emplace("digest", digest);
  told(to_json_pretty(whole));
  members->erase(kUnknown);
  for (auto& [key, value] : *members) {
    const bool is_free = key == "binding" || key == "desired" || key == "equals" ||
                         key == "current" || key == "pending" || key == "persistent";
    if (!is_free) with_unknown_key(root, value, path + "." + key, told);
  }
}

TEST_CASE("a plan of a later minor version is read only if all of it is understood", "[plans]") {
  Value root = plans::to_value(full_plan());
  root.as_map()->insert_or_assign("format_version", "3.7");
  Value known = root;
  known.as_map()->erase("digest");
  known.as_map()->insert_or_assign("digest", sha256(known));
  CHECK(plans::parse_plan_file(to_json_pretty(known)));
  std::size_t objects = 0;
  with_unknown_key(root, root, "", [&](const std::string& text) {
    ++objects;
    const auto read = plans::parse_plan_file(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::invalid);
    CHECK(read.error().message.find("hold_if") != std::string::npos);
    CHECK(read.error().message.ends_with(
        "; the plan is of version 3.7 and this fabric reads 3.0: use a newer fabric"));
  });
  CHECK(objects > 25);
  for (const char* version : {"3.", "3.x", "3.0.0", "3.-1", "30", "3.0 "}) {
    CAPTURE(version);
    CHECK(refusal(edited({"format_version"}, version)).starts_with("format_version: "));
  }
}

TEST_CASE("a plan that contradicts itself is refused even with the right digest", "[plans]") {
  const auto reason = [](auto change) {
    plans::Plan plan = full_plan();
    change(plan);
    plan.digest = plans::plan_digest(plan);
    return refusal(plans::to_plan_file(plan));
  };
  CHECK(reason([](plans::Plan& plan) {
          plan.actions[0].needs = {"a0002"};
        }) == "actions: action a0001 waits for 'a0002', which does not stand before it");
  CHECK(reason([](plans::Plan& plan) {
          plan.actions[1].id = "a0001";
          plan.actions[1].needs.clear();
        }) == "actions: the action id 'a0001' is not unique");
  CHECK(reason([](plans::Plan& plan) {
          plan.actions[1].covers = {address("b/settings/cx5")};
        }) == "actions: action a0002 of a covers b/settings/cx5");
  CHECK(reason([](plans::Plan& plan) {
          plan.changes[2].withheld.reset();
        }).starts_with("actions: no action covers the change of b/settings/cx5"));
  CHECK(reason([](plans::Plan& plan) {
          plan.actions.push_back(plan.actions[1]);
          plan.actions.back().id = "a0003";
        }) == "actions: a is rebooted twice, by a0002 and a0003");
  CHECK(reason([](plans::Plan& plan) {
          plan.waves[0].nodes.clear();
        }) == "actions: action a0002 interrupts a, which its wave does not name");
  CHECK(reason([](plans::Plan& plan) {
          plan.actions[0].guard = Duration{1000};
          remote::step::CopyFile copy;
          copy.source = "fw.bin";
          copy.sha256 = std::string(64, '0');
          copy.bytes = 1;
          copy.path = "/var/lib/fabric/fw.bin";
          plan.actions[0].draft.steps.copy(copy);
        }) == "actions: action a0001 copies a file behind a rollback timer");
  CHECK(reason([](plans::Plan& plan) {
          plan.actions.push_back(plan.actions[1]);
          plan.actions.back().id = "a0003";
          plan.actions.back().node = node("b");
          plan.actions.back().covers.clear();
          plan.waves[0].nodes.push_back(node("b"));
        }) == "actions: wave 1 has both a and b, which share ring:storage/a+b");
}

TEST_CASE("a named sequence may boot more than once", "[plans]") {
  plans::Plan plan = full_plan();
  plan.actions[1].sequence = "firmware";
  plan.actions.push_back(plan.actions[1]);
  plan.actions.back().id = "a0003";
  plan.actions.back().needs = {"a0002"};
  plan.digest = plans::plan_digest(plan);
  CHECK(plans::parse_plan_file(plans::to_plan_file(plan)).has_value());
}

TEST_CASE("a plan that would not be read back is refused when it is made", "[plans]") {
  CHECK(plans::check_plan_size(limits::kPlanBytes));
  const Result<void> large = plans::check_plan_size(limits::kPlanBytes + 25 * limits::kMebibyte);
  REQUIRE_FALSE(large);
  CHECK(
      large.error().message ==
      "the plan has 537 MiB, and no more than 512 are read back: plan a part of the nodes at a "
      "time, by --limit");
}
