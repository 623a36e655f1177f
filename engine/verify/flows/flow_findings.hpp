// SPDX-License-Identifier: Apache-2.0
// The findings from measured flows.
#pragma once

#include <vector>

#include "engine/platform/path_tests.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

// Rules `tool-missing` (one a node and tool), `flow-failed`, and if `judged` also `bandwidth-low`
// and `bandwidth-odd`. A broken cable, a node on its way that was not reached, or its bond is the
// cause of a flow that fails.
void add_flow_findings(
    const FabricSpec& spec, const std::vector<FlowReport>& flows, bool judged, Findings& findings);

// A flow as its platforms measure it, joined from the outputs of both ends.
// `server`: why the server failed (PathTests::serving_failure), "" = unknown. It is the failure of
// the flow if the client prints nothing. Untested if the client's answer was cut short.
FlowReport report_of(
    const Flow& flow, const platform::FlowAnswer& client, const std::string& server);

// RoCE goes by addresses: has each address of the document a GID of RoCE v2?
// Reports every address of networks other than InfiniBand that want RoCE, on nodes with an RDMA
// device, in order of network and port. The findings of flows tell of nodes without one.
std::vector<RoceAddressReport> roce_addresses(
    const FabricSpec& spec, const ReadingsByNode& readings);

// Rule `roce-gid-missing`, an error.
void add_roce_findings(const std::vector<RoceAddressReport>& addresses, Findings& findings);

}  // namespace fabric::verify
