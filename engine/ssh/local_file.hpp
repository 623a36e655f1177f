// Files of the machine that fabric runs on, on their way to a node.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.hpp"

namespace fabric::ssh {

// The whole content. Fails with ErrorCode::not_found, denied, or stale if it has not exactly
// `bytes`.
Result<std::string> read_local_file(const std::string& path, std::uint64_t bytes);

}  // namespace fabric::ssh
