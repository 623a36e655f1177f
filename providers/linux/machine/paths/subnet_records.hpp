// SPDX-License-Identifier: Apache-2.0
// What InfiniBand subnets and their managers say to a host.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/platform/path_tests.hpp"
#include "engine/platform/port_readings.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

// The records that `saquery` prints of the subnet administrator's answer.
// "mtu.....................0x85" as {"mtu", "0x85"}, in the order of the text that it points into.
using SubnetRecord = std::vector<std::pair<std::string_view, std::string_view>>;

// The records below each line that begins with `heading` ("SMInfoRecord dump"); nullopt if no line
// does: no answer, which differs from an answer without a record.
std::optional<std::vector<SubnetRecord>> read_subnet_records(
    std::string_view text, std::string_view heading);

// The output of `saquery SMIR`: every subnet manager that the master knows, including itself.
// In order of the text; a record without a GUID is skipped. Nullopt if the text is no such list,
// for example a message of failure.
std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text);

// The script that reads the subnets of a Linux host's ports, and the parser of its output.
// Needs infiniband-diags, root and timeout(1); POSIX sh.
remote::Command subnet_looks_command();
SubnetLooks parse_subnet_looks(const NodeName& node, const remote::CommandOutput& output);

}  // namespace fabric::platform
