// SPDX-License-Identifier: Apache-2.0
// Subnet managers: who manages each InfiniBand subnet of the document.
#pragma once

#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/manager_report.hpp"
#include "engine/verify/report/subnet_port_report.hpp"

namespace fabric::verify {

// One for each manager that the document places on a host, in order of network and port. From what
// the provider `subnet_manager` observed: `state` and `master` beside what is desired. Of a network
// whose manager is external one for each master that its ports hear.
std::vector<ManagerReport> judge_managers(
    const FabricSpec& spec, const Evidence& evidence, const std::vector<SubnetPortReport>& ports);

// Rule `sm-silent`: a subnet whose managers were all asked and of which none is master. Rule
// `routing-fell-back`: a master that did not route by the engine that the document wants. Rule
// `external-master-differs`: an external one that is not whom the document names. Rule
// `routing-unknown`: one that has switches to route and whose log does not say how. Rule
// `master-differs`: a standby that would be master by the document's priorities. Rule
// `sm-virtualization-unsupported`: one that is not known to run with it, where it is wanted.
void add_manager_findings(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers, Findings& findings);

}  // namespace fabric::verify
