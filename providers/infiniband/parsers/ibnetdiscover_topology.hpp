// SPDX-License-Identifier: Apache-2.0
// The topology file of ibnetdiscover. Part of ibnetdiscover.hpp.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::providers {

bool is_topology_line(std::string_view line);
// As parse_ibnetdiscover, but a text without nodes does not fail.
Result<ObservedTopology> read_topology(std::string_view text);

}  // namespace fabric::providers
