// SPDX-License-Identifier: Apache-2.0
// RoCE goes by addresses: has each address of the document a GID of RoCE v2?
#pragma once

#include <vector>

#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/roce_report.hpp"

namespace fabric::verify {

// Reports every address of networks other than InfiniBand that want RoCE, on nodes with an RDMA
// device, in order of network and port. The findings of flows tell of nodes without one.
std::vector<RoceAddressReport> roce_addresses(
    const FabricSpec& spec, const ReadingsByNode& readings);

// Rule `roce-gid-missing`, an error.
void add_roce_findings(const std::vector<RoceAddressReport>& addresses, Findings& findings);

}  // namespace fabric::verify
