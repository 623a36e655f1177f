#include "plans/management_path.hpp"

#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/discovery/session_path.hpp"

namespace fabric::plans {

namespace {

// The first of the touched interfaces that the session needs, and by what; neither if it needs
// none.
struct Needed {
  std::string device;
  const ActionDraft* draft = nullptr;
};

Needed needed(const Candidate& candidate, const discovery::SessionPath& path) {
  for (const auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
    for (const ActionDraft& draft : *drafts) {
      for (const std::string& device : draft.disturbs) {
        if (path.devices.contains(device)) return {device, &draft};
      }
    }
  }
  return {};
}

// An interface that is configured anew can be given back what it had; a port that becomes another
// type, or is called something else, comes back with another boot.
bool is_reconfigured(const ActionDraft& draft) {
  return draft.kind.starts_with("network.");
}

std::string what_it_does(const Candidate& candidate, const ActionDraft& draft) {
  if (is_reconfigured(draft)) return "would be reconfigured";
  if (candidate.change.kind == ChangeKind::remove) return "would be taken away by the next boot";
  std::vector<std::string> changes;
  for (const AttributeChange& each : candidate.change.attributes)
    changes.push_back(fmt::format("{}={}", each.attribute, to_text(each.desired)));
  return fmt::format("would set {} for the next boot", join(changes, " "));
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
    const auto [device, draft] = needed(candidate, path);
    if (draft == nullptr) continue;
    diagnostics
        .warning(
            "mgmt-path-touched",
            candidate.change.resource.origin,
            fmt::format(
                "{} {}, and the SSH session to {} comes in by {}{}",
                candidate.address().str(),
                what_it_does(candidate, *draft),
                node.str(),
                path.device,
                device == path.device ? "" : ", which lies on " + device))
        .with_help(
            is_reconfigured(*draft)
                ? "reach the node over another interface, or give `apply` --allow-mgmt-path: a "
                  "timer on the node then takes the change back if the session does not come back"
                : "reach the node over another interface, or give `apply` --allow-mgmt-path: no "
                  "timer on the node takes this back");
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace fabric::plans
