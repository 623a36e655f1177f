// SPDX-License-Identifier: Apache-2.0
// RoCE goes by addresses: has each address of the document a GID of RoCE v2?
#pragma once

#include <vector>

#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/roce_report.hpp"

namespace fabric::verify {

// Of every address of a network that is no InfiniBand and wants RoCE, on nodes that have an RDMA
// device; in order of network and port. Flows tell of nodes that have none.
std::vector<RoceAddressReport> roce_addresses(
    const FabricSpec& spec, const ReadingsByNode& readings);

// Rule `roce-gid-missing`, an error.
void add_roce_findings(const std::vector<RoceAddressReport>& addresses, Findings& findings);

}  // namespace fabric::verify
