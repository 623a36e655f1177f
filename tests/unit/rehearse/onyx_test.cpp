// SPDX-License-Identifier: Apache-2.0
// Hosts with bonds and their Onyx switch: one plan over both, at the switch's prompt.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/world.hpp"
#include "plans/planner.hpp"
#include "providers/builtin.hpp"
#include "providers/mlnx_os/lab/mlnxos_machine.hpp"
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric::rehearse {
namespace {

constexpr const char* kDocument =
    "apiVersion: fabric/v1\nname: one-switch\n"
    "nodes:\n"
    "  s[1-4]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}\n"
    "  leaf1: {platform: mlnx-os, os: {release: onyx-3, minimum: \"3.6\"}}\n"
    "networks:\n"
    "  backup:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
    "    lag: {bond: bond0, policy: active-backup}\n"
    "    cables: [[\"s1/[1-2]\", \"leaf1/1/[1-2]\"]]\n"
    "  xor:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.31.0.0/24}\n"
    "    lag: {bond: bond0, policy: balance-xor, port_channel: static}\n"
    "    cables: [[\"s2/[1-2]\", \"leaf1/1/[3-4]\"]]\n"
    "  lacp:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.32.0.0/24}\n"
    "    lag: {bond: bond0, policy: 802.3ad, port_channel: lacp}\n"
    "    cables: [[\"s3/[1-2]\", \"leaf1/1/[5-6]\"], [\"s4/[1-2]\", \"leaf1/1/[7-8]\"]]\n";

const NodeName kLeaf = *NodeName::parse("leaf1");

struct Bench {
  Bench() {
    const FileId file = sources.add("fabric.yaml", kDocument);
    LoadedDocument loaded = load_document(sources, {file});
    for (const Diagnostic& item : loaded.diagnostics.items())
      UNSCOPED_INFO(item.rule << ": " << item.message);
    REQUIRE_FALSE(loaded.diagnostics.has_errors());
    spec = std::move(loaded.spec);
    providers::add_builtin_providers(registry);
    spec.reached = registry.platforms();
    resources = expand(spec, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
  }
  Scene scene() const {
    return {spec, sources, resources, registry, providers::simulated_platforms(), reality};
  }
  plans::Plan plan(World& world) {
    diagnostics = {};
    const auto snapshot = discovery::observe(resources, world.discover(), registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
  bool said(const std::string& rule, Severity severity) const {
    return std::any_of(
        diagnostics.items().begin(), diagnostics.items().end(), [&](const Diagnostic& item) {
          return item.rule == rule && item.severity == severity;
        });
  }

  SourceMap sources;
  FabricSpec spec;
  Registry registry;
  Diagnostics diagnostics;
  std::vector<Resource> resources;
  lab::LabSpec reality;
};

TEST_CASE("hosts with bonds and their Onyx switch are one plan", "[onyx]") {
  Bench bench;
  World world{bench.scene(), 1};
  // Nothing there would roll it back: somebody has to allow that.
  const plans::Plan plan = bench.plan(world);
  CHECK(bench.said("no-rollback-timer", Severity::warning));
  for (const Diagnostic& item : bench.diagnostics.items())
    UNSCOPED_INFO(item.rule << ": " << item.message);
  REQUIRE_FALSE(bench.diagnostics.has_errors());
  CHECK(plan.permissions.no_rollback.nodes == std::vector<std::string>{"leaf1"});
  // Saved once, after all else that is done there, and for each of its resources.
  std::vector<std::string> before;
  const plans::Action* save = nullptr;
  for (const plans::Action& action : plan.actions) {
    if (action.node != kLeaf) continue;
    if (action.draft.kind == "configuration.save") {
      CHECK(save == nullptr);
      save = &action;
    } else {
      before.push_back(action.id);
    }
  }
  REQUIRE(save != nullptr);
  CHECK(save->needs == before);
  CHECK(save->covers.size() == before.size());
  CHECK(std::all_of(
      save->draft.postconditions.begin(),
      save->draft.postconditions.end(),
      [](const Condition& each) { return each.layer == Layer::persistent; }));
  const Round round = world.round({}, &plan);
  INFO(round.failure);
  CHECK(round.exit == ExitCode::done);
  CHECK(world.violations().empty());
  CHECK(bench.plan(world).empty());
  std::string configuration;
  for (const NodeFacts& facts : world.discover()) {
    if (facts.node == kLeaf) configuration = *facts.output("onyx-saved");
  }
  for (const char* line :
       {"interface ethernet 1/1 mtu 9000 force",
        "interface ethernet 1/3 channel-group 3 mode on",
        "interface ethernet 1/6 channel-group 5 mode active",
        "interface port-channel 7 mtu 9000 force"}) {
    INFO(line << " in:\n" << configuration);
    CHECK(configuration.find(line) != std::string::npos);
  }
}

struct Switch {
  remote::StepResult perform(remote::Step step) {
    runner.start({++ticket, kLeaf, std::move(step)});
    while (true) {
      if (const auto result = runner.wait_any(Duration{3'600'000})) return *result;
    }
  }
  remote::StepResult type(remote::Argv argv) {
    return perform(
        platform::mlnxos_platform().command_step({std::move(argv), {}, Duration{60'000}}));
  }
  std::string ask(const std::string& line) {
    const std::vector<Probe> probes{{"asked", line}};
    const auto result =
        perform(platform::mlnxos_platform().probe_step(probes, "n", Duration{60'000}, true));
    return result.replies.empty() ? "" : result.replies.front().text;
  }

  Bench bench;
  lab::Lab lab{bench.spec, test::simulated(bench.reality)};
  lab::Runner runner{lab};
  remote::Ticket ticket = 0;
};

TEST_CASE("an Onyx switch refuses with a line, and says nothing of what it did", "[onyx]") {
  Switch leaf;
  CHECK(leaf.ask("show ib sm").starts_with("% Unrecognized command \"ib\"."));
  const remote::StepResult bad = leaf.type({"interface", "ethernet", "1/99", "shutdown"});
  CHECK(bad.output.exit_status == 1);
  CHECK(bad.output.standard_error == "% Invalid interface 1/99\n");
  const remote::StepResult good = leaf.type({"interface", "ethernet", "1/1", "shutdown"});
  CHECK(good.output.exit_status == 0);
  CHECK(good.output.standard_output.empty());
  CHECK(
      leaf.ask("show running-config").find("interface ethernet 1/1 shutdown\n") !=
      std::string::npos);
  CHECK(leaf.ask("show configuration").find("1/1 shutdown") == std::string::npos);
  CHECK(leaf.type({"configuration", "write"}).output.exit_status == 0);
  CHECK(
      leaf.ask("show configuration").find("interface ethernet 1/1 shutdown\n") !=
      std::string::npos);
}

TEST_CASE("the wizard and the pager of an Onyx switch are no part of an answer", "[onyx]") {
  Switch leaf;
  remote::step::Converse talk;
  talk.dialect = platform::mlnxos_dialect();
  talk.dialect.preparation.clear();  // so that it pages
  talk.lines = {"show interfaces ethernet"};
  const remote::StepResult paged = leaf.perform(talk);
  REQUIRE(paged.outcome == remote::Outcome::succeeded);
  const std::string& text = paged.replies.front().text;
  CHECK(text == leaf.ask("show interfaces ethernet"));
  CHECK(text.starts_with("Eth1/1:\n"));
  CHECK(text.find("lines ") == std::string::npos);
  CHECK(text.find("Eth1/32:\n") != std::string::npos);
}

}  // namespace
}  // namespace fabric::rehearse
