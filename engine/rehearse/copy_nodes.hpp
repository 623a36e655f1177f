// SPDX-License-Identifier: Apache-2.0
// From what was discovered to simulated nodes that are the same, as far as the lab can play them.
#pragma once

#include <string>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

// What was discovered, and of what. All must outlive the copy.
struct Original {
  const FabricSpec& spec;
  const SourceMap& sources;
  const Registry& registry;
  const SimulatedPlatforms& simulated;
  const std::vector<Resource>& resources;  // with bindings, without orphans
  const std::vector<Resource>& all;        // with orphans
  const discovery::Snapshot& snapshot;
  const plans::Plan& plan;
  lab::LocalFiles files{};
};

struct Copy {
  Scene scene;
  // What could not be copied, for people, in order of node: "pve3: not reached, so it stays
  // silent".
  std::vector<std::string> missing;
};

// Cards, firmware, settings, files, what runs beside the files, identity; cables are the
// document's. Each copy is discovered as the node was, and a resource that looks different there is
// left out.
Copy copy_nodes(const Original& original);

}  // namespace fabric::rehearse
