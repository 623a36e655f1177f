// A flow as commands: the server on one node, the client on the other, and what they say.
#pragma once

#include <cstdint>

#include "engine/remote/command.hpp"
#include "engine/verify/flows/flow.hpp"

namespace fabric::verify {

struct FlowRun {
  std::uint16_t tcp_port = 0;  // the server listens there
  // Of measuring. 0: a fixed number of RDMA messages, enough to see whether it works.
  Duration duration{0};
};

// The server ends after one client, or by itself when none comes: nothing is left on the node.
// POSIX sh with timeout(1).
remote::Command server_command(const Flow& flow, const FlowRun& run);
remote::Command client_command(const Flow& flow, const FlowRun& run);

// What the client printed; where that says nothing, what the server did. Untested if a node gave no
// answer.
FlowReport parse_flow(
    const Flow& flow, const remote::CommandOutput& server, const remote::CommandOutput& client);

// The client found nobody listening: the server may not have been ready yet.
bool came_too_early(const remote::CommandOutput& client);

}  // namespace fabric::verify
