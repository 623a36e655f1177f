// What the InfiniBand subnets of the document look like: from a node of each, from this machine, or
// from files.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/reality.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::cli {

// "nodes", "local", or the path of a file with the output of ibnetdiscover or iblinkinfo.
inline constexpr const char* kWireNodes = "nodes";
inline constexpr const char* kWireLocal = "local";

// Views by `ways`. Of `snapshot`, which may be null, are the port GUIDs and who can be asked;
// without it that is every node within --limit. With kWireNodes one node a subnet is asked; without
// `runner` nobody. Fails with ErrorCode::invalid if a file is of another format, and with
// ErrorCode::not_found if this program can't look from this machine.
Result<verify::WireEvidence> read_wire(
    Context& context,
    const Wanted& wanted,
    const discovery::Snapshot* snapshot,
    const std::vector<std::string>& ways,
    remote::StepRunner* runner);

}  // namespace fabric::cli
