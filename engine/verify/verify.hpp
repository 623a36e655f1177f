// SPDX-License-Identifier: Apache-2.0
// Verify: compares the fabric with the document, by the behaviour of the wire. Cables by link state
// and LLDP or by what an InfiniBand subnet shows, paths by pings over the fabric, transit by which
// pairs fail. "No data" is never ok.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_view.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/links/links.hpp"
#include "engine/verify/paths/kept_apart.hpp"
#include "engine/verify/paths/paths.hpp"
#include "engine/verify/paths/ping.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/counter_report.hpp"
#include "engine/verify/report/link_report.hpp"
#include "engine/verify/report/manager_report.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/report/qos_report.hpp"
#include "engine/verify/report/roce_report.hpp"
#include "engine/verify/report/subnet_port_report.hpp"

namespace fabric::verify {

// The tests and readings of this verify; empty for saved facts.
struct Tested {
  std::vector<PathReport> paths;
  std::vector<CounterReport> counters;
  std::vector<FlowReport> flows;
  std::vector<FailoverReport> failovers{};
  std::vector<SubnetPortReport> subnet_ports{};
  std::vector<Diagnostic> stray_managers{}, network_differences{};
  WireEvidence wire{};
  bool bandwidth_judged = false;  // the flows ran long enough for that
  bool pinged = false;            // what paths there were has been tried
  // Nodes that were reached and whose platform has no path tests.
  std::set<NodeName> untestable{};
  std::vector<RoceAddressReport> roce_addresses{};
  ReadingsByNode before{}, after{};  // what the ports counted
  LinksByNode links{};               // empty where modules and slots were not asked for
  bool nodes_compared = false;       // equal nodes with each other, by those links
  std::set<NodeName> only_pings{};   // those of them that can ping all the same
  std::vector<ApartReport> apart{};
};

struct Report {
  std::vector<CableReport> cables;
  std::vector<PathReport> paths;
  std::vector<CounterReport> counters;
  std::vector<FlowReport> flows;
  std::vector<FailoverReport> failovers{};
  std::vector<ManagerReport> managers{};
  std::vector<SubnetPortReport> subnet_ports{};
  std::vector<UnexpectedCable> unexpected{};
  std::vector<LinkReport> links{};
  std::vector<RoceAddressReport> roce_addresses{};
  std::vector<QosReport> qos{};
  std::vector<ApartReport> apart{};
  // In order of judgement; a cause stands before its consequences.
  std::vector<Diagnostic> findings;
  // The index of the cause, by the index of a finding that follows from it.
  std::map<std::size_t, std::size_t> cause_of{};
  // By index, the nodes besides its subject that a finding is about.
  std::map<std::size_t, std::set<std::string>> nodes_of{};
  bool ok() const;  // no finding of severity error
};

// Says that something could not be judged, not that it is wrong.
bool is_incomplete(const Diagnostic& finding);

// Pure: everything together. `of_resources` is what the providers found while they observed: what
// of it says that something asked for does not work (a bond without its partner) is an error here.
Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const Tested& tested,
    const Diagnostics& of_resources = {});

// Pure: the cables of InfiniBand networks alone, by what the subnets show.
Report judge_wire(const FabricSpec& spec, const WireEvidence& evidence);

}  // namespace fabric::verify
