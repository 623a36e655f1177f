// SPDX-License-Identifier: Apache-2.0
// A document, a lab, and a plan of what the lab shows; and the document of a ring of n hosts with
// dual-port ConnectX-5 cards.
#pragma once

#include <string>

#include <fmt/format.h>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/rehearsal.hpp"
#include "plans/planner.hpp"
#include "providers/builtin.hpp"
#include "providers/simulated/simulated_platforms.hpp"

#include "tests/support/catch.hpp"

namespace fabric::rehearse {

inline NodeName named(const std::string& text) {
  const Result<NodeName> name = NodeName::parse(text);
  REQUIRE(name);
  return *name;
}

struct DocumentPlan {
  explicit DocumentPlan(const std::string& text) {
    const FileId file = sources.add("fabric.yaml", text);
    spec = std::move(load_document(sources, {file}).spec);
    providers::add_builtin_providers(registry);
    spec.reached = registry.platforms();
    Diagnostics diagnostics;
    resources = expand(spec, diagnostics);
    REQUIRE(!diagnostics.has_errors());
  }

  Scene scene(lab::LabSpec reality = {}) const {
    return {
        spec, sources, resources, registry, providers::simulated_platforms(), std::move(reality)};
  }

  // What is there when `reality` is, and the plan for it.
  void look(const lab::LabSpec& reality, const std::set<NodeName>& silent = {}) {
    World world{scene(reality), 0};
    look(world, silent);
  }
  void look(World& world, const std::set<NodeName>& silent = {}) {
    std::vector<NodeFacts> facts = world.discover();
    for (NodeFacts& node : facts) {
      if (!silent.contains(node.node)) continue;
      node = {node.node, Error{ErrorCode::unreachable, "no route"}, {}, {}, {}};
    }
    Diagnostics diagnostics;
    snapshot = discovery::observe(resources, std::move(facts), registry, diagnostics);
    plan = plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
  Copy copy() const {
    return copy_nodes(
        {spec,
         sources,
         registry,
         providers::simulated_platforms(),
         resources,
         resources,
         snapshot,
         plan});
  }

  SourceMap sources;
  FabricSpec spec;
  Registry registry;
  std::vector<Resource> resources;
  discovery::Snapshot snapshot;
  plans::Plan plan;
};

struct RingPlan : DocumentPlan {
  explicit RingPlan(int hosts, std::uint32_t max_unavailable = 1, const std::string& of_card = {})
      : DocumentPlan{fmt::format(
            "apiVersion: fabric/v1\nname: ring\n"
            "nodes:\n  pve[1-{0}]: {{adapters: {{cx5: {{model: connectx-5-vpi{2}}}}}}}\n"
            "networks:\n  storage:\n    mode: chain\n    mtu: 9000\n"
            "    ipv4: {{subnet: 10.30.0.0/24}}\n    cables: [{{ring: [\"pve[1-{0}]\"]}}]\n"
            "rollout: {{max_unavailable: {1}}}\n",
            hosts,
            max_unavailable,
            of_card)} {}
};

}  // namespace fabric::rehearse
