// SPDX-License-Identifier: Apache-2.0
// What the tests of the planner share: a document in the making, and the nodes that it is planned
// against.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plans/plan_file.hpp"
#include "plans/planner.hpp"

#include "tests/support/fake_provider.hpp"

namespace fabric::test {

struct World {
  FakeFleet fleet;
  FabricSpec spec;
  SourceMap sources;
  std::vector<Resource> resources;
  std::set<NodeName> unreachable;
  Diagnostics diagnostics;
  plans::PathsNow paths;
  const plans::UndoneRun* undone = nullptr;

  World() {
    spec.name.value = "test";
    spec.rollout.max_unavailable.value = 1;
    spec.rollout.reboot_timeout.value = Duration{600'000};
  }

  void ring(const std::vector<std::string>& names) {
    NetworkSpec network;
    network.name = "storage";
    network.mode.value = Mode::chain;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const PortRef a{node(names[i]), "cx5", "1"};
      const PortRef b{node(names[(i + 1) % names.size()]), "cx5", "2"};
      network.cables.push_back({{a, {}}, {b, {}}, {}, {}, {}, {}, {}});
    }
    spec.networks.emplace("storage", network);
  }

  // A node with a card whose setting X is 1 now and at next boot, and 2 in the document.
  FakeFleet& needs_reboot(const std::string& name) {
    auto& host = fleet.add(name);
    host.at("settings/cx5", "X", Layer::running) = "1";
    host.at("settings/cx5", "X", Layer::next_boot) = "1";
    resources.push_back(ResourceBuilder{name + "/settings/cx5"}.wants("X", 2));
    return fleet;
  }

  std::optional<std::string>& at(
      const std::string& name,
      const std::string& resource,
      const std::string& attribute,
      Layer layer) {
    return fleet.nodes.at(node(name)).at(resource, attribute, layer);
  }

  plans::Plan plan(bool stage = false) {
    const Registry registry = fake_registry();
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes) {
      facts.push_back(fleet.facts(name));
      if (unreachable.contains(name))
        facts.back().failure = Error{ErrorCode::unreachable, "no route to host"};
    }
    const auto snapshot = discovery::observe(resources, facts, registry, diagnostics);
    plans::PlanInputs inputs{
        spec, sources, resources, snapshot, registry, {{"fabric.yaml", "sha256:0"}}, {}, stage};
    inputs.paths = paths;
    inputs.undone = undone;
    return plans::make_plan(inputs, diagnostics);
  }
};

using Lines = std::vector<std::string>;

// "a0002 w1 a file.write <- a0001"
inline Lines outline(const plans::Plan& plan) {
  Lines lines;
  for (const plans::Action& action : plan.actions) {
    lines.push_back(fmt::format(
        "{} w{} {} {}{}{}",
        action.id,
        action.wave,
        action.node.str(),
        action.draft.kind,
        action.needs.empty() ? "" : " <- ",
        fmt::join(action.needs, " ")));
  }
  return lines;
}

}  // namespace fabric::test
