#include "plans/management_path.hpp"

#include <fmt/format.h>

#include "engine/discovery/session_path.hpp"

namespace fabric::plans {

namespace {

// The first of the touched interfaces that the session needs; "" if it needs none.
std::string needed(const Candidate& candidate, const discovery::SessionPath& path) {
  for (const ActionDraft& draft : candidate.drafts) {
    for (const std::string& device : draft.disturbs) {
      if (path.devices.contains(device)) return device;
    }
  }
  return {};
}

}  // namespace

std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics) {
  std::vector<NodeName> nodes;
  for (const Candidate& candidate : candidates) {
    if (!candidate.planned()) continue;
    const NodeName& node = candidate.address().node;
    const auto observed = snapshot.nodes.find(node);
    if (observed == snapshot.nodes.end()) continue;
    const discovery::SessionPath path = discovery::session_path_of(observed->second.facts);
    const std::string device = needed(candidate, path);
    if (device.empty()) continue;
    diagnostics
        .warning(
            "mgmt-path-touched",
            candidate.change.resource.origin,
            fmt::format(
                "{} would be reconfigured, and the SSH session to {} comes in by {}{}",
                candidate.address().str(),
                node.str(),
                path.device,
                device == path.device ? "" : ", which lies on " + device))
        .with_help(
            "reach the node over another interface, or give `apply` --allow-mgmt-path: a timer on "
            "the node then takes the change back if the session does not come back");
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace fabric::plans
