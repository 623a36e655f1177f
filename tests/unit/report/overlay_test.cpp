// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/overlay.hpp"

#include <map>
#include <string_view>

#include "engine/provider/action_methods.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

using namespace fabric;
using namespace fabric::report;
using fabric::test::node;

namespace {

plans::Action& add(plans::Plan& plan, const std::string& on, std::string_view kind) {
  plans::Action action{.id = "a" + std::to_string(plan.actions.size()), .node = node(on)};
  action.draft.kind = kind;
  action.draft.title = std::string{kind} + " on " + on;
  plan.actions.push_back(std::move(action));
  return plan.actions.back();
}

void write(
    plans::Plan& plan, const std::string& on, const std::string& path, const std::string& text) {
  add(plan, on, methods::kNetworkWrite).draft.steps.write({path, text});
}

}  // namespace

TEST_CASE("nodes that have the same file share a tree", "[report]") {
  plans::Plan plan;
  for (const std::string on : {"c1", "c2", "c3"}) {
    write(plan, on, "/etc/sysctl.d/90-fabric-node.conf", "vm.swappiness = 10\n");
    write(plan, on, "/etc/network/interfaces.d/fabric-cx5-1", on + "\n");
  }
  write(plan, "c1", "/etc/roots", "1\n");
  const Result<std::vector<Overlay>> overlays = overlays_of(plan);
  REQUIRE(overlays);
  std::map<std::string, std::vector<std::string>> files;
  for (const Overlay& overlay : *overlays)
    for (const OverlayFile& file : overlay.files)
      files[overlay.name].push_back(file.path);
  CHECK(
      files == std::map<std::string, std::vector<std::string>>{
                   {"c1", {"/etc/network/interfaces.d/fabric-cx5-1", "/etc/roots"}},
                   {"c1-3", {"/etc/sysctl.d/90-fabric-node.conf"}},
                   {"c2", {"/etc/network/interfaces.d/fabric-cx5-1"}},
                   {"c3", {"/etc/network/interfaces.d/fabric-cx5-1"}}});
  CHECK(
      overlay_list(*overlays).find(
          R"({"files":[{"mode":"0644","owner":"root:root","path":"/etc/sysctl.d/90-fabric-node.conf"}],"nodes":["c1","c2","c3"],"overlay":"c1-3"})") !=
      std::string::npos);
}

TEST_CASE("what is no file of a configuration is told and left out", "[report]") {
  plans::Plan plan;
  add(plan, "c1", methods::kHookBefore).draft.steps.write({"/var/lib/fabric/drained", ""});
  CHECK(
      overlays_of(plan).error().message ==
      "the plan writes no file, so there is nothing to export");
  write(plan, "c1", "/etc/a", "1\n");
  write(plan, "c1", "/etc/a", "2\n");
  add(plan, "c1", "settings.write").draft.steps.run({"mstconfig", "set"});
  add(plan, "c1", methods::kReboot);
  REQUIRE(overlays_of(plan));
  // Of two actions that write it the later one counts.
  CHECK(overlays_of(plan)->at(0).files.at(0).content == "2\n");
  CHECK(not_in_overlays(plan) == std::vector<std::string>{"settings.write on c1"});
}

TEST_CASE("no file is written outside of its tree", "[report]") {
  for (const char* path : {"/etc/../../root/x", "etc/x", "/etc//x", "/etc/", "/./x"}) {
    INFO(path);
    plans::Plan plan;
    write(plan, "c1", path, "x");
    CHECK_FALSE(overlays_of(plan));
  }
}
