// SPDX-License-Identifier: Apache-2.0
// The "key : value" lines of Onyx. Part of onyx_show.hpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

namespace fabric::providers {

// Fails with ErrorCode::invalid, "line N: ...", if no line has a key and a value.
Result<std::vector<OnyxSection>> read_onyx_sections(std::span<const std::string> lines);

}  // namespace fabric::providers
