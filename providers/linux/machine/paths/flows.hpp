// SPDX-License-Identifier: Apache-2.0
// Flows between Linux hosts by perftest (RDMA) and iperf3 (TCP).
#pragma once

#include <string>

#include "engine/platform/traffic.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

MeasuringTool measuring_tool(Traffic traffic);

// POSIX sh with timeout(1).
remote::Command server_command(const FlowOrder& order);
remote::Command client_command(const FlowOrder& order);

FlowAnswer parse_client(Traffic traffic, const remote::CommandOutput& client);
// PathTests::serving_failure
std::string parse_server(const remote::CommandOutput& server);

}  // namespace fabric::platform
