// SPDX-License-Identifier: Apache-2.0
// The judgement of the cables of InfiniBand networks by what the subnet shows.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/verify/cables/shared_guid.hpp"
#include "engine/verify/cables/wire_names.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

class WireCables {
 public:
  // Both must outlive this.
  WireCables(const FabricSpec& spec, const WireEvidence& evidence);

  // REQUIRES: `network` is an InfiniBand network of `spec`.
  CableReport judge(const CableSpec& cable, const NetworkSpec& network) const;
  // The document asks for no more than a link of it.
  bool carrier_is_enough(const CableSpec& cable) const;
  // Links of nodes of the document that no declared cable or listed port accounts for, in order of
  // their ends. A link at the end of a declared cable is that cable's report. Aggregation nodes
  // stand inside their switch and have no cable.
  std::vector<UnexpectedCable> unexpected() const;
  // Adapters that have one GUID, or that of no card: nothing says which of them is which.
  std::vector<SharedGuid> shared_guids() const;

 private:
  struct End;

  End end_at(const PortRef& port) const;
  void judge_linked(CableReport& report, const End& a, const End& b) const;
  void judge_wrong(CableReport& report, const End& a, const End& b) const;
  void judge_dark(CableReport& report, const End& a, const End& b) const;
  // Why it is not known which adapter an end is, or is cabled to; "" if it is known.
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
  // Nullopt for a link of two nodes that are none of ours, or inside a switch.
  std::optional<UnexpectedCable> unexpected_at(const WirePlace& here) const;

  const FabricSpec& spec_;
  const WireEvidence& evidence_;
  WirePorts ports_;
  WireNames names_;
};

}  // namespace fabric::verify
