// SPDX-License-Identifier: Apache-2.0
// The output of `saquery SMIR`: every subnet manager that the master knows, including itself.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/platform/port_readings.hpp"

namespace fabric::platform {

// In order of the text; a record without a GUID is skipped. Nullopt if the text is no such list,
// for example a message of failure.
std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text);

}  // namespace fabric::platform
