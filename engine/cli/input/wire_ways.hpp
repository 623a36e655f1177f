// SPDX-License-Identifier: Apache-2.0
// `verify --wire`: the sources of an InfiniBand subnet's topology, besides the nodes.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/workflow/wire_reading.hpp"

namespace fabric::cli {

// "nodes", "local", or the path of a file with the output of ibnetdiscover or iblinkinfo.
inline constexpr const char* kWireNodes = "nodes";
inline constexpr const char* kWireLocal = "local";

// Looks from this machine and reads the files; none of it where the document has no InfiniBand.
// Fails with ErrorCode::invalid if a file is of another format, and with ErrorCode::not_found if
// this program can't look from this machine.
Result<std::vector<workflow::WireWay>> wire_ways(
    const FabricSpec& spec, const std::vector<std::string>& ways);

}  // namespace fabric::cli
