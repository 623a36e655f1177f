// SPDX-License-Identifier: Apache-2.0
// Files of the machine that fabric runs on, on their way to a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric::ssh {

// The whole content. Fails with ErrorCode::not_found, denied, or stale if it has not exactly
// `bytes` or another digest (64 lower-case hex digits): nothing else than what was planned leaves
// this machine.
Result<std::string> read_local_file(
    const std::string& path, std::uint64_t bytes, std::string_view sha256);

}  // namespace fabric::ssh
