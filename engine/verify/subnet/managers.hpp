// SPDX-License-Identifier: Apache-2.0
// Subnet managers: which of them is the master of each InfiniBand subnet of the document.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

// Returns one report for each manager that the document places on a host, sorted by network and
// port, from the observations of the provider `subnet_manager`: `state` and `master` beside the
// desired values; for a network with an external manager, one for each master that its ports hear.
std::vector<ManagerReport> judge_managers(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<SubnetPortReport>& ports);

// Rule `sm-silent`: all managers of a subnet were asked, and none is master. Rule
// `routing-fell-back`: a master that did not route by the engine of the document. Rule
// `external-master-differs`: an external master that is not the one that the document names. Rule
// `routing-unknown`: a master that has switches to route and whose log does not say how it did.
// Rule `stray-manager`: another manager on a port that the document gives to one.
// Rule `master-differs`: a standby that would be master by the document's priorities. Rule
// `sm-virtualization-unsupported`: a manager that is not known to run with virtualization support,
// where the document wants it.
void add_manager_findings(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers, Findings& findings);

// Subnets that the document leaves to an external manager.
inline bool has_external_manager(const NetworkSpec& network) {
  return network.subnet_manager && network.subnet_manager->external.value;
}

// Subnet managers that the document does not have: a stray standby takes over with its defaults
// when the masters of the document are gone.
// Returns no finding about a subnet with a manager, own or external, of unknown port GUID.
std::vector<Diagnostic> stray_managers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const ReadingsByNode& readings);

}  // namespace fabric::verify
