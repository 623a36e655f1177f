// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "plans/impact.hpp"

namespace fabric::plans {

namespace {

// The first of the touched interfaces that the session needs, and the reason; neither if it needs
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

// Finds routes of a plan that take the way back to the origin of our own SSH session.
void add(std::vector<Subnet>& subnets, const Result<Subnet>& subnet) {
  if (subnet) subnets.push_back(*subnet);
}

// Reads one attribute of a link: "gateway": text, "addresses": texts, "routes": mappings.
std::vector<Subnet> destinations(std::string_view attribute, const Value& value) {
  std::vector<Subnet> found;
  if (attribute == "gateway") add(found, Subnet::parse("0.0.0.0/0"));
  if (attribute == "gateway6") add(found, Subnet::parse("::/0"));
  const List* list = value.as_list();
  if (list == nullptr) return found;
  for (const Value& each : *list) {
    if (attribute == "addresses") add(found, Subnet::of_address(to_text(each)));
    if (attribute == "routes") add(found, Subnet::parse(each.string_or_empty("to")));
  }
  return found;
}

// The first destination of `change` (a gateway, routes, the subnets of addresses) that the kernel
// prefers to the route by which the session's answers leave now, or that is as long: then metrics
// and order decide. Empty where no route of the session is known.
struct Diversion {
  Subnet route;
  SourceRange source;  // the line that asks for it
};
std::optional<Diversion> diversion_by(const Change& change, const platform::SessionPath& path) {
  const Result<IpAddress> client = IpAddress::parse(path.client);
  if (!client || change.kind == ChangeKind::remove) return std::nullopt;
  std::optional<std::uint32_t> longest;
  for (const Subnet& route : path.routes) {
    if (route.contains(*client)) longest = std::max(longest.value_or(0), route.prefix_length());
  }
  if (!longest) return std::nullopt;
  for (const AttributeChange& attribute : change.attributes) {
    std::vector<Subnet> before;
    if (attribute.observed.running && attribute.observed.running->value() != nullptr)
      before = destinations(attribute.attribute, *attribute.observed.running->value());
    for (const Subnet& subnet : destinations(attribute.attribute, attribute.desired)) {
      const bool is_new = std::find(before.begin(), before.end(), subnet) == before.end();
      if (is_new && subnet.contains(*client) && subnet.prefix_length() >= *longest)
        return Diversion{subnet, attribute.source};
    }
  }
  return std::nullopt;
}

constexpr const char* kElseway = "reach the node over another interface, or give `apply` ";
constexpr const char* kWithTimer =
    "--allow-mgmt-path: a timer on the node then rolls the change back if the session does not "
    "come back";
constexpr const char* kWithoutTimer = "--allow-mgmt-path: no timer on the node rolls this back";

std::string what_it_does(const Candidate& candidate, const ActionDraft& draft) {
  if (is_reconfigured(draft)) return "would be reconfigured";
  if (candidate.change.kind == ChangeKind::remove) return "would be removed by the next boot";
  std::vector<std::string> changes;
  for (const AttributeChange& each : candidate.change.attributes)
    changes.push_back(fmt::format("{}={}", each.attribute, to_text(each.desired)));
  return fmt::format("would set {} for the next boot", join(changes, " "));
}

// Where the path is unknown: true if this resource may be part of it. `disturbs` of a card's
// settings names the ports whose type changes; other ports are not touched.
bool may_touch(const ActionDraft& draft) {
  constexpr std::array<std::string_view, 5> kOfInterfaces{
      "network.", "link_name.", "sriov.", "module.", "firmware."};
  return draft.may_cut_off || !draft.disturbs.empty() || draft.disruption >= Disruption::link ||
         std::any_of(kOfInterfaces.begin(), kOfInterfaces.end(), [&draft](std::string_view kind) {
           return draft.kind.starts_with(kind);
         });
}

bool may_touch(const Candidate& candidate) {
  for (const auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
    if (std::any_of(drafts->begin(), drafts->end(), [](const ActionDraft& draft) {
          return may_touch(draft);
        }))
      return true;
  }
  return false;
}

struct Touch {
  std::string message;
  SourceRange source;
  // True if a timer on the node can roll the change back: an interface can be given its former
  // configuration and name. A port that becomes another type comes back only with another boot.
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
          "{} would add {}, and the SSH session to {} comes from {}, to which {} has the route now",
          name,
          route.prefix_length() == 0 ? "a default route" : "a route to " + route.str(),
          node,
          path.client,
          path.device),
      diversion->source,
      true};
}

struct Untraced {
  std::string why;
  std::vector<const Candidate*> touches;
};

void warn_untraced(const NodeName& node, const Untraced& path, Diagnostics& diagnostics) {
  const Candidate& first = *path.touches.front();
  const std::size_t more = path.touches.size() - 1;
  diagnostics
      .warning(
          "mgmt-path-touched",
          first.change.resource.origin,
          fmt::format(
              "the path of the SSH session to {} is not known, so work on its interfaces and cards "
              "counts as touching it: {}{}; {}",
              node.str(),
              first.address().str(),
              more == 0 ? "" : fmt::format(" and {} more", more),
              path.why))
      .about(node)
      .with_help(fmt::format(
          "reach {} directly, by an address of its own interfaces, or give `apply` "
          "--allow-mgmt-path",
          node.str()));
}

}  // namespace

std::vector<NodeName> touched_management_paths(
    const Candidates& candidates, const discovery::Snapshot& snapshot, Diagnostics& diagnostics) {
  std::vector<NodeName> nodes;
  std::map<NodeName, Untraced> untraced;
  for (const Candidate& candidate : candidates) {
    if (!candidate.planned()) continue;
    const NodeName& node = candidate.address().node;
    const auto observed = snapshot.nodes.find(node);
    if (observed == snapshot.nodes.end()) continue;
    const platform::SessionPath& path = observed->second.session;
    const std::optional<Touch> touch = touched_by(candidate, path);
    if (!touch && !path.unknown.empty() && may_touch(candidate)) {
      Untraced& of_node = untraced[node];
      of_node.why = path.unknown;
      of_node.touches.push_back(&candidate);
    } else if (!touch) {
      continue;
    }
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
    if (!touch) continue;
    diagnostics.warning("mgmt-path-touched", touch->source, touch->message)
        .about(node)
        .with_help(std::string{kElseway} + (touch->timer ? kWithTimer : kWithoutTimer));
  }
  for (const auto& [node, path] : untraced)
    warn_untraced(node, path, diagnostics);
  return nodes;
}

}  // namespace fabric::plans
