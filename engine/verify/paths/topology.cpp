// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/topology.hpp"

#include <algorithm>

#include "engine/discovery/evidence.hpp"

namespace fabric::verify {

bool Route::crosses(const NodeName& node) const {
  return std::find(transit.begin(), transit.end(), node) != transit.end();
}

Topology::Topology(const FabricSpec& spec) {
  std::size_t cable_number = 0;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      if (discovery::leads_to_offline(spec, cable)) {
        ++cable_number;
        continue;
      }
      plugs_.emplace(cable.a.value, Plug{cable.b.value, cable_number});
      plugs_.emplace(cable.b.value, Plug{cable.a.value, cable_number});
      ++cable_number;
    }
    if (network.mode.value != Mode::chain) continue;
    const std::vector<PortRef> members = network.member_ports();
    for (const PortRef& one : members) {
      for (const PortRef& other : members) {
        if (one != other && one.node == other.node && one.adapter == other.adapter) {
          siblings_.emplace(one, other);
        }
      }
    }
  }
}

std::optional<PortRef> Topology::sibling(const PortRef& port) const {
  const auto found = siblings_.find(port);
  if (found == siblings_.end()) return std::nullopt;
  return found->second;
}

Route Topology::route(const PortRef& from, const PortRef& to) const {
  Route route;
  PortRef out = from;
  // A ring visits each port at most once.
  for (std::size_t hop = 0; hop <= plugs_.size(); ++hop) {
    const auto plug = plugs_.find(out);
    if (plug == plugs_.end()) return route;
    const PortRef& in = plug->second.peer;
    route.cables.push_back(plug->second.cable);
    const bool same_card = in.node == to.node && in.adapter == to.adapter;
    if (in == to || (same_card && sibling(in) == to)) {
      if (in != to) route.transit.push_back(in.node);
      route.complete = true;
      return route;
    }
    const std::optional<PortRef> next = sibling(in);
    if (!next || in.node == from.node) return route;
    route.transit.push_back(in.node);
    out = *next;
  }
  return route;
}

std::vector<PortRef> Topology::walk(const PortRef& from) const {
  std::vector<PortRef> met;
  PortRef out = from;
  for (std::size_t hop = 0; hop <= plugs_.size(); ++hop) {
    const auto plug = plugs_.find(out);
    if (plug == plugs_.end() || plug->second.peer.node == from.node) return met;
    met.push_back(plug->second.peer);
    const std::optional<PortRef> next = sibling(plug->second.peer);
    if (!next) return met;
    out = *next;
  }
  return met;
}

}  // namespace fabric::verify
