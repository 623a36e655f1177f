// SPDX-License-Identifier: Apache-2.0
// The document and the plans of a simulated fabric.
#include <algorithm>

#include <fmt/format.h>

#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

namespace {

std::vector<NodeName> reached_nodes(const FabricSpec& spec, const lab::Lab& lab) {
  std::vector<NodeName> nodes = lab.nodes();
  std::erase_if(nodes, [&spec](const NodeName& node) {
    const auto declared = spec.nodes.find(node);
    return declared == spec.nodes.end() || !is_reached(spec, declared->second);
  });
  return nodes;
}

}  // namespace

workflow::Desired World::desired() const {
  // The copies for an existing plan: its document was expanded without errors, and its files belong
  // to no one here.
  static const Diagnostics nothing;
  static const std::vector<plans::InputFile> no_files;
  workflow::Desired desired{
      scene_.spec, scene_.sources, scene_.registry, nodes_, scene_.resources, no_files, nothing};
  desired.limit = scene_.limit;
  desired.outside = outside_;
  desired.own = scene_.own;
  desired.undone = scene_.undone;
  return desired;
}

void World::choose_nodes() {
  watching_.set_down(scene_.unreached);
  nodes_ = reached_nodes(scene_.spec, lab_);
  outside_.clear();
  if (scene_.limit.empty()) return;
  std::erase_if(nodes_, [this](const NodeName& node) {
    return !std::binary_search(scene_.limit.begin(), scene_.limit.end(), node);
  });
  outside_ = workflow::nodes_outside(scene_.spec, nodes_, scene_.resources);
}

std::vector<NodeFacts> World::discover() {
  workflow::Listener nobody;
  return workflow::discover(desired(), {}, nobody, watching_, random_);
}

workflow::Planned World::plan() {
  workflow::Planned planned = workflow::make_plan(desired(), discover(), {});
  for (const Diagnostic& item : planned.diagnostics.items())
    note(TraceLine::Kind::plan, item.rule + ": " + item.message);
  for (const plans::PlannedChange& change : planned.plan.changes) {
    note(
        TraceLine::Kind::plan,
        fmt::format(
            "change {} {} {}",
            change.address.str(),
            change.attribute.attribute,
            change.withheld ? plans::withheld_text(*change.withheld) : std::string{}));
  }
  return planned;
}

}  // namespace fabric::rehearse
