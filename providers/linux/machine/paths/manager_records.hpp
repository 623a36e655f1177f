// SPDX-License-Identifier: Apache-2.0
// What `saquery SMIR` prints: every subnet manager that the master knows of, itself among them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/platform/port_readings.hpp"

namespace fabric::platform {

// In their order; a record without a GUID is skipped. Nullopt if it is no such list: a message of
// failure, say.
std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text);

}  // namespace fabric::platform
