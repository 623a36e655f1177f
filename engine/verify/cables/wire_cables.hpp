// SPDX-License-Identifier: Apache-2.0
// Judges the cables of InfiniBand networks by the subnet.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_adapters.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/cables/wire_switches.hpp"
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

class WireNames {
 public:
  // The arguments must outlive this object.
  WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports);

  // A host's port by its port GUID, by `node_guid` of its adapter, by the node description, or by
  // what is left; a switch by `node_guid`, or by the node description.
  Place place(const PortRef& port) const;
  // The document's name of a port of the subnet; nullopt if the document does not have its node.
  std::optional<PortRef> port_at(const WirePlace& place) const;
  // True if the port at that place may be `port`, whose own place is not known.
  bool may_be(const WirePlace& place, const PortRef& port) const;
  // True if a link of the two needs no declared cable: inside one device, or to a router.
  bool needs_no_cable(const WirePlace& a, const WirePlace& b) const;
  // The document's name of the port; else "an adapter of c1, 'c1 mlx5_4' (0x...) port 1", or "an
  // unknown device, 'sto7 HCA-1' (0x...) port 1".
  std::string text(const WirePlace& place) const;

 private:
  const WirePorts& ports_;
  WireSwitches switches_;
  WireAdapters adapters_;
  std::map<WirePlace, PortRef> declared_;  // ports of switches in the document's words
};

struct SharedGuid {
  Guid guid;
  std::string name;                 // the node description of the adapter
  std::vector<std::string> places;  // where the GUID was seen; empty if it is all zeros or all ones
};

class WireCables {
 public:
  // The arguments must outlive this object.
  WireCables(const FabricSpec& spec, const WireEvidence& evidence);

  // REQUIRES: `network` is an InfiniBand network of `spec`.
  CableReport judge(const CableSpec& cable, const NetworkSpec& network) const;
  // True if the document asks only for a link at the cable, whatever is at its other end.
  bool carrier_is_enough(const CableSpec& cable) const;
  // Links of nodes of the document that no declared cable or listed port accounts for, in order of
  // their ends. A link at the end of a declared cable is that cable's report. Aggregation nodes
  // stand inside their switch and have no cable.
  std::vector<UnexpectedCable> unexpected() const;
  // Adapters that share a GUID, or have one that no card has: they can't be identified.
  std::vector<SharedGuid> shared_guids() const;

 private:
  struct End;

  End end_at(const PortRef& port) const;
  void judge_linked(CableReport& report, const End& a, const End& b) const;
  void judge_wrong(CableReport& report, const End& a, const End& b) const;
  void judge_dark(CableReport& report, const End& a, const End& b) const;
  // Why a shared GUID hides the adapter of an end, or the one at its cable; "" = none does.
  std::string why_shared(const End& a, const End& b) const;
  std::vector<std::string> places_of(const WirePlace& port) const;
  std::string why_nothing() const;
  // The ports that explain a link: all member ports that were found in a subnet, and the switches
  // with some ports of unknown number, any of whose links may be a declared one.
  struct Accounted {
    std::set<WirePlace> places;
    std::set<NodeName> switches;
  };
  Accounted accounted() const;
  bool is_accounted(const Accounted& accounted, const WirePlace& place) const;
  // Nullopt for a link inside a switch, or of two nodes that the document does not have.
  std::optional<UnexpectedCable> unexpected_at(const WirePlace& here) const;

  const FabricSpec& spec_;
  const WireEvidence& evidence_;
  WirePorts ports_;
  WireNames names_;
};

}  // namespace fabric::verify
