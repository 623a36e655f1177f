// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/resources.hpp"

#include "engine/platform/orphan.hpp"
#include "engine/platform/peers.hpp"

namespace fabric::workflow {

namespace {

// Without those of nodes that are only to be observed.
std::vector<Resource> writable(const FabricSpec& spec, std::vector<Resource> orphans) {
  std::erase_if(orphans, [&spec](const Resource& orphan) {
    return spec.nodes.at(orphan.address.node).state.value == NodeState::observe;
  });
  return orphans;
}

}  // namespace

PreparedResources prepare_resources(
    const Desired& desired,
    const std::vector<NodeFacts>& facts,
    const BindFiles& bind_files,
    Diagnostics& diagnostics) {
  PreparedResources prepared;
  prepared.orphans =
      writable(desired.spec, find_orphans(desired.resources, facts, desired.registry));
  const std::vector<Resource> written = with_orphans(desired.resources, prepared.orphans);
  prepared.resources = with_port_guids(written, facts, desired.registry);
  if (bind_files) bind_files(prepared.resources, diagnostics);
  prepared.found_out = binding_delta(written, prepared.resources);
  return prepared;
}

std::vector<Resource> planned_resources(const Desired& desired, const plans::Plan& plan) {
  return with_bindings(with_orphans(desired.resources, plan.orphans), plan.bindings);
}

discovery::Snapshot observe(
    const Desired& desired, std::vector<NodeFacts> facts, Diagnostics& diagnostics) {
  const std::vector<Resource> resources =
      with_port_guids(desired.resources, facts, desired.registry);
  return discovery::observe(resources, std::move(facts), desired.registry, diagnostics);
}

}  // namespace fabric::workflow
