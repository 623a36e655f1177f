#include "plans/management_path.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "plans/session_diversion.hpp"

namespace fabric::plans {

namespace {

// The first of the touched interfaces that the session needs, and by what; neither if it needs
// none.
struct Needed {
  std::string device;
  const ActionDraft* draft = nullptr;
};

Needed needed(const Candidate& candidate, const platform::SessionPath& path) {
  for (const auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
    for (const ActionDraft& draft : *drafts) {
      for (const std::string& device : draft.disturbs) {
        if (path.devices.contains(device)) return {device, &draft};
      }
    }
  }
  return {};
}

bool is_reconfigured(const ActionDraft& draft) {
  return draft.kind.starts_with("network.");
}

constexpr const char* kElseway = "reach the node over another interface, or give `apply` ";
constexpr const char* kWithTimer =
    "--allow-mgmt-path: a timer on the node then rolls the change back if the session does not "
    "come back";
constexpr const char* kWithoutTimer = "--allow-mgmt-path: no timer on the node rolls this back";

std::string what_it_does(const Candidate& candidate, const ActionDraft& draft) {
  if (is_reconfigured(draft)) return "would be reconfigured";
  if (candidate.change.kind == ChangeKind::remove) return "would be taken away by the next boot";
  std::vector<std::string> changes;
  for (const AttributeChange& each : candidate.change.attributes)
    changes.push_back(fmt::format("{}={}", each.attribute, to_text(each.desired)));
  return fmt::format("would set {} for the next boot", join(changes, " "));
}

struct Touch {
  std::string message;
  SourceRange source;
  // One on the node can roll it back: an interface can be given what it had, and its name; a port
  // that becomes another type comes back with another boot only.
  bool timer = false;
};

std::optional<Touch> touched_by(const Candidate& candidate, const platform::SessionPath& path) {
  const std::string name = candidate.address().str();
  const std::string node = candidate.address().node.str();
  if (const auto [device, draft] = needed(candidate, path); draft != nullptr) {
    return Touch{
        fmt::format(
            "{} {}, and the SSH session to {} comes in by {}{}",
            name,
            what_it_does(candidate, *draft),
            node,
            path.device,
            device == path.device ? "" : ", which lies on " + device),
        candidate.change.resource.origin,
        draft->may_cut_off};
  }
  const std::optional<Diversion> diversion = diversion_by(candidate.change, path);
  if (!diversion) return std::nullopt;
  const Subnet& route = diversion->route;
  return Touch{
      fmt::format(
          "{} would bring {}, and the SSH session to {} comes from {}, to which {} has the route "
          "now",
          name,
          route.prefix_length() == 0 ? "a default route" : "a route to " + route.str(),
          node,
          path.client,
          path.device),
      diversion->source,
      true};
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
    const platform::SessionPath& path = observed->second.session;
    const std::optional<Touch> touch = touched_by(candidate, path);
    if (!touch) continue;
    diagnostics.warning("mgmt-path-touched", touch->source, touch->message)
        .with_help(std::string{kElseway} + (touch->timer ? kWithTimer : kWithoutTimer));
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace fabric::plans
