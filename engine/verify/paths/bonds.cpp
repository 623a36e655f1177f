// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/bonds.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/provider/bond_faults.hpp"
#include "engine/verify/paths/bond_peers.hpp"
#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

struct Bond {
  NodeName node;
  const NetworkSpec* network = nullptr;
  std::vector<PortRef> ports;
  std::vector<const Diagnostic*> found;
};

// Every bond of the document.
std::map<Subject, Bond> bonds_of(const FabricSpec& spec) {
  std::map<Subject, Bond> bonds;
  for (const auto& [name, network] : spec.networks) {
    const LagSpec* lag = lag_of(network);
    if (lag == nullptr) continue;
    for (const auto& [node, ports] : host_ports_by_node(spec, network)) {
      bonds.emplace(Subject{node, lag->bond.value}, Bond{node, &network, ports, {}});
    }
  }
  return bonds;
}

// The causes of a bond's ports without link: a broken cable, a node at the other end that was not
// reached.
struct PortCauses {
  std::optional<Findings::Number> first;
  bool at_all_ports = false;
  std::size_t dark = 0;  // ports that lead to a node which is known to be offline
};

PortCauses port_causes(
    const Bond& bond, const std::vector<CableReport>& cables, const Findings& findings) {
  PortCauses causes;
  for (const CableReport& cable : cables) {
    if (cable.state != CableState::offline) continue;
    causes.dark += static_cast<std::size_t>(
        std::count_if(bond.ports.begin(), bond.ports.end(), [&cable](const PortRef& port) {
          return port == cable.a || port == cable.b;
        }));
  }
  std::size_t ports = 0;
  for (const PortRef& port : bond.ports) {
    std::optional<Findings::Number> cause;
    for (std::size_t i = 0; i < cables.size() && !cause; ++i) {
      if (cables[i].a != port && cables[i].b != port) continue;
      const PortRef& other = cables[i].a == port ? cables[i].b : cables[i].a;
      cause = finding_of(findings.broken_cables, i);
      if (!cause) cause = finding_of(findings.unreached, other.node);
    }
    if (!cause) continue;
    ++ports;
    if (!causes.first) causes.first = cause;
  }
  causes.at_all_ports = ports == bond.ports.size();
  return causes;
}

Diagnostic error_of(const Diagnostic& found) {
  return {
      Severity::error,
      found.rule,
      found.range,
      found.message,
      "look at the cable, and at the other end's LACP or channel group",
      {},
      found.subject};
}

// True for a fault that ports with a node that is down explain: slaves are down, and a bond of only
// such slaves has no partner.
bool is_expected(std::string_view fault, const Bond& bond, const PortCauses& ports) {
  if (fault == bond_faults::kSetting) return false;
  return ports.dark == bond.ports.size() || (ports.dark > 0 && fault != bond_faults::kPartner);
}

// Adds the bond's findings of this kind, unless they are expected: the first is a consequence of
// `cause`, the rest of the first. Returns the first; nullopt if there is none.
std::optional<Findings::Number> add_faults(
    std::string_view fault,
    const Bond& bond,
    const PortCauses& ports,
    std::optional<Findings::Number> cause,
    Findings& findings) {
  std::optional<Findings::Number> first;
  if (is_expected(fault, bond, ports)) return first;
  for (const Diagnostic* found : bond.found) {
    if (found->fault.kind != fault) continue;
    const Findings::Number number = findings.add(error_of(*found), first ? first : cause);
    if (!first) first = number;
  }
  return first;
}

void add_bond(
    const Bond& bond,
    const PortCauses& ports,
    std::optional<Findings::Number> peer,
    Findings& findings) {
  const auto add = [&](std::string_view fault, std::optional<Findings::Number> cause) {
    return add_faults(fault, bond, ports, cause, findings);
  };
  const auto link = add(bond_faults::kLink, ports.first);
  const auto partner = add(bond_faults::kPartner, ports.at_all_ports ? ports.first : peer);
  const auto of_ports = link ? link : ports.first ? ports.first : peer;
  const auto aggregation = add(bond_faults::kAggregation, partner ? partner : of_ports);
  add(bond_faults::kSetting, std::nullopt);
  // A bond goes on over the ports that are left, so a slave that is down explains no lost path.
  const auto broken = partner ? partner : (link || ports.first ? std::nullopt : aggregation);
  if (broken) findings.unaggregated.emplace(std::pair{bond.node, bond.network->name}, *broken);
}

}  // namespace

void add_bond_findings(
    const FabricSpec& spec,
    const std::vector<CableReport>& cables,
    const Diagnostics& of_resources,
    const std::map<std::pair<NodeName, std::string>, Findings::Number>& peers,
    Findings& findings) {
  std::map<Subject, Bond> bonds = bonds_of(spec);
  for (const Diagnostic& item : of_resources.items()) {
    if (item.rule != "bond-not-aggregated" || is_of_bond_peer(spec, item)) continue;
    const auto bond = bonds.find(item.fault.of);
    if (bond == bonds.end()) {
      findings.add(error_of(item));
    } else {
      bond->second.found.push_back(&item);
    }
  }
  for (const auto& [of, bond] : bonds) {
    if (bond.found.empty()) continue;
    const auto peer = finding_of(peers, std::pair{bond.node, bond.network->name});
    add_bond(bond, port_causes(bond, cables, findings), peer, findings);
  }
}

}  // namespace fabric::verify
