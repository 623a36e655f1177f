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
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_view.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/links/links.hpp"
#include "engine/verify/paths/kept_apart.hpp"
#include "engine/verify/paths/paths.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/counter_report.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

// Verify: compares the fabric with the document, by the behaviour of the wire. Cables by link state
// and LLDP or by what an InfiniBand subnet shows, paths by pings over the fabric, transit by which
// pairs fail. "No data" is never ok.
// The results of the tests and readings of one verify; empty for saved facts.
struct Tested {
  std::vector<PathReport> paths;
  std::vector<CounterReport> counters;
  std::vector<FlowReport> flows;
  std::vector<FailoverReport> failovers{};
  std::vector<SubnetPortReport> subnet_ports{};
  std::vector<Diagnostic> stray_managers{}, network_differences{};
  WireEvidence wire{};
  bool bandwidth_judged = false;  // the flows ran long enough to judge their bandwidth
  bool pinged = false;            // the paths that there are have been pinged
  // Nodes that were reached and whose platform has no path tests (platform::PathTests).
  std::set<NodeName> untestable{};
  std::vector<RoceAddressReport> roce_addresses{};
  ReadingsByNode before{}, after{};  // counters before and after the tests
  LinksByNode links{};               // empty where modules and slots were not asked for
  bool nodes_compared = false;       // equal nodes are compared with each other (links.hpp)
  std::set<NodeName> only_pings{};   // nodes of `untestable` that can ping
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
  // For the index of each finding that follows from another one: the index of that cause.
  std::map<std::size_t, std::size_t> cause_of{};
  // For the index of a finding: the nodes besides its subject that it is about.
  std::map<std::size_t, std::set<std::string>> nodes_of{};
  bool ok() const;  // no finding of severity error
};

// True if the finding says that something could not be judged, not that it is wrong.
bool is_incomplete(const Diagnostic& finding);

// Pure: judges everything. `of_resources`: the findings of the providers while they observed; those
// that say that a resource does not work (a bond without its partner) are errors here.
Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const Tested& tested,
    const Diagnostics& of_resources = {});

// Pure: judges only the cables of InfiniBand networks, by the subnets' answers.
Report judge_wire(const FabricSpec& spec, const WireEvidence& evidence);

// A report for an operator of some of the nodes.
// The parts of `report` that concern `nodes`: cables with an end there, paths from or to them, and
// findings that are about them (Report::nodes_of) or have no subject. A consequence whose cause is
// left out stands by itself.
Report narrowed(Report report, const std::set<NodeName>& nodes);

// The rules of stage verify, in the order of the folders that report them.
RuleRows verify_rules();  // all but those of paths/
RuleRows path_rules();

}  // namespace fabric::verify
