// SPDX-License-Identifier: Apache-2.0
// The records that `saquery` prints of the subnet administrator's answer.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace fabric::platform {

// "mtu.....................0x85" as {"mtu", "0x85"}, in the order of the text that it points into.
using SubnetRecord = std::vector<std::pair<std::string_view, std::string_view>>;

// The records below each line that begins with `heading` ("SMInfoRecord dump"); nullopt if no line
// does: no answer, which differs from an answer without a record.
std::optional<std::vector<SubnetRecord>> read_subnet_records(
    std::string_view text, std::string_view heading);

}  // namespace fabric::platform
