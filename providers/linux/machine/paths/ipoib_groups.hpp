// SPDX-License-Identifier: Apache-2.0
// What `saquery MCMR` prints of the multicast groups of a subnet.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/platform/port_readings.hpp"

namespace fabric::platform {

// The IPv4 broadcast groups of IPoIB (MGID ff1x:401b:PKEY::ffff:ffff, RFC 4391), in their order;
// other groups and lines are skipped. Nullopt if it is no such list: a message of failure, say.
std::optional<std::vector<IpoibGroup>> parse_ipoib_groups(std::string_view text);

}  // namespace fabric::platform
