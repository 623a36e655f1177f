// SPDX-License-Identifier: Apache-2.0
// Flows: servers that wait for a client of perftest or iperf3, and the result of a client.
//
// A command of the lab runs at once and to its end. A server's command is first run without a
// client; when a client comes, it is run again with that visit, and its new output replaces the
// first result, which is not due yet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/lab/machine/network.hpp"

namespace fabric::lab {

struct FlowTable {
  struct Waiting {
    NodeName node;
    FlowServer server;
    std::uint64_t exec = 0;  // the command it waits in
    TimePoint until{};       // the time at which the server ends by itself
    std::optional<FlowVisit> visit;
  };
  std::vector<Waiting> waiting;
  std::uint64_t exec = 0;          // the command that runs now
  std::optional<FlowVisit> visit;  // the server is run again for this client
};

}  // namespace fabric::lab
